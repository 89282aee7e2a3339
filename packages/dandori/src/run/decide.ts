import type { Purpose } from '../model/event.ts';
import { comesFirst } from '../plan/ready-queue.ts';
import { asksNobody, needsApproval } from './approval.ts';
import { briefFor } from './brief.ts';
import { closing } from './closing.ts';
import type { Intention } from './intention.ts';
import { canConclude, canPay, timeLeft } from './limits.ts';
import { watch } from './monitor.ts';
import { hasGivenUp } from './state/decisions.ts';
import { heldUntil } from './state/held-calls.ts';
import { isPlanAsked } from './state/plan.ts';
import { isAlive, type RunState, type TaskState } from './state/state.ts';

/**
 * What to do now, given all that has happened. Pure: the time is an argument.
 *
 * D1  Nothing is started after a cancel request, after the time is up, or after the end.
 * D2  A plan is compiled before any of its tasks starts. While a person is asked about it, nothing is begun that it
 *     would take away.
 * D3  No call is started where `concurrency` calls run, and no more are started than can be paid for. One that was held
 *     open for a person has given its place free, and runs on when it is answered.
 * D4  The mind is asked only when nothing else can go on; at most one decision is open at a time.
 * D5  Nothing is begun while the run is paused; what runs comes to its end, and so does a hold.
 * D6  Where only a person or a timer can go on, nothing but `wake_at` is returned; for a person alone nobody waits.
 * D7  A question that nobody answered in time expires, however long nobody drove the run.
 * D8  A step does not wait for a question of another branch.
 * D9  What an answer leads to is written down before anything else is decided.
 */
export function decide(state: RunState, now: number): Intention[] {
  if (state.end !== undefined) return [];
  const answers = applyingAnswers(state);
  if (answers.length > 0) return answers;
  if (state.cancel !== undefined)
    return stopping(state, `cancelled: ${state.cancel.reason}`) ?? closing(state, now);
  if (timeLeft(state, now) <= 0) return stopping(state, 'the time is up') ?? closing(state, now);
  const expired = expiredAt(state, now);
  if (expired.length > 0) return expired;
  if (state.paused !== undefined)
    return isAlive(state) ? [...endingHolds(state, now), ...wakeUp(state, now)] : [];
  if (state.draft !== undefined && !isPlanAsked(state)) return [{ type: 'compile_plan' }];
  const [replaced] = state.indexes.replacing;
  if (replaced !== undefined && state.draft === undefined) return [{ type: 'replace_task', task: replaced }];
  const places = placesIn(state);
  const intentions = [...endingHolds(state, now), ...settling(state), ...starting(state, now, places)];
  const isBusy = isAlive(state) || intentions.length > 0;
  if (!isBusy && !isAnyLater(state, now))
    intentions.push(...(state.indexes.openQuestions === 0 ? next(state, now) : nextStep(state, now)));
  return [...intentions, ...waking(state, now, places)];
}

export function applyingAnswers({ indexes }: RunState): (Intention & { type: 'apply_answer' })[] {
  return [...indexes.answered].map((task) => ({ type: 'apply_answer', task }));
}

/** Questions whose time is over, with what they count as. */
export function expiredAt({ indexes: { expiring }, settings }: RunState, now: number): Intention[] {
  const intentions: Intention[] = [];
  const otherwise = settings.questions?.whenExpired === 'cancel' ? 'cancelled' : 'declined';
  for (const { item } of expiring.inOrder(() => true)) {
    const { id, expiresAt = 0, default: fallback } = item.question;
    if (expiresAt > now) break;
    const as = fallback === undefined ? otherwise : 'default';
    intentions.push({ type: 'expire_question', question: id, as });
  }
  return intentions;
}

function nextExpiry({ indexes: { expiring } }: RunState): number {
  for (const { item } of expiring.inOrder(() => true))
    return item.question.expiresAt ?? Number.POSITIVE_INFINITY;
  return Number.POSITIVE_INFINITY;
}

/** Calls are told to stop; the end comes when the last of them has. */
function stopping(state: RunState, reason: string): Intention[] | undefined {
  return isAlive(state) ? [{ type: 'abort_calls', reason }] : undefined;
}

export function endingHolds(state: RunState, now: number): (Intention & { type: 'end_hold' })[] {
  return heldTasks(state)
    .filter((task) => heldUntil(state, task) <= now)
    .map(({ task: { id } }) => ({ type: 'end_hold', task: id }));
}

/** When the next hold has lasted long enough; infinite where none will. */
export function nextHoldEnd(state: RunState): number {
  return Math.min(...heldTasks(state).map((task) => heldUntil(state, task)));
}

function heldTasks({ indexes: { held }, tasks }: RunState): TaskState[] {
  return [...held].flatMap((id) => tasks.get(id) ?? []);
}

function settling(state: RunState): Intention[] {
  const { inDoubt, probing } = state.indexes;
  const unsettled = [...inDoubt].filter((task) => !probing.has(task));
  return unsettled.map((task) => ({ type: 'settle', task }));
}

