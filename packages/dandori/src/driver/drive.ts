import type { Event } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { isRepeatable, type Tool } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { applyingAnswers, decide, endingHolds, expiredAt, nextHoldEnd } from '../run/decide.ts';
import { isAlive, isOnlyHolding, type RunState } from '../run/state/state.ts';
import { addOwnTools } from '../tools/index.ts';
import { textsOf } from '../views/texts/driver.ts';
import { type Calls, createCalls } from './calls.ts';
import { createSteadyClock, type SteadyClock } from './clock.ts';
import { createHolds } from './holds.ts';
import { createInnerCalls } from './inner-calls.ts';
import { type Ledger, openLedger, StaleStart } from './ledger.ts';
import { createMailbox } from './mailbox.ts';
import { takeUp } from './outcomes.ts';
import type { Parts } from './parts.ts';
import { type Driver, perform } from './perform.ts';
import { createReadAhead } from './prefetch.ts';
import { createResults } from './results.ts';

/**
 * Drives a run as far as it can go: until it has ended, or only a person can go on and no call is held open for them.
 * Nothing is kept between two calls: the next call reads the journal and goes on from there.
 *
 * S1  One driver a run: the claim is held from the first read to the last write.
 * S2  A call is made only after the fact that it starts is durable. A read may be made ahead of it, as it has no
 *     effect; nothing is known of it then but in this process.
 * S3  An outcome is durable before anything is decided to happen because of it outside this process.
 * S4  There is one wait, in the mailbox. No polling. Facts on which nothing waits are written with those that come in
 *     the same turn of the event loop.
 * S5  When this returns or throws, no call and no thought of it is left running.
 * S6  Who is asked to leave begins nothing more and comes back when what runs has ended, and so has every hold; who is
 *     asked to leave at once comes back without it. The journal knows nothing of it: whoever drives next goes on, and
 *     settles what was lost.
 */
export async function drive(what: Drivable, asGiven: Parts, leaving: Leaving = {}): Promise<RunState> {
  const { run, ...started } = typeof what === 'string' ? { run: what } : what;
  const clock = createSteadyClock(asGiven.clock);
  const given: Parts = { ...asGiven, clock };
  const claim = await given.journal.claim(run);
  try {
    if (started.events === undefined || leaving.soon?.aborted)
      return await driveClaimed({ run }, { given, clock }, leaving);
    try {
      return await driveClaimed({ run, ...started }, { given, clock }, leaving);
    } catch (error) {
      if (!(error instanceof StaleStart)) throw error;
      return await driveClaimed({ run }, { given, clock }, leaving);
    }
  } finally {
    await claim.release();
  }
}

/**
 * A run by its id, or as it was just started in this process. Its first events are then not read again, and its plan is not
 * compiled again while the tools are the same.
 */
export type Drivable = string | StartedRun;

export interface StartedRun {
  readonly run: string;
  readonly events?: readonly Event[];
  readonly plan?: { readonly compiled: Compiled; readonly tools: ReadonlyMap<string, Tool> } | undefined;
}

async function driveClaimed(
  { run, events, plan }: StartedRun,
  { given, clock }: { given: Parts; clock: SteadyClock },
  leaving: Leaving,
): Promise<RunState> {
  const mailbox = createMailbox(given.clock);
  const results = createResults(given.blobs);
  let ledger: Ledger | undefined;
  let calls: Calls | undefined;
  const unwatch = given.journal.watch(run, (last) => {
    if (ledger?.isNews(last) !== false) mailbox.post({ type: 'journal_changed' });
  });
  const forget = listen(leaving, () => mailbox.post({ type: 'leave_asked' }));
  try {
    const opened = await openLedger(run, given, events);
    ledger = opened;
    clock.notBefore(opened.state.lastAt);
    const toolbox = addOwnTools(given.toolbox, {
      state: () => opened.state,
      results,
      others: given.others,
    });
    const parts: Parts = { ...given, toolbox };
    calls = createCalls(run, parts, mailbox);
    const house = {
      run,
      parts,
      ledger: opened,
      mailbox,
      calls,
      results,
      holds: createHolds(opened),
      innerCalls: createInnerCalls({ parts, ledger: opened, results }),
      checked: new WeakMap(),
      compiledAtStart: () => (plan?.tools === given.toolbox.tools() ? plan.compiled : undefined),
    };
    const driver: Driver = { ...house, readAhead: createReadAhead(house) };
    if (leaving.soon?.aborted || !recover(driver)) return opened.state;
    return await untilNothingCanGoOn(driver, leaving);
  } finally {
    forget();
    unwatch();
    await calls?.stopAll();
  }
}

