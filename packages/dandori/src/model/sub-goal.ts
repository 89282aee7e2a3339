import * as z from 'zod';
import { isObject, type Json, type JsonObject } from './json.ts';
import { isOwnTool } from './own-tools.ts';
import type { Tool } from './tool.ts';

/** The operation that starts a run for a part of the goal. */
export const SUB_GOAL = 'goal.run';

/** A run, its sub-goals and theirs: how many levels there may be, the run itself not counted. */
export const DEEPEST_GOAL = 3;

/** What a run that is a sub-goal knows about the run that started it. */
const parentOfRun = z.object({
  run: z.string(),
  task: z.string(),
  /** 1 for a sub-goal of a run that is none itself. */
  depth: z.number().int().positive(),
});
export type ParentOfRun = z.infer<typeof parentOfRun>;

/** Fields of `run_started`, if the run is a sub-goal. */
export const subGoalStart = {
  parent: parentOfRun.optional(),
  /** The only tools that the run may use. Missing: all of them. */
  only: z.array(z.string()).optional(),
};

/** Set aside for a sub-goal, until its task ends: the run can't spend it on anything else. */
export const share = z.object({
  /** The run of the sub-goal. */
  run: z.string(),
  calls: z.number().int().nonnegative(),
  tokens: z.number().nonnegative().optional(),
  cost: z.number().nonnegative().optional(),
});
export type Share = z.infer<typeof share>;

/** Fields of the end of a sub-goal's task, and of a question that it asks. */
export const subGoalEnd = {
  /** The model calls that the sub-goal made. Missing for one call. */
  calls: z.number().int().nonnegative().optional(),
  /** A stranger's text is in it: a sub-goal has read one, or a message of the conversation repeats one. */
  hasHeardStrangers: z.literal(true).optional(),
};

/** The question of a sub-goal that this question repeats. Its answer is passed on to the sub-goal. */
export const askedBySubGoal = z.object({ run: z.string(), question: z.string() });

export function isSubGoal(operation: string, tools: ReadonlyMap<string, Tool>): boolean {
  const tool = tools.get(operation);
  return operation === SUB_GOAL && tool !== undefined && isOwnTool(tool);
}

/**
 * The names of the tools that a sub-goal may use. `files.*` names all of a server. If a name is not known yet,
 * it may be any.
 */
export function toolsForGoal(args: JsonObject, tools: ReadonlyMap<string, Tool>): string[] {
  const all = [...tools.values()].filter((tool) => !isOwnTool(tool)).map(({ name }) => name);
  const { tools: wanted } = args;
  if (!Array.isArray(wanted) || wanted.some((name) => typeof name !== 'string' || name.includes('${')))
    return all;
  return all.filter((name) => wanted.some((pattern) => isNamed(name, pattern)));
}

/** Names and patterns in the arguments that fit no tool. */
export function unknownTools(args: JsonObject, tools: ReadonlyMap<string, Tool>): string[] {
  const { tools: wanted } = args;
  if (!Array.isArray(wanted)) return [];
  const all = [...tools.keys()];
  return wanted.map(String).filter((pattern) => !all.some((name) => isNamed(name, pattern)));
}

function isNamed(name: string, pattern: Json): boolean {
  if (typeof pattern !== 'string') return false;
  return pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The limits that the model asks for. Each is lowered to what the run has left. */
export function limitsAsked({
  limits,
}: JsonObject): Partial<Record<'calls' | 'tokens' | 'cost' | 'seconds', number>> {
  if (!isObject(limits)) return {};
  return Object.fromEntries(
    Object.entries(limits).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
    ),
  );
}
