import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import type { ModelReply, ScriptEntry } from '../../src/testing/model-server/index.ts';
import { createHouse, DONE } from './house.ts';
import { closeServers, createModelHouse, factsOf, say } from './model-house.ts';

afterEach(closeServers);

const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const call = (city: string): ModelReply => ({ ...say('json', ['weather.now', { city }]), usage });
const isClosing: ScriptEntry = {
  ...say('json', ['answer', { text: 'Kyoto: sun. Nara is missing.', achieved: false }]),
  usage,
  expect: ({ body, promptText }) =>
    promptText.includes('A limit of this run is reached') &&
    JSON.stringify(body.response_format).includes('"enum":["answer"]'),
};
const limits = { steps: 10, calls: 30, tasks: 100, time: 600_000 };

describe('at a limit the model writes the answer (C9)', () => {
  it.each([
    ['tokens', { limits: { ...limits, tokens: 3_500 } }, {}],
    ['cost', { limits: { ...limits, cost: 0.0035 } }, { price: { input: 1, output: 1 } }],
    ['steps', { limits: { ...limits, steps: 1 } }, {}],
    ['calls', { limits: { ...limits, calls: 2 } }, {}],
  ] as const)('%s: the closing call is reserved', async (limit, settings, options) => {
    const { run } = await createModelHouse([call('Kyoto'), isClosing], options);
    const { state, events } = await run(settings);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit, answer: 'Kyoto: sun. Nara is missing.' });
    expect(factsOf(events, 'limit_reached').every(({ reserved }) => reserved === true)).toBe(true);
  });

  it('time: the last part is kept for it, and running calls are stopped before', async () => {
    const toolbox = createFunctionToolbox(systemClock, {
      'weather.now': { run: ({ city }) => (city === 'Kyoto' ? 'sun' : new Promise(() => {})) },
    });
    const replies = [call('Kyoto'), call('Nara'), isClosing];
    const { run } = await createModelHouse(replies, {}, { toolbox });
    const { state } = await run({ limits: { ...limits, time: 62_000, closing: 60_000 } });
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'time' });
    expect(state.end?.answer).toBe('Kyoto: sun. Nara is missing.');
  });

  it('time: a model that is busy when the last part begins is asked when it is free again', async () => {
    const failure = { kind: 'model_error' as const, message: '429', retryable: true, retryAfter: 30_000 };
    const house = createHouse({}, [{ kind: 'failed', failure }, ...DONE]);
    const state = await house.run('go', undefined, { limits: { ...limits, time: 50_000, closing: 30_000 } });
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'time', answer: 'done' });
  });

  it('a closing answer that cannot be read is asked for again', async () => {
    const broken: ModelReply = { content: '{"actions": [' };
    const { run } = await createModelHouse([call('Kyoto'), broken, isClosing]);
    const { state } = await run({ limits: { ...limits, steps: 1 } });
    expect(state.end).toMatchObject({ outcome: 'exhausted', answer: 'Kyoto: sun. Nara is missing.' });
  });

  it('only if there is none, the results are listed, and the text says so', async () => {
    const { run } = await createModelHouse([{ ...call('Kyoto') }]);
    const { state } = await run({ limits: { ...limits, tokens: 2_500 } });
    expect(state.end).toMatchObject({
      outcome: 'exhausted',
      answer: expect.stringMatching(/^No final answer was written\..*\n- weather\.now: /),
    });
  });
});
