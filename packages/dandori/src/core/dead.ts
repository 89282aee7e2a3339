import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import type { Edges } from './edges.ts';

interface Surroundings {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tasks whose results the answer uses, where it has been written together with the plan. */
  readonly answerUses?: ReadonlySet<string>;
}

/**
 * Reads whose result nobody uses, and that nothing is expected of: to look whether something is as it should be is use
 * enough. Where the answer is not written yet, it is taken to use the tasks at the end of the
 * plan that nothing else uses: whoever asks for the weather of three cities writes three such tasks.
 */
export function deadSteps(
  tasks: readonly Task[],
  edges: Edges,
  { tools, answerUses }: Surroundings,
): Diagnostic[] {
  const used = new Set<string>();
  for (const needs of edges.values()) for (const id of needs.keys()) used.add(id);
  const answer = answerUses ?? new Set(tasks.slice(lastUsed(tasks, used) + 1).map(({ id }) => id));
  return tasks
    .filter(
      ({ id, operation, expect }) =>
        !used.has(id) && !answer.has(id) && expect === undefined && tools.get(operation)?.effect === 'read',
    )
    .map(({ id }) => ({
      code: 'dead-step',
      task: id,
      message: `nothing uses the result of "${id}", which only reads`,
      hint: 'take it out, or use it',
    }));
}

function lastUsed(tasks: readonly Task[], used: ReadonlySet<string>): number {
  return tasks.findLastIndex(({ id }) => used.has(id));
}
