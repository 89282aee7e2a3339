import type { Json, JsonObject } from '../../domain/json.ts';
import type { ReadAction } from './action.ts';
import { isFields } from './shape.ts';

type Read = (element: unknown, index: number) => ReadAction;

const LISTS: ReadonlySet<string> = new Set(['replace', 'add', 'tasks']);

/**
 * Actions that stand in the arguments of `plan.revise` and `plan.propose`, in our words like any other: their time-outs
 * are in seconds too. What is no action, or has no id of its own, is left as it is for its reader to complain about.
 */
export function withNestedActions(args: JsonObject, read: Read): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value];
      if (name === 'steps')
        return [
          name,
          value.map((step) => (isFields(step) ? withNestedActions(step as JsonObject, read) : step)),
        ];
      return [name, LISTS.has(name) ? value.map((item, index) => inOurWords(item, index, read)) : value];
    }),
  );
}

function inOurWords(item: Json, index: number, read: Read): Json {
  const found = isFields(item) && item.id !== undefined ? read(item, index) : undefined;
  return found?.ok === true ? (found.action as JsonObject) : item;
}
