import { cancelRun, passAnswer } from '../commands/index.ts';
import { type Drivable, drive, type Parts } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import { DandoriError, messageOf } from '../model/error.ts';
import type { Event } from '../model/event.ts';
import { clip } from '../model/text.ts';
import type { RunState } from '../run/state/state.ts';
import { type CallOutcome, failed, type GoalRequest, LEFT, type SubGoals } from '../tools/index.ts';
import { beginSubGoal, type SubGoalParts, stateOfRun } from './start-sub-goal.ts';

/** Milliseconds between two attempts to drive a sub-goal that another process drives. That process may die. */
const BETWEEN_ATTEMPTS = 1_000;
const LONGEST_MESSAGE = 2_000;

/**
 * Runs that other runs start for a part of their goal.
 *
 * G1  The id of the run is in the start of its task, so a task has exactly one run, even after a crash.
 * G2  A sub-goal has a share of the limits, a part of the tools, and the same policies. It never has more.
 * G3  What the parent read before the start counts as read by the sub-goal. What the sub-goal reads counts as read by
 *     the parent. So external content never becomes an order on the way.
 * G4  The parent run asks the questions of a sub-goal. Only an answer to the parent run counts.
 * G5  A sub-goal ends with its run. A fork shares the sub-goals that were under way, and never ends them.
 */
export function createSubGoals(given: SubGoalParts): SubGoals {
  const { parts } = given;
  /** The sub-goals that this process drives. */
  const driven = new Map<string, Promise<unknown>>();

  async function run(request: GoalRequest): Promise<CallOutcome> {
    const { parent, task, share, signal } = request;
    try {
      const begun = await beginSubGoal(request, given);
      if ('kind' in begun) return begun;
      const { mind, what, state } = begun;
      if (state !== undefined) await passAnswers(request, parts);
      const own = childParts(request, mind);
      const left = new AbortController();
      const isShared = state !== undefined && state.parent?.run !== parent.run;
      const stop = () => {
        if (isShared || isLeft(signal)) left.abort();
        else
          void endRun(share.run, `${parent.run}: ${String(signal.reason)}`, parts).catch(() => left.abort());
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      try {
        return outcomeOf(await whileDriven(share.run, () => driveOn(what, own, left.signal)), signal);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      return failed('not_possible', `the sub-goal of ${task.task.id} cannot run: ${messageOf(error)}`);
    }
  }

  async function whileDriven<T>(child: string, work: () => Promise<T>): Promise<T> {
    const driving = work();
    driven.set(child, driving);
    try {
      return await driving;
    } finally {
      driven.delete(child);
    }
  }

  function childParts({ toolbox, progress }: GoalRequest, mind: Mind): Parts {
    const { others: _, ...rest } = parts;
    const told = createProgress();
    return {
      ...rest,
      mind,
      toolbox,
      goals,
      isSubGoal: true,
      onEvent(event) {
        parts.onEvent?.(event);
        const message = told(event);
        if (message !== undefined) progress?.(message);
      },
    };
  }

  async function cancel(runs: readonly string[], parent: string): Promise<void> {
    for (const child of runs) {
      if ((await stateOfRun(child, parts))?.parent?.run !== parent) continue;
      await endRun(child, `the run ${parent} has ended`, parts);
      await driven.get(child)?.catch(() => {});
      if ((await stateOfRun(child, parts))?.end !== undefined) continue;
      const own: Parts = { ...parts, goals, isSubGoal: true };
      await drive(child, own).catch((error: unknown) => {
        // Another process drives it, and reads the request.
        if (!(error instanceof DandoriError) || error.code !== 'run-driven-elsewhere') throw error;
      });
    }
  }

  const goals: SubGoals = { run, cancel };
  return goals;
}

/** Drives it until it has ended, or waits for an answer. */
async function driveOn(what: Drivable, parts: Parts, left: AbortSignal): Promise<RunState> {
  const child = typeof what === 'string' ? what : what.run;
  for (let next = what; ; next = child) {
    try {
      const state = await drive(next, parts, { soon: left, now: left });
      const isWaiting = state.indexes.openQuestions > 0 && state.paused === undefined;
      if (state.end !== undefined || isWaiting || left.aborted) return state;
      await written(child, parts, { left, after: state.seq });
    } catch (error) {
      if (!(error instanceof DandoriError) || error.code !== 'run-driven-elsewhere') throw error;
      await written(child, parts, { left, ms: BETWEEN_ATTEMPTS });
    }
  }
}

/** Resolves when something was written to the run, also before the call if it is newer than `after`, or after `ms`. */
function written(
  child: string,
  { journal, clock }: Pick<Parts, 'journal' | 'clock'>,
  { left, after, ms }: { left: AbortSignal; after?: number; ms?: number },
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      unwatch();
      takeBack?.();
      left.removeEventListener('abort', done);
      resolve();
    };
    const unwatch = journal.watch(child, done);
    const takeBack = ms === undefined ? undefined : clock.at(clock.now() + ms, done);
    left.addEventListener('abort', done);
    if (left.aborted) done();
    if (after !== undefined)
      void journal.read(child, after).then((events) => events.length > 0 && done(), done);
  });
}

