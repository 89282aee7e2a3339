import type { Json, JsonObject } from '../domain/json.ts';
import type { Action, Task } from '../domain/task.ts';
import { mayHoldRef, parseTemplate, writeTemplate } from './reference.ts';

/** The new id of a task, or the one that it has. */
export type Rename = (task: string) => string;

/** A task under this id, with everything in it that names others following them. */
export function renamed(action: Action, id: string, rename: Rename): Task {
  // No task can mean itself: "t1" within the new t1 is the t1 of an earlier plan.
  const others: Rename = (task) => (task === action.id ? task : rename(task));
  return {
    ...action,
    id,
    args: renameIn(action.args, others) as JsonObject,
    ...(action.after !== undefined && { after: action.after.map(others) }),
    ...(action.step !== undefined && { step: others(action.step) }),
  };
}

export function renameIn(value: Json, rename: Rename): Json {
  if (typeof value === 'string') return mayHoldRef(value) ? renameInText(value, rename) : value;
  if (Array.isArray(value)) return value.map((item) => renameIn(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameIn(item, rename)]));
}

function renameInText(text: string, rename: Rename): string {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return text;
  return writeTemplate(
    parsed.template.map((part) => (typeof part === 'string' ? part : { ...part, task: rename(part.task) })),
  );
}
