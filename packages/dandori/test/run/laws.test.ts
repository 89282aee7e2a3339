import { describe, expect, it } from 'vitest';
import type { Event, Fact, FactOf } from '../../src/model/event.ts';
import type { Effect } from '../../src/model/tool.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import {
  answers,
  approves,
  asks,
  cancels,
  elicits,
  ends,
  endsHold,
  expires,
  fails,
  inDoubt,
  journalOf,
  type Planned,
  pauses,
  proposes,
  running,
  started,
  starts,
  succeeds,
  thinks,
} from './facts.ts';

const write: Planned[] = [{ id: 'w', effect: 'write' }];
const read: Planned[] = [{ id: 'r' }];

function change(events: Event[], index: number, to: Partial<Event>): Event[] {
  return events.map((event, at) => (at === index ? ({ ...event, ...to } as Event) : event));
}

const KEY = 'r1/w/a-1';
const calls = (attempt = 1, key = KEY, effect: Effect = 'write'): Fact => ({
  type: 'inner_call_started',
  data: { task: 'w', attempt, key, operation: 's.send', args: {}, effect },
});
const called = (how: Partial<FactOf<'inner_call_ended'>['data']> = {}, attempt = 1): Fact => ({
  type: 'inner_call_ended',
  data: { task: 'w', attempt, key: KEY, operation: 's.send', ms: 1, ...how },
});
const failure = { kind: 'tool_error' as const, message: 'no' };
const again = (answer: string, open?: string): Fact[] => [
  {
    type: 'question_asked',
    data: {
      question: {
        id: 'q1',
        kind: 'in_doubt',
        text: '?',
        task: 'w',
        ...(open !== undefined && { context: { open: { key: open } } }),
      },
    },
  },
  answers('q1', answer),
  starts('w', 2),
];

