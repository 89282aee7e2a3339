import type { RunState, TaskState } from '../../core/state.ts';

/** Operations that have a line of their own. */
const MOST_OPERATIONS = 30;
const LONGEST_IDS = 160;

/** Many tasks in a few lines, by operation: `files.read: t1–t37, t39 (38)`. */
export function groupIds(tasks: readonly TaskState[], { tasks: all }: Pick<RunState, 'tasks'>): string[] {
  const groups = Map.groupBy(tasks, ({ task }) => task.operation);
  const lines = [...groups].map(
    ([operation, own]) => `${operation}: ${rangesOf(own.map(({ task }) => task.id))} (${own.length})`,
  );
  if (lines.length <= MOST_OPERATIONS) return lines;
  const others = [...groups.values()].slice(MOST_OPERATIONS).flat();
  const ids = rangesOf(others.map(({ task }) => task.id));
  return [
    ...lines.slice(0, MOST_OPERATIONS),
    `${groups.size - MOST_OPERATIONS} other operations: ${ids} (${others.length} of ${all.size} actions)`,
  ];
}

function rangesOf(ids: readonly string[]): string {
  const ranges: { first: string; last: string }[] = [];
  for (const id of ids) {
    const range = ranges.at(-1);
    if (range !== undefined && isNext(range.last, id)) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  const texts = ranges.map(({ first, last }) => (first === last ? first : `${first}–${last}`));
  const text = texts.join(', ');
  return text.length <= LONGEST_IDS ? text : `${texts[0]}, …, ${texts.at(-1)}`;
}

function isNext(one: string, other: string): boolean {
  const [, head, number] = /^(.*?)(\d+)$/.exec(one) ?? [];
  return head !== undefined && other === `${head}${Number(number) + 1}`;
}
