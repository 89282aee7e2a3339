import { isStep } from '../../model/task.ts';
import type { Queued } from '../../plan/ready-queue.ts';
import { hasEnded, type RunState, type TaskState, type TaskStatus } from './state.ts';

/** Moves a task between the sets that `decide` looks at, so that it never has to walk over all tasks. */
export function moveTo(state: RunState, task: TaskState, status: TaskStatus): void {
  leave(state, task);
  task.status = status;
  enter(state, task);
}

function leave(state: RunState, task: TaskState): void {
  const { id } = task.task;
  if (isStep(task.task)) state.stepsReady.delete(id);
  else if (task.queued !== undefined) leaveQueue(state, task, task.queued);
  else setOf(state, task.status)?.delete(id);
  if (task.status === 'running') countIn(state, task.lane, -1);
}

function leaveQueue({ ready, retrying }: RunState, task: TaskState, queued: Queued<TaskState>): void {
  const queue = task.status === 'ready' ? ready : retrying;
  queue.delete(queued);
  task.queued = undefined;
}

function enter(state: RunState, task: TaskState): void {
  const { lane, order, dueAt = 0 } = task;
  const { id } = task.task;
  if (isStep(task.task)) {
    if (task.status === 'ready') state.stepsReady.add(id);
  } else if (task.status === 'ready') task.queued = state.ready.add(task, task);
  else if (task.status === 'retrying') task.queued = state.retrying.add(task, { lane, rank: -dueAt, order });
  else setOf(state, task.status)?.add(id);
  if (task.status === 'running') countIn(state, lane, 1);
}

function countIn({ runningIn }: RunState, lane: string, change: number): void {
  runningIn.set(lane, (runningIn.get(lane) ?? 0) + change);
}

export function makeReady(state: RunState, task: TaskState): void {
  task.isInDoubt = false;
  moveTo(state, task, readyAs(task));
}

function readyAs({ children, dueAt }: TaskState): TaskStatus {
  // Where the plan came with the tasks of a step, nobody need be asked for them.
  if (children.length > 0) return 'expanding';
  // One that was held back while it waited for its time still has to.
  return dueAt === undefined ? 'ready' : 'retrying';
}

/** After an answer: at once, or behind those that it must wait for meanwhile. */
export function release(state: RunState, task: TaskState): void {
  if (task.unmet === 0) makeReady(state, task);
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
    record(state, one);
    ended.push(one);
  };
  end(task, status);
  for (let source = ended.pop(); source !== undefined; source = ended.pop()) {
    const step = closedBy(state, source);
    if (step !== undefined) end(step, settleStep(state, step));
    for (const id of toldBy(source)) {
      const dependent = state.tasks.get(id);
      // One that a person is asked about may be held back too, and goes on when it is answered.
      if (dependent === undefined || !['pending', 'waiting'].includes(dependent.status)) continue;
      dependent.unmet--;
      if (dependent.status === 'waiting' || dependent.unmet > 0) continue;
      if (hasAllItNeeds(state, dependent)) makeReady(state, dependent);
      else end(dependent, 'blocked');
    }
  }
}

function record(state: RunState, task: TaskState): void {
  if (isStep(task.task)) {
    // One that never began is told of by what kept it from it.
    if (state.conversation !== undefined && task.status !== 'blocked') state.unreported.add(task.task.id);
    return;
  }
  state.ends.push({ seq: state.seq, task });
  if (task.status !== 'blocked') state.sinceReflection.ended++;
  if (task.status === 'failed') state.sinceReflection.failed++;
}

/** The step whose last open task this was. */
function closedBy(state: RunState, { task }: TaskState): TaskState | undefined {
  const step = task.step === undefined ? undefined : state.tasks.get(task.step);
  if (step === undefined || !hasTasks(step) || hasEnded(step.status)) return undefined;
  step.open--;
  return step.open > 0 ? undefined : step;
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
  const message = `${undone.task.id} (${undone.task.operation}) ${undone.failure?.message ?? 'could not run'}`;
  step.failure = { kind: undone.failure?.kind ?? 'unexpected', message };
  return 'failed';
}

/** Who waited for this one alone, and who waited for a gate of which it was the last. */
function* toldBy({ dependents, opens }: TaskState): Generator<string> {
  yield* dependents;
  for (const gate of opens) {
    gate.closed--;
    if (gate.closed === 0) yield* gate.dependents;
  }
}

/**
 * Asked only when everything before the task has ended. A task that cannot run is not passed over earlier: those who
 * wait for it rely on it having waited for those before it, and would overtake a write that is still under way.
 */
export function hasAllItNeeds(state: RunState, { needs }: TaskState): boolean {
  return needs.every((id) => (state.tasks.get(id)?.status ?? 'succeeded') === 'succeeded');
}

function setOf(state: RunState, status: TaskStatus): Set<string> | undefined {
  if (status === 'running') return state.running;
  if (status === 'in_doubt') return state.inDoubt;
  return undefined;
}
