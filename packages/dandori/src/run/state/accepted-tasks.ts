import type { CheckedTask, FactOf } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import { laneOf } from '../../model/tool.ts';
import {
  closeGate,
  connect as connectLinks,
  countOpen,
  type Gate,
  taskAdded,
  taskForgotten,
} from './indexes.ts';
import { isOrder, isOrderedChoice, orderFreed, takeOrder } from './orders.ts';
import { type Draft, planAnswer } from './plan.ts';
import type { RunState } from './state.ts';
import { complete, hasAllItNeeds, hasTasks, makeReady, moveTo, settleStep } from './task-moves.ts';
import { BLOCKED, EXPANDING, hasEnded, TaskState } from './task-state.ts';
import { setReplacement } from './tasks.ts';

const NONE: readonly never[] = [];

/** Adds an accepted plan's tasks. Drops the tasks that it removes, and marks those that it supersedes. */
export function tasksAccepted(
  state: RunState,
  draft: Draft | undefined,
  { version, tasks, groups = [], question }: FactOf<'plan_approved'>['data'],
): void {
  const { removes = NONE, revision } = draft ?? {};
  const { supersedes = NONE, replaces = '' } = revision ?? {};
  const written = new Map<string, Task>();
  for (const task of draft?.tasks ?? NONE) written.set(task.id, task);
  const left = removes.map((id) => state.tasks.get(id)?.task.step);
  for (const id of removes) forget(state, id);
  for (const id of supersedes) supersede(state, id);
  const coveredBy = hasApproved(state, question, version) ? question : undefined;
  const replaced = state.tasks.get(replaces);
  const isChosen = replaced === undefined || coveredBy !== undefined || isOrderedChoice(state, replaced);
  const isOrdered = isChosen && isOrder(state, draft, coveredBy !== undefined);
  const isFromUser = (isChosen && draft?.by === 'user') || state.orders.strangersSince === undefined;
  if (replaced !== undefined) {
    setReplacement(state, replaced, undefined);
    replaced.isReplaced = true;
  }
  const gates = groups.map((members): Gate => ({ members, closed: 0, dependents: [] }));
  const added: TaskState[] = [];
  for (const checked of tasks) {
    const task = written.get(checked.id);
    // A task that began keeps its attempts, because they are the only record of its effect.
    if (task !== undefined && !state.tasks.has(checked.id))
      added.push(addTask(state, task, { checked, gates, coveredBy, isOrdered, isFromUser }));
  }
  // A task may come before its step in the list.
  for (const { task } of added) if (task.step !== undefined) join(state, task.step, task.id);
  for (const id of supersedes) left.push(state.tasks.get(id)?.task.step);
  if (left.length > 0) for (const id of new Set(left)) goOnWithout(state, id);
  for (const gate of gates) closeGate(state, gate);
  for (const task of added) connect(state, task);
}

function hasApproved({ questions }: RunState, id: string | undefined, version: number): boolean {
  const asked = id === undefined ? undefined : questions.get(id);
  const kind = asked?.question.plan === version ? planAnswer(asked)?.kind : undefined;
  return kind === 'approved' || kind === 'edited';
}

/** Drops a task that has not begun. The plan may contain a new version of it. */
function forget(state: RunState, id: string): void {
  const task = state.tasks.get(id);
  if (task === undefined || task.attempts > 0 || task.status === 'succeeded') return;
  moveTo(state, task, BLOCKED);
  orderFreed(state, task);
  state.tasks.delete(id);
  taskForgotten(state, task);
  const siblings = state.tasks.get(task.task.step ?? '')?.children;
  const index = siblings?.indexOf(id) ?? -1;
  if (index >= 0) siblings?.splice(index, 1);
}

/** Superseding a step also supersedes its tasks that did not succeed. */
function supersede(state: RunState, id: string): void {
  const task = state.tasks.get(id);
  if (task === undefined || task.isSuperseded || task.status === 'succeeded') return;
  task.isSuperseded = true;
  for (const child of task.children) supersede(state, child);
}

/**
 * Settles a step again after it lost tasks that it waited for or failed because of. Repeats this for the
 * enclosing steps.
 */
function goOnWithout(state: RunState, id: string | undefined): void {
  let step = state.tasks.get(id ?? '');
  while (step?.status === 'failed' || step?.status === 'expanding') {
    countOpen(state, step);
    if (step.links.open > 0) return;
    const before = step.status;
    moveTo(state, step, settleStep(state, step));
    // The status is unchanged, so the enclosing step is already correct.
    if (step.status === before) return;
    step = state.tasks.get(step.task.step ?? '');
  }
}

interface Acceptance {
  readonly checked: CheckedTask;
  readonly gates: readonly Gate[];
  readonly coveredBy: string | undefined;
  readonly isOrdered: boolean;
  readonly isFromUser: boolean;
}

function addTask(
  state: RunState,
  task: Task,
  { checked, gates, coveredBy, isOrdered, isFromUser }: Acceptance,
): TaskState {
  const { effect, needs = NONE, waits = NONE, waitsForGroups, rank = 0, cost = 0 } = checked;
  const added = new TaskState({
    task,
    effect,
    needs,
    waits: [...waits],
    gates: waitsForGroups?.flatMap((position) => gates[position] ?? []) ?? NONE,
    lane: checked.lane ?? laneOf(task.operation),
    rank,
    cost,
    order: state.written++,
    coveredBy,
  });
  added.isOrdered = isOrdered || takeOrder(state, added);
  added.isFromUser = isFromUser;
  if (!added.isOrdered) state.orders.hasOthers = true;
  state.tasks.set(task.id, added);
  taskAdded(state, added);
  return added;
}

/** Adds a task to a step. A step that had ended is opened again, and so are the enclosing steps. */
function join(state: RunState, id: string, child: string): void {
  let step = stepToJoin(state, id);
  step?.children.push(child);
  while (step !== undefined) {
    const wasEnded = hasEnded(step.status);
    countOpen(state, step);
    if (step.status !== 'pending') moveTo(state, step, EXPANDING);
    step = wasEnded ? stepToJoin(state, step.task.step) : undefined;
  }
}

/** The step to add a task to. A step that succeeded keeps its result. */
function stepToJoin({ tasks }: RunState, id: string | undefined): TaskState | undefined {
  const step = tasks.get(id ?? '');
  return step !== undefined && hasTasks(step) && step.status !== 'succeeded' ? step : undefined;
}

function connect(state: RunState, added: TaskState): void {
  // A step whose tasks are all blocked has already ended.
  if (hasEnded(added.status)) return;
  connectLinks(state, added);
  if (added.links.unmet > 0) return;
  if (hasAllItNeeds(state, added)) makeReady(state, added);
  else complete(state, added, BLOCKED);
}
