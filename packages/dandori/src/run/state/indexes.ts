import { isStep } from '../../model/task.ts';
import { type Queued, ReadyQueue } from '../../plan/ready-queue.ts';
import { isAnswerDue, type OpenQuestion } from './questions.ts';
import type { RunState } from './state.ts';
import { hasEnded, type TaskState } from './task-state.ts';

/**
 * What `decide` reads, so that it never iterates over all tasks. Everything here is derived from the other
 * slices.
 *
 * X1  Only this file writes it.
 * X2  After every event it equals the result of `recount`. Tests check this.
 */
export interface Indexes {
  readonly ready: ReadyQueue<TaskState>;
  /** The task that is due first comes first. */
  readonly retrying: ReadyQueue<TaskState>;
  /** Open questions. The question that expires first comes first. */
  readonly expiring: ReadyQueue<OpenQuestion>;
  readonly running: Set<string>;
  /** How many tasks run in each lane. */
  readonly runningIn: Map<string, number>;
  /** Tasks whose call is held open for a person. Their status is `waiting`. */
  readonly held: Set<string>;
  /** Tasks that have all their answers, until the answers are applied. */
  readonly answered: Set<string>;
  readonly inDoubt: Set<string>;
  /** Tasks in doubt that are being probed. */
  readonly probing: Set<string>;
  /** Tasks whose tool is asked what the call would do. */
  readonly previewing: Set<string>;
  /** Tasks that a person's choice replaces, until the replacement is compiled. */
  readonly replacing: Set<string>;
  /** Steps that the mind should expand now. */
  readonly stepsReady: Set<string>;
  stepCount: number;
  /** How many tasks and steps have not ended. */
  unended: number;
  openQuestions: number;
  /** Open questions that belong to no task. The whole run waits for them. */
  runQuestions: number;
}

/** How a task is connected to other tasks. Derived, and written only in this file. */
export interface Links {
  /** How many entries of `needs`, `waits` and `gates` are still open. */
  unmet: number;
  /** Tasks to notify when this one ends. */
  readonly dependents: string[];
  /** Gates that this task is a member of. */
  readonly opens: Gate[];
  /** For a step: how many of its tasks have not ended. */
  open: number;
  /** Its entry in the ready or retrying queue. */
  queued: Queued<TaskState> | undefined;
}

/**
 * Opens when its last member has ended. With a gate, n tasks that wait for the same m tasks cost n + m links
 * instead of n × m.
 */
export interface Gate {
  readonly members: readonly string[];
  closed: number;
  readonly dependents: string[];
}

export function createIndexes(): Indexes {
  return {
    ready: new ReadyQueue(),
    retrying: new ReadyQueue(),
    expiring: new ReadyQueue(),
    running: new Set(),
    runningIn: new Map(),
    held: new Set(),
    answered: new Set(),
    inDoubt: new Set(),
    probing: new Set(),
    previewing: new Set(),
    replacing: new Set(),
    stepsReady: new Set(),
    stepCount: 0,
    unended: 0,
    openQuestions: 0,
    runQuestions: 0,
  };
}

export function createLinks(): Links {
  return { unmet: 0, dependents: [], opens: [], open: 0, queued: undefined };
}

/** Whether something is in progress that ends by itself. */
export function isAlive(state: RunState): boolean {
  return state.indexes.held.size > 0 || isAtWork(state);
}

/** How many running calls may change something. */
export function writesIn({ tasks, indexes: { running } }: RunState): number {
  let writes = 0;
  for (const id of running) if (tasks.get(id)?.effect !== 'read') writes++;
  return writes;
}

/** Whether a call, a probe, a preview or a decision is in progress that does not wait for a person. */
function isAtWork({ indexes: { running, probing, previewing }, thinking }: RunState): boolean {
  return running.size > 0 || probing.size > 0 || previewing.size > 0 || thinking !== undefined;
}

/** Whether the only calls in progress wait for a person. This time does not count against the limit. */
export function isOnlyHolding(state: RunState): boolean {
  return state.indexes.held.size > 0 && !isAtWork(state);
}

/** Removes a task from the indexes before its status changes. */
export function leave({ indexes }: RunState, task: TaskState): void {
  const { links, lane, status } = task;
  const { id } = task.task;
  if (links.queued !== undefined) {
    (status === 'ready' ? indexes.ready : indexes.retrying).delete(links.queued);
    links.queued = undefined;
  } else if (status === 'running') {
    indexes.running.delete(id);
    indexes.runningIn.set(lane, (indexes.runningIn.get(lane) ?? 0) - 1);
  } else if (status === 'in_doubt') {
    indexes.inDoubt.delete(id);
    indexes.probing.delete(id);
  } else if (status === 'waiting') {
    indexes.held.delete(id);
    indexes.answered.delete(id);
    indexes.replacing.delete(id);
  } else if (status === 'ready') indexes.stepsReady.delete(id);
  else if (hasEnded(status)) indexes.unended++;
}

