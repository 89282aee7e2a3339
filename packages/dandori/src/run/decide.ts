import type { Purpose } from '../model/event.ts';
import { comesFirst, type Queued } from '../plan/ready-queue.ts';
import { needsApproval, neverAsks } from './approval-policy.ts';
import { briefFor } from './brief.ts';
import { closing } from './closing.ts';
import type { Intention } from './intention.ts';
import { canConclude, canPay, timeLeft, workTimeLeft } from './limits.ts';
import { watch } from './monitor.ts';
import { hasGivenUp } from './state/decisions.ts';
import { heldUntil } from './state/held-calls.ts';
import { isPlanAsked } from './state/plan.ts';
import { isAlive, type RunState, type TaskState, writesIn } from './state/state.ts';
import { isBehindGate, stepsToAsk } from './step-gate.ts';
import { doubtedTools } from './trust/similar.ts';

/**
 * Decides what to do next from the state. Pure: the time is an argument.
 *
 * D1  Nothing starts after a cancel request, after the time is up, or after the end.
 * D2  A plan is compiled before any of its tasks starts. While a person is asked to approve it, no task that
 *     it removes is started.
 * D3  At most `concurrency` calls run at once, and no call starts that the budget cannot pay for. A call that
 *     is held open for a person frees its slot, and continues when the person answers.
 * D4  The mind is asked only when nothing else can continue. At most one decision is open at a time.
 * D5  Nothing starts while the run is paused. Running calls and holds still end.
 * D6  If only a timer can continue the run, the only intention is `wake_at`. If only a person can, there is
 *     none.
 * D7  A question that is not answered in time expires, even if no driver was running at that time.
 * D8  A step does not wait for a question of another branch.
 * D9  Calls of one tool that the user did not order are asked about one after the other, so that one answer can
 *     cover the rest.
 * D10 The consequence of an answer is journaled before anything else is decided.
 */
export function decide(state: RunState, now: number): Intention[] {
  const { indexes } = state;
  if (state.end !== undefined) return [];
  if (indexes.answered.size > 0) return applyingAnswers(state);
  if (state.cancel !== undefined)
    return stopping(state, `cancelled: ${state.cancel.reason}`) ?? closing(state, now);
  if (timeLeft(state, now) <= 0) return stopping(state, 'the time is up') ?? closing(state, now);
  const expired = expiredAt(state, now);
  if (expired.length > 0) return expired;
  if (state.paused !== undefined)
    return isAlive(state) ? [...endingHolds(state, now), ...wakeUp(state, now)] : [];
  if (workTimeLeft(state, now) <= 0) return concluding(state, now);
  if (state.draft !== undefined && !isPlanAsked(state)) return [{ type: 'compile_plan' }];
  const replaced = indexes.replacing.values().next().value;
  if (replaced !== undefined && state.draft === undefined) return [{ type: 'replace_task', task: replaced }];
  const intentions: Intention[] = endingHolds(state, now);
  for (const task of indexes.inDoubt)
    if (!indexes.probing.has(task)) intentions.push({ type: 'settle', task });
  for (const { task } of stepsToAsk(state)) intentions.push({ type: 'ask_approval', task: task.id });
  const isAnyQueued = indexes.ready.size > 0 || indexes.retrying.size > 0;
  const places = isAnyQueued ? new Places(state) : undefined;
  if (places !== undefined) addStarts(intentions, { state, now, places });
  const isBusy = isAlive(state) || intentions.length > 0;
  if (!isBusy && !isAnyLater(state, now))
    intentions.push(...(indexes.openQuestions === 0 ? next(state, now) : nextStep(state, now)));
  intentions.push(...wakeUp(state, now, places && nextRetry(state, now, places)));
  return intentions;
}

export function applyingAnswers({ indexes }: RunState): (Intention & { type: 'apply_answer' })[] {
  return Array.from(indexes.answered, (task) => ({ type: 'apply_answer', task }));
}

/** Questions that have expired, each with what it counts as. */
export function expiredAt({ indexes: { expiring }, settings }: RunState, now: number): Intention[] {
  const intentions: Intention[] = [];
  if (expiring.size === 0) return intentions;
  const otherwise = settings.questions?.whenExpired === 'cancel' ? 'cancelled' : 'declined';
  for (const { item } of expiring.inOrder()) {
    const { id, expiresAt = 0, default: fallback } = item.question;
    if (expiresAt > now) break;
    const as = fallback === undefined ? otherwise : 'default';
    intentions.push({ type: 'expire_question', question: id, as });
  }
  return intentions;
}

