import type { Json, JsonObject } from '../domain/json.ts';
import type { Action, Task } from '../domain/task.ts';
import { readTasks } from './proposal.ts';

/**
 * What the mind may answer in place of a whole new plan: `plan.revise` with the tasks to replace, to remove and to add.
 * The tasks that it does not name stay as they are, in their order. A text where the revision cannot be read.
 */
export function revised(
  tasks: readonly Task[],
  { replace = [], remove = [], add = [] }: JsonObject,
): Task[] | string {
  const ids = new Set(tasks.map(({ id }) => id));
  const replacements = readTasks(replace, 'plan.revise: replace');
  const additions = readTasks(add, 'plan.revise: add');
  if (typeof replacements === 'string') return replacements;
  if (typeof additions === 'string') return additions;
  if (!Array.isArray(remove)) return 'plan.revise: "remove" is a list of ids';
  const unknown = [...replacements.map(({ id }) => id), ...remove].find(
    (id) => typeof id !== 'string' || !ids.has(id),
  );
  if (unknown !== undefined)
    return `plan.revise: there is no task ${JSON.stringify(unknown)} in the plan that was refused`;
  const byId = new Map(replacements.map((task) => [task.id, task]));
  const twice = replacements.find((task) => byId.get(task.id) !== task || remove.includes(task.id));
  if (twice !== undefined) return `plan.revise: it says two things about ${JSON.stringify(twice.id)}`;
  const kept = tasks.filter(({ id }) => !remove.includes(id)).map((task) => byId.get(task.id) ?? task);
  return [...kept, ...additions];
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
