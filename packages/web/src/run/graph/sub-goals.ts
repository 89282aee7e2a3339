import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fold } from '#dandori/run/state/apply.ts';
import type { RunState, TaskState } from '#dandori/run/state/state.ts';
import { useClient } from '../../shell/session.tsx';
import type { ViewProps } from '../view.tsx';
import { type GraphNode, type Structure, structureOf } from './structure.ts';

/** A browser has six connections per server, so sub-goals are read again and not streamed. Milliseconds. */
const BETWEEN_READS = 1_000;
/** More would make the graph of their parent unreadable. Each is a run with a page of its own. */
const MOST_DRAWN = 20;

/** The run of a sub-goal, by the id of its task. */
export type SubGoalStates = ReadonlyMap<string, RunState>;

/** The sub-goals that a run has now. In an earlier state they are not drawn: their own journals have their past. */
export function useSubGoals({ state, isPast }: Pick<ViewProps, 'state' | 'isPast'>): SubGoalStates {
  const client = useClient();
  const drawn = isPast ? [] : [...state.tasks.values()].filter(hasRun).slice(0, MOST_DRAWN);
  const read = useQueries({
    queries: drawn.map(({ share, status }) => ({
      queryKey: ['sub-goal', share.run, status],
      queryFn: () => client.events(share.run),
      refetchInterval: status === 'running' || status === 'waiting' ? BETWEEN_READS : (false as const),
      retry: false,
    })),
  });
  const known = read.map(({ data }) => data?.length ?? 0).join();
  const names = drawn.map(({ task }) => task.id).join(' ');
  // A longer journal is another state.
  return useMemo(() => {
    const states = drawn.flatMap(({ task }, index) => {
      const events = read[index]?.data;
      const folded = events === undefined ? undefined : fold(events);
      return folded === undefined ? [] : [[task.id, folded] as const];
    });
    return new Map(states);
  }, [names, known]);
}

function hasRun(task: TaskState): task is TaskState & { share: NonNullable<TaskState['share']> } {
  return task.share !== undefined;
}

const SEPARATOR = ' › ';

/** The structure with the tasks of sub-goals inside of the tasks that started them. */
export function withSubGoals(structure: Structure, goals: SubGoalStates): Structure {
  if (goals.size === 0) return structure;
  const nodes: GraphNode[] = [];
  const edges = [...structure.edges];
  for (const node of structure.nodes) {
    const goal = goals.get(node.id);
    const inner = goal && structureOf(goal, { removed: [], superseded: false });
    if (inner === undefined || inner.nodes.length === 0) {
      nodes.push(node);
      continue;
    }
    const named = (id: string) => `${node.id}${SEPARATOR}${id}`;
    nodes.push({ ...node, isGroup: true });
    for (const one of inner.nodes)
      nodes.push({
        ...one,
        id: named(one.id),
        parent: one.parent === undefined ? node.id : named(one.parent),
      });
    for (const edge of inner.edges)
      edges.push({ ...edge, id: named(edge.id), from: named(edge.from), to: named(edge.to) });
  }
  return { nodes, edges };
}

/** The state with the tasks of sub-goals, under the ids that `withSubGoals` gives them. */
export function mergedState(state: RunState, goals: SubGoalStates): RunState {
  if (goals.size === 0) return state;
  const tasks = new Map(state.tasks);
  for (const [id, goal] of goals) {
    const own = [...goal.tasks].map(([name, task]): [string, TaskState] => [
      `${id}${SEPARATOR}${name}`,
      task,
    ]);
    for (const [name, task] of own) tasks.set(name, task);
    const parent = state.tasks.get(id);
    const children = { value: own.map(([name]) => name) };
    if (parent !== undefined) tasks.set(id, Object.create(parent, { children }) as TaskState);
  }
  return { ...state, tasks };
}

/** The run of the sub-goal that the task belongs to. Undefined for a task of the run itself. */
export function subGoalOf(id: string, goals: SubGoalStates): string | undefined {
  const [task = '', ...rest] = id.split(SEPARATOR);
  return rest.length === 0 ? undefined : goals.get(task)?.run;
}
