import { hasEnded, type RunState, type TaskState, type TaskStatus } from './state.ts';

/** Moves a task between the sets that `decide` looks at, so that it never has to walk over all tasks. */
export function moveTo(state: RunState, task: TaskState, status: TaskStatus): void {
  const id = task.task.id;
  setOf(state, task.status)?.delete(id);
  task.status = status;
  setOf(state, status)?.add(id);
}

export function makeReady(state: RunState, task: TaskState): void {
  moveTo(state, task, 'ready');
}

/** Ends a task and tells those that wait for it. */
export function complete(state: RunState, task: TaskState, status: 'succeeded' | 'failed'): void {
  moveTo(state, task, status);
  tell(state, [task]);
}

/** A task that can never run, because something it needs failed. */
export function block(state: RunState, task: TaskState): void {
  moveTo(state, task, 'blocked');
  tell(state, [task]);
}

/** A list of our own and no recursion: a failure at the head of a chain of 100,000 blocks all of them. */
function tell(state: RunState, ended: TaskState[]): void {
  for (let source = ended.pop(); source !== undefined; source = ended.pop()) {
    for (const id of source.dependents) {
      const dependent = state.tasks.get(id);
      if (dependent === undefined || hasEnded(dependent.status)) continue;
      dependent.unmet--;
      if (source.status !== 'succeeded' && dependent.needs.includes(source.task.id)) {
        moveTo(state, dependent, 'blocked');
        ended.push(dependent);
      } else if (dependent.unmet === 0 && dependent.status === 'pending') makeReady(state, dependent);
    }
  }
}

function setOf(state: RunState, status: TaskStatus): Set<string> | undefined {
  if (status === 'ready') return state.ready;
  if (status === 'running') return state.running;
  if (status === 'retrying') return state.retrying;
  if (status === 'in_doubt') return state.inDoubt;
  return undefined;
}
