import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { RecordedCase } from '../../src/history/case.ts';
import { recordRun } from '../../src/history/save-as-test.ts';
import type { Json } from '../../src/model/json.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { CaseError, runCase } from '../../src/testing/index.ts';
import type { Reply } from '../../src/testing/scripted-mind.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { createHouse } from '../driver/house.ts';

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

const TOOLS: Record<string, FunctionTool> = {
  'calc.add': { inputSchema: number, run: ({ n }) => ({ sum: Number(n) + 1 }), takes: 10 },
  'mail.send': { effect: 'destructive', run: () => ({ sent: true }), takes: 30 },
  'line.closed': {
    run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'closed' } }),
    takes: 5,
  },
  'shop.order': { effect: 'write', run: () => ({ order: 1 }), faults: [{ kind: 'lost_after' }] },
  'post.put': {
    effect: 'write',
    run: () => ({ id: 'p1' }),
    faults: [{ kind: 'lost_after' }],
    probe: { tool: 'post.find', args: {}, settledWhen: 'found', result: 'post', wait: 1_000 },
  },
  'post.find': { run: () => ({ found: true, post: { id: 'p1' } }) },
  'who.is': {
    run: ({ id }): Json | CallOutcome =>
      id === undefined
        ? {
            kind: 'ambiguous',
            question: 'which?',
            options: [
              { label: 'A', value: 'a', args: { id: 'a' } },
              { label: 'B', value: 'b', args: { id: 'b' } },
            ],
          }
        : { name: `person ${String(id)}` },
  },
  'big.read': { run: () => 'x'.repeat(40_000) },
};

const PLANNING = {
  strategy: 'plan_and_solve',
  decomposition: 'moderate',
  reflection: { onError: true, interval: 3 },
  revisions: 3,
} as const;

const done: Reply = [{ operation: 'answer', args: { text: 'done', achieved: true } }];

interface Story {
  readonly script: readonly Reply[];
  readonly answers?: readonly string[];
  readonly settings?: object;
}

/** Real runs of many kinds; each must go the same way again. */
const STORIES: Record<string, Story> = {
  'Refs, an approval and a large result': {
    script: [
      [
        { id: 'a', operation: 'calc.add', args: { n: 1 } },
        { id: 'b', operation: 'calc.add', args: { n: '${a.sum}' } },
        { id: 'g', operation: 'big.read' },
        { id: 'm', operation: 'mail.send', args: { text: 'it is ${b.sum}' } },
      ],
      [{ operation: 'answer', args: { text: 'It is ${b.sum}.' } }],
    ],
    answers: ['approve'],
    settings: { approval: 'destructive' },
  },
  'a failure, a reflection and a revision': {
    script: [
      [
        { id: 'a', operation: 'calc.add', args: { n: 1 } },
        { id: 'c', operation: 'line.closed', after: ['a'] },
        { id: 'd', operation: 'calc.add', args: { n: '${c.n}' } },
      ],
      [
        { operation: 'reflect', args: { status: 'partial', evaluation: 'closed', revision_needed: true } },
        {
          operation: 'plan.revise',
          args: {
            reason: 'another way',
            replace: [
              { id: 'c', operation: 'calc.add', args: { n: '${a.sum}' } },
              { id: 'd', operation: 'calc.add', args: { n: '${c.sum}' } },
            ],
          },
        },
      ],
      done,
    ],
    settings: { mode: 'planned', planning: PLANNING },
  },
  'steps that are planned one after the other': {
    script: [
      [
        {
          operation: 'plan.propose',
          args: {
            objective: 'add',
            success_criteria: ['a sum'],
            steps: [
              { id: 's1', description: 'first', tasks: [{ id: 'a', operation: 'calc.add', args: { n: 1 } }] },
              { id: 's2', description: 'second', after: ['s1'] },
            ],
          },
        },
      ],
      [{ id: 'b', operation: 'calc.add', args: { n: '${a.sum}' } }],
      [
        {
          operation: 'answer',
          args: { text: 'ok', achieved: true, criteria: [{ met: true, because: '3' }] },
        },
      ],
    ],
    settings: { mode: 'hierarchical', planning: PLANNING },
  },
  'a plan that was rejected and corrected': {
    script: [
      [
        { id: 'a', operation: 'calc.add', args: { n: 1 } },
        { id: 'b', operation: 'calc.add', args: { n: '${nobody.sum}' } },
      ],
      [
        {
          operation: 'plan.revise',
          args: { replace: [{ id: 'b', operation: 'calc.add', args: { n: '${a.sum}' } }] },
        },
      ],
      done,
    ],
  },
  'a question of the mind and one of a tool': {
    script: [
      [{ operation: 'ask', args: { question: 'how many?', options: ['one', 'two'] } }],
      [{ id: 'w', operation: 'who.is' }],
      done,
    ],
    answers: ['two', 'b'],
  },
  'a call whose effect was unknown': {
    script: [[{ id: 'o', operation: 'shop.order' }], done],
    answers: ['happened'],
  },
  'a call that a probe has found': {
    script: [
      [
        { id: 'p', operation: 'post.put' },
        { id: 'q', operation: 'calc.add', args: { n: 1, note: '${p.id}' } },
      ],
      [{ operation: 'answer', args: { text: 'It is ${p.id}.' } }],
    ],
  },
  'a mind that fails, then answers': {
    script: [
      {
        kind: 'failed',
        failure: { kind: 'model_error', message: 'busy', retryable: true, retryAfter: 5_000 },
      },
      done,
    ],
  },
  'a goal that cannot be reached': {
    script: [[{ operation: 'answer', args: { text: 'no', achieved: false } }]],
  },
};

