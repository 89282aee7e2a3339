import type { Loop } from '../model/decision.ts';
import { canonicalJson, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { isStep, type Task } from '../model/task.ts';
import { type Decision, hasEnded, type RunState, type TaskState } from './state/state.ts';

/** Number of recent turns to search. A repetition over more turns than this is not treated as a loop. */
const WINDOW = 8;
/** A call that returns the same result three times may be polling. The mind is told that nothing changes. */
const SAME_RESULTS = 3;
const SAME_FAILURES = 2;
const TURNS_WITHOUT_SUCCESS = 3;

/** One turn of the mind: its calls and their outcomes. */
interface Turn {
  /** Number of the decision. */
  readonly number: number;
  readonly calls: readonly Called[];
  /** The steps that this turn opened, if it did nothing else. */
  readonly opened: readonly string[];
}

/** A call of a task that has ended. */
class Called {
  readonly task: string;
  readonly step: string | undefined;
  readonly call: string;
  readonly isFailed: boolean;
  readonly #ended: TaskState;
  #whole: string | undefined;

  constructor(ended: TaskState) {
    const { task, sent, status } = ended;
    this.task = task.id;
    this.step = task.step;
    this.call = callText(task.operation, sent ?? {});
    this.isFailed = status === 'failed';
    this.#ended = ended;
  }

  /** The call together with its outcome. Only written if needed, because a result may be large. */
  get whole(): string {
    this.#whole ??= `${this.call} → ${outcomeText(this.#ended)}`;
    return this.#whole;
  }

  isSame(other: Called): boolean {
    return this.call === other.call && this.whole === other.whole;
  }
}

function outcomeText({ status, result, failure }: TaskState): string {
  const stored: Json = result === undefined ? '' : 'blob' in result ? result.blob.sha256 : result.value;
  return `${status} ${status === 'succeeded' ? stringifyJson(stored) : `${failure?.kind}: ${failure?.message}`}`;
}

/** A loop and what it repeats. Two circles with the same `key` are the same circle. */
interface Circle extends Loop {
  readonly key: string;
  /** Whether doing the same again ends the run. */
  readonly isFinal: boolean;
}

/**
 * The circle to report to the next decision, if any.
 *
 * C1  A circle is identified by what it repeats: the calls, their arguments and, if they succeeded, their
 *     results.
 * C2  Each circle is reported once. If something new succeeds afterwards, the circle is reported again before
 *     it can end the run. Input from the user (a note, an answer, raised limits) clears everything before it.
 * C3  The run ends only if the mind repeats the same circle after it was told about it. Turns that fail in
 *     different ways are reported, but only the limits of the run end them.
 */
export function loopToReport(state: RunState): Loop | undefined {
  if (state.loopTold !== undefined) return firstLoop(state);
  const circle = circlesNow(state).find((one) => toldAt(one, state) === undefined);
  if (circle === undefined) return undefined;
  const { kind, tasks } = circle;
  return { kind, tasks, circle: `${kind} ${tasks[0]}` };
}

/** Whether the mind was told about a circle and then repeated it. */
export function isStuck(state: RunState): boolean {
  if (state.loopTold !== undefined)
    return lastProposal(state) >= state.loopTold && firstLoop(state) !== undefined;
  if (isInsisting(state)) return true;
  // Searching for circles is slow, and this function is called often.
  if (state.toldLoops.length === 0) return false;
  const turn = recentTurns(state).at(-1)?.number ?? 0;
  return circlesNow(state).some((circle) => {
    const reported = toldAt(circle, state);
    return circle.isFinal && reported !== undefined && reported <= turn;
  });
}

/**
 * Whether the mind proposed calls again after it was told that they succeeded, and no person decides.
 * Either the settings forbid asking, or a person already declined.
 */
export function isInsisting({ decisions, lastWord }: RunState): boolean {
  const last = decisions.findLast(({ purpose }) => purpose !== 'conclude');
  return last?.repeats?.isInsisted === true && last.startedSeq > lastWord;
}

/** The rule of 0.1.0, to verify its journals and to continue runs that already reported a loop. */
export function firstLoop(state: RunState): Loop | undefined {
  const [first] = circlesIn(turnsOf(state, WINDOW), state);
  return first && { kind: first.kind, tasks: first.tasks };
}

/** Whether decision `since` or a later one succeeded in something that no earlier turn did. */
export function hasProgressed(state: RunState, since: number): boolean {
  const seen = new Set<string>();
  for (const { number, calls } of turnsOf(state)) {
    const isNew = calls.some(({ whole, isFailed }) => !isFailed && !seen.has(whole));
    if (isNew && number >= since) return true;
    for (const { whole } of calls) seen.add(whole);
  }
  return false;
}

/** Identifies a call by its operation and arguments. The order of the arguments is ignored. */
export function callText(operation: string, args: JsonObject): string {
  return `${operation} ${canonicalJson(args)}`;
}

/**
 * The decision that was told about this circle. Undefined if the circle must be reported, for the first time
 * or again.
 */
function toldAt({ kind, key }: Circle, state: RunState): number | undefined {
  const reported = state.toldLoops.findLast(
    ({ brief, failure, startedSeq }) =>
      failure === undefined &&
      startedSeq > state.lastWord &&
      brief?.loop?.kind === kind &&
      keyOf(brief.loop, state) === key,
  );
  return reported === undefined || hasProgressed(state, reported.number) ? undefined : reported.number;
}

/** The circles that include the last turn. Turns before the last input from the user are ignored. */
function circlesNow(state: RunState): Circle[] {
  const recent = recentTurns(state);
  if (isSomethingNew(recent)) return [];
  const circles = circlesIn(recent, state);
  if (circles.length === 0) return [];
  const turns = recentTurns(state, Number.POSITIVE_INFINITY);
  return circles.filter((circle) => !isBesideProgress(circle, turns));
}

/** Whether the last turn succeeded in something and repeats no call. Most turns do, and none of them is in a circle. */
function isSomethingNew(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  if (last === undefined || last.calls.every(({ isFailed }) => isFailed)) return false;
  const made = new Set<string>();
  for (const { call } of last.calls) made.add(call);
  return !turns.some((turn) => turn !== last && turn.calls.some(({ call }) => made.has(call)));
}

/** Circles in the order in which they are reported. */
function circlesIn(turns: readonly Turn[], state: RunState): Circle[] {
  if (state.planGiven || turns.length < 2) return [];
  const last = turns.at(-1);
  const isGrowing = last?.calls.length === 0;
  const calling = turns.filter(({ calls }) => calls.length > 0);
  const loops = isGrowing
    ? [growing(turns)]
    : [...repeated(calling, last), pingPong(calling), withoutProgress(calling)];
  return loops.flatMap((loop) => {
    if (loop === undefined) return [];
    return [{ ...loop, key: keyOf(loop, state), isFinal: loop.kind !== 'no_progress' || isGrowing }];
  });
}

/**
 * A repeated result is no circle if the turns in between made progress, or if the call ran in another step. All turns
 * are searched for progress, because the window may no longer hold the first of several alternating reads.
 */
function isBesideProgress({ kind, tasks }: Circle, turns: readonly Turn[]): boolean {
  if (kind !== 'same_result') return false;
  const seen = new Set<string>();
  let since = 0;
  for (const [index, { calls }] of turns.entries()) {
    if (calls.some(({ whole, isFailed }) => !isFailed && !seen.has(whole))) since = index;
    for (const { whole } of calls) seen.add(whole);
  }
  const own = new Set(tasks);
  const calls = turns.slice(since).flatMap((turn) => turn.calls.filter(({ task }) => own.has(task)));
  const step = calls.at(-1)?.step;
  return calls.filter((one) => one.step === step).length < SAME_RESULTS;
}

/** Equal for two circles that repeat the same calls. Derived from journaled tasks and their outcomes. */
function keyOf({ kind, tasks }: Loop, state: RunState): string {
  const calls = tasks.flatMap((id) => {
    const task = state.tasks.get(id);
    return task?.sent === undefined ? [] : [new Called(task)];
  });
  // Turns without success have nothing else in common.
  if (kind === 'no_progress') return calls.length === 0 ? 'only steps' : 'only failures';
  const parts = calls.map(({ call, whole }) => (kind === 'same_failure' ? call : whole));
  return [...new Set(parts)].sort().join('\n');
}

/** The number of the last decision that proposed tasks, even if they were refused. */
function lastProposal({ decisions }: RunState): number {
  return decisions.findLast(({ proposed }) => proposed.length > 0)?.number ?? 0;
}

/** The last turns that began after the event `since`. */
function turnsOf(state: RunState, most = Number.POSITIVE_INFINITY, since = 0): Turn[] {
  const turns: Turn[] = [];
  let left = most;
  for (let index = state.decisions.length - 1; index >= 0 && left > 0; index--) {
    const decision = state.decisions[index];
    if (decision === undefined || decision.startedSeq <= since) break;
    if (decision.proposed.length === 0 || decision.diagnostics !== undefined) continue;
    left--;
    const turn = turnOf(decision, state);
    if (turn.calls.length + turn.opened.length > 0) turns.push(turn);
  }
  return turns.reverse();
}

/** Turns whose tasks have all succeeded. Most are like that, and such a turn does not change any more. */
const succeeded = new WeakMap<Decision, { readonly proposed: readonly Task[]; readonly turn: Turn }>();

function turnOf(decision: Decision, state: RunState): Turn {
  const { number, proposed } = decision;
  const known = succeeded.get(decision);
  if (known?.proposed === proposed) return known.turn;
  const turn = { number, calls: callsOf(decision, state), opened: openedBy(decision) };
  if (proposed.every(({ id }) => state.tasks.get(id)?.status === 'succeeded'))
    succeeded.set(decision, { proposed, turn });
  return turn;
}

function recentTurns(state: RunState, most = WINDOW): Turn[] {
  return turnsOf(state, most, state.lastWord);
}

function openedBy({ proposed }: Decision): string[] {
  return proposed.every(isStep) ? proposed.map(({ id }) => id) : [];
}

function callsOf({ proposed }: Decision, { tasks }: RunState): Called[] {
  const calls: Called[] = [];
  for (const { id } of proposed) {
    const task = tasks.get(id);
    if (task?.sent !== undefined && hasEnded(task.status)) calls.push(new Called(task));
  }
  return calls;
}

/** Counts turns, not calls: a mind that writes the same call twice in one list may have a reason. */
function repeated(turns: readonly Turn[], last: Turn | undefined): Loop[] {
  return (last?.calls ?? []).flatMap((wanted): Loop[] => {
    const { call, isFailed } = wanted;
    const found = turns.flatMap(({ calls }) => {
      const same = calls.find((one) => (isFailed ? one.isFailed && one.call === call : one.isSame(wanted)));
      return same === undefined ? [] : [same.task];
    });
    // A task that was planned twice but called once counts once.
    const alike = [...new Set(found)];
    if (isFailed && alike.length >= SAME_FAILURES) return [{ kind: 'same_failure', tasks: alike }];
    if (!isFailed && alike.length >= SAME_RESULTS) return [{ kind: 'same_result', tasks: alike }];
    return [];
  });
}

function pingPong(turns: readonly Turn[]): Loop | undefined {
  const four = turns.slice(-4);
  const [first, second, third, fourth] = four;
  if (!isSameTurn(first, third) || !isSameTurn(second, fourth) || isSameTurn(first, second)) return undefined;
  return { kind: 'ping_pong', tasks: tasksIn(four) };
}

function isSameTurn(one: Turn | undefined, other: Turn | undefined): boolean {
  if (one === undefined || other === undefined || one.calls.length !== other.calls.length) return false;
  return one.calls.every((call, index) => other.calls[index]?.isSame(call) === true);
}

/** Detects a plan that only gains steps, while no turn makes a call. */
function growing(turns: readonly Turn[]): Loop | undefined {
  const recent = turns.slice(-TURNS_WITHOUT_SUCCESS);
  const isGrowing =
    recent.length === TURNS_WITHOUT_SUCCESS && recent.every(({ calls }) => calls.length === 0);
  return isGrowing ? { kind: 'no_progress', tasks: recent.flatMap(({ opened }) => opened) } : undefined;
}

function withoutProgress(turns: readonly Turn[]): Loop | undefined {
  const recent = turns.slice(-TURNS_WITHOUT_SUCCESS);
  const isFailing = recent.every(({ calls }) => calls.every(({ isFailed }) => isFailed));
  if (recent.length < TURNS_WITHOUT_SUCCESS || !isFailing) return undefined;
  return { kind: 'no_progress', tasks: tasksIn(recent) };
}

function tasksIn(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ calls }) => calls.map(({ task }) => task));
}
