import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/model/event.ts';
import { fold } from '../../src/run/state/apply.ts';
import { countedOf, recount } from '../../src/run/state/indexes.ts';
import type { RunState, TaskStatus } from '../../src/run/state/state.ts';
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
  journalOf,
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

const statuses = (state: RunState) =>
  Object.fromEntries([...state.tasks].map(([id, { status }]) => [id, status]));

/** The indexes that `decide` looks at must say the same as the tasks. */
function setsAgree(state: RunState): void {
  expect(countedOf(state)).toEqual(recount(state));
}

const chain: Planned[] = [{ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c', needs: ['b'] }];
const write: Planned[] = [{ id: 'w', effect: 'write' }];

describe('A1: the same events give the same state', () => {
  it.each<[string, (Fact | number)[], Record<string, TaskStatus>]>([
    ['a new plan', running(chain), { a: 'ready', b: 'pending', c: 'pending' }],
    ['one runs', [...running(chain), starts('a')], { a: 'running', b: 'pending', c: 'pending' }],
    [
      'one is done',
      [...running(chain), starts('a'), succeeds('a')],
      { a: 'succeeded', b: 'ready', c: 'pending' },
    ],
    [
      'one failed for good',
      [...running(chain), starts('a'), fails('a')],
      { a: 'failed', b: 'blocked', c: 'blocked' },
    ],
    [
      'one may be tried again',
      [...running(chain), starts('a'), fails('a', 1, { retryable: true })],
      { a: 'retrying', b: 'pending', c: 'pending' },
    ],
    ['a write is not', [...running(write), starts('w'), fails('w', 1, { retryable: true })], { w: 'failed' }],
    [
      'unless it was never sent',
      [...running(write), starts('w'), fails('w', 1, { retryable: true, kind: 'unavailable' })],
      { w: 'retrying' },
    ],
    [
      'a read that was lost is made again',
      [...running(chain), starts('a'), inDoubt('a')],
      { a: 'ready', b: 'pending', c: 'pending' },
    ],
    ['a write that was lost is not', [...running(write), starts('w'), inDoubt('w')], { w: 'in_doubt' }],
    [
      'a person is asked',
      [...running(write), starts('w'), inDoubt('w'), asks('q1', { task: 'w' })],
      { w: 'waiting' },
    ],
    [
      'it happened',
      [...running(write), starts('w'), inDoubt('w'), asks('q1', { task: 'w' }), answers('q1', 'happened')],
      { w: 'succeeded' },
    ],
    [
      'it did not',
      [...running(write), starts('w'), inDoubt('w'), asks('q1', { task: 'w' }), answers('q1', 'again')],
      { w: 'ready' },
    ],
    [
      'it is given up',
      [...running(write), starts('w'), inDoubt('w'), asks('q1', { task: 'w' }), answers('q1', 'give_up')],
      { w: 'failed' },
    ],
    [
      'a call is not approved',
      [...running(chain), asks('q1', { task: 'a', kind: 'approval' }), answers('q1', 'reject')],
      { a: 'failed', b: 'blocked', c: 'blocked' },
    ],
    [
      'a call is approved',
      [...running(write), asks('q1', { task: 'w', kind: 'approval', digest: 'd' }), answers('q1', 'approve')],
      { w: 'ready' },
    ],
    ['a forward reference', running([{ id: 'x', needs: ['y'] }, { id: 'y' }]), { x: 'pending', y: 'ready' }],
    [
      'a wait ends with a failure too',
      [...running([{ id: 'r' }, { id: 'w', effect: 'write', waits: ['r'] }]), starts('r'), fails('r')],
      { r: 'failed', w: 'ready' },
    ],
  ])('%s', (_, entries, expected) => {
    const state = stateOf(...entries);
    expect(statuses(state)).toEqual(expected);
    setsAgree(state);
    expect(stateOf(...entries)).toEqual(state);
  });

  it('a choice changes the arguments of its task', () => {
    const options = [{ label: 'whole milk', value: 2, args: { item: 'm2' } }];
    const state = stateOf(
      ...running([{ id: 'a', args: { item: 'milk', count: 1 } }]),
      starts('a'),
      asks('q1', { kind: 'ambiguity', task: 'a', options }, 1),
      answers('q1', 2),
    );
    expect(state.tasks.get('a')).toMatchObject({ status: 'ready', override: { item: 'm2', count: 1 } });
  });
});

describe('A2: an event that does not fit changes nothing', () => {
  it.each<[string, Fact[], Fact]>([
    [
      'an outcome of an attempt that is over',
      [...running(chain), starts('a'), fails('a', 1, { retryable: true }), starts('a', 2)],
      succeeds('a', 1),
    ],
    ['an outcome of an unknown task', running(chain), succeeds('zzz')],
    [
      'a second answer',
      [...running(write), asks('q1', { task: 'w', kind: 'approval' }), answers('q1', 'approve')],
      answers('q1', 'reject'),
    ],
    ['an answer to no question', running(chain), answers('q9', 'x')],
    ['a question asked twice', [...running(write), asks('q1', { task: 'w' })], asks('q1', { task: 'w' })],
  ])('%s', (_, before, odd) => {
    const { seq: _seq, ...expected } = stateOf(...before);
    expect(stateOf(...before, odd)).toMatchObject(expected);
  });

  it('a question about a task that has ended does not wake it up again', () => {
    expect(
      statuses(stateOf(...running(chain), starts('a'), succeeds('a'), asks('q1', { task: 'a' }))),
    ).toMatchObject({ a: 'succeeded' });
  });

  it('a start of a task that has ended does not run it again', () => {
    const facts = [starts('a', 1), succeeds('a', 1), starts('a', 2)];
    const state = stateOf(...running(chain), ...facts);
    expect(statuses(state)).toEqual({ a: 'succeeded', b: 'ready', c: 'pending' });
    setsAgree(state);
  });

  it('a journal that does not begin at the beginning is a bug and not a state', () => {
    expect(() => fold(journalOf(cancels))).toThrow('begins with run_started');
  });
});

describe('parallel equals written order, also when something fails', () => {
  it('a read does not overtake a write because the write between them cannot run', () => {
    // Written: w1; x fails; w2 needs x and is left out; r reads. r must see w1.
    const plan: Planned[] = [
      { id: 'w1', effect: 'write' },
      { id: 'x' },
      { id: 'w2', effect: 'write', needs: ['x'], waits: ['w1'] },
      { id: 'r', waits: ['w2'] },
    ];
    const facts = [...running(plan), starts('w1'), starts('x'), fails('x')];
    expect(statuses(stateOf(...facts))).toMatchObject({ w1: 'running', r: 'pending' });
    expect(statuses(stateOf(...facts, succeeds('w1')))).toMatchObject({ w2: 'blocked', r: 'ready' });
  });

  it('a write does not overtake a write because the reads between them cannot run', () => {
    const plan: Planned[] = [
      { id: 'w1', effect: 'write' },
      { id: 'x' },
      { id: 'r', needs: ['x'], waits: ['w1'] },
      { id: 'w2', effect: 'write', waits: ['r'] },
    ];
    expect(statuses(stateOf(...running(plan), starts('w1'), starts('x'), fails('x')))).toMatchObject({
      w2: 'pending',
    });
  });
});

describe('a long plan', () => {
  it('a failure at the head of a chain of 100,000 blocks all of them without overflow', () => {
    const plan = Array.from({ length: 100_000 }, (_, index) => ({
      id: `t${index}`,
      ...(index > 0 && { needs: [`t${index - 1}`] }),
    }));
    const state = stateOf(...running(plan), starts('t0'), fails('t0'));
    expect(state.tasks.get('t99999')?.status).toBe('blocked');
  });

  it('a task that needs 10,000 which all fail is told 10,000 times, not 10,000 × 10,000', () => {
    const reads = Array.from({ length: 10_000 }, (_, index) => ({ id: `r${index}` }));
    const plan: Planned[] = [...reads, { id: 'sum', needs: reads.map(({ id }) => id), waits: [] }];
    const state = stateOf(...running(plan), ...reads.flatMap(({ id }) => [starts(id), fails(id)]));
    expect(state.tasks.get('sum')?.status).toBe('blocked');
  });
});

describe('time', () => {
  const day = 86_400_000;

  it.each<[string, (Fact | number)[], number]>([
    ['work counts', [started(), thinks(1), 500, decides(1)], 500],
    [
      'days between a crash and a resume do not',
      [started(), thinks(1), 500, decides(1), 2 * day, resumed, 100, thinks(2)],
      600,
    ],
    [
      'days in which a person is waited for do not',
      [
        ...running(write),
        10,
        asks('q1', { task: 'w' }),
        3 * day,
        answers('q1', 'again'),
        day,
        resumed,
        5,
        starts('w'),
      ],
      15,
    ],
    ['days before the first driver do not', [started(), day, thinks(1), 7, decides(1)], 7],
    [
      'nor before a plan of the user is taken up',
      [started({}, { planGiven: true }), proposes(chain, 'user'), day, approves(chain), 3, starts('a')],
      3,
    ],
    ['a clock that goes back takes nothing away', [started(), 1_000, thinks(1), -400, decides(1)], 0],
    [
      'an answer while others work does not stop the clock',
      [...running(chain), starts('a'), 100, cancels, 100, succeeds('a')],
      200,
    ],
  ])('%s', (_, entries, expected) => {
    expect(stateOf(...entries).activeMs).toBe(expected);
  });
});

describe('decisions', () => {
  it('a failure that may pass is waited for, longer each time, or as long as the server says', () => {
    const busy = { kind: 'model_error' as const, message: 'busy', retryable: true };
    expect(stateOf(started(), thinks(1), failsToDecide(1, busy)).thinkAfter).toBe(100);
    expect(
      stateOf(started(), thinks(1), failsToDecide(1, busy), thinks(2), failsToDecide(2, busy)).thinkAfter,
    ).toBe(200);
    expect(stateOf(started(), thinks(1), failsToDecide(1, { ...busy, retryAfter: 9_000 })).thinkAfter).toBe(
      9_000,
    );
    expect(
      stateOf(started(), 5, thinks(1), failsToDecide(1, { kind: 'model_error', message: 'no JSON' }))
        .thinkAfter,
    ).toBe(5);
  });

  it('a decision that was lost with its driver is closed by the next, and its call has been paid for', () => {
    const state = stateOf(started(), thinks(1), resumed);
    expect(state.thinking).toBeUndefined();
    expect(state.modelCalls).toBe(1);
  });

  it('the built-in planner costs no model call', () => {
    expect(stateOf(started({}, { mind: 'built-in' }), thinks(1), decides(1)).modelCalls).toBe(0);
  });

  it('usage adds up', () => {
    const made = (decision: number): Fact => ({
      type: 'decision_made',
      data: {
        decision,
        ms: 1,
        usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, cost: 0.25 },
      },
    });
    expect(stateOf(started(), thinks(1), made(1), thinks(2), made(2)).usage).toEqual({
      inputTokens: 20,
      outputTokens: 4,
      cachedInputTokens: 10,
      cost: 0.5,
    });
  });

  it('the end is kept with its time, and a cancel with its first reason', () => {
    const again: Fact = { type: 'cancel_requested', data: { reason: 'again' } };
    const state = stateOf(started(), cancels, again, thinks(1), decides(1, [answer({ text: 'x' })]), 3, ends);
    expect(state.cancel?.reason).toBe('enough');
    expect(state.end).toEqual({ outcome: 'answered', answer: 'done', at: 3 });
  });
});

describe('whatever happens', () => {
  it('the sets that are decided from agree with the tasks', () => {
    const ids = ['a', 'b', 'c', 'w'];
    const plan: Planned[] = [...chain, { id: 'w', effect: 'write', waits: ['a'] }];
    const fact = fc.oneof(
      fc
        .record({ id: fc.constantFrom(...ids), n: fc.integer({ min: 1, max: 3 }) })
        .chain(({ id, n }) =>
          fc.constantFrom<Fact>(
            starts(id, n),
            succeeds(id, n),
            fails(id, n),
            fails(id, n, { retryable: true }),
            inDoubt(id, n),
            asks(`q${n}`, { task: id }),
          ),
        ),
      fc
        .record({ n: fc.integer({ min: 1, max: 3 }), value: fc.constantFrom('again', 'happened', 'give_up') })
        .map(({ n, value }) => answers(`q${n}`, value)),
      fc.constant(resumed),
      fc.constant(cancels),
    );
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 40 }), (facts) => {
        setsAgree(stateOf(...running(plan), ...facts));
      }),
      { numRuns: 300 },
    );
  });
});
