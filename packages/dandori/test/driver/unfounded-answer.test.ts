import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import type { Settings } from '../../src/model/settings.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { ModelReply } from '../../src/testing/model-server/index.ts';
import { closeServers, createModelHouse, factsOf, say } from './model-house.ts';

afterEach(closeServers);

const prose = (text: string): ModelReply => ({ content: text });
const answer = (text: string, achieved = true) => say('json', ['answer', { text, achieved }]);

type Dialect = 'json' | 'tools' | 'auto';

async function outcome(
  replies: readonly ModelReply[],
  dialect: Dialect = 'json',
  { goal, mode = 'auto' }: { goal?: string; mode?: Settings['mode'] } = {},
) {
  const { run, server } = await createModelHouse(
    replies,
    { dialect },
    { ...(goal !== undefined && { goal }) },
  );
  const { state, events } = await run({ mode });
  return { end: state.end, server, events };
}

describe('a model that only talks has not reached the goal', () => {
  it.each([
    'calc.evaluateを呼び出します。',
    '京都の天気を調べます。少々お待ちください。',
    'I will now call weather.now for Kyoto.',
    'Let me check the weather in Kyoto first.',
    'I need to find the place, then get its weather.',
    "I'm sorry, but I can't help with that.",
    '申し訳ありませんが、お答えできません。',
  ])('is asked once more, and fails with its words if it does it again: %s', async (text) => {
    for (const dialect of ['json', 'tools'] as const) {
      const { end, server, events } = await outcome([prose(text), prose(text)], dialect);
      expect(end).toMatchObject({ outcome: 'failed', answer: text });
      expect(server.requests).toHaveLength(2);
      expect(server.requests[1]?.promptText).toContain('nothing has been done yet');
      expect(server.requests[1]?.promptText).toContain(text);
      expect(factsOf(events, 'decision_failed')).toMatchObject([{ failure: { code: 'nothing_done' } }]);
    }
  });

  it.each<[string, Dialect, Settings['mode']]>([
    ['not json at all', 'json', 'auto'],
    ['not json at all', 'tools', 'adaptive'],
    ['not json at all', 'auto', 'planned'],
    ['晴れです。', 'json', 'hierarchical'],
    ['Sure!', 'tools', 'auto'],
  ])('is asked once more if the goal speaks of a tool: %s (%s, %s)', async (text, dialect, mode) => {
    const { end, server } = await outcome([prose(text), prose(text)], dialect, { mode });
    expect(end).toMatchObject({ outcome: 'failed', answer: text });
    expect(server.requests).toHaveLength(2);
  });

  it('is asked once more if it claims a change that no call made', async () => {
    const text = '牛乳を捨てました。';
    const { end, server } = await outcome([prose(text), prose(text)], 'tools', { goal: '牛乳を頼む' });
    expect(end).toMatchObject({ outcome: 'failed', answer: text });
    expect(server.requests).toHaveLength(2);
  });

  it('is believed in direct mode, where no tool can be called', async () => {
    const { end } = await outcome([prose('I know of no weather.')], 'json', { mode: 'direct' });
    expect(end).toMatchObject({ outcome: 'answered' });
  });

  it('calls the tool when it is asked once more', async () => {
    const { end } = await outcome([
      prose('I will call weather.now.'),
      say('json', ['weather.now', { city: 'Kyoto' }]),
      answer('Sun.'),
    ]);
    expect(end).toMatchObject({ outcome: 'answered', answer: 'Sun.' });
  });

  it('may say in the second turn that this is its answer', async () => {
    const text = 'I cannot know the future.';
    const { end } = await outcome([answer(text), answer(text)]);
    expect(end).toMatchObject({ outcome: 'answered', answer: text });
  });

  it('is believed at once if it says that the goal was not reached', async () => {
    const { end, server } = await outcome([answer("I'm sorry, there is no such city.", false)]);
    expect(end).toMatchObject({ outcome: 'failed', answer: "I'm sorry, there is no such city." });
    expect(server.requests).toHaveLength(1);
  });

  it('does not succeed with text after a decision that could not be read', async () => {
    const { end } = await outcome([
      prose('{"actions": [{"operation": '),
      prose('still not json'),
      prose('still not json'),
    ]);
    expect(end).toMatchObject({ outcome: 'failed', answer: 'still not json' });
  });

  it('does not succeed with an apology after a call that failed', async () => {
    const failing = say('json', ['weather.now', { city: 'Kyoto' }]);
    const apology = prose('I was not able to look. I apologize.');
    const weather: FunctionTool = {
      run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'closed' } }),
    };
    const toolbox = createFunctionToolbox(systemClock, { 'weather.now': weather });
    const { run } = await createModelHouse([failing, apology, apology], {}, { toolbox });
    const { state } = await run();
    expect(state.end).toMatchObject({ outcome: 'failed', answer: 'I was not able to look. I apologize.' });
  });
});

describe('a plain answer to a question that needs no tool stays one call (A2)', () => {
  it.each([
    'The capital of Japan is Tokyo. Let me know if you need anything else.',
    '日本の首都は東京です。',
    'Hello! How can I help you today?',
    'こんにちは。何かお手伝いできることはありますか？',
    '日本では成人は18歳からです。詳しくは市役所で確認できます。',
  ])('%s', async (text) => {
    for (const dialect of ['json', 'tools'] as const) {
      const { end, server } = await outcome([prose(text)], dialect, { goal: 'Tell me about Japan.' });
      expect(end).toMatchObject({ outcome: 'answered', answer: text });
      expect(server.requests).toHaveLength(1);
    }
  });
});

describe('a model that copies the instructions', () => {
  it('has not answered', async () => {
    const { end } = await outcome([answer('It is 9:15 in Tokyo.'), answer('Sun.')]);
    expect(end).toMatchObject({ outcome: 'answered', answer: 'Sun.' });
  });
});
