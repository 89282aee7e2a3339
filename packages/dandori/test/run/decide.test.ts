import { describe, expect, it, vi } from 'vitest';
import type { Fact } from '../../src/model/event.ts';
import { decide } from '../../src/run/decide.ts';
import type { Intention } from '../../src/run/intention.ts';
import { fold } from '../../src/run/state/apply.ts';
import { IS_LONG } from '../long.ts';
import {
  answer,
  answers,
  approves,
  asks,
  cancels,
  decides,
  ends,
  fails,
  failsToDecide,
  inDoubt,
  journalFrom,
  type Planned,
  proposes,
  resumed,
  running,
  started,
  starts,
  stateOf,
  succeeds,
  thinks,
} from './facts.ts';

const day = 86_400_000;
const two: Planned[] = [{ id: 'a' }, { id: 'b' }];
const write: Planned[] = [{ id: 'w', effect: 'write' }];

function decided(entries: (Fact | number)[], now = 0): Intention[] {
  return decide(stateOf(...entries), now);
}

function types(entries: (Fact | number)[], now = 0): string[] {
  return decided(entries, now).map((intention) =>
    'task' in intention ? `${intention.type} ${intention.task}` : intention.type,
  );
}

describe('what comes next', () => {
  it.each<[string, (Fact | number)[], number, string[]]>([
    ['a new run asks the mind', [started()], 0, ['think']],
    [
      'D2: a proposed plan is compiled first',
      [started(), thinks(1), decides(1), proposes(two)],
      0,
      ['compile_plan'],
    ],
    ['everything that can start does', running(two), 0, ['start_task a', 'start_task b']],
    ['D3: no more than may run at once', running(two, { concurrency: 1 }), 0, ['start_task a']],
    [
      'D3: no more that change something than may, and reads all the same',
      running(
        [
          { id: 'w', effect: 'write' },
          { id: 'x', effect: 'write' },
          { id: 'r', effect: 'read' },
        ],
        { approval: 'never', writes: 1 },
      ),
      0,
      ['start_task w', 'start_task r'],
    ],
    [
      'D3: nothing while the place is taken',
      [...running(two, { concurrency: 1 }), starts('a')],
      0,
      ['wake_at'],
    ],
    [
      'D4: the mind is not asked while something runs',
      [...running(two), starts('a'), starts('b'), succeeds('a')],
      0,
      ['wake_at'],
    ],
    ['D4: nor while it thinks', [started(), thinks(1)], 0, ['wake_at']],
    [
      'D4: nor while something will be tried again',
      [...running(two), starts('a'), starts('b'), succeeds('a'), fails('b', 1, { retryable: true })],
      0,
      ['wake_at'],
    ],
    [
      'what is due is tried again',
      [...running(two), starts('a'), starts('b'), succeeds('a'), fails('b', 1, { retryable: true })],
      100,
      ['start_task b'],
    ],
    [
      'D5: only a person can go on',
      [...running(write), starts('w'), inDoubt('w'), asks('q1', { task: 'w' })],
      0,
      [],
    ],
    ['in doubt: settle it', [...running(write), starts('w'), inDoubt('w')], 0, ['settle w']],
    [
      'other branches go on meanwhile',
      [...running([...two, ...write]), asks('q1', { task: 'w', kind: 'approval' })],
      0,
      ['start_task a', 'start_task b'],
    ],
    [
      'after the last task of a given plan the answer',
      [...running([{ id: 'a' }]), starts('a'), succeeds('a')],
      0,
      ['think'],
    ],
    [
      'a busy model is waited for',
      [started(), thinks(1), failsToDecide(1, { kind: 'model_error', message: 'busy', retryable: true })],
      99,
      ['wake_at'],
    ],
    [
      'and then asked again',
      [started(), thinks(1), failsToDecide(1, { kind: 'model_error', message: 'busy', retryable: true })],
      100,
      ['think'],
    ],
    ['D1: nothing after the end', [started(), thinks(1), decides(1, [answer({ text: 'x' })]), ends], 0, []],
    ['D1: a cancel tells the calls first', [...running(two), starts('a'), cancels], 0, ['abort_calls']],
    ['D1: and then ends', [...running(two), cancels], 0, ['finish']],
    ['D1: when the time is up the calls are told', [...running(two), starts('a')], 60_000, ['abort_calls']],
    ['D1: and nothing new starts', running(two).concat(starts('a'), succeeds('a')), 60_000, ['finish']],
    [
      'D1: a plan that waits to be compiled does not stop a cancel',
      [started(), thinks(1), decides(1), proposes(two), cancels],
      0,
      ['finish'],
    ],
  ])('%s', (_, entries, now, expected) => {
    expect(types(entries, now)).toEqual(expected);
  });

  it.each<['never' | 'destructive' | 'writes' | 'always', string[]]>([
    ['never', ['start_task r', 'start_task i', 'start_task w', 'start_task d']],
    ['destructive', ['start_task r', 'start_task i', 'start_task w', 'ask_approval d']],
    ['writes', ['start_task r', 'ask_approval i', 'ask_approval w', 'ask_approval d']],
    ['always', ['ask_approval r', 'ask_approval i', 'ask_approval w', 'ask_approval d']],
  ])('a person is asked as the policy says: %s', (approval, expected) => {
    const plan: Planned[] = [
      { id: 'r' },
      { id: 'i', effect: 'idempotent' },
      { id: 'w', effect: 'write' },
      { id: 'd', effect: 'destructive' },
    ];
    expect(types(running(plan, { approval }))).toEqual(expected);
  });

  it('it wakes at the first of: a retry, the mind, the end of the time', () => {
    const busy: Fact[] = [
      ...running(two, { limits: { time: 50 } }),
      starts('a'),
      fails('a', 1, { retryable: true }),
      starts('b'),
      succeeds('b'),
    ];
    expect(decided(busy, 10)).toEqual([{ type: 'wake_at', at: 50 }]);
    const longer = busy.map((fact) =>
      fact.type === 'run_started' ? started({}, { planGiven: true }) : fact,
    );
    expect(decided(longer, 10)).toEqual([{ type: 'wake_at', at: 100 }]);
  });

  it.runIf(IS_LONG)('150,000 tasks that wait for their next try do not overflow the stack', () => {
    const plan = Array.from({ length: 150_000 }, (_, index) => ({ id: `t${index}` }));
    const facts = plan.flatMap(({ id }) => [starts(id), fails(id, 1, { retryable: true })]);
    const state = fold(journalFrom([...running(plan), ...facts]));
    expect(state && decide(state, 0)).toEqual([{ type: 'wake_at', at: 100 }]);
  });

  it.each<[string, number, (Fact | number)[]]>([
    ['wait for their next try', 150, []],
    ['have been due since the last fact and find no place', 20_000, [10_000, starts('b'), succeeds('b')]],
  ])('a decision looks at a few tasks only, however many %s', (_, now, last) => {
    const plan = [...two, ...Array.from({ length: 2_000 }, (__, index) => ({ id: `t${index}` }))];
    const facts = plan.slice(2).flatMap(({ id }) => [starts(id), 1, fails(id, 1, { retryable: true })]);
    const state = stateOf(...running(plan, { concurrency: 2 }), ...facts, starts('a'), ...last);
    const looks = vi.spyOn(state.tasks, 'get');
    expect(decide(state, now)).not.toEqual([]);
    expect(looks.mock.calls.length).toBeLessThan(10);
  });

  it('a retry whose server is full does not hide the next one of another, which would then sleep too long', () => {
    const plan: Planned[] = [
      { id: 'x1', operation: 'x.a' },
      { id: 'x2', operation: 'x.a' },
      { id: 'y', operation: 'y.a' },
    ];
    const entries = [
      ...running(plan, { servers: { x: 1 } }),
      starts('x1'),
      fails('x1', 1, { retryable: true }),
      starts('x2'),
      50,
      starts('y'),
      fails('y', 1, { retryable: true }),
    ];
    expect(decided(entries, 120)).toEqual([{ type: 'wake_at', at: 150 }]);
    expect(decided(entries, 150)).toMatchObject([{ type: 'start_task', task: 'y' }, { type: 'wake_at' }]);
  });

  it('a retry waits for its time, and then for its turn', () => {
    const entries = [
      ...running([...two, { id: 'c' }]),
      starts('c'),
      fails('c', 1, { retryable: true }),
      10,
      ...['a', 'b'].flatMap((id) => [starts(id), fails(id, 1, { retryable: true })]),
    ];
    expect(types(entries, 105)).toEqual(['start_task c', 'wake_at']);
    expect(types(entries, 110)).toEqual(['start_task a', 'start_task b', 'start_task c']);
  });
});