/** Adds a task to the indexes after its status has changed. */
export function enter({ indexes }: RunState, task: TaskState): void {
  const { links, lane, order, status } = task;
  const { id } = task.task;
  if (status === 'ready') {
    if (isStep(task.task)) indexes.stepsReady.add(id);
    else links.queued = indexes.ready.add(task, task);
  } else if (status === 'running') {
    indexes.running.add(id);
    indexes.runningIn.set(lane, (indexes.runningIn.get(lane) ?? 0) + 1);
  } else if (status === 'retrying')
    links.queued = indexes.retrying.add(task, { lane, rank: -(task.dueAt ?? 0), order });
  else if (status === 'in_doubt') indexes.inDoubt.add(id);
  else if (hasEnded(status)) indexes.unended--;
}

export function taskAdded({ indexes }: RunState, { task }: TaskState): void {
  indexes.unended++;
  if (isStep(task)) indexes.stepCount++;
}

/** Disconnects a task that is no longer in a plan from everything that it waited for. */
export function taskForgotten({ indexes, tasks }: RunState, { task, needs, waits, gates }: TaskState): void {
  if (isStep(task)) indexes.stepCount--;
  indexes.previewing.delete(task.id);
  for (const earlier of [...needs, ...waits]) without(tasks.get(earlier)?.links.dependents, task.id);
  for (const gate of gates) without(gate.dependents, task.id);
}

function without(list: string[] | undefined, id: string): void {
  const index = list?.indexOf(id) ?? -1;
  if (index >= 0) list?.splice(index, 1);
}

export function connect({ tasks }: RunState, connected: TaskState): void {
  const { task, links, needs, waits, gates } = connected;
  for (const id of needs) dependOn(tasks.get(id), connected);
  for (const id of waits) dependOn(tasks.get(id), connected);
  for (const gate of gates) {
    if (gate.closed === 0) continue;
    gate.dependents.push(task.id);
    links.unmet++;
  }
}

function dependOn(earlier: TaskState | undefined, { task, links }: TaskState): void {
  if (earlier === undefined || hasEnded(earlier.status)) return;
  earlier.links.dependents.push(task.id);
  links.unmet++;
}

/** Adds a new wait. The caller checks that it does not exist yet. */
export function waitFor(later: TaskState, earlier: TaskState): void {
  later.waits.push(earlier.task.id);
  earlier.links.dependents.push(later.task.id);
  later.links.unmet++;
}

export function closeGate({ tasks }: RunState, gate: Gate): void {
  for (const id of gate.members) {
    const member = tasks.get(id);
    if (member === undefined || hasEnded(member.status)) continue;
    member.links.opens.push(gate);
    gate.closed++;
  }
}

/**
 * Notifies the tasks that waited for this one, or for a gate that it opened. Each has one open dependency
 * less. Calls back for each.
 */
export function notifyDependents(
  { tasks }: RunState,
  { links: { dependents, opens } }: TaskState,
  then: (dependent: TaskState) => void,
): void {
  notify(tasks, dependents, then);
  for (const gate of opens) {
    gate.closed--;
    if (gate.closed === 0) notify(tasks, gate.dependents, then);
  }
}

function notify(tasks: RunState['tasks'], ids: readonly string[], then: (task: TaskState) => void): void {
  for (const id of ids) {
    const task = tasks.get(id);
    if (task === undefined || hasEnded(task.status)) continue;
    task.links.unmet--;
    then(task);
  }
}

export function countOpen(state: RunState, step: TaskState): void {
  step.links.open = openOf(state, step);
}

export function childEnded({ links }: TaskState): void {
  links.open--;
}

export function callHeld({ indexes }: RunState, { task }: TaskState): void {
  indexes.held.add(task.id);
}

/** The call has ended, but its task still waits for the answer. */
export function callUnheld({ indexes }: RunState, { task }: TaskState): void {
  indexes.held.delete(task.id);
}

export function probeMarked({ indexes }: RunState, task: string, isProbed: boolean): void {
  if (isProbed) indexes.probing.add(task);
  else indexes.probing.delete(task);
}

export function previewMarked({ indexes }: RunState, { task, previewing }: TaskState): void {
  if (previewing !== undefined) indexes.previewing.add(task.id);
  else indexes.previewing.delete(task.id);
}

export function replacementMarked({ indexes }: RunState, { task, replacement }: TaskState): void {
  if (replacement !== undefined) indexes.replacing.add(task.id);
  else indexes.replacing.delete(task.id);
}

export function questionOpened({ indexes, questions }: RunState, open: OpenQuestion): void {
  const { expiresAt, task } = open.question;
  indexes.openQuestions++;
  if (task === undefined) indexes.runQuestions++;
  if (expiresAt !== undefined)
    open.queued = indexes.expiring.add(open, { lane: '', rank: -expiresAt, order: questions.size });
}

