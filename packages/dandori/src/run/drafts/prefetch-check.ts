import { isOwnTool, readsResultOf } from '../../model/own-tools.ts';
import type { Access } from '../../model/plan.ts';
import { isStep, type Task } from '../../model/task.ts';
import type { SchemaCheck, Tool } from '../../model/tool.ts';
import type { CheckedTasks } from '../../plan/checked-tasks.ts';
import { compile } from '../../plan/compile.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import { accessesOf, disturb, filledIn } from '../../plan/hazards.ts';
import { AddedTasks } from '../../plan/known-tasks.ts';
import { asksFirst } from '../approval-policy.ts';
import type { RunState } from '../state/state.ts';
import { isWayOut } from '../trust/aim.ts';
import { RunTasks, unendedTasks } from './draft.ts';

interface PrefetchContext {
  readonly state: RunState;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly check: SchemaCheck;
  readonly checked?: CheckedTasks | undefined;
  /** The tasks before it in the unfinished list, with their final ids in the run. */
  readonly earlier: readonly Task[];
}

/**
 * What may be done with a task of a list that the mind is still writing.
 * `ahead`: it may be called as soon as the tasks in `needs` have been prefetched successfully.
 * `later`: it waits until the whole list is compiled.
 * `unclear`: the list would be refused as it is, so no task after this one is prefetched either.
 */
export type PrefetchVerdict =
  | { readonly kind: 'ahead'; readonly needs: readonly string[] }
  | { readonly kind: 'later' }
  | { readonly kind: 'unclear' };

/**
 * Compiles the task alone and treats everything before it as done. The cost per task therefore does not grow
 * with the list. `needs` names the tasks that must really have succeeded.
 *
 * O1  Only reads that are free and need no approval are prefetched.
 * O2  A read never overtakes a write that may touch the same resource. This includes writes of the list and
 *     unfinished writes of the run.
 * O3  Order rules apply: the earlier task is in `needs`, or it has succeeded in the run.
 */
export function prefetchCheck(
  task: Task,
  { state, tools, check, checked, earlier }: PrefetchContext,
): PrefetchVerdict {
  const { settings } = state;
  const done = new RunTasks(state.tasks, ({ status }) => status === 'succeeded');
  const known = new AddedTasks(done);
  for (const { id, operation } of earlier) known.set(id, operation);
  const calls = earlier.filter((one) => !isStep(one)).length;
  const { ok } = compile([task], {
    tools,
    check,
    checked,
    mode: settings.mode,
    order: settings.order,
    maxTasks: settings.limits.tasks - (state.tasks.size - state.indexes.stepCount) - calls,
    done: known,
    missing: new Map(),
  });
  if (!ok) return { kind: 'unclear' };
  const tool = tools.get(task.operation);
  const isFree = tool?.effect === 'read' && (tool.cost ?? 0) === 0;
  if (!isFree || asksFirst({ operation: task.operation, effect: 'read' }, settings)) return { kind: 'later' };
  // A read that can carry data out, or that a rule may forbid, waits until `trust` has judged it.
  if (settings.trust?.rules?.some((rule) => rule.do !== 'allow')) return { kind: 'later' };
  if (settings.trust !== undefined && isWayOut(tool, task.args)) return { kind: 'later' };
  // A model call is made only if it is needed.
  if (isOwnTool(tool) && tool.name === 'extract') return { kind: 'later' };
  // A prefetched result is not yet the result of a task.
  const source = readsResultOf(task, tools);
  if (source !== undefined && !done.has(source)) return { kind: 'later' };
  const unfinished = unendedTasks(state);
  const writes = [...unfinished.map((one) => one.task), ...earlier].filter(
    ({ operation }) => tools.get(operation)?.effect !== 'read',
  );
  if (writes.some((write) => overtakes(task, write, tools))) return { kind: 'later' };
  const needs = [
    ...refsIn(task.args).map(({ ref }) => ref.task),
    ...(task.after ?? []),
    ...ruledBy(task, { state, earlier }),
  ];
  return { kind: 'ahead', needs: [...new Set(needs)].filter((id) => !done.has(id)) };
}

/** Whether these two tasks must keep their written order. */
export function overtakes(later: Touching, earlier: Touching, tools: ReadonlyMap<string, Tool>): boolean {
  const touched = touches(earlier, tools);
  return touches(later, tools).some((one) => touched.some((other) => disturb(one, other)));
}

type Touching = Pick<Task, 'id' | 'operation' | 'args'>;

function touches(task: Touching, tools: ReadonlyMap<string, Tool>): Access[] {
  return accessesOf(task, tools).map((access) => filledIn(access, task.args));
}

/** For each order rule, the last task of the list that must run before this one. */
function ruledBy(
  { operation }: Task,
  { state, earlier }: Pick<PrefetchContext, 'state' | 'earlier'>,
): string[] {
  const rules = state.settings.order.filter(({ after }) => after === operation);
  return rules.flatMap(({ before }) => earlier.findLast((one) => one.operation === before)?.id ?? []);
}
