import type { FactOf } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Preview } from '../../model/question.ts';
import type { Effect } from '../../model/tool.ts';
import { escaped } from '../../plan/fill-refs.ts';
import { previewMarked } from './indexes.ts';
import { strangerHeard } from './orders.ts';
import type { RunState } from './state.ts';
import type { TaskState } from './task-state.ts';
import { failTask } from './tasks.ts';

/** A tool whose calls the user approved for the whole run, and the question about it. */
export interface Allowed {
  readonly operation: string;
  readonly effect: Effect;
  readonly question: string;
  /** Only calls with these arguments. */
  readonly args?: JsonObject | undefined;
  /** Only exactly these calls, each once. */
  readonly digests?: string[] | undefined;
}

/** A preview counts only for exactly these arguments. */
export interface Previewed {
  readonly args: JsonObject;
  readonly preview: Preview | undefined;
  /** Why there is none. */
  readonly message: string | undefined;
}

export function previewStarted(state: RunState, { task: id, args }: FactOf<'preview_started'>['data']): void {
  const task = state.tasks.get(id);
  if (task !== undefined) markPreviewing(state, task, args);
}

/** A preview that only found out that the user must choose is not kept: the arguments will be different. */
export function previewEnded(state: RunState, data: FactOf<'preview_ended'>['data'], at: number): void {
  const task = state.tasks.get(data.task);
  if (task?.previewing === undefined) return;
  // What the tool said about the call is shown to the user and told to the mind.
  strangerHeard(state, task.task.operation);
  const { preview, message, failure } = data;
  const args = data.args ?? task.previewing;
  markPreviewing(state, task, undefined);
  if (failure !== undefined) failTask(state, task, failure, at);
  if (preview === undefined && message === undefined) return;
  if (data.args !== undefined) task.override = escaped(data.args) as JsonObject;
  task.previewed = { args, preview, message };
}

/** Previews that were lost with the driver are made again. */
export function previewsLost(state: RunState): void {
  for (const id of [...state.indexes.previewing]) {
    const task = state.tasks.get(id);
    if (task !== undefined) markPreviewing(state, task, undefined);
  }
}

function markPreviewing(state: RunState, task: TaskState, args: JsonObject | undefined): void {
  task.previewing = args;
  previewMarked(state, task);
}

export function callApproved(
  state: RunState,
  { task: id, digest, question }: FactOf<'call_approved'>['data'],
): void {
  const task = state.tasks.get(id);
  if (task !== undefined) task.approved = digest;
  const listed = state.allowed.find((one) => one.question === question && one.digests?.includes(digest));
  listed?.digests?.splice(listed.digests.indexOf(digest), 1);
}
