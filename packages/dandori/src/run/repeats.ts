import type { Json, JsonObject } from '../model/json.ts';
import { isStep } from '../model/task.ts';
import { isRepeatable } from '../model/tool.ts';
import { asksFirst, isNeverAsked } from './approval-policy.ts';
import { callText as exactText, hasProgressed } from './loop.ts';
import type { Decision, RunState, TaskState } from './state/state.ts';

/** A call of a proposed list, with arguments that are known before it runs. */
export interface ProposedCall {
  readonly id: string;
  readonly operation: string;
  readonly args: JsonObject;
}

/** A proposed call that already succeeded in an earlier list. */
interface Repeated {
  readonly call: ProposedCall;
  readonly done: TaskState;
}

export interface Repeats {
  readonly calls: readonly Repeated[];
  /**
   * `tell`: the list is refused, and the mind is told what it repeats. `ask`: the mind was told and insists,
   * so a person decides. `end`: the mind insists, but the settings forbid asking or a person declined.
   * `go_on`: the mind was told, and the list runs.
   */
  readonly verdict: 'tell' | 'ask' | 'end' | 'go_on';
  /** What happens if the mind proposes the same list again. */
  readonly next: 'ask' | 'end' | 'go_on';
}

/**
 * The calls in a proposed list that would run a second time. Undefined if there are none. Reads may be
 * repeated, because they have no effect.
 *
 * W1  A call that changes something and succeeded in an earlier list is never repeated silently. The mind is
 *     told first.
 * W2  The same call twice within one list is intended. A list with something new is ordinary work if
 *     something new has also succeeded in between.
 * W3  If the mind insists, the list runs only if there is progress: something new is in the list, or has succeeded in
 *     between. Otherwise a person decides, or the run ends as a loop.
 */
export function findRepeats(calls: readonly ProposedCall[], state: RunState): Repeats | undefined {
  if (state.planGiven || calls.length === 0) return undefined;
  const made = madeBefore(calls, state);
  const found = calls.flatMap((call): Repeated[] => {
    const done = made.get(callText(call.operation, call.args))?.findLast(isDone);
    return done === undefined ? [] : [{ call, done }];
  });
  if (found.length === 0) return undefined;
  const decisions = decisionsByTask(state);
  const last = Math.max(...found.map(({ done }) => decisions.get(done.task.id) ?? 0));
  const [isNew, hasMoved] = [hasNew(calls, made, decisions), hasProgressed(state, last + 1)];
  if (isNew && hasMoved) return undefined;
  const key = keyOf(found.map(({ done }) => done));
  const told = state.decisions.filter((decision) => isToldOf(key, decision, state));
  const isDeclined = told.some(({ veto, number }) => veto !== undefined && number > last);
  const insisted = whenInsisted(found, { isMoving: isNew || hasMoved, state });
  const next = insisted === 'ask' && isDeclined ? 'end' : insisted;
  const isHeard = next === 'go_on' ? told.length > 0 : told.some(({ number }) => number > last);
  return { calls: found, verdict: isHeard ? next : 'tell', next };
}

/** The tasks that have made one of these calls, by its text. */
function madeBefore(
  calls: readonly ProposedCall[],
  { tasks }: RunState,
): ReadonlyMap<string, readonly TaskState[]> {
  const made = new Map<string, TaskState[]>();
  for (const { operation, args } of calls) made.set(callText(operation, args), []);
  for (const task of tasks.values()) if (isMade(task)) made.get(textOf(task))?.push(task);
  return made;
}

/**
 * The task that made exactly this call in an earlier list and succeeded, if nothing new has succeeded since.
 */
export function doneBefore(
  { task, effect }: TaskState,
  args: JsonObject,
  state: RunState,
): TaskState | undefined {
  if (state.planGiven || isRepeatable(effect) || state.decisions.length < 2) return undefined;
  const text = callText(task.operation, args);
  const done = [...state.tasks.values()].findLast(
    (one) => one.task.operation === task.operation && isDone(one) && textOf(one) === text,
  );
  if (done === undefined) return undefined;
  const decisions = decisionsByTask(state);
  const made = decisions.get(done.task.id) ?? 0;
  const isEarlier = made < (decisions.get(task.id) ?? 0);
  return isEarlier && !hasProgressed(state, made + 1) ? done : undefined;
}

interface Insisting {
  readonly isMoving: boolean;
  readonly state: RunState;
}

function whenInsisted(found: readonly Repeated[], { isMoving, state }: Insisting): Repeats['next'] {
  // Repeating an idempotent call is useless but harmless.
  const harmful = found.filter(({ done }) => !isRepeatable(done.effect)).map(({ done }) => done);
  if (isMoving || harmful.length === 0) return 'go_on';
  const { settings } = state;
  const isAskedAnyway = harmful.every(({ task: { operation }, effect }) =>
    asksFirst({ operation, effect }, settings),
  );
  if (isAskedAnyway) return 'go_on';
  return harmful.every(({ task }) => isNeverAsked(task.operation, settings)) ? 'end' : 'ask';
}

/** Whether the list contains a new call, or contains a call more often than any earlier list. */
function hasNew(
  calls: readonly ProposedCall[],
  made: ReadonlyMap<string, readonly TaskState[]>,
  decisions: ReadonlyMap<string, number>,
): boolean {
  const wanted = Map.groupBy(calls, ({ operation, args }) => callText(operation, args));
  return [...wanted].some(([text, same]) => {
    const before = Map.groupBy(made.get(text) ?? [], ({ task }) => decisions.get(task.id) ?? 0);
    return same.length > Math.max(0, ...[...before.values()].map(({ length }) => length));
  });
}

/** Whether the task was called and may have changed something. */
function isMade({ effect, sent, task }: TaskState): boolean {
  return effect !== 'read' && sent !== undefined && !isStep(task);
}

function isDone(task: TaskState): boolean {
  return task.status === 'succeeded' && isMade(task);
}

/** An optional argument that is null equals a missing one, because models write it either way. */
function callText(operation: string, args: JsonObject): string {
  return exactText(operation, withoutNulls(args) as JsonObject);
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}

/** The text of the call that a task made last. It is written once, and not for each decision of a long run. */
const texts = new WeakMap<TaskState, { readonly sent: JsonObject; readonly text: string }>();

function textOf(made: TaskState): string {
  const { task, sent = {} } = made;
  const known = texts.get(made);
  if (known?.sent === sent) return known.text;
  const text = callText(task.operation, sent);
  texts.set(made, { sent, text });
  return text;
}

function keyOf(tasks: readonly TaskState[]): string {
  return [...new Set(tasks.map(textOf))].sort().join('\n');
}

function isToldOf(key: string, { repeats, startedSeq }: Decision, state: RunState): boolean {
  if (repeats === undefined || startedSeq < state.lastWord) return false;
  return keyOf(repeats.tasks.flatMap((id) => state.tasks.get(id) ?? [])) === key;
}

/** The decision that first proposed each task, even if the task was compiled again later. */
function decisionsByTask({ decisions }: RunState): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { number, proposed, diagnostics } of decisions) {
    if (diagnostics !== undefined) continue;
    for (const { id } of proposed) if (!numbers.has(id)) numbers.set(id, number);
  }
  return numbers;
}