/** What may still be started, all in all and in each lane. */
interface Places {
  readonly isOpen: () => boolean;
  readonly hasRoom: (lane: string) => boolean;
  readonly canPay: (task: TaskState) => boolean;
  readonly take: (task: TaskState) => void;
}

function placesIn(state: RunState): Places {
  const { settings } = state;
  const { running, runningIn } = state.indexes;
  const limits = new Map(Object.entries(settings.servers ?? {}));
  const started = new Map<string, number>();
  let reserved = 0;
  let free = settings.concurrency - running.size;
  return {
    isOpen: () => free > 0,
    hasRoom: (lane) =>
      (runningIn.get(lane) ?? 0) + (started.get(lane) ?? 0) < (limits.get(lane) ?? Number.POSITIVE_INFINITY),
    canPay: ({ cost }) => canPay(state, reserved + cost),
    take: ({ lane, cost }) => {
      reserved += cost;
      started.set(lane, (started.get(lane) ?? 0) + 1);
      free--;
    },
  };
}

function starting(state: RunState, now: number, places: Places): Intention[] {
  const intentions: Intention[] = [];
  // Where nobody is ever asked, there is nothing to look for in a full house.
  const isNobodyAsked = asksNobody(state.settings);
  const isOver = () => isNobodyAsked && !places.isOpen();
  if (isOver()) return intentions;
  const leaving = new Set(state.draft?.removes);
  for (const task of candidates(state, now, places.hasRoom)) {
    const { id } = task.task;
    if (!places.canPay(task) || leaving.has(id)) continue;
    if (needsApproval(task, state)) intentions.push({ type: 'ask_approval', task: id });
    else if (places.isOpen()) {
      intentions.push({ type: 'start_task', task: id });
      places.take(task);
      if (isOver()) break;
    } else break;
  }
  return intentions;
}

/** By rank, whether it is the first try or not. */
function* candidates(state: RunState, now: number, hasRoom: (lane: string) => boolean): Generator<TaskState> {
  const due = dueSince(state, now);
  for (const { item: task } of state.indexes.ready.inOrder(hasRoom)) {
    for (let first = due[0]; first !== undefined && comesFirst(first, task); first = due[0]) {
      due.shift();
      if (hasRoom(first.lane)) yield first;
    }
    // The lane may have been filled by what went before it.
    if (hasRoom(task.lane)) yield task;
  }
  for (const task of due) if (hasRoom(task.lane)) yield task;
}

/** What has become due since the last fact; whatever was due then is in the queue of what is ready. */
function dueSince(state: RunState, now: number): TaskState[] {
  const due: TaskState[] = [];
  for (const { item: task } of state.indexes.retrying.inOrder(() => true)) {
    if ((task.dueAt ?? 0) > now) break;
    due.push(task);
  }
  return due.sort((a, b) => (comesFirst(a, b) ? -1 : 1));
}

/** Whether something will be tried again at a later time. */
function isAnyLater(state: RunState, now: number): boolean {
  for (const { item } of state.indexes.retrying.inOrder(() => true)) if ((item.dueAt ?? 0) > now) return true;
  return false;
}

/** Nothing runs and nothing can start: the mind says what next, or the run ends. */
function next(state: RunState, now: number): Intention[] {
  const end = closing(state, now);
  if (end.length > 0) return end;
  if (state.thinkAfter > now) return [];
  const verdict = watch(state, now);
  if (verdict.kind === 'stop' && !canConclude(state, now)) return [];
  const purpose = verdict.kind === 'stop' ? 'conclude' : purposeNow(state);
  return [{ type: 'think', purpose, brief: briefFor(state, purpose, verdict) }];
}

/** A person is asked about one branch: the steps of the others go on, and nothing is concluded. */
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

function waking(state: RunState, now: number, places: Places): Intention[] {
  let earliest = nextRetry(state, now, places);
  if (state.thinkAfter > now && !isAlive(state)) earliest = Math.min(earliest, state.thinkAfter);
  return wakeUp(state, now, earliest);
}

/** Whatever runs, the end of its time comes, and that of a hold and of a question. */
function wakeUp(state: RunState, now: number, first = Number.POSITIVE_INFINITY): Intention[] {
  let earliest = first;
  for (const task of heldTasks(state)) {
    const until = heldUntil(state, task);
    if (until > now) earliest = Math.min(earliest, until);
  }
  if (isAlive(state) || Number.isFinite(earliest))
    earliest = Math.min(earliest, now + timeLeft(state, now), nextExpiry(state));
  return Number.isFinite(earliest) ? [{ type: 'wake_at', at: earliest }] : [];
}

/**
 * When the next one is due that could then start. Where every place is taken a call must end first, and that wakes too.
 * Where there is room, what is due has just been started, so that only few are passed over here.
 */
function nextRetry(state: RunState, now: number, { isOpen, hasRoom }: Places): number {
  if (!isOpen()) return Number.POSITIVE_INFINITY;
  for (const { item } of state.indexes.retrying.inOrder(hasRoom)) {
    const { dueAt = now } = item;
    if (dueAt > now) return dueAt;
  }
  return Number.POSITIVE_INFINITY;
}