describe('a journal that breaks a law is caught', () => {
  it.each<[string, string, Event[]]>([
    ['a call of a service that does not run', 'L12', journalOf(...running(write), calls())],
    ['one of an attempt that is over', 'L12', journalOf(...running(write), starts('w'), calls(2))],
    ['one under the key of another', 'L12', journalOf(...running(write), starts('w'), calls(1, 'r1/x/a-1'))],
    ['one that ends twice', 'L12', journalOf(...running(write), starts('w'), calls(), called(), called())],
    ['one that ends and never began', 'L12', journalOf(...running(write), starts('w'), called())],
    ['one twice at once', 'L12', journalOf(...running(write), starts('w'), calls(), calls())],
    [
      'one again that succeeded',
      'L12',
      journalOf(...running(write), starts('w'), calls(), called(), calls()),
    ],
    [
      'a write again that may have happened',
      'L12',
      journalOf(...running(write), starts('w'), calls(), called({ failure }), calls()),
    ],
    [
      'one again of which a person said that it took effect',
      'L12',
      journalOf(
        ...running(write),
        starts('w'),
        calls(),
        inDoubt('w'),
        ...again('again_after', KEY),
        calls(2),
      ),
    ],
    [
      'a repeated one that the user was not asked about',
      'L12',
      journalOf(...running(write), starts('w'), calls(), inDoubt('w'), ...again('again'), calls(2)),
    ],
    ['a gap', 'L1', change(journalOf(started(), cancels), 1, { seq: 3 })],
    ['another run', 'L1', change(journalOf(started(), cancels), 1, { run: 'r2' })],
    ['two beginnings', 'L1', journalOf(started(), started())],
    ['something after the end', 'L2', journalOf(started(), ends, cancels)],
    ['an outcome without a start', 'L3', journalOf(...running(read), succeeds('r'))],
    ['two outcomes', 'L3', journalOf(...running(read), starts('r'), succeeds('r'), succeeds('r'))],
    ['a start while it runs', 'L3', journalOf(...running(read), starts('r'), starts('r', 2))],
    ['an attempt left out', 'L3', journalOf(...running(read), starts('r', 2))],
    ['a task of no plan', 'L4', journalOf(...running(read), starts('x'))],
    [
      'a start before what it needs',
      'L4',
      journalOf(...running([...read, { id: 's', needs: ['r'] }]), starts('s')),
    ],
    [
      'a start before what it waits for',
      'L4',
      journalOf(...running([...read, { id: 's', effect: 'write', waits: ['r'] }]), starts('r'), starts('s')),
    ],
    ['a start after its end', 'L4', journalOf(...running(read), starts('r'), succeeds('r'), starts('r', 2))],
    [
      'a write twice after a failure',
      'L5',
      journalOf(...running(write), starts('w'), fails('w', 1, { retryable: true }), starts('w', 2)),
    ],
    [
      'a write twice after a doubt',
      'L5',
      journalOf(...running(write), starts('w'), inDoubt('w'), starts('w', 2)),
    ],
    [
      'a write again though a person said that it happened',
      'L5',
      journalOf(
        ...running(write),
        starts('w'),
        inDoubt('w'),
        asks('q1', { task: 'w' }),
        answers('q1', 'happened'),
        starts('w', 2),
      ),
    ],
    ['an answer to nothing', 'L6', journalOf(started(), answers('q1', 'x'))],
    ['two answers', 'L6', journalOf(started(), asks('q1'), answers('q1', 'x'), answers('q1', 'x'))],
    ['a question twice', 'L6', journalOf(started(), asks('q1'), asks('q1'))],
    [
      'an answer that is too late',
      'L6',
      journalOf(started(), asks('q1', { expiresAt: 5 }), 5, answers('q1', 'x')),
    ],
    [
      'an expiry that is too early',
      'L6',
      journalOf(started(), asks('q1', { expiresAt: 5 }), 4, expires('q1')),
    ],
    [
      'an answer and an expiry',
      'L6',
      journalOf(started(), asks('q1', { expiresAt: 5 }), answers('q1', 'x'), 5, expires('q1')),
    ],
    ['a start while the run is paused', 'L10', journalOf(...running(read), pauses, starts('r'))],
    ['a decision while the run is paused', 'L10', journalOf(started(), pauses, thinks(1))],
    ['a start after a cancel', 'L7', journalOf(...running(read), cancels, starts('r'))],
    [
      'too many at once',
      'L8',
      journalOf(...running([...read, { id: 's' }], { concurrency: 1 }), starts('r'), starts('s')),
    ],
    [
      'a call that was not approved',
      'L9',
      journalOf(...running(write, { approval: 'writes' }), starts('w'), succeeds('w')),
    ],
    ['a plan that was not approved', 'L9', journalOf(...running(write, { approval: 'plan' }))],
    [
      'a plan other than the one that was approved',
      'L9',
      journalOf(
        started({ approval: 'plan' }),
        proposes([{ id: 'w', args: { n: 1 } }]),
        asks('q1', { kind: 'plan_approval', plan: 1 }),
        answers('q1', 'approve'),
        proposes([{ id: 'w', args: { n: 2 } }]),
        approves(write, 1, 'q1'),
      ),
    ],
    [
      'a call with other arguments than were approved',
      'L9',
      journalOf(
        ...running(write, { approval: 'writes' }),
        asks('q1', { kind: 'approval', task: 'w', digest: 'd', context: { args: { n: 1 } } }),
        answers('q1', 'approve'),
        starts('w'),
        succeeds('w'),
      ),
    ],
    [
      'a call in doubt that was not approved',
      'L9',
      journalOf(...running(write, { approval: 'writes' }), starts('w'), inDoubt('w')),
    ],
    ['a question of a call that was never made', 'L11', journalOf(...running(write), elicits('q1', 'w'))],
    [
      'a question of a call that has ended',
      'L11',
      journalOf(...running(read), starts('r'), succeeds('r'), elicits('q1', 'r', { held: true })),
    ],
    ['the end of no hold', 'L11', journalOf(...running(read), starts('r'), endsHold('r'))],
    [
      'a hold that ends twice',
      'L11',
      journalOf(
        ...running(read),
        starts('r'),
        elicits('q1', 'r', { held: true }),
        endsHold('r'),
        endsHold('r'),
      ),
    ],
    [
      'a write that was lost while it was held, made again after the answer',
      'L5',
      journalOf(
        ...running(write),
        starts('w'),
        elicits('q1', 'w', { held: true }),
        inDoubt('w'),
        answers('q1', {}),
        starts('w', 2),
      ),
    ],
    [
      'a start while it is held open',
      'L4',
      journalOf(...running(read), starts('r'), elicits('q1', 'r', { held: true }), starts('r', 2)),
    ],
  ])('%s', (_, law, events) => {
    expect(brokenLaws(events)).toContainEqual(expect.stringMatching(new RegExp(`^${law}:`)));
  });
});

