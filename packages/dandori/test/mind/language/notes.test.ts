import { describe, expect, it } from 'vitest';
import { jsonDialect } from '../../../src/mind/language/dialects/json.ts';
import { toolsDialect } from '../../../src/mind/language/dialects/native.ts';
import { fittingWindow } from '../../../src/mind/language/prompt.ts';
import type { Fact } from '../../../src/model/event.ts';
import { Story } from './thought.ts';

const note = (text: string, by?: string): Fact => ({ type: 'note_added', data: { text, by } });
const find = (number: number) => ({
  id: `t${number}`,
  operation: 'places.find',
  args: { q: `place ${number}` },
});
const answer = { id: 'a', operation: 'answer', args: { text: 'Sun.' } };

describe.each([
  ['json', jsonDialect],
  ['tools', toolsDialect],
])('what people say to a run, in the %s dialect', (_, dialect) => {
  const told = (story: Story) => JSON.stringify(dialect.write(story.thought()).messages);

  it('is told once, in their words, where it was said, and the prompt only grows', () => {
    const story = new Story();
    story.add(note('before all'));
    const first = told(story);
    expect(first).toContain('The user says:\\nbefore all');
    story.decided([find(1)], { t1: 'Kyoto' }).add(note('only "Kyoto"', 'anna'));
    const second = told(story);
    expect(second.startsWith(first.replace(/"\}\]$/, ''))).toBe(true);
    story.decided([find(2)], { t2: 'Nara' });
    const third = told(story);
    expect(third.startsWith(second.replace(/"\}\]$/, ''))).toBe(true);
    for (const words of ['before all', 'The user (anna) says:']) expect(third.split(words)).toHaveLength(2);
  });

  it('is not told to a decision that had begun before, and is to the next', () => {
    const story = new Story().started('act');
    story.add(note('too late'));
    expect(told(story)).not.toContain('too late');
    story.add({ type: 'decision_made', data: { decision: 1, operations: [answer], ms: 1 } });
    expect(told(story)).toMatch(
      /Your answer was not given to the user, who has said something more.*too late/,
    );
  });

  it('is told also where the model was not reached in between', () => {
    const story = new Story().failed({ kind: 'failed', failure: { kind: 'model_error', message: 'down' } });
    story.add(note('still here'));
    expect(told(story)).toContain('still here');
  });

  it('survives compaction', async () => {
    const story = new Story('Find all places.', { mode: 'adaptive' });
    story.state.settings = { ...story.state.settings, context: { tokens: 4_000 } };
    story.decided([find(1)], { t1: 'x' }).add(note('never Osaka'));
    for (let number = 2; number <= 40; number++)
      story.decided([find(number)], { [`t${number}`]: `found ${'word '.repeat(100)}` });
    const thought = story.thought();
    const window = await fittingWindow(thought);
    expect(window.from).toBeGreaterThan(2);
    const messages = JSON.stringify(dialect.write(thought, undefined, window).messages);
    expect(messages.split('never Osaka')).toHaveLength(2);
  });

  it('tells how a question of its own ended', () => {
    const story = new Story();
    const question = { id: 'q1', kind: 'missing_input' as const, text: 'Which Kyoto?', default: 'old' };
    const asked = () =>
      new Story()
        .decided([{ id: 'a1', operation: 'ask', args: { question: 'Which Kyoto?' } }])
        .add({ type: 'question_asked', data: { question } });
    expect(told(story)).not.toContain('Which Kyoto?');
    const ends: [Fact, string][] = [
      [
        {
          type: 'question_answered',
          data: { question: 'q1', answer: null, declined: true, comment: 'ask later' },
        },
        'The user declined to answer.\\nThe user added: ask later',
      ],
      [
        { type: 'question_expired', data: { question: 'q1', as: 'default' } },
        'The user did not answer in time, so your default counts: old',
      ],
      [
        { type: 'question_expired', data: { question: 'q1', as: 'declined' } },
        'The user did not answer in time.',
      ],
    ];
    for (const [end, words] of ends) expect(told(asked().add(end))).toContain(words);
  });
});
