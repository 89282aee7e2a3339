import type { Cause } from '../../model/failure.ts';
import { isStep } from '../../model/task.ts';
import { taskEnded } from './decisions.ts';
import { childEnded, enter, leave, notifyDependents } from './indexes.ts';
import { orderFreed, strangerHeard } from './orders.ts';
import type { RunState } from './state.ts';
import {
  BLOCKED,
  type EndPhase,
  EXPANDING,
  hasEnded,
  PENDING,
  type Phase,
  READY,
  type TaskState,
} from './task-state.ts';

/** Changes the status of a task and updates the indexes. */
export function moveTo(state: RunState, task: TaskState, phase: Phase): void {
  leave(state, task);
  task.phase = phase;
  task.status = phase.status;
  enter(state, task);
}

export function makeReady(state: RunState, task: TaskState): void {
  moveTo(state, task, readyAs(task));
}

function readyAs({ children, dueAt }: TaskState): Phase {
  // If the plan already contains the tasks of a step, the mind is not asked for them.
  if (children.length > 0) return EXPANDING;
  // A retry that was held back must still wait until it is due.
  return dueAt === undefined ? READY : { status: 'retrying', dueAt };
}

/** Continues a task after an answer. It becomes ready, or waits for the tasks that it must now wait for. */
export function release(state: RunState, task: TaskState): void {
  if (task.links.unmet === 0) makeReady(state, task);
  else moveTo(state, task, PENDING);
}

/**
 * Ends a task and notifies the tasks that wait for it. Uses a list instead of recursion: a failure at the
 * start of a chain of 100,000 tasks blocks all of them.
 */
export function complete(state: RunState, task: TaskState, phase: EndPhase): void {
  end(state, task, phase);
  if (isAlone(task)) return;
  const ended = [task];
  const goOn = (dependent: TaskState) => {
    // A task that waits for an answer may also be held back. It continues when it is answered.
    if (dependent.status !== 'pending' || dependent.links.unmet > 0) return;
    if (hasAllItNeeds(state, dependent)) makeReady(state, dependent);
    else {
      end(state, dependent, BLOCKED);
      ended.push(dependent);
    }
  };
  for (let source = ended.pop(); source !== undefined; source = ended.pop()) {
    const step = closedBy(state, source);
    if (step !== undefined) {
      end(state, step, settleStep(state, step));
      ended.push(step);
    }
    notifyDependents(state, source, goOn);
  }
}

function end(state: RunState, task: TaskState, phase: EndPhase): void {
  moveTo(state, task, phase);
  if (task.share !== undefined) state.shares.delete(task.task.id);
  if (!isStep(task.task)) state.ends.push({ seq: state.seq, task });
  if (state.settings.trust !== undefined) heardFrom(state, task);
  taskEnded(state, task, state.conversation !== undefined);
}

/** The mind now counts as having read the result. If the call failed, its order can be used again by the same call. */
function heardFrom(state: RunState, task: TaskState): void {
  // Whether a sub-goal has read external content is in the event that ends it.
  if (task.attempts > 0 && task.share === undefined) strangerHeard(state, task.task.operation);
  if (task.status !== 'succeeded') orderFreed(state, task);
}

/** Whether no other task is concerned. This saves most of the work in a wide plan. */
function isAlone({ task, links }: TaskState): boolean {
  return links.dependents.length === 0 && links.opens.length === 0 && task.step === undefined;
}

/** The step whose last open task this was. */
function closedBy(state: RunState, { task }: TaskState): TaskState | undefined {
  const step = task.step === undefined ? undefined : state.tasks.get(task.step);
  if (step === undefined || !hasTasks(step) || hasEnded(step.status)) return undefined;
  childEnded(step);
  return step.links.open > 0 ? undefined : step;
}

/** Whether its end depends on its `children`: a step, or a task that was replaced. */
export function hasTasks({ task, isReplaced }: TaskState): boolean {
  return isStep(task) || isReplaced;
}

/** A step takes its result from its last task, or its failure from the first task that did not succeed. */
export function settleStep(state: RunState, step: TaskState): EndPhase {
  const tasks = step.children.flatMap((id) => state.tasks.get(id) ?? []).filter((one) => !one.isSuperseded);
  const undone = tasks.find(({ status }) => status !== 'succeeded');
  const { endedAt } = step;
  if (undone === undefined)
    return { status: 'succeeded', result: tasks.at(-1)?.result ?? { value: null }, endedAt };
  const { id, operation } = undone.task;
  const cause: Cause = {
    kind: undone.failure?.kind ?? 'unexpected',
    code: 'part_failed',
    params: { task: id, operation },
  };
  const message = `${id} (${operation}) ${undone.failure?.message ?? ''}`.trim();
  return { status: 'failed', failure: { ...cause, message }, endedAt };
}

/**
 * Called only when everything before the task has ended. A task that cannot run is not blocked earlier. Tasks
 * behind it rely on its waits, and would otherwise overtake a write that is still running.
 */
export function hasAllItNeeds(state: RunState, { needs }: TaskState): boolean {
  return needs.every((id) => (state.tasks.get(id)?.status ?? 'succeeded') === 'succeeded');
}
