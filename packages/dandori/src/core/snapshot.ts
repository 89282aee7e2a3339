import type { RunState, TaskState } from './state.ts';

/**
 * All of a state as one text, so that two can be compared. Queues are told by the tasks that stand in them, in the order
 * in which they would be taken: how a heap lies in memory is no matter.
 */
export function snapshot(state: RunState): string {
  return JSON.stringify(state, (key, value: unknown) => {
    if (key === 'ready' || key === 'retrying') return queued(state[key]);
    // It holds the task itself.
    if (key === 'queued') return value !== undefined;
    if (value instanceof Map || value instanceof Set) return [...value];
    // Not as the text of the same digits would be.
    if (typeof value === 'bigint') return { integer: String(value) };
    return value;
  });
}

function queued(queue: RunState['ready']): string[] {
  return [...queue.inOrder(() => true)].map(({ item }: { item: TaskState }) => item.task.id);
}
