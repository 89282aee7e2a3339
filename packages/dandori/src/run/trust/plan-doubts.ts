import { asText, type Json } from '../../model/json.ts';
import type { TrustAbout } from '../../model/question.ts';
import type { Settings } from '../../model/settings.ts';
import { isStep, type Task } from '../../model/task.ts';
import type { Tool } from '../../model/tool.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import { isOwnName } from '../state/orders.ts';
import type { RunState } from '../state/state.ts';
import { aimsOf } from './aim.ts';
import { readBy } from './lineage.ts';
import { computesNumber, selects } from './selection.ts';
import { type Origin, originsOf } from './verdict.ts';

interface PlannedCall {
  readonly tasks: readonly Task[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly tool: Tool;
  readonly trust: NonNullable<Settings['trust']>;
}

/**
 * The arguments of a planned call that will be asked about, as far as the plan alone tells. A value that turns
 * out to be long prose is asked about too.
 */
export function planDoubts(task: Task, { tasks, tools, tool, trust }: PlannedCall): Origin[] {
  const aims = aimsOf(tool, task.args, trust.aims);
  return refsIn(task.args).flatMap(({ ref, path, whole }) => {
    const name = String(path[0]);
    const source = tasks.find(({ id }) => id === ref.task);
    if (source === undefined || !aims.includes(name) || isTrusted(source, { tasks, tools })) return [];
    const isField =
      whole && (selects(ref) || computesNumber(ref)) && !isStep(source) && !isOwnName(source.operation);
    if (isField && trust.policy !== 'strict') return [];
    const value = asText(task.args[name] ?? null);
    return [{ argument: name, value, task: source.id, operation: source.operation }];
  });
}

interface ShownPlan extends Omit<PlannedCall, 'tool' | 'trust'> {
  readonly state: RunState;
  /** The mind made the plan before it read external content. */
  readonly isOrdered: boolean;
  readonly resultOf: (task: string) => Json | undefined;
}

/**
 * Tells the user who is asked about the plan where the values of a call come from. If the mind had read external
 * content before, all values are listed. Otherwise only those that aim the call and come from such content.
 */
export function planOrigins(
  task: Task,
  { tasks, tools, state, isOrdered, resultOf }: ShownPlan,
): TrustAbout | undefined {
  const tool = tools.get(task.operation);
  const { trust } = state.settings;
  if (tool === undefined || trust === undefined || trust.policy === 'observe' || isStep(task))
    return undefined;
  if (tool.effect === 'read' || isOwnName(task.operation)) return undefined;
  const earlier = [...state.tasks.values()].map((one) => one.task);
  const all = [...tasks, ...earlier];
  const aims = aimsOf(tool, task.args, trust.aims);
  const values = Object.entries(task.args).flatMap(([argument, value]): Origin[] => {
    const [first] = refsIn(value);
    const source = first && all.find(({ id }) => id === first.ref.task);
    if (source === undefined) return isOrdered ? [] : originsOf(argument, value, { state, resultOf });
    const isShown = !isOrdered || (aims.includes(argument) && !isTrusted(source, { tasks: all, tools }));
    return isShown ? [{ argument, value: asText(value), task: source.id, operation: source.operation }] : [];
  });
  if (isOrdered && values.length === 0) return undefined;
  return { because: isOrdered ? 'aimed' : 'not_ordered', values };
}

function isTrusted(task: Task, { tasks, tools }: Pick<PlannedCall, 'tasks' | 'tools'>): boolean {
  const seen = new Set<string>();
  const next = [task];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (seen.has(one.id)) continue;
    seen.add(one.id);
    const isOwn = isOwnName(one.operation);
    if (!isOwn && tools.get(one.operation)?.trusted !== true) return false;
    const read = new Set(readBy(one));
    next.push(...tasks.filter(({ id }) => read.has(id)));
  }
  return true;
}
