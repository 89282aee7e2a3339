import type { FactOf } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import type { Tool } from '../../model/tool.ts';
import { renamed } from '../../plan/refs.ts';
import { hasEnded, type RunState, type TaskState } from '../state/state.ts';
import { hasTasks } from '../state/task-moves.ts';
import { withDependents } from '../state/tasks.ts';
import { overtakes } from './prefetch-check.ts';

type Revised = Omit<FactOf<'plan_revised'>['data'], 'version' | 'reason'>;

/**
 * The user's alternative to a task, as a change of the plan. The task stays in the plan and ends when its
 * replacements end. Tasks that wait for it or refer to it need no change.
 */
export function replacementFor(state: RunState, { task, replacement = [] }: TaskState): Revised {
  const tasks = withFreshIds(replacement, state).map((one) => ({ ...one, step: task.id }));
  return {
    by: 'user',
    changes: [{ kind: 'replace', task: task.id }],
    removes: [],
    replaces: task.id,
    tasks,
  };
}

/** Renames ids that the run already uses. The tool that offered these tasks cannot know them. */
function withFreshIds(tasks: readonly Task[], state: RunState): Task[] {
  const used = new Set(state.tasks.keys());
  const fresh = new Map<string, string>();
  for (const { id } of tasks) {
    let free = id;
    for (let number = 2; used.has(free); number++) free = `${id}_${number}`;
    if (fresh.has(id)) continue;
    fresh.set(id, free);
    used.add(free);
  }
  const rename = (id: string) => fresh.get(id) ?? id;
  return tasks.map((task) => renamed(task, rename(task.id), rename));
}

/**
 * What a replacement waits for besides the other replacements. It waits for everything that the replaced task
 * waits for, and for unfinished tasks that touch the same resource. Tasks that wait for the replaced task run
 * after it anyway.
 */
export function waitsOfReplacement(
  one: Task,
  replaced: TaskState,
  { state, tools }: { state: RunState; tools: ReadonlyMap<string, Tool> },
): string[] {
  const after = withDependents(replaced.task.id, state);
  const before = new Set(replaced.waits);
  return [...state.tasks.values()]
    .filter((other) => other !== replaced && !hasEnded(other.status) && !hasTasks(other))
    .filter(({ task }) => before.has(task.id) || (!after.has(task.id) && overtakes(one, task, tools)))
    .map(({ task }) => task.id);
}
