import type { Event } from '#dandori/model/event.ts';
import type { Task } from '#dandori/model/task.ts';

/** Tasks of accepted plans that a later one took away before they were begun, as they were written last. */
export function removedTasks(events: readonly Event[]): Task[] {
  const standing = new Map<string, Task>();
  const gone = new Map<string, Task>();
  let draft:
    | { readonly tasks: readonly Task[]; readonly removes?: readonly string[] | undefined }
    | undefined;
  for (const { type, data } of events) {
    if (type === 'plan_proposed' || type === 'plan_revised') draft = data;
    else if (type === 'plan_rejected') draft = undefined;
    else if (type === 'plan_approved' && draft !== undefined) {
      for (const id of draft.removes ?? []) move(id, standing, gone);
      for (const task of draft.tasks) {
        standing.set(task.id, task);
        gone.delete(task.id);
      }
      draft = undefined;
    }
  }
  return [...gone.values()];
}

function move(id: string, from: Map<string, Task>, to: Map<string, Task>): void {
  const task = from.get(id);
  if (task === undefined) return;
  from.delete(id);
  to.set(id, task);
}
