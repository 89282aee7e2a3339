import type { Cause } from '../../model/failure.ts';
import { isStep } from '../../model/task.ts';
import { taskEnded } from './decisions.ts';
import { childEnded, enter, leave, toldBy } from './indexes.ts';
import type { RunState } from './state.ts';
import { hasEnded, type TaskState, type TaskStatus } from './tasks.ts';

/** Changes the status of a task and keeps the indexes. */
export function moveTo(state: RunState, task: TaskState, status: TaskStatus): void {
  leave(state, task);
  task.status = status;
  enter(state, task);
}

export function makeReady(state: RunState, task: TaskState): void {
  task.isInDoubt = false;
  moveTo(state, task, readyAs(task));
}

function readyAs({ children, dueAt }: TaskState): TaskStatus {
  // Where the plan came with the tasks of a step, the mind need not be asked for them.
  if (children.length > 0) return 'expanding';
  // One that was held back while it waited for its time still has to.
  return dueAt === undefined ? 'ready' : 'retrying';
}

/** After an answer: at once, or behind those that it must wait for meanwhile. */
export function release(state: RunState, task: TaskState): void {
  if (task.links.unmet === 0) makeReady(state, task);
  else moveTo(state, task, 'pending');
}

/**
 * Ends a task and tells those that wait for it. A list of our own and no recursion: a failure at the head of a chain
 * of 100,000 blocks all of them.
 */
export function complete(state: RunState, task: TaskState, status: 'succeeded' | 'failed' | 'blocked'): void {
  const ended: TaskState[] = [];
  const end = (one: TaskState, as: typeof status) => {
    one.isInDoubt = false;
    moveTo(state, one, as);
    if (!isStep(one.task)) state.ends.push({ seq: state.seq, task: one });
    taskEnded(state, one, state.conversation !== undefined);
    ended.push(one);
  };
  end(task, status);
  for (let source = ended.pop(); source !== undefined; source = ended.pop()) {
    const step = closedBy(state, source);
    if (step !== undefined) end(step, settleStep(state, step));
    for (const dependent of toldBy(state, source)) {
      // One that a person is asked about may be held back too, and goes on when it is answered.
      if (dependent.status !== 'pending' || dependent.links.unmet > 0) continue;
      if (hasAllItNeeds(state, dependent)) makeReady(state, dependent);
      else end(dependent, 'blocked');
    }
  }
}

/** The step whose last open task this was. */
function closedBy(state: RunState, { task }: TaskState): TaskState | undefined {
  const step = task.step === undefined ? undefined : state.tasks.get(task.step);
  if (step === undefined || !hasTasks(step) || hasEnded(step.status)) return undefined;
  childEnded(step);
  return step.links.open > 0 ? undefined : step;
}

/** Whether it ends as its tasks do: a step, or one that others stand for. */
export function hasTasks({ task, isReplaced }: TaskState): boolean {
  return isStep(task) || isReplaced;
}

/** A step is as its tasks are: its result is that of the last one, its failure that of the first that failed. */
export function settleStep(state: RunState, step: TaskState): 'succeeded' | 'failed' {
  const tasks = step.children.flatMap((id) => state.tasks.get(id) ?? []).filter((one) => !one.isSuperseded);
  const undone = tasks.find(({ status }) => status !== 'succeeded');
  if (undone === undefined) {
    step.result = tasks.at(-1)?.result ?? { value: null };
    step.failure = undefined;
    return 'succeeded';
  }
  const { id, operation } = undone.task;
  const cause: Cause = {
    kind: undone.failure?.kind ?? 'unexpected',
    code: 'part_failed',
    params: { task: id, operation },
  };
  step.failure = { ...cause, message: `${id} (${operation}) ${undone.failure?.message ?? ''}`.trim() };
  return 'failed';
}

/**
 * Asked only when everything before the task has ended. A task that cannot run is not passed over earlier: those who
 * wait for it rely on it having waited for those before it, and would overtake a write that is still under way.
 */
export function hasAllItNeeds(state: RunState, { needs }: TaskState): boolean {
  return needs.every((id) => (state.tasks.get(id)?.status ?? 'succeeded') === 'succeeded');
}