export function questionClosed({ indexes }: RunState, open: OpenQuestion): void {
  indexes.openQuestions--;
  if (open.question.task === undefined) indexes.runQuestions--;
  if (open.queued !== undefined) indexes.expiring.delete(open.queued);
  open.queued = undefined;
}

/** Called after an answer, and when a task starts to wait for other questions. */
export function answersCounted(state: RunState, task: TaskState): void {
  if (isAnswerDue(state, task)) state.indexes.answered.add(task.task.id);
  else state.indexes.answered.delete(task.task.id);
}

/** Derives the indexes again from the other slices. Tests compare the result with `countedOf`. */
export function recount(state: RunState): Counted {
  const tasks = [...state.tasks.values()];
  const calls = tasks.filter(({ task }) => !isStep(task));
  const named = (isMeant: (task: TaskState) => boolean) => names(calls.filter(isMeant));
  const open = [...state.questions.values()].filter(({ answer }) => answer === undefined);
  const running = calls.filter(({ status }) => status === 'running');
  return {
    ready: named(({ status }) => status === 'ready'),
    retrying: named(({ status }) => status === 'retrying'),
    expiring: open
      .filter(({ question }) => question.expiresAt !== undefined)
      .map(({ question }) => question.id)
      .sort(),
    running: names(running),
    runningIn: [...Map.groupBy(running, ({ lane }) => lane)]
      .map(([lane, { length }]) => `${lane} ${length}`)
      .sort(),
    held: named(
      ({ status, asking }) => status === 'waiting' && (asking?.call === 'held' || asking?.call === 'ending'),
    ),
    answered: names(tasks.filter((task) => isAnswerDue(state, task))),
    inDoubt: named(({ status }) => status === 'in_doubt'),
    probing: named(({ phase }) => phase.status === 'in_doubt' && phase.isProbed),
    previewing: named(({ previewing }) => previewing !== undefined),
    replacing: named(({ replacement }) => replacement !== undefined),
    stepsReady: names(tasks.filter(({ task, status }) => isStep(task) && status === 'ready')),
    counts: [
      tasks.length - calls.length,
      tasks.filter(isAhead).length,
      open.length,
      open.filter(({ question }) => question.task === undefined).length,
    ],
    links: tasks.filter(isAhead).map((task) => `${task.task.id} ${unmetOf(state, task)}`),
    open: tasks
      .filter(({ status }) => status === 'expanding')
      .map((step) => `${step.task.id} ${openOf(state, step)}`),
  };
}

/** The maintained indexes, in the same form as `recount`. */
export function countedOf(state: RunState): Counted {
  const { indexes } = state;
  const tasks = [...state.tasks.values()];
  const queue = (one: ReadyQueue<TaskState>) => names([...one.inOrder()].map(({ item }) => item));
  return {
    ready: queue(indexes.ready),
    retrying: queue(indexes.retrying),
    expiring: [...indexes.expiring.inOrder()].map(({ item }) => item.question.id).sort(),
    running: [...indexes.running].sort(),
    runningIn: [...indexes.runningIn]
      .filter(([, count]) => count !== 0)
      .map(([lane, count]) => `${lane} ${count}`)
      .sort(),
    held: [...indexes.held].sort(),
    answered: [...indexes.answered].sort(),
    inDoubt: [...indexes.inDoubt].sort(),
    probing: [...indexes.probing].sort(),
    previewing: [...indexes.previewing].sort(),
    replacing: [...indexes.replacing].sort(),
    stepsReady: [...indexes.stepsReady].sort(),
    counts: [indexes.stepCount, indexes.unended, indexes.openQuestions, indexes.runQuestions],
    links: tasks.filter(isAhead).map(({ task, links }) => `${task.id} ${links.unmet}`),
    open: tasks
      .filter(({ status }) => status === 'expanding')
      .map(({ task, links }) => `${task.id} ${links.open}`),
  };
}

type Counted = Readonly<Record<string, readonly (string | number)[]>>;

function names(tasks: readonly TaskState[]): string[] {
  return tasks.map(({ task }) => task.id).sort();
}

/** Whether the task can still be notified. */
function isAhead({ status }: TaskState): boolean {
  return !hasEnded(status);
}

function unmetOf({ tasks }: RunState, { needs, waits, gates }: TaskState): number {
  const isLeft = (id: string) => {
    const task = tasks.get(id);
    return task !== undefined && !hasEnded(task.status);
  };
  return (
    [...needs, ...waits].filter(isLeft).length + gates.filter(({ members }) => members.some(isLeft)).length
  );
}

function openOf({ tasks }: RunState, { children }: TaskState): number {
  return children.filter((id) => !hasEnded(tasks.get(id)?.status ?? 'pending')).length;
}
