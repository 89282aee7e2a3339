import { cancelRun, passAnswer, startRun } from '../commands/index.ts';
import { type Drivable, drive, type Parts } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import { DandoriError, messageOf } from '../model/error.ts';
import type { Event } from '../model/event.ts';
import { isObject } from '../model/json.ts';
import type { Settings } from '../model/settings.ts';
import { DEEPEST_GOAL, toolsForGoal, unknownTools } from '../model/sub-goal.ts';
import { clip, languageOf } from '../model/text.ts';
import { foldRun } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import { timeFor } from '../run/sub-goal.ts';
import { isCleanCall } from '../run/trust/lineage.ts';
import {
  type CallOutcome,
  failed,
  type GoalRequest,
  LEFT,
  limitTools,
  type SubGoals,
} from '../tools/index.ts';

interface SubGoalParts {
  readonly parts: Parts;
  readonly mindFor: (name?: string) => Promise<Mind>;
}

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
export function createSubGoals({ parts, mindFor }: SubGoalParts): SubGoals {
  /** The sub-goals that this process drives. */
  const driven = new Map<string, Promise<unknown>>();

  async function run(request: GoalRequest): Promise<CallOutcome> {
    const { parent, task, share, signal } = request;
    try {
      const begun = await beginning(request);
      if ('kind' in begun) return begun;
      const { mind, what, state } = begun;
      if (state !== undefined) await passAnswers(request);
      const own = childParts(request, mind);
      const left = new AbortController();
      const isShared = state !== undefined && state.parent?.run !== parent.run;
      const stop = () => {
        if (isShared || isLeft(signal)) left.abort();
        else void end(share.run, `${parent.run}: ${String(signal.reason)}`).catch(() => left.abort());
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

  /** Drives it until it has ended, or waits for an answer. */
  async function driveOn(what: Drivable, own: Parts, left: AbortSignal): Promise<RunState> {
    const child = typeof what === 'string' ? what : what.run;
    for (let next = what; ; next = child) {
      try {
        const state = await drive(next, own, { soon: left, now: left });
        const isWaiting = state.indexes.openQuestions > 0 && state.paused === undefined;
        if (state.end !== undefined || isWaiting || left.aborted) return state;
        await written(child, { left, after: state.seq });
      } catch (error) {
        if (!(error instanceof DandoriError) || error.code !== 'run-driven-elsewhere') throw error;
        await written(child, { left, ms: BETWEEN_ATTEMPTS });
      }
    }
  }

  /** Resolves when something was written to the run, also before the call if it is newer than `after`, or after `ms`. */
  function written(
    child: string,
    { left, after, ms }: { left: AbortSignal; after?: number; ms?: number },
  ): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        unwatch();
        takeBack?.();
        left.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = parts.journal.watch(child, done);
      const takeBack = ms === undefined ? undefined : parts.clock.at(parts.clock.now() + ms, done);
      left.addEventListener('abort', done);
      if (left.aborted) done();
      if (after !== undefined)
        void parts.journal.read(child, after).then((events) => events.length > 0 && done(), done);
    });
  }

  interface Begun {
    readonly mind: Mind;
    readonly what: Drivable;
    /** Undefined if it was just started. */
    readonly state: RunState | undefined;
  }

  async function beginning(request: GoalRequest): Promise<Begun | CallOutcome> {
    const { share, args, parent } = request;
    const state = await stateOf(share.run);
    if (state !== undefined) return { mind: await mindOf(state.mind), what: share.run, state };
    const problem = problemWith(request);
    if (problem !== undefined) return failed('invalid_args', problem);
    const { model, goal, output } = args;
    // Without a name it has the model of the run, which may not be the configured one.
    const mind = await (typeof model === 'string' ? mindFor(model) : mindOf(parent.mind));
    const toolbox = limitTools(request.toolbox, onlyFor(request));
    const only = onlyFor(request) ?? parent.only;
    const started = await startRun(
      {
        run: share.run,
        goal: String(goal),
        settings: settingsFor(request),
        userId: parent.userId,
        ...(isObject(output) && { output }),
        parent: { run: parent.run, task: request.task.task.id, depth: depthOf(parent) + 1 },
        only,
        ...(!isCleanCall(request.task, parent) && { hasHeardStrangers: true as const }),
      },
      { ...parts, mind, toolbox },
    );
    return { mind, what: started, state: undefined };
  }

  /** A sub-goal must be able to continue even if its model is no longer configured. */
  async function mindOf(name: string): Promise<Mind> {
    try {
      return await mindFor(name);
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      return parts.mind;
    }
  }

  function problemWith({ parent, args, toolbox }: GoalRequest): string | undefined {
    if (depthOf(parent) >= DEEPEST_GOAL)
      return `a sub-goal ${DEEPEST_GOAL} levels deep cannot have sub-goals: do it here`;
    const unknown = unknownTools(args, toolbox.tools());
    if (unknown.length > 0) return `tools: there is no ${unknown.join(', ')}`;
    const problem = isObject(args.output) ? parts.check.problem?.(args.output) : undefined;
    return problem === undefined ? undefined : `output: no JSON Schema that can be used: ${problem}`;
  }

  function settingsFor({ parent, share, task }: GoalRequest): Settings {
    const { settings } = parent;
    const { tokens, cost, calls } = share;
    const time = timeFor(task, parent, parts.clock.now());
    const { closing } = settings.limits;
    return {
      ...settings,
      language: languageOf(parent),
      limits: {
        ...settings.limits,
        calls,
        time,
        ...(closing !== undefined && { closing: Math.min(closing, time / 5) }),
        ...(tokens !== undefined && { tokens: Math.max(1, tokens) }),
        ...(cost !== undefined && { cost: Math.max(Number.MIN_VALUE, cost) }),
      },
    };
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

  /** The answers to what it asked, in its own journal. An answer that it has already is not written again. */
  async function passAnswers({ parent, share }: GoalRequest): Promise<void> {
    for (const { question, answer } of parent.questions.values()) {
      const { subGoal } = question;
      // It expires there at the same time.
      if (subGoal?.run !== share.run || answer === undefined || answer.isExpired === true) continue;
      await passAnswer({ ...subGoal, answer }, parts);
    }
  }

  async function stateOf(child: string): Promise<RunState | undefined> {
    try {
      return foldRun(child, await parts.journal.read(child));
    } catch (error) {
      if (error instanceof DandoriError && error.code === 'run-not-found') return undefined;
      throw error;
    }
  }

  /** Writes the request. The drive in progress reads it. */
  async function end(child: string, reason: string): Promise<void> {
    try {
      await cancelRun({ run: child, reason: clip(reason, LONGEST_MESSAGE) }, parts);
    } catch (error) {
      const isGone = error instanceof DandoriError && ['run-ended', 'run-not-found'].includes(error.code);
      if (!isGone) throw error;
    }
  }

  async function cancel(runs: readonly string[], parent: string): Promise<void> {
    for (const child of runs) {
      if ((await stateOf(child))?.parent?.run !== parent) continue;
      await end(child, `the run ${parent} has ended`);
      await driven.get(child)?.catch(() => {});
      if ((await stateOf(child))?.end !== undefined) continue;
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

function depthOf({ parent }: RunState): number {
  return parent?.depth ?? 0;
}

/** Undefined if it may use all tools of the run. */
function onlyFor({ args, toolbox }: GoalRequest): string[] | undefined {
  return args.tools === undefined ? undefined : toolsForGoal(args, toolbox.tools());
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
