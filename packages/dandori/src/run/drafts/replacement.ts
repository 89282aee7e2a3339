import type { FactOf } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import type { Tool } from '../../model/tool.ts';
import { renamed } from '../../plan/refs.ts';
import { hasEnded, type RunState, type TaskState } from '../state/state.ts';
import { hasTasks } from '../state/task-moves.ts';
import { behind } from '../state/tasks.ts';
import { overtakes } from './prefetch-check.ts';

type Revised = Omit<FactOf<'plan_revised'>['data'], 'version' | 'reason'>;

/**
 * What the user chose to do instead of a task, as a change of the plan. The task stays where it is and ends as
 * those that stand for it do, so that whatever waits for it or refers to it need not know.
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

/** The tool that offered these tasks cannot know which ids the run has used. */
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
 * What those that stand for a task wait for besides each other: all that it waits for itself, and whatever is not done
 * yet and touches the same. Those that wait for the task come after them anyway.
 */
export function waitsOf(
  one: Task,
  replaced: TaskState,
  { state, tools }: { state: RunState; tools: ReadonlyMap<string, Tool> },
): string[] {
  const after = behind(replaced.task.id, state);
  const before = new Set(replaced.waits);
  return [...state.tasks.values()]
    .filter((other) => other !== replaced && !hasEnded(other.status) && !hasTasks(other))
    .filter(({ task }) => before.has(task.id) || (!after.has(task.id) && overtakes(one, task, tools)))
    .map(({ task }) => task.id);
}