export function nextExpiry({ indexes: { expiring } }: RunState): number {
  return expiring.first()?.item.question.expiresAt ?? Number.POSITIVE_INFINITY;
}

/** Tells the running calls to stop. The run ends when the last of them has ended. */
function stopping(state: RunState, reason: string): Intention[] | undefined {
  return isAlive(state) ? [{ type: 'abort_calls', reason }] : undefined;
}

/** The rest of the time is for the closing answer. Work that still runs is stopped first. */
function concluding(state: RunState, now: number): Intention[] {
  const isWriting = state.thinking?.purpose === 'conclude';
  const rest = isWriting ? [] : (stopping(state, 'the time is up') ?? next(state, now));
  return [...rest, ...wakeUp(state, now)];
}

export function endingHolds(state: RunState, now: number): (Intention & { type: 'end_hold' })[] {
  if (state.indexes.held.size === 0) return [];
  return heldTasks(state)
    .filter((task) => heldUntil(state, task) <= now)
    .map(({ task: { id } }) => ({ type: 'end_hold', task: id }));
}

/** When the next hold times out. Infinite if no hold can time out. */
export function nextHoldEnd(state: RunState): number {
  return Math.min(...heldTasks(state).map((task) => heldUntil(state, task)));
}

function heldTasks({ indexes: { held }, tasks }: RunState): readonly TaskState[] {
  return held.size === 0 ? [] : [...held].flatMap((id) => tasks.get(id) ?? []);
}

/** The free slots: overall, in each lane, and within the budget. */
class Places {
  readonly #state: RunState;
  #free: number;
  #writes: number;
  #reserved = 0;
  #started: Map<string, number> | undefined;

  constructor(state: RunState) {
    const { concurrency, writes } = state.settings;
    this.#state = state;
    this.#free = concurrency - state.indexes.running.size;
    this.#writes = writes === undefined ? Number.POSITIVE_INFINITY : writes - writesIn(state);
  }

  isOpen(): boolean {
    return this.#free > 0;
  }