/** Both are wishes of the process, not of the run. `now` without `soon` makes no sense. */
export interface Leaving {
  readonly soon?: AbortSignal;
  readonly now?: AbortSignal;
  /** Told when nothing is under way any more but calls that wait for a person, and when something is again. */
  readonly onHold?: (isHolding: boolean) => void;
}

function listen({ soon, now }: Leaving, asked: () => void): () => void {
  for (const signal of [soon, now]) signal?.addEventListener('abort', asked, { once: true });
  return () => {
    for (const signal of [soon, now]) signal?.removeEventListener('abort', asked);
  };
}

async function untilNothingCanGoOn(driver: Driver, { soon, now, onHold }: Leaving): Promise<RunState> {
  const { ledger, mailbox, calls, holds, innerCalls, readAhead } = driver;
  let isHolding = false;
  for (;;) {
    const wakeAt = soon?.aborted ? await endHolds(driver) : await planTogether(driver);
    calls.thinkNow();
    const isWritten = await ledger.commit();
    if (!isWritten) {
      calls.forgetPlanned();
      continue;
    }
    calls.release(readAhead);
    holds.deliver();
    innerCalls.deliver();
    const { state } = ledger;
    const isQuiet = !isAlive(state) && wakeAt === undefined;
    if (state.end !== undefined || isQuiet || now?.aborted) return state;
    if (isOnlyHolding(state) !== isHolding) {
      isHolding = !isHolding;
      onHold?.(isHolding);
    }
    for (const mail of await mailbox.wait(wakeAt)) await takeUp(mail, driver);
  }
}

/** A call that is held open comes to its end too, when it has been for long enough. */
async function endHolds(driver: Driver): Promise<number | undefined> {
  const { ledger, parts } = driver;
  for (const intention of applyingAnswers(ledger.state)) await perform(intention, driver);
  for (const intention of endingHolds(ledger.state, parts.clock.now())) await perform(intention, driver);
  const next = nextHoldEnd(ledger.state);
  return Number.isFinite(next) ? next : undefined;
}

/** Without this, the first of twenty calls that end together gets a sync of its own, and the others wait for it. */
async function planTogether(driver: Driver): Promise<number | undefined> {
  const { ledger, mailbox, calls, innerCalls } = driver;
  const wakeAt = await planAhead(driver);
  const isAnyWaiting = calls.isAnyPlanned || innerCalls.isAnyWaiting;
  if (isAnyWaiting || ledger.state.indexes.running.size === 0) return wakeAt;
  const rest = await mailbox.rest();
  for (const mail of rest) await takeUp(mail, driver);
  return rest.length === 0 ? wakeAt : planAhead(driver);
}

/** Performs intentions until no new one comes. Nothing leaves the process before the commit. */
async function planAhead(driver: Driver): Promise<number | undefined> {
  for (;;) {
    const { state } = driver.ledger;
    const before = state.seq;
    let wakeAt: number | undefined;
    for (const intention of decide(state, driver.parts.clock.now())) {
      if (intention.type === 'wake_at') wakeAt = intention.at;
      else await perform(intention, driver);
    }
    if (driver.ledger.state.seq === before) return wakeAt;
  }
}

/**
 * Takes a run up where another driver left it; false where only a person can go on, and nothing is written then.
 *
 * The question is put as of the last fact, and that the run is taken up again is written before anything is decided
 * as of now: the days in between do not count. Only questions expire in them: a person was told until when to answer.
 * We hold the claim and have called nothing yet, so what the journal says is running, or is held open for a person, was
 * lost with its driver.
 */
function recover({ ledger, parts }: Driver): boolean {
  const { state } = ledger;
  const isExpired = state.end === undefined && expiredAt(state, parts.clock.now()).length > 0;
  if (!isExpired && decide(state, state.lastAt).length === 0) return false;
  ledger.record();
  for (const task of [...state.indexes.running, ...state.indexes.held]) {
    const attempt = state.tasks.get(task)?.attempts ?? 1;
    const failure = endlessCrash(task, ledger.state);
    if (failure === undefined)
      ledger.record({ type: 'task_in_doubt', data: { task, attempt, cause: 'driver_lost' } });
    else ledger.record({ type: 'task_failed', data: { task, attempt, failure, ms: 0 } });
  }
  return true;
}

/** A crash of the driver is no attempt of the tool. But a call that brings the driver down each time must end too. */
function endlessCrash(id: string, state: RunState): Failure | undefined {
  const task = state.tasks.get(id);
  const { restarts = Number.POSITIVE_INFINITY } = state.settings.task;
  if (task === undefined || task.crashesInVain < restarts || !isRepeatable(task.effect)) return undefined;
  const message = textsOf(state).crashedAgain(task.task.operation, task.crashesInVain + 1);
  return { kind: 'tool_error', message };
}
