import { DandoriError } from '../model/error.ts';
import type { Event } from '../model/event.ts';
import { type Failure, toFailure } from '../model/failure.ts';
import { isStep } from '../model/task.ts';
import { isRepeatable, type Tool } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { applyingAnswers, decide, endingHolds, expiredAt, nextExpiry, nextHoldEnd } from '../run/decide.ts';
import { isOwnName } from '../run/state/orders.ts';
import { isAlive, isOnlyHolding, type RunState } from '../run/state/state.ts';
import { sealingOf } from '../secrets/index.ts';
import { type Claim, claimEnded, NEVER_LOST, type Parked } from '../store/index.ts';
import { addOwnTools, LEFT, limitTools } from '../tools/index.ts';
import { wordFor } from '../views/texts/said.ts';
import { type Calls, createCalls } from './calls/calls.ts';
import { createSteadyClock, type SteadyClock } from './clock.ts';
import { createHolds } from './holds.ts';
import { createInnerCalls } from './inner-calls.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { createMailbox } from './mailbox.ts';
import { handleMail } from './outcomes.ts';
import type { Parts } from './parts.ts';
import { type Driver, perform } from './perform.ts';
import { createReadAhead } from './prefetch.ts';
import { createResults } from './results.ts';

/**
 * Drives a run until it ends, or until only the user can continue it and no call is held open for them. Nothing is
 * kept between two calls of `drive`: the next call reads the journal and continues from there.
 *
 * S1  One driver per run: the driver holds the claim from the first read to the last write.
 * S2  A call is made only after its start is durable. A read that costs nothing is the exception: it has no
 *     effect, and only this process knows about it. If it ends at once, its start and its outcome are one write. The same
 *     is true for a decision of the built-in planner.
 * S3  The outcome of a call that must not be made again is durable before the driver makes any call because of it.
 * S4  There is one wait, in the mailbox. No polling. Facts that nothing waits for are written together with
 *     those that arrive in the same turn of the event loop.
 * S5  When `drive` returns or throws, none of its calls and thoughts is still running.
 * S6  After `leaving.soon` aborts, the driver starts nothing more. It returns when all running calls and all
 *     holds have ended. After `leaving.now` aborts, it stops them and returns. Neither is journaled: the next
 *     driver continues the run and settles lost calls.
 * S7  When the claim is lost, the driver aborts its calls at once, makes and writes nothing more, and throws
 *     `run-driven-elsewhere`. What an aborted call may have done is in doubt for the next driver.
 * S8  A run that uses tools of a program is refused with `tools-missing` by a process that has none of them, before
 *     anything is written.
 */
export async function drive(what: Drivable, asGiven: Parts, leaving: StopSignals = {}): Promise<RunState> {
  const { run, ...started } = typeof what === 'string' ? { run: what } : what;
  const clock = createSteadyClock(asGiven.clock);
  const given: Parts = { ...asGiven, clock };
  const claim = await given.journal.claim(run);
  let parked: Parked | undefined;
  try {
    const result = await driveClaimed({ run, ...started }, { given, clock, claim }, leaving);
    parked = parkedOf(result, leaving, clock.now());
    return result.state;
  } finally {
    await claim.release(parked);
    if (parked !== undefined) leaving.onPark?.(parked.wakeAt);
  }
}

/** How a drive ended. */
interface DriveResult {
  readonly state: RunState;
  /** The next timer of the run, if the driver does not wait for it. */
  readonly wakeAt?: number | undefined;
  readonly hadEnded?: boolean;
}

/**
 * Milliseconds that this process has to report the end of a run to its conversation. After that, another process does
 * it.
 */
const REPORT = 5_000;

function parkedOf({ state, wakeAt, hadEnded }: DriveResult, { soon }: StopSignals, now: number): Parked {
  const { seq: seen, end, conversation } = state;
  if (end !== undefined) {
    const isUnreported = conversation !== undefined && hadEnded !== true;
    return { seen, wakeAt: isUnreported ? now + REPORT : undefined };
  }
  // This process leaves, and another can go on at once.
  if (soon?.aborted) return { seen, wakeAt: now };
  const next = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, nextExpiry(state));
  return { seen, wakeAt: Number.isFinite(next) ? next : undefined };
}

/**
 * A run id, or a run that this process has just started. For a started run, the driver does not read the
 * first events again. It also does not compile the plan again while the tools are the same.
 */
export type Drivable = string | StartedRun;

export interface StartedRun {
  readonly run: string;
  readonly events?: readonly Event[];
  readonly plan?: { readonly compiled: Compiled; readonly tools: ReadonlyMap<string, Tool> } | undefined;
}

interface DriveContext {
  readonly given: Parts;
  readonly clock: SteadyClock;
  readonly claim: Claim;
}

