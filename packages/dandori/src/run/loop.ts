import type { Loop } from '../model/decision.ts';
import { canonicalJson, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { isStep } from '../model/task.ts';
import { type Decision, hasEnded, type RunState, type TaskState } from './state/state.ts';

/** How far back is looked: a run that comes back to the same place after more turns than these does not go in a circle. */
const WINDOW = 8;
/** A call that gives the same three times may be waiting for something; it is told that nothing changes. */
const SAME_RESULTS = 3;
const SAME_FAILURES = 2;
const TURNS_WITHOUT_SUCCESS = 3;

/** What a turn of the mind did: its calls, each with how it ended. */
interface Turn {
  /** Of the decision. */
  readonly number: number;
  readonly startedSeq: number;
  readonly calls: readonly Called[];
  /** Steps, where it did nothing but open them. */
  readonly opened: readonly string[];
}

interface Called {
  readonly task: string;
  readonly step: string | undefined;
  readonly call: string;
  /** The call together with its outcome. */
  readonly whole: string;
  readonly isFailed: boolean;
}

/** A circle with what it repeats: two circles with the same `key` are the same circle. */
interface Circle extends Loop {
  readonly key: string;
  /** Whether doing the same again ends the run. */
  readonly isFinal: boolean;
}

/**
 * The circle that the next decision is told of, if any.
 *
 * C1  A circle is what it repeats: the calls with their arguments and, where they succeeded, with their results.
 * C2  Each circle is told once. Something new that succeeds after that is progress: then the circle is told again before
 *     it can end the run. After a word of the user (a note, an answer, raised limits) nothing before it counts.
 * C3  Only the same circle, after the mind was told of it and has acted, ends the run. Turns that fail each in another
 *     way are told of, and bounded by the limits of the run.
 */
export function circleToTell(state: RunState): Loop | undefined {
  if (state.loopTold !== undefined) return firstLoop(state);
  const circle = circlesNow(state).find((one) => toldAt(one, state) === undefined);
  if (circle === undefined) return undefined;
  const { kind, tasks } = circle;
  return { kind, tasks, circle: `${kind} ${tasks[0]}` };
}

/** True where the mind was told of a circle, and what it did then is that circle again. */
export function isStuck(state: RunState): boolean {
  if (state.loopTold !== undefined)
    return lastProposal(state) >= state.loopTold && firstLoop(state) !== undefined;
  if (isInsisting(state)) return true;
  // To look for circles takes its time, and this is asked often.
  if (!state.decisions.some(({ brief }) => brief?.loop !== undefined)) return false;
  const turn = recentTurns(state).at(-1)?.number ?? 0;
  return circlesNow(state).some((circle) => {
    const told = toldAt(circle, state);
    return circle.isFinal && told !== undefined && told <= turn;
  });
}

/** True where the mind was told that its calls have succeeded already, proposed them again, and no one can be asked. */
export function isInsisting({ decisions, lastWord }: RunState): boolean {
  const last = decisions.findLast(({ purpose }) => purpose !== 'conclude');
  return last?.repeats?.isInsisted === true && last.startedSeq > lastWord;
}

/** As 0.1.0 told it, for the proof of its journals and for runs that it has told already. */
export function firstLoop(state: RunState): Loop | undefined {
  const [first] = circlesIn(turnsOf(state, WINDOW), state);
  return first && { kind: first.kind, tasks: first.tasks };
}

/** Whether a turn after this decision, or of it where it is told so, succeeded in something that no turn before it did. */
export function hasProgressed(state: RunState, since: number): boolean {
  const seen = new Set<string>();
  for (const { number, calls } of turnsOf(state)) {
    const isNew = calls.some(({ whole, isFailed }) => !isFailed && !seen.has(whole));
    if (isNew && number >= since) return true;
    for (const { whole } of calls) seen.add(whole);
  }
  return false;
}

/** What a call is: the operation and the arguments, in whatever order these are written. */
export function callText(operation: string, args: JsonObject): string {
  return `${operation} ${canonicalJson(args)}`;
}

/** The decision that was told of this circle and has heard it; undefined where it must be told, for the first time or again. */
function toldAt({ kind, key }: Circle, state: RunState): number | undefined {
  const told = state.decisions.findLast(
    ({ brief, failure, startedSeq }) =>
      failure === undefined &&
      startedSeq > state.lastWord &&
      brief?.loop?.kind === kind &&
      keyOf(brief.loop, state) === key,
  );
  return told === undefined || hasProgressed(state, told.number) ? undefined : told.number;
}

/** The circles in which the last turn moves. What was done before the user said something is not held against it. */
function circlesNow(state: RunState): Circle[] {
  const circles = circlesIn(recentTurns(state), state);
  if (circles.length === 0) return [];
  const turns = recentTurns(state, Number.POSITIVE_INFINITY);
  return circles.filter((circle) => !isBesideProgress(circle, turns));
}

/** In the order in which they are told. */
function circlesIn(turns: readonly Turn[], state: RunState): Circle[] {
  if (state.planGiven || turns.length < 2) return [];
  const last = turns.at(-1);
  const calling = turns.filter(({ calls }) => calls.length > 0);
  const loops =
    last?.calls.length === 0
      ? [growing(turns)]
      : [...repeated(calling, last), pingPong(calling), withoutProgress(calling)];
  return loops.flatMap((loop) => {
    if (loop === undefined) return [];
    const isGrowing = last?.calls.length === 0;
    return [{ ...loop, key: keyOf(loop, state), isFinal: loop.kind !== 'no_progress' || isGrowing }];
  });
}

/**
 * A call that gives the same each time is no circle where something new came of the turns in between, or in another step.
 * What is new is looked for in all turns: of three reads that take turns, the first ones leave the window again and again.
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

/** The same for two circles that repeat the same. It is made from the tasks, which the journal has with their outcomes. */
function keyOf({ kind, tasks }: Loop, state: RunState): string {
  const calls = tasks.flatMap((id) => {
    const task = state.tasks.get(id);
    return task?.sent === undefined ? [] : [called(task)];
  });
  // Turns of which nothing succeeds have nothing in common but that.
  if (kind === 'no_progress') return calls.length === 0 ? 'only steps' : 'only failures';
  const parts = calls.map(({ call, whole }) => (kind === 'same_failure' ? call : whole));
  return [...new Set(parts)].sort().join('\n');
}

/** The number of the last decision that proposed anything, whatever became of it. */
function lastProposal({ decisions }: RunState): number {
  return decisions.findLast(({ proposed }) => proposed.length > 0)?.number ?? 0;
}

function turnsOf(state: RunState, most = Number.POSITIVE_INFINITY): Turn[] {
  const made = state.decisions.filter(
    ({ proposed, diagnostics }) => proposed.length > 0 && diagnostics === undefined,
  );
  return made
    .slice(-most)
    .map((decision) => ({
      number: decision.number,
      startedSeq: decision.startedSeq,
      calls: callsOf(decision, state),
      opened: openedBy(decision),
    }))
    .filter(({ calls, opened }) => calls.length + opened.length > 0);
}

function recentTurns(state: RunState, most = WINDOW): Turn[] {
  return turnsOf(state, most).filter(({ startedSeq }) => startedSeq > state.lastWord);
}

function openedBy({ proposed }: Decision): string[] {
  return proposed.every(isStep) ? proposed.map(({ id }) => id) : [];
}

function callsOf({ proposed }: Decision, { tasks }: RunState): Called[] {
  return proposed.flatMap(({ id }) => {
    const task = tasks.get(id);
    return task === undefined || task.sent === undefined || !hasEnded(task.status) ? [] : [called(task)];
  });
}

function called({ task, sent, status, result, failure }: TaskState): Called {
  const call = callText(task.operation, sent ?? {});
  const stored: Json = result === undefined ? '' : 'blob' in result ? result.blob.sha256 : result.value;
  const outcome = status === 'succeeded' ? stringifyJson(stored) : `${failure?.kind}: ${failure?.message}`;
  return {
    task: task.id,
    step: task.step,
    call,
    whole: `${call} → ${status} ${outcome}`,
    isFailed: status === 'failed',
  };
}

/** Counted by turns: a mind that writes one call twice in one list has a reason, or at least does it no more than once. */
function repeated(turns: readonly Turn[], last: Turn | undefined): Loop[] {
  return (last?.calls ?? []).flatMap(({ whole, call, isFailed }): Loop[] => {
    const found = turns.flatMap(({ calls }) => {
      const same = calls.find((one) => (isFailed ? one.isFailed && one.call === call : one.whole === whole));
      return same === undefined ? [] : [same.task];
    });
    // One that was planned twice and called once is one.
    const alike = [...new Set(found)];
    if (isFailed && alike.length >= SAME_FAILURES) return [{ kind: 'same_failure', tasks: alike }];
    if (!isFailed && alike.length >= SAME_RESULTS) return [{ kind: 'same_result', tasks: alike }];
    return [];
  });
}

function pingPong(turns: readonly Turn[]): Loop | undefined {
  const four = turns.slice(-4);
  const [first, second, third, fourth] = four.map(({ calls }) => calls.map(({ whole }) => whole).join('\n'));
  if (four.length < 4 || first !== third || second !== fourth || first === second) return undefined;
  return { kind: 'ping_pong', tasks: four.flatMap(({ calls }) => calls.map(({ task }) => task)) };
}

/** A plan to which parts are added that no turn fills. */
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
  return { kind: 'no_progress', tasks: recent.flatMap(({ calls }) => calls.map(({ task }) => task)) };
}
