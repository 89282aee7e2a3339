import type { Decision } from '../../core/state.ts';
import type { Action } from '../../domain/task.ts';

/**
 * The actions of a decision as the model wrote them. The journal keeps tasks and operations of ours apart, so that only
 * counted ids tell how they stood together; where they do not, ours come last.
 */
export function inWrittenOrder({
  proposed,
  operations,
}: Pick<Decision, 'proposed' | 'operations'>): Action[] {
  const isCounted = [proposed, operations].every((list) => list.every(isAfterTheOneBefore));
  const actions = [...proposed, ...operations];
  if (!isCounted) return actions;
  return actions.sort((one, other) => (countOf(one.id) ?? 0) - (countOf(other.id) ?? 0));
}

function isAfterTheOneBefore({ id }: Action, index: number, list: readonly Action[]): boolean {
  const before = index === 0 ? 0 : countOf(list[index - 1]?.id ?? '');
  const own = countOf(id);
  return own !== undefined && before !== undefined && own > before;
}

/** 7 of `t7`; undefined for an id that is not counted. */
export function countOf(id: string): number | undefined {
  const digits = /^t(\d{1,9})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