async function recorded({ script, answers = [], settings }: Story): Promise<RecordedCase> {
  const house = createHouse(TOOLS, script);
  const run = await house.start('go', undefined, settings);
  let state = await house.drive(run);
  for (const value of answers) {
    const open = [...state.questions.values()].find(({ answer }) => answer === undefined);
    await house.answer(run, open?.question.id ?? '', value);
    state = await house.drive(run);
  }
  expect(state.end).toBeDefined();
  const made = await recordRun(run, house.parts);
  expect(made).toMatchObject({ inexact: [], unknown: [] });
  return made.case;
}

const STORY = STORIES['Refs, an approval and a large result'] as Story;

describe('a recorded run', () => {
  it.each(Object.entries(STORIES))('with %s goes the same way again', async (_, story) => {
    const made = await recorded(story);
    const report = await runCase(made);
    expect(report).toMatchObject({ outcome: made.expect.outcome, answer: made.expect.answer });
  });

  it('is a file that is read back, in YAML and in JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dandori-case-'));
    try {
      const made = await recorded(STORY);
      for (const text of [stringify(made), JSON.stringify(made)]) {
        await writeFile(join(folder, 'case.yaml'), text);
        expect(await runCase(join(folder, 'case.yaml'))).toMatchObject({ answer: 'It is 3.' });
      }
      await writeFile(join(folder, 'case.yaml'), 'goal: x');
      await expect(runCase(join(folder, 'case.yaml'))).rejects.toThrow(/is not a test case.*[\s\S]*settings/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('fails where another call would be made, and shows which', async () => {
    const made = await recorded(STORY);
    const [first] = made.decisions;
    const actions = first?.actions?.map((action) =>
      action.id === 'b' ? { ...action, args: { n: 7 } } : action,
    );
    const changed = { ...made, decisions: made.decisions.with(0, { ...first, actions } as never) };
    const error = await runCase(changed).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CaseError);
    expect(String(error)).toContain('+ b calc.add {"n":7}   is called now, with other arguments');
    expect(String(error)).toContain('- b calc.add {"n":2}   was called in the recording, not now');
  });

  it('fails where settings or tools of now make something else of it', async () => {
    const made = await recorded(STORY);
    await expect(runCase(made, { settings: { approval: 'never' } })).rejects.toThrow(/never done: .*approve/);
    const tools = new Map(
      made.tools.map((tool) => [
        tool.name,
        tool.name === 'calc.add'
          ? {
              ...tool,
              inputSchema: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
            }
          : tool,
      ]),
    );
    await expect(runCase(made, { tools })).rejects.toThrow(/the plan is refused now: .*invalid-args/);
  });

  it('fails where the answer, the outcome or the number of decisions is another', async () => {
    const made = await recorded(STORY);
    const other = { ...made, expect: { ...made.expect, answer: 'It is 4.' } };
    await expect(runCase(other)).rejects.toThrow(/answer\n.*It is 4\.[\s\S]*It is 3\./);
    const shorter = { ...made, decisions: made.decisions.slice(0, 1) };
    await expect(runCase(shorter)).rejects.toThrow(/the mind was asked a 2\. time/);
    const more = { ...made, decisions: [...made.decisions, made.decisions[0] as never] };
    await expect(runCase(more)).rejects.toThrow(/decision 3 \(act\) was never asked for/);
  });

  it('holds no secret, also where a tool says one of itself', async () => {
    const house = createHouse({ 'a.read': { run: () => 1, description: 'the key is s3cret-key' } }, [
      [{ id: 'a', operation: 'a.read' }],
      done,
    ]);
    const { run } = await house.run('go');
    const made = await recordRun(run, { ...house.parts, secrets: ['s3cret-key'] });
    expect(JSON.stringify(made.case)).not.toContain('s3cret-key');
  });

  it('is refused where the run is open or was cancelled', async () => {
    const house = createHouse(TOOLS, [[{ id: 'm', operation: 'mail.send' }]]);
    const run = await house.start('go', undefined, { approval: 'always' });
    await expect(recordRun(run, house.parts)).rejects.toMatchObject({ code: 'run-not-ended' });
    await house.drive(run);
    expect((await recordRun(run, house.parts)).case.expect.outcome).toBe('waiting');
    await house.cancel(run, 'enough');
    await house.drive(run);
    await expect(recordRun(run, house.parts)).rejects.toMatchObject({ code: 'usage' });
  });
});