async function driveClaimed(
  { run, events, plan }: StartedRun,
  { given, clock, claim }: DriveContext,
  leaving: StopSignals,
): Promise<DriveResult> {
  const mailbox = createMailbox(given.clock);
  const results = createResults(given.blobs);
  let ledger: Ledger | undefined;
  let calls: Calls | undefined;
  const unwatch = given.journal.watch(run, (last) => {
    if (ledger?.isNews(last) !== false) mailbox.post({ type: 'journal_changed' });
  });
  const wake = () => mailbox.post({ type: 'leave_asked' });
  const forget = listen([leaving.soon, leaving.now], wake);
  // Most claims cannot be lost. They share a signal, on which thousands of listeners would be slow.
  const unlisten = listen(claim.lost === NEVER_LOST ? [] : [claim.lost], () => {
    calls?.abort(LEFT.lost);
    wake();
  });
  try {
    const opened = await openLedger(run, given, { claim, started: events });
    ledger = opened;
    clock.notBefore(opened.state.lastAt);
    const theirs = limitTools(given.toolbox, opened.state.only);
    const toolbox = addOwnTools(theirs, {
      state: () => opened.state,
      results,
      others: given.others,
      goals: given.goals,
      extract: given.mind.extract?.bind(given.mind),
      check: given.check,
    });
    const parts: Parts = { ...given, toolbox };
    const sealing = sealingOf(given);
    calls = createCalls(run, parts, { mailbox, sealing });
    const inner = {
      run,
      parts,
      ledger: opened,
      mailbox,
      calls,
      results,
      sealing,
      holds: createHolds(opened),
      innerCalls: createInnerCalls({ sealing, ledger: opened, results }),
      checked: new Map(),
      compiledAtStart: () => (plan?.tools === theirs.tools() ? plan.compiled : undefined),
    };
    const driver: Driver = { ...inner, readAhead: createReadAhead(inner) };
    // Only the run that started a sub-goal drives it.
    const isForeign = opened.state.parent !== undefined && given.isSubGoal !== true;
    const hadEnded = opened.state.end !== undefined;
    if (isForeign || leaving.soon?.aborted || !recover(driver)) return { state: opened.state, hadEnded };
    refuseWithoutTools(opened.state, toolbox.tools());
    return await untilNothingCanGoOn(driver, { claim, leaving });
  } finally {
    forget();
    unlisten();
    unwatch();
    await calls?.stopAll();
  }
}

/** Both signals are about this process, not about the run. Set `now` only together with `soon`. */
export interface StopSignals {
  readonly soon?: AbortSignal;
  readonly now?: AbortSignal;
  /**
   * Called with true when only calls that wait for the user are left, and with false when other work starts.
   */
  readonly onHold?: (isHolding: boolean) => void;
  /** Called at the end with the time of the next timer, if there is one. */
  readonly onPark?: (wakeAt: number | undefined) => void;
  /** A timer that is further away, in milliseconds, is left to the caller. By default the driver waits. */
  readonly longestWait?: number;
}

function listen(signals: readonly (AbortSignal | undefined)[], asked: () => void): () => void {
  for (const signal of signals) signal?.addEventListener('abort', asked, { once: true });
  return () => {
    for (const signal of signals) signal?.removeEventListener('abort', asked);
  };
}

async function untilNothingCanGoOn(
  driver: Driver,
  { claim, leaving }: { claim: Claim; leaving: StopSignals },
): Promise<DriveResult> {
  const { soon, now, onHold, longestWait = Number.POSITIVE_INFINITY } = leaving;
  const { ledger, mailbox, calls, holds, innerCalls, readAhead, parts } = driver;
  let isHolding = false;
  for (;;) {
    if (claim.lost.aborted) claimEnded(driver.run);
    const wakeAt = soon?.aborted ? await endHolds(driver) : await planTogether(driver);
    calls.thinkNow();
    const isWritten = await ledger.commit();
    // The commit may have taken longer than the claim lasts.
    if (claim.lost.aborted) claimEnded(driver.run);
    if (!isWritten) {
      calls.forgetPlanned();
      continue;
    }
    calls.release(readAhead);
    holds.deliver();
    innerCalls.deliver();
    const { state } = ledger;
    const isFarAway = wakeAt === undefined || wakeAt > parts.clock.now() + longestWait;
    const isQuiet = !isAlive(state) && isFarAway;
    if (state.end !== undefined || isQuiet || now?.aborted) return { state, wakeAt };
    if (isOnlyHolding(state) !== isHolding) {
      isHolding = !isHolding;
      onHold?.(isHolding);
    }
    for (const mail of await mailbox.wait(wakeAt)) await handleMail(mail, driver);
  }
}

/** While the driver is leaving, it only applies answers and ends the holds whose time is up. */
async function endHolds(driver: Driver): Promise<number | undefined> {
  const { ledger, parts } = driver;
  for (const intention of applyingAnswers(ledger.state)) await perform(intention, driver);
  for (const intention of endingHolds(ledger.state, parts.clock.now())) await perform(intention, driver);
  const next = nextHoldEnd(ledger.state);
  return Number.isFinite(next) ? next : undefined;
}