describe('the limit of a server is kept', () => {
  it.each<[string, Record<string, number>, string[]]>([
    [
      'where its name holds dots',
      { 'com.example.mail': 1 },
      ['start_task a', 'start_task c', 'start_task d'],
    ],
    [
      'by the longest name that has one',
      { com: 1, 'com.example': 1 },
      ['start_task a', 'start_task c', 'start_task d'],
    ],
    ['by the first part of the name', { com: 1 }, ['start_task a', 'start_task d']],
    [
      'and none is found in what every object has',
      {},
      ['start_task a', 'start_task b', 'start_task c', 'start_task d'],
    ],
  ])('%s', (_, servers, expected) => {
    const plan: Planned[] = [
      { id: 'a', operation: 'com.example.mail.send' },
      { id: 'b', operation: 'com.example.mail.send' },
      { id: 'c', operation: 'com.other.get' },
      { id: 'd', operation: 'constructor.get' },
    ];
    expect(types(running(plan, { servers }))).toEqual(expected);
  });
});

describe('limits', () => {
  const answeredNothing = (decision: number): Fact[] => [
    thinks(decision),
    decides(decision),
    proposes([{ id: `t${decision}` }], 'mind', decision),
    approves([{ id: `t${decision}` }], decision),
    starts(`t${decision}`),
    succeeds(`t${decision}`),
  ];

  it('after the last step the mind may still conclude', () => {
    const entries = [started({ limits: { steps: 2 } }), ...answeredNothing(1), ...answeredNothing(2)];
    expect(decided(entries)).toEqual([{ type: 'think', purpose: 'conclude' }]);
  });

  it('one model call is kept back for the closing answer', () => {
    const entries = [started({ limits: { calls: 3 } }), ...answeredNothing(1)];
    expect(decided(entries)).toEqual([{ type: 'think', purpose: 'act' }]);
    expect(decided([...entries, ...answeredNothing(2)])).toEqual([{ type: 'think', purpose: 'conclude' }]);
  });

  it('a single call is not kept back, or nothing would ever be done', () => {
    expect(decided([started({ limits: { calls: 1 } })])).toEqual([{ type: 'think', purpose: 'act' }]);
    expect(decided([started({ limits: { calls: 1 } }), ...answeredNothing(1)])).toMatchObject([
      { type: 'finish', ending: { outcome: 'exhausted' } },
    ]);
  });

  it('a given plan has an answer to be written, however small the number of steps', () => {
    expect(
      decided([...running([{ id: 'a' }], { limits: { steps: 1 } }), starts('a'), succeeds('a')]),
    ).toEqual([{ type: 'think', purpose: 'answer' }]);
  });

  it('a conclusion that fails ends the run, with what is missing', () => {
    const entries = [
      started({ limits: { steps: 1 } }),
      ...answeredNothing(1),
      thinks(2, 'conclude'),
      failsToDecide(2, { kind: 'model_error', message: 'x' }),
    ];
    expect(decided(entries)).toMatchObject([
      {
        type: 'finish',
        ending: { outcome: 'exhausted', missing: [{ code: 'limit', params: { limit: 'steps', most: 1 } }] },
      },
    ]);
  });

  it.each<[string, (Fact | number)[], number]>([
    [
      'two days of a crash',
      [
        started(),
        thinks(1),
        decides(1),
        proposes(two),
        approves(two),
        starts('a'),
        succeeds('a'),
        2 * day,
        resumed,
      ],
      2 * day + 10,
    ],
    [
      'a week in which a person thought',
      [
        ...running(write),
        asks('q1', { task: 'w', kind: 'approval' }),
        7 * day,
        answers('q1', 'approve'),
        resumed,
      ],
      7 * day + 10,
    ],
    ['a day in a queue', [started()], day],
    ['a day in a queue with a given plan', [started({}, { planGiven: true }), proposes(two, 'user')], day],
  ])('the time is not used up by %s', (_, entries, now) => {
    expect(types(entries, now)).not.toContain('finish');
    expect(types(entries, now).length).toBeGreaterThan(0);
  });

  it('but by work', () => {
    expect(decided([...running(two), starts('a'), 59_999, succeeds('a')], 60_000)).toMatchObject([
      { type: 'finish', ending: { outcome: 'exhausted' } },
    ]);
  });
});

