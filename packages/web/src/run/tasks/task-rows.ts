import { isStep } from '#dandori/model/task.ts';
import { effect } from '#dandori/model/tool.ts';
import type { RunState, TaskState } from '#dandori/run/state/state.ts';
import { type Report, statusAtEnd } from '#dandori/views/report.ts';

export const COLUMNS = ['order', 'status', 'operation', 'step', 'effect', 'attempts', 'duration'] as const;
export type Column = (typeof COLUMNS)[number];

type Status = Report['tasks'][string]['status'];

export const STATUS_FILTERS = ['all', 'active', 'waiting', 'failed', 'succeeded', 'pending'] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

const IN_FILTER: Readonly<Record<Exclude<StatusFilter, 'all'>, readonly Status[]>> = {
  active: ['running', 'retrying', 'expanding'],
  waiting: ['waiting', 'in_doubt'],
  failed: ['failed', 'blocked'],
  succeeded: ['succeeded'],
  pending: ['pending', 'ready', 'skipped'],
};

/** Statuses that need attention come first. */
const BY_STATUS: readonly Status[] = [
  'in_doubt',
  'waiting',
  'failed',
  'blocked',
  'retrying',
  'running',
  'expanding',
  'ready',
  'pending',
  'succeeded',
  'skipped',
];

export interface TaskRow {
  readonly task: TaskState;
  readonly status: Status;
}

export interface Wanted {
  readonly text: string;
  readonly filter: StatusFilter;
  readonly sort: Column;
  readonly isDown: boolean;
}

export function taskCount({ tasks, indexes: { stepCount } }: RunState): number {
  return tasks.size - stepCount;
}

/** The filtered and sorted tasks of a run. Equal ones keep the order of the plan. */
export function taskRows(state: RunState, { text, filter, sort, isDown }: Wanted): TaskRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: TaskRow[] = [];
  for (const task of state.tasks.values()) {
    if (isStep(task.task)) continue;
    const status = statusAtEnd(task, state);
    if (filter !== 'all' && !IN_FILTER[filter].includes(status)) continue;
    const { id, operation, description = '', step = '' } = task.task;
    const searched = `${id} ${operation} ${description} ${step}`.toLowerCase();
    if (words.every((word) => searched.includes(word))) rows.push({ task, status });
  }
  const compare = COMPARE[sort];
  return rows.sort((a, b) => (isDown ? compare(b, a) : compare(a, b)) || a.task.order - b.task.order);
}

const COMPARE: Readonly<Record<Column, (a: TaskRow, b: TaskRow) => number>> = {
  order: (a, b) => a.task.order - b.task.order,
  status: (a, b) => BY_STATUS.indexOf(a.status) - BY_STATUS.indexOf(b.status),
  operation: (a, b) => a.task.task.operation.localeCompare(b.task.task.operation),
  step: (a, b) => (a.task.task.step ?? '').localeCompare(b.task.task.step ?? ''),
  effect: (a, b) => effect.options.indexOf(a.task.effect) - effect.options.indexOf(b.task.effect),
  attempts: (a, b) => a.task.attempts - b.task.attempts,
  duration: (a, b) => (a.task.ms ?? -1) - (b.task.ms ?? -1),
};