/** Reads and decisions that end at once are written together, at most this many. After a crash they are made again. */
const MOST_TOGETHER = 1_000;
/** Milliseconds. */
const LONGEST_TOGETHER = 10;

/**
 * Also handles mail that arrives in the same turn. Otherwise the first of twenty calls that end together gets
 * its own disk sync, and the others wait for it.
 */
async function planTogether(driver: Driver): Promise<number | undefined> {
  const { parts, ledger, mailbox, calls, innerCalls, readAhead } = driver;
  let wakeAt = await planAhead(driver);
  const since = parts.clock.now();
  for (let taken = 0; taken < MOST_TOGETHER && parts.clock.now() - since < LONGEST_TOGETHER; ) {
    if (ledger.owesOutcome) break;
    const ended = await calls.takeEnded(readAhead);
    if (ended.length === 0) break;
    taken += ended.length;
    for (const mail of ended) {
      const handling = handleMail(mail, driver);
      // Most results are recorded at once.
      if (handling !== undefined) await handling;
    }
    wakeAt = await planAhead(driver);
  }
  const isAnyWaiting = calls.isAnyPlanned() || innerCalls.isAnyWaiting();
  if (isAnyWaiting || ledger.state.indexes.running.size === 0) return wakeAt;
  const rest = await mailbox.rest();
  for (const mail of rest) await handleMail(mail, driver);
  return rest.length === 0 ? wakeAt : planAhead(driver);
}

/** Performs intentions until there are no new ones. Nothing leaves the process before the commit. */
async function planAhead(driver: Driver): Promise<number | undefined> {
  for (;;) {
    const { state } = driver.ledger;
    const before = state.seq;
    let wakeAt: number | undefined;
    for (const intention of decide(state, driver.parts.clock.now())) {
      if (intention.type === 'wake_at') {
        wakeAt = intention.at;
        continue;
      }
      const last = driver.ledger.state.seq;
      const performing = perform(intention, driver);
      if (performing !== undefined) await performing;
      // A task that fails at its start frees others, which may come before the rest of these intentions.
      if (driver.ledger.state.seq > last + 1) break;
    }
    if (driver.ledger.state.seq === before) return wakeAt;
  }
}

/**
 * Resumes a run that another driver left. Returns false, and writes nothing, if only the user can continue
 * it.
 *
 * Whether there is work is decided as of the last event. `run_resumed` is recorded before anything is decided
 * as of now, so the time without a driver does not count. Only questions expire in that time, because the
 * user was told the deadline.
 *
 * This driver holds the claim and has made no calls yet. So every call that the journal shows as running or
 * held was lost with its driver.
 */
function recover({ ledger, parts }: Driver): boolean {
  const { state } = ledger;
  const isExpired = state.end === undefined && expiredAt(state, parts.clock.now()).length > 0;
  if (!isExpired && decide(state, state.lastAt).length === 0) return false;
  ledger.resume();
  for (const task of [...state.indexes.running, ...state.indexes.held]) {
    const attempt = state.tasks.get(task)?.attempts ?? 1;
    const failure = endlessCrash(task, ledger.state);
    if (failure === undefined)
      ledger.record({ type: 'task_in_doubt', data: { task, attempt, cause: 'driver_lost' } });
    else ledger.record({ type: 'task_failed', data: { task, attempt, failure, ms: 0 } });
  }
  return true;
}

/**
 * Tools that a program gives have names without a dot. A process without any of them, such as the command line or a
 * server, would fail every call of such a run. So it leaves the run to the program, unless it only has to cancel it.
 */
function refuseWithoutTools(
  { run, tasks, offered, cancel }: RunState,
  tools: ReadonlyMap<string, Tool>,
): void {
  const isOfProgram = (name: string) => !name.includes('.') && !isOwnName(name);
  if (cancel !== undefined || tools.keys().some(isOfProgram)) return;
  const calls = [...tasks.values()].filter(({ task }) => !isStep(task));
  const used = new Set([...calls.map(({ task }) => task.operation), ...(offered?.names ?? [])]);
  const lacking = [...used].filter(isOfProgram).join(', ');
  if (lacking === '') return;
  throw new DandoriError(
    'tools-missing',
    `The run ${run} uses tools of a program (${lacking}), and this process has none.`,
    { fix: `Continue it in that program: dandori.open('${run}').output().` },
  );
}

/**
 * A driver crash does not count as an attempt of the tool. But a call that crashes the driver every time must
 * end too.
 */
function endlessCrash(id: string, state: RunState): Failure | undefined {
  const task = state.tasks.get(id);
  const { restarts = Number.POSITIVE_INFINITY } = state.settings.task;
  if (task === undefined || task.crashesWithoutProgress < restarts || !isRepeatable(task.effect))
    return undefined;
  const params = { operation: task.task.operation, times: task.crashesWithoutProgress + 1 };
  return toFailure({ kind: 'tool_error', code: 'crashed_again', params }, wordFor(state));
}