const undone = (task: string, status: string) => ({
  code: 'task',
  params: { task, name: `box.${task}`, status },
});

describe('the end', () => {
  const read: Planned = { id: 'r' };
  const done = (task: Planned): Fact[] => [
    proposes([task]),
    approves([task]),
    starts(task.id),
    succeeds(task.id),
  ];

  it.each<[string, (Fact | number)[], object | undefined]>([
    ['an answer ends', [started(), thinks(1), decides(1, [answer({ text: 'x' })])], { outcome: 'answered' }],
    [
      'an answer that says no',
      [started(), thinks(1), decides(1, [answer({ text: 'x', achieved: false })])],
      { outcome: 'failed', failure: { kind: 'not_possible' } },
    ],
    [
      'an answer with a write',
      [started(), thinks(1), decides(1, [answer({ text: 'done' })]), ...done({ id: 'w', effect: 'write' })],
      { outcome: 'answered' },
    ],
    [
      'an answer with a read that it uses',
      [started(), thinks(1), decides(1, [answer({ text: '${r.x}' })]), ...done(read)],
      { outcome: 'answered' },
    ],
    [
      'an answer with a read that it did not see does not stand',
      [started(), thinks(1), decides(1, [answer({ text: 'sunny' })]), ...done(read)],
      undefined,
    ],
    [
      'nor by a Ref to something else',
      [started(), thinks(1), decides(1, [answer({ text: 'see ${HOME}' })]), ...done(read)],
      undefined,
    ],
    [
      'nor with a task that failed',
      [
        started(),
        thinks(1),
        decides(1, [answer({ text: '${r.x}' })]),
        proposes([read]),
        approves([read]),
        starts('r'),
        fails('r'),
      ],
      undefined,
    ],
    [
      'nor with a plan that was rejected',
      [
        started(),
        thinks(1),
        decides(1, [answer({ text: '${r.x}' })]),
        proposes([read]),
        { type: 'plan_rejected', data: { version: 1, diagnostics: [] } },
      ],
      undefined,
    ],
    [
      'nor one that was written before a person answered',
      [
        started(),
        thinks(1),
        decides(1, [{ id: 'q', operation: 'ask', args: {} }, answer({ text: 'x' })]),
        asks('q1', { kind: 'missing_input' }),
        answers('q1', 'blue'),
      ],
      undefined,
    ],
    [
      'a conclusion is exhausted',
      [started(), thinks(1, 'conclude'), decides(1, [answer({ text: 'so far' })])],
      { outcome: 'exhausted' },
    ],
    [
      'unless it says that the goal is reached',
      [started(), thinks(1, 'conclude'), decides(1, [answer({ text: 'x', achieved: true })])],
      { outcome: 'answered' },
    ],
    [
      'a given plan of which a task failed has failed, whatever the answer says',
      [
        ...running(two),
        starts('a'),
        succeeds('a'),
        starts('b'),
        fails('b'),
        thinks(1, 'answer'),
        decides(1, [answer({ text: 'fine' })]),
      ],
      { outcome: 'failed', failure: { kind: 'tool_error', message: 'no' }, missing: [undone('b', 'failed')] },
    ],
    [
      'a mind that fails too often',
      [
        started(),
        thinks(1),
        failsToDecide(1, { kind: 'model_error', message: 'x' }),
        thinks(2),
        failsToDecide(2, { kind: 'model_error', message: 'y' }),
      ],
      { outcome: 'failed', failure: { kind: 'model_error', message: 'y' } },
    ],
    [
      'a cancel',
      [...running(two), starts('a'), succeeds('a'), cancels],
      {
        outcome: 'cancelled',
        failure: { kind: 'cancelled', message: 'enough' },
        missing: [undone('b', 'not_done')],
      },
    ],
    [
      'a cancel while a write is in doubt does not say that it was not done',
      [...running(write), starts('w'), inDoubt('w'), asks('q1', { task: 'w' }), cancels],
      { outcome: 'cancelled', missing: [undone('w', 'in_doubt')] },
    ],
  ])('%s', (_, entries, ending) => {
    const found = decided(entries).find(({ type }) => type === 'finish');
    if (ending === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ ending });
  });

  it('plans that are rejected too often say what was wrong', () => {
    const rejected = (version: number): Fact => ({
      type: 'plan_rejected',
      data: { version, diagnostics: [{ code: 'cycle', task: 'a', message: 'round and round' }] },
    });
    // A decision that was made is no success while its plan is not accepted.
    const entries = [
      started(),
      thinks(1),
      decides(1),
      proposes(two),
      rejected(1),
      thinks(2),
      decides(2),
      proposes(two),
      rejected(1),
    ];
    expect(decided(entries)).toMatchObject([
      {
        type: 'finish',
        ending: {
          outcome: 'failed',
          failure: { kind: 'plan_error', code: 'no_plan', params: { problems: 'a: round and round' } },
        },
      },
    ]);
  });

  it('a given plan that is rejected says what was wrong, and the model is not asked to correct it', () => {
    const diagnostics = [{ code: 'cycle' as const, task: 'a', message: 'round and round' }];
    const entries: Fact[] = [
      started({}, { planGiven: true }),
      proposes(two, 'user'),
      { type: 'plan_rejected', data: { version: 1, diagnostics } },
    ];
    const failure = { kind: 'plan_error', code: 'plan_invalid', params: { problems: 'a: round and round' } };
    expect(decided(entries)).toMatchObject([{ type: 'finish', ending: { outcome: 'failed', failure } }]);
  });
});
