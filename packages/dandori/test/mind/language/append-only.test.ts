import { describe, expect, it, vi } from 'vitest';
import type { Dialect } from '../../../src/mind/language/dialects/dialect.ts';
import { jsonDialect } from '../../../src/mind/language/dialects/json.ts';
import { toolsDialect } from '../../../src/mind/language/dialects/native.ts';
import { writeMessages } from '../../../src/mind/language/wire/body.ts';
import type { ModelMessage } from '../../../src/mind/language/wire/wire.ts';
import type { Thought } from '../../../src/mind/mind.ts';
import type { Task } from '../../../src/model/task.ts';
import type { Reply, ScriptedAction } from '../../../src/testing/scripted-mind.ts';
import { createHouse } from '../../driver/house.ts';

const answer: ScriptedAction = { operation: 'answer', args: { text: 'done', achieved: true } };

/** Steps with and without tasks, an error in the middle, a change of what is left, and tasks that end much later. */
const TURNS: readonly (readonly ScriptedAction[])[] = [
  [
    {
      operation: 'plan.propose',
      args: {
        objective: 'all of it',
        steps: [
          { id: 's1', description: 'look', tasks: [{ id: 'x', operation: 'b.get', args: {} }] },
          { id: 's2', description: 'look again', after: ['s1'] },
          {
            id: 's3',
            description: 'write',
            after: ['s2'],
            tasks: [{ id: 'y', operation: 'd.put', args: { n: '${x.n}' } }],
          },
        ],
      },
    },
  ],
  [
    { operation: 'reflect', args: { status: 'failure', evaluation: 'closed', revision_needed: true } },
    {
      operation: 'plan.revise',
      args: { reason: 'closed', replace: [{ id: 'x', operation: 'c.get', args: {} }] },
    },
  ],
  [{ id: 'z', operation: 'a.get' }],
  [answer],
];

describe.each([
  ['json', jsonDialect],
  ['tools', toolsDialect],
])('the prompt in the %s dialect', (_, dialect) => {
  it('only grows, through steps, reflection and revision, and tells every end once', async () => {
    const prompts: Written[] = [];
    const seen = (actions: readonly ScriptedAction[]): Reply => {
      return (thought: Thought) => {
        prompts.push(written(thought, dialect));
        return actions;
      };
    };
    const house = createHouse(
      {
        'a.get': { run: () => ({ n: 1 }) },
        'b.get': { faults: [{ kind: 'fail', message: 'b is closed' }] },
        'c.get': { run: () => ({ n: 3 }) },
        'd.put': { effect: 'write', run: () => 'written' },
      },
      TURNS.map(seen),
    );
    const state = await house.run('go', undefined, {
      mode: 'hierarchical',
      planning: {
        strategy: 'chain_of_thought',
        decomposition: 'moderate',
        reflection: { onError: true, interval: 100 },
        revisions: 3,
      },
    });
    expect(state.end?.outcome).toBe('answered');
    expect(prompts).toHaveLength(TURNS.length);
    // An open step is not a missing call.
    expect(prompts.at(-1)?.messages).not.toMatch(/s\d has not been run/);
    expectToGrow(prompts);
    const last = prompts.at(-1)?.messages ?? '';
    expect(last.match(/b is closed/g)).toHaveLength(1);
    expect(last.match(/<result \w+>/g)).toHaveLength(3);
    expect(last).toContain('Progress: 3 of 3 steps done');
  });
});

/** A list that was left open by the user, with a task behind it that is compiled again once the list is known. */
const GIVEN: readonly Task[] = [
  { id: 'first', operation: 'a.get', args: {} },
  { id: 'open', operation: 'task.generate_list', args: { purpose: 'look' }, after: ['first'] },
  { id: 'last', operation: 'd.put', args: { n: '${first.n}' }, after: ['open'] },
];

it.each([
  ['json', jsonDialect],
  ['tools', toolsDialect],
])('a plan of the user stays in the %s prompt as it was given', async (_, dialect) => {
  const prompts: Written[] = [];
  const house = createHouse(
    { 'a.get': { run: () => ({ n: 1 }) }, 'd.put': { effect: 'write', run: () => 'written' } },
    [[{ id: 'z', operation: 'a.get' }], [answer]].map(
      (actions): Reply =>
        (thought) => {
          prompts.push(written(thought, dialect));
          return actions;
        },
    ),
  );
  const state = await house.run('go', GIVEN);
  expect(state.end?.outcome).toBe('answered');
  expect(prompts).toHaveLength(2);
  expect(prompts[0]?.messages).toContain('d.put');
  expectToGrow(prompts);
});

interface Written {
  readonly instructions: string;
  readonly messages: string;
}

/** The prompt of the next call. It is the same whether earlier turns are kept or written again from the state. */
function written(thought: Thought, dialect: Dialect): Written {
  const prompt = dialect.write(thought);
  expect(dialect.write({ ...thought, state: { ...thought.state } })).toEqual(prompt);
  return { instructions: prompt.instructions, messages: JSON.stringify(prompt.messages) };
}

it.each([
  ['json', jsonDialect],
  ['tools', toolsDialect],
])(
  'a message that was sent before is the same object in the %s dialect, so that it is written once',
  async (_, dialect) => {
    const sent: (readonly ModelMessage[])[] = [];
    const told: string[] = [];
    const turn = (n: number): Reply => {
      return (thought) => {
        const resultText = (task: string) => {
          told.push(task);
          return thought.resultText(task);
        };
        sent.push(dialect.write({ ...thought, resultText }).messages);
        return n < 8 ? [{ id: `t${n + 1}`, operation: 'a.get', args: { n } }] : [answer];
      };
    };
    const house = createHouse(
      { 'a.get': { run: ({ n }) => ({ n: n ?? null }) } },
      [...Array(9).keys()].map(turn),
    );
    expect((await house.run('go')).end?.outcome).toBe('answered');
    const [before = [], last = []] = sent.slice(-2);
    const again = before.filter((message, index) => last[index] === message);
    expect(again).toHaveLength(before.length);
    // A step tells only what is new.
    expect(told).toEqual([...Array(8).keys()].map((n) => `t${n + 1}`));
    const toJson = vi.fn(JSON.stringify);
    const conversation = {};
    for (const messages of sent) writeMessages('Be brief.', messages, { conversation, toJson });
    expect(toJson).toHaveBeenCalledTimes(last.length);
  },
);

function expectToGrow(prompts: readonly Written[]): void {
  for (const [index, { instructions, messages }] of prompts.entries()) {
    const before = prompts[index - 1];
    if (before === undefined) continue;
    expect(instructions).toBe(before.instructions);
    // Without the closing bracket of the list, and of the last message's content.
    expect(messages.startsWith(before.messages.replace(/"?\}*\]?\}?\]$/, ''))).toBe(true);
  }
}
