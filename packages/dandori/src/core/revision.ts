import type { Json, JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Action, Task } from '../domain/task.ts';
import { inOrder, readIds } from './plan-change.ts';
import { readTasks } from './proposal.ts';

/**
 * What the mind may answer in place of a whole new plan: `plan.revise` with the tasks to replace, to remove and to add.
 * What it adds under an id that is there stands for that one. The tasks that it does not name stay as they are, in their
 * order. A text where the revision cannot be read.
 */
export function revised(
  tasks: readonly Task[],
  { replace = [], remove = [], add = [], order = [] }: JsonObject,
): Task[] | string {
  const ids = new Set(tasks.map(({ id }) => id));
  const replaced = readTasks(replace, 'plan.revise: replace');
  const added = readTasks(add, 'plan.revise: add');
  if (typeof replaced === 'string') return replaced;
  if (typeof added === 'string') return added;
  const removals = readIds(remove, 'remove');
  const places = readIds(order, 'order');
  if (typeof removals === 'string') return removals;
  if (typeof places === 'string') return places;
  const replacements = [...replaced, ...added.filter(({ id }) => ids.has(id))];
  const unknown = [...replaced.map(({ id }) => id), ...removals].find((id) => !ids.has(id));
  if (unknown !== undefined)
    return `plan.revise: there is no task ${stringifyJson(unknown)} in the plan that was refused`;
  const byId = new Map(replacements.map((task) => [task.id, task]));
  const twice = replacements.find((task) => byId.get(task.id) !== task || removals.includes(task.id));
  if (twice !== undefined) return `plan.revise: it says two things about ${stringifyJson(twice.id)}`;
  const kept = tasks.filter(({ id }) => !removals.includes(id)).map((task) => byId.get(task.id) ?? task);
  return inOrder([...kept, ...added.filter(({ id }) => !ids.has(id))], places);
}

/** Several revisions in one decision are one. What is no list is left for the reader to complain about. */
export function joined([first, ...others]: readonly [Action, ...Action[]]): Action {
  if (others.length === 0) return first;
  const all = [first, ...others].map(({ args }) => args);
  const args: { [key: string]: Json } = {};
  for (const name of new Set(all.flatMap((one) => Object.keys(one)))) {
    const values = all.flatMap((one) => (one[name] === undefined ? [] : [one[name]]));
    const isText = values.every((value) => typeof value === 'string');
    const odd = values.find((value) => !Array.isArray(value));
    args[name] = isText ? values.join('; ') : (odd ?? values.flat());
  }
  return { ...first, args };
}