  readonly hasRoom = (lane: string): boolean => {
    const { settings, indexes } = this.#state;
    const { servers = {}, limits } = settings;
    // One after the other, because only its end says what an extraction used of these limits.
    const isMetered = lane === 'extract' && (limits.tokens ?? limits.cost) !== undefined;
    const limit = isMetered ? 1 : Object.hasOwn(servers, lane) ? servers[lane] : undefined;
    if (limit === undefined) return true;
    return (indexes.runningIn.get(lane) ?? 0) + (this.#started?.get(lane) ?? 0) < limit;
  };

  canPay({ cost }: TaskState): boolean {
    return canPay(this.#state, this.#reserved + cost);
  }

  /** Whether one more call may change something, if this one does. */
  mayWrite({ effect }: TaskState): boolean {
    return effect === 'read' || this.#writes > 0;
  }

  take({ lane, cost, effect }: TaskState): void {
    if (effect !== 'read') this.#writes--;
    this.#reserved += cost;
    this.#started ??= new Map();
    this.#started.set(lane, (this.#started.get(lane) ?? 0) + 1);
    this.#free--;
  }
}

const NONE: ReadonlySet<string> = new Set();

interface Starting {
  readonly state: RunState;
  readonly now: number;
  readonly places: Places;
}

function addStarts(intentions: Intention[], { state, now, places }: Starting): void {
  // If the settings never ask for approval, there is nothing to do when all slots are taken.
  const isNeverAsked = neverAsks(state.settings);
  if (isNeverAsked && !places.isOpen()) return;
  const leaving = state.draft?.removes === undefined ? NONE : new Set(state.draft.removes);
  const asked = doubtedTools(state);
  let passedOver = 0;
  for (const { item: task } of candidates(state, now, places.hasRoom)) {
    const { id } = task.task;
    if (!places.canPay(task) || leaving.has(id) || task.previewing !== undefined) continue;
    if (isBehindGate(task, state) || (asked.has(task.task.operation) && !task.isOrdered)) continue;
    if (!isNeverAsked && needsApproval(task, state)) intentions.push({ type: 'ask_approval', task: id });
    else if (!places.mayWrite(task)) {
      // Reads behind it may start. The search is bounded, because thousands of writes may wait.
      if (++passedOver > state.settings.concurrency) break;
    } else if (places.isOpen()) {
      intentions.push({ type: 'start_task', task: id });
      places.take(task);
      if (isNeverAsked && !places.isOpen()) break;
    } else break;
  }
}

type Candidate = Pick<Queued<TaskState>, 'item'>;

/** Tasks that may start, by rank. First attempts and retries are treated alike. */
function candidates(state: RunState, now: number, hasRoom: (lane: string) => boolean): Iterable<Candidate> {
  const ready = state.indexes.ready.inOrder(hasRoom);
  const due = dueSince(state, now);
  return due.length === 0 ? ready : merged(ready, due, hasRoom);
}

function* merged(
  ready: Iterable<Candidate>,
  due: Candidate[],
  hasRoom: (lane: string) => boolean,
): Generator<Candidate> {
  for (const one of ready) {
    for (let first = due[0]; first !== undefined && comesFirst(first.item, one.item); first = due[0]) {
      due.shift();
      if (hasRoom(first.item.lane)) yield first;
    }
    // An earlier candidate may have filled the lane.
    if (hasRoom(one.item.lane)) yield one;
  }
  for (const one of due) if (hasRoom(one.item.lane)) yield one;
}

/** Retries that became due since the last fact. Earlier ones are already in the ready queue. */
function dueSince({ indexes: { retrying } }: RunState, now: number): Candidate[] {
  const due: Candidate[] = [];
  for (const entry of retrying.inOrder()) {
    if ((entry.item.dueAt ?? 0) > now) break;
    due.push(entry);
  }
  return due.length < 2 ? due : due.sort((a, b) => (comesFirst(a.item, b.item) ? -1 : 1));
}

/** Whether a retry is scheduled for later. */
function isAnyLater(state: RunState, now: number): boolean {
  for (const { item } of state.indexes.retrying.inOrder()) if ((item.dueAt ?? 0) > now) return true;
  return false;
}

/** Nothing runs and nothing can start: ask the mind, or end the run. */
function next(state: RunState, now: number): Intention[] {
  const end = closing(state, now);
  if (end.length > 0) return end;
  if (state.thinkAfter > now) return [];
  const verdict = watch(state, now);
  if (verdict.kind === 'stop' && !canConclude(state, now)) return [];
  const purpose = verdict.kind === 'stop' ? 'conclude' : purposeNow(state);
  return [{ type: 'think', purpose, brief: briefFor(state, purpose, verdict) }];
}

/** A person is asked about one branch. Steps of other branches continue, but the run does not conclude. */
function nextStep(state: RunState, now: number): Intention[] {
  const { runQuestions, stepsReady } = state.indexes;
  const isHeld = runQuestions > 0 || hasGivenUp(state) || state.thinkAfter > now;
  if (isHeld || stepsReady.size === 0) return [];
  const verdict = watch(state, now);
  if (verdict.kind === 'stop') return [];
  return [{ type: 'think', purpose: 'generate', brief: briefFor(state, 'generate', verdict) }];
}

function purposeNow({ indexes: { stepsReady }, planGiven }: RunState): Purpose {
  if (stepsReady.size > 0) return 'generate';
  return planGiven ? 'answer' : 'act';
}

/**
 * The next time at which something is due: a retry, another decision, the time limit, the end of a hold, the expiry of a
 * question.
 */
function wakeUp(state: RunState, now: number, retryAt = Number.POSITIVE_INFINITY): Intention[] {
  let earliest = retryAt;
  if (state.thinkAfter > now && !isAlive(state)) earliest = Math.min(earliest, state.thinkAfter);
  for (const task of heldTasks(state)) {
    const until = heldUntil(state, task);
    if (until > now) earliest = Math.min(earliest, until);
  }
  if (isAlive(state) || Number.isFinite(earliest))
    earliest = Math.min(earliest, timeUpAt(state, now), nextExpiry(state));
  return Number.isFinite(earliest) ? [{ type: 'wake_at', at: earliest }] : [];
}

/** When the time for work ends, or after that the whole time. */
function timeUpAt(state: RunState, now: number): number {
  const work = workTimeLeft(state, now);
  return now + (work > 0 ? work : timeLeft(state, now));
}

/**
 * When the next retry that has a free slot is due. If all slots are taken, the end of a call wakes the driver
 * instead. If a slot is free, due retries have just been started, so the loop skips only a few.
 */
function nextRetry(state: RunState, now: number, places: Places): number {
  if (!places.isOpen()) return Number.POSITIVE_INFINITY;
  for (const { item } of state.indexes.retrying.inOrder(places.hasRoom)) {
    const { dueAt = now } = item;
    if (dueAt > now) return dueAt;
  }
  return Number.POSITIVE_INFINITY;
}