describe('a legal journal is not suspected', () => {
  it.each<[string, Fact[]]>([
    [
      'a read twice',
      [...running(read), starts('r'), fails('r', 1, { retryable: true }), starts('r', 2), succeeds('r', 2)],
    ],
    ['a read that was lost', [...running(read), starts('r'), inDoubt('r'), starts('r', 2), succeeds('r', 2)]],
    [
      'an idempotent call twice',
      [
        ...running([{ id: 'i', effect: 'idempotent' }]),
        starts('i'),
        inDoubt('i'),
        starts('i', 2),
        succeeds('i', 2),
      ],
    ],
    [
      'a write that was never sent',
      [
        ...running(write),
        starts('w'),
        fails('w', 1, { kind: 'unavailable', retryable: true }),
        starts('w', 2),
        succeeds('w', 2),
      ],
    ],
    [
      'a write that a person saw not to have happened',
      [
        ...running(write),
        starts('w'),
        inDoubt('w'),
        asks('q1', { task: 'w' }),
        answers('q1', 'again'),
        starts('w', 2),
        succeeds('w', 2),
      ],
    ],
    [
      'a write that asked which one first',
      [
        ...running(write),
        starts('w'),
        asks('q1', { kind: 'ambiguity', task: 'w' }, 1),
        answers('q1', 'x'),
        starts('w', 2),
        succeeds('w', 2),
      ],
    ],
    [
      'a write whose server wants input first',
      [
        ...running(write),
        starts('w'),
        elicits('q1', 'w'),
        elicits('q2', 'w'),
        answers('q2', {}),
        answers('q1', {}),
        starts('w', 2),
        succeeds('w', 2),
      ],
    ],
    [
      'a write that was held open, in the place that another has taken',
      [
        ...running([...write, { id: 's' }], { concurrency: 1 }),
        starts('w'),
        elicits('q1', 'w', { held: true }),
        starts('s'),
        answers('q1', {}),
        succeeds('w'),
        succeeds('s'),
      ],
    ],
    [
      'a hold that ended before its call did',
      [
        ...running(read),
        starts('r'),
        elicits('q1', 'r', { held: true }),
        endsHold('r'),
        answers('q1', {}),
        inDoubt('r'),
        starts('r', 2),
        succeeds('r', 2),
      ],
    ],
    [
      'an approved call',
      [
        ...running(write, { approval: 'writes' }),
        asks('q1', { kind: 'approval', task: 'w', digest: 'd' }),
        answers('q1', 'approve'),
        starts('w'),
        succeeds('w'),
      ],
    ],
    [
      'a plan that was approved, and its calls',
      [
        started({ approval: 'plan' }),
        proposes(write),
        asks('q1', { kind: 'plan_approval', plan: 1 }),
        answers('q1', 'approve'),
        approves(write, 1, 'q1'),
        starts('w'),
        succeeds('w'),
      ],
    ],
    [
      'a plan that was edited',
      [
        started({ approval: 'plan' }),
        proposes([{ id: 'd' }]),
        asks('q1', { kind: 'plan_approval', plan: 1 }),
        answers('q1', { tasks: [{ id: 'w', operation: 'box.w', args: {} }] }),
        proposes(write, 'user'),
        approves(write, 1, 'q1'),
        starts('w'),
        succeeds('w'),
      ],
    ],
    [
      'a call with arguments that do not fit, which was never made',
      [...running(write, { approval: 'writes' }), starts('w'), fails('w', 1, { kind: 'invalid_args' })],
    ],
  ])('%s', (_, facts) => {
    expect(brokenLaws(journalOf(...facts))).toEqual([]);
  });

  it('10,000 events are judged in a moment', () => {
    const plan = Array.from({ length: 5_000 }, (_, index) => ({
      id: `t${index}`,
      ...(index > 0 && { needs: [`t${index - 1}`] }),
    }));
    const events = journalOf(...running(plan), ...plan.flatMap(({ id }) => [starts(id), succeeds(id)]));
    expect(brokenLaws(events)).toEqual([]);
  });
});

describe('calls of a service', () => {
  it.each<[string, Event[]]>([
    ['that end', journalOf(...running(write), starts('w'), calls(), called(), succeeds('w'))],
    [
      'that are made again after a failure that says nothing happened',
      journalOf(
        ...running(write),
        starts('w'),
        calls(),
        called({ failure: { kind: 'unavailable', message: 'down' } }),
        calls(),
        called(),
      ),
    ],
    [
      'that are made again because a person said that they had no effect',
      journalOf(
        ...running(write),
        starts('w'),
        calls(),
        inDoubt('w'),
        ...again('again', KEY),
        calls(2),
        called({}, 2),
      ),
    ],
    ['that only read', journalOf(...running(write), starts('w'), called({ args: {}, effect: 'read' }))],
  ])('%s break no law', (_, events) => {
    expect(brokenLaws(events)).toEqual([]);
  });
});
