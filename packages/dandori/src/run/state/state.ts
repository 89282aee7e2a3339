import type { Envelope, FactOf } from '../../model/event.ts';
import { type Budget, createBudget } from './budget.ts';
import { type Control, createControl } from './control.ts';
import { createDecisions, type Decisions } from './decisions.ts';
import { createIndexes, type Indexes } from './indexes.ts';
import { createOrders, type Orders } from './orders.ts';
import { createPlan, type Plan } from './plan.ts';
import type { Questions } from './questions.ts';
import { createStart, type Start } from './start.ts';
import type { TaskState } from './task-state.ts';
import type { Tasks } from './tasks.ts';

/**
 * The state of a run: its slices, and the indexes derived from them. Each slice is a file with its type, the
 * functions that fold events into it, and its queries. `apply` defines which event changes which slice.
 */
export interface RunState extends Start, Control, Budget, Plan, Decisions, Questions, Tasks {
  readonly orders: Orders;
  readonly indexes: Indexes;
}

export type { Decision } from './decisions.ts';
export { lastDecision } from './decisions.ts';
export { type Gate, isAlive, isOnlyHolding, writesIn } from './indexes.ts';
export type { Draft } from './plan.ts';
export type { Answer, OpenQuestion } from './questions.ts';
export { hasEnded, type Stored, type TaskState, type TaskStatus } from './task-state.ts';

export function initial(event: Envelope & FactOf<'run_started'>): RunState {
  const { seq, at, data } = event;
  return {
    ...createStart(event),
    ...createControl(seq),
    ...createBudget(data.settings, at),
    ...createPlan(),
    ...createDecisions(),
    questions: new Map(),
    spoken: undefined,
    tasks: new Map(),
    written: 0,
    ends: [],
    allowed: [],
    orders: createOrders(event),
    indexes: createIndexes(),
  };
}

/**
 * The whole state as a string, for comparing two states. Queues are listed in the order in which items would
 * be taken, because the memory layout of a heap does not matter.
 */
export function snapshot(state: RunState): string {
  return JSON.stringify(state, (key, value: unknown) => {
    if (key === 'ready' || key === 'retrying') return queued(state.indexes[key]);
    if (key === 'expiring') return [...state.indexes.expiring.inOrder()].map(({ item }) => item.question.id);
    // The entry contains the task itself.
    if (key === 'queued') return value !== undefined;
    if (value instanceof Map || value instanceof Set) return [...value];
    // A bigint must differ from a string with the same digits.
    if (typeof value === 'bigint') return { integer: String(value) };
    return value;
  });
}

function queued(queue: Indexes['ready']): string[] {
  return [...queue.inOrder()].map(({ item }: { item: TaskState }) => item.task.id);
}