/** The answers to what it asked, in its own journal. An answer that it has already is not written again. */
async function passAnswers({ parent, share }: GoalRequest, parts: Parts): Promise<void> {
  for (const { question, answer } of parent.questions.values()) {
    const { subGoal } = question;
    // It expires there at the same time.
    if (subGoal?.run !== share.run || answer === undefined || answer.isExpired === true) continue;
    await passAnswer({ ...subGoal, answer }, parts);
  }
}

/** Writes the request. The drive in progress reads it. */
async function endRun(run: string, reason: string, parts: Parts): Promise<void> {
  try {
    await cancelRun({ run, reason: clip(reason, LONGEST_MESSAGE) }, parts);
  } catch (error) {
    const isGone = error instanceof DandoriError && ['run-ended', 'run-not-found'].includes(error.code);
    if (!isGone) throw error;
  }
}

function isLeft({ reason }: AbortSignal): boolean {
  return reason === LEFT.stopped || reason === LEFT.lost;
}

function outcomeOf(state: RunState, signal: AbortSignal): CallOutcome {
  const { end, usage, modelCalls, orders, run } = state;
  const heard = orders.strangersSince === undefined ? {} : { hasHeardStrangers: true as const };
  if (end === undefined && signal.aborted)
    return { kind: 'lost', cause: 'cancelled', message: `the sub-goal ${run} was left` };
  if (end === undefined) {
    const questions = [...state.questions.values()]
      .filter(({ answer }) => answer === undefined)
      .map(({ question }) => ({ ...question, subGoal: { run, question: question.id } }));
    return { kind: 'input_wanted', requests: [], questions, ...heard };
  }
  const used = { usage: { ...usage }, calls: modelCalls, ...heard };
  const { outcome, answer = '', output, failure } = end;
  if (outcome === 'answered')
    return { kind: 'succeeded', result: { run, answer, ...(output !== undefined && { output }) }, ...used };
  const why = [failure?.message, answer === '' ? undefined : `so far: ${answer}`].filter(
    (part) => part !== undefined,
  );
  const message = clip([`the sub-goal ${run} ended as ${outcome}`, ...why].join(': '), LONGEST_MESSAGE);
  const kind = outcome === 'cancelled' ? 'cancelled' : 'tool_error';
  return { kind: 'failed', failure: { kind, message, retryable: false }, ...used };
}

/** What the user sees of it while it runs: the calls that it makes. */
function createProgress(): (event: Event) => string | undefined {
  const operations = new Map<string, string>();
  return ({ type, data }) => {
    if (type === 'plan_proposed' || type === 'plan_revised')
      for (const { id, operation } of data.tasks) operations.set(id, operation);
    return type === 'task_started' ? (operations.get(data.task) ?? data.task) : undefined;
  };
}
