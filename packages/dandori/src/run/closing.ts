import type { Limit } from '../model/decision.ts';
import type { Cause, Failure, Said } from '../model/failure.ts';
import { type Action, workOf } from '../model/task.ts';
import { refsIn } from '../plan/fill-refs.ts';
import { revisionsLeft } from './brief.ts';
import { criteriaOf, criteriaToMeet, unmetCriteria } from './criteria.ts';
import type { Ending, Intention } from './intention.ts';
import { canConclude, limitSaid, reached, timeLeft } from './limits.ts';
import { hasGivenUp } from './state/decisions.ts';
import { type Decision, hasEnded, lastDecision, type RunState, type TaskState } from './state/state.ts';

/** How the run ends: cancelled, answered, failed or exhausted. Empty if it does not end yet. */
export function closing(state: RunState, now: number): Intention[] {
  const ending = cancelled(state) ?? answered(state, now) ?? exhausted(state, now) ?? failed(state, now);
  return ending === undefined ? [] : [{ type: 'finish', ending }];
}

const NOT_REACHED: Cause = { kind: 'not_possible', code: 'not_reached' };

/** Planned tasks that did not succeed, for an ending other than `answered`. */
function unfinished(state: RunState): Said[] {
  return [...state.tasks.values()]
    .filter(({ status, isSuperseded }) => status !== 'succeeded' && !isSuperseded)
    .map((one) => ({
      code: 'task',
      params: { task: one.task.id, name: workOf(one.task), status: standingOf(one) },
    }));
}

function standingOf({ status, isInDoubt }: TaskState): string {
  if (isInDoubt) return 'in_doubt';
  return hasEnded(status) ? status : 'not_done';
}

function cancelled(state: RunState): Ending | undefined {
  if (state.cancel === undefined) return undefined;
  return {
    outcome: 'cancelled',
    failure: { kind: 'cancelled', message: state.cancel.reason },
    missing: unfinished(state),
  };
}

function answered(state: RunState, now: number): Ending | undefined {
  if (state.isContinued) return undefined;
  const decision = lastDecision(state);
  const answer = decision?.operations.find(({ operation }) => operation === 'answer');
  if (decision === undefined || answer === undefined || !stands(answer, decision, state)) return undefined;
  if (isOutdated(decision, state) && canAskAgain(decision, state, now)) return undefined;
  if (goesBack(decision, state, now)) return undefined;
  if (decision.purpose === 'conclude' && answer.args.achieved !== true)
    return { outcome: 'exhausted', answer: answer.args, ...atLimit(state, now) };
  if (answer.args.achieved === false) {
    const limit = refusedFor(state);
    if (limit !== undefined)
      return {
        outcome: 'exhausted',
        answer: answer.args,
        limit,
        missing: [limitSaid(state, limit), ...unfinished(state)],
      };
    const failure = firstFailure(state) ?? NOT_REACHED;
    return { outcome: 'failed', answer: answer.args, failure, missing: unfinished(state) };
  }
  const failure = state.planGiven ? (firstFailure(state) ?? leftOpen(state)) : unreached(answer, state);
  if (failure !== undefined)
    return { outcome: 'failed', answer: answer.args, failure, missing: unfinished(state) };
  return { outcome: 'answered', answer: answer.args };
}

/** Whether a note was added after the mind began this decision. */
function isOutdated({ startedSeq }: Decision, { notes }: RunState): boolean {
  return (notes.at(-1)?.seq ?? 0) > startedSeq;
}

/** A success criterion is not met, and the plan may still be revised. */
function goesBack(decision: Decision, state: RunState, now: number): boolean {
  const isLeft = state.settings.planning !== undefined && revisionsLeft(state) > 0;
  return isLeft && criteriaToMeet(state).length > 0 && canAskAgain(decision, state, now);
}

function canAskAgain({ purpose }: Decision, state: RunState, now: number): boolean {
  return purpose !== 'conclude' && reached(state, now) === undefined;
}

/** The limit for which the compiler refused the previous plan, if the mind then gave up. */
function refusedFor({ decisions }: RunState): Limit | undefined {
  const codes = decisions.at(-2)?.diagnostics?.map(({ code }) => code) ?? [];
  if (codes.includes('over-budget')) return 'cost';
  return codes.includes('too-many-tasks') ? 'tasks' : undefined;
}

/** A plan from the user is done only when all of its tasks have ended. */
function leftOpen(state: RunState): Cause | undefined {
  const isDone = [...state.tasks.values()].every(({ status }) => hasEnded(status));
  return isDone ? undefined : NOT_REACHED;
}

/** The mind says that the goal is reached, but not that all of its own success criteria are met. */
function unreached({ args }: Action, state: RunState): Cause | undefined {
  const unmet = unmetCriteria(args, state);
  if (unmet === undefined) return { kind: 'not_possible', code: 'criteria_not_judged' };
  return unmet.length === 0
    ? undefined
    : { kind: 'not_possible', code: 'criteria_not_met', params: { criteria: unmet.join('; ') } };
}

/**
 * An answer that came with tool calls is valid if all of them succeeded. It must use their results by Ref, unless the
 * calls read nothing. Otherwise it was written before the facts were known. The same applies to an answer that came
 * with a question.
 */
function stands(answer: Action, decision: Decision, state: RunState): boolean {
  const { operations, proposed, purpose, isEdited } = decision;
  // The answer was written for the plan before the user edited it.
  if (isEdited === true) return false;
  if (purpose === 'act' && operations.some(({ operation }) => operation === 'ask')) return false;
  if (proposed.length === 0) return true;
  // The mind cannot judge a criterion before the results are there.
  if (criteriaOf(state).length > 0) return false;
  const tasks = proposed.map(({ id }) => state.tasks.get(id));
  if (!tasks.every((task) => task?.status === 'succeeded')) return false;
  const ids = new Set(proposed.map(({ id }) => id));
  return (
    refsIn(answer.args).some(({ ref }) => ids.has(ref.task)) || tasks.every((task) => task?.effect !== 'read')
  );
}

function failed(state: RunState, now: number): Ending | undefined {
  // A server may ask for an hour's wait. If the run has less time left than that, it fails now.
  const isTooLate = state.thinkAfter > now && state.thinkAfter - now >= timeLeft(state, now);
  if (!hasGivenUp(state) && !isTooLate) return undefined;
  return {
    outcome: 'failed',
    failure: lastDecision(state)?.failure ?? planFailure(state),
    missing: unfinished(state),
  };
}

function planFailure({ planGiven, rejection = [], failuresInARow, refused }: RunState): Cause {
  if (refused?.veto !== undefined)
    return { kind: 'rejected', code: 'plan_not_approved', params: { reason: refused.veto } };
  const problems = rejection
    .map(({ task, message }) => (task === undefined ? message : `${task}: ${message}`))
    .join('; ');
  return planGiven
    ? { kind: 'plan_error', code: 'plan_invalid', params: { problems } }
    : { kind: 'plan_error', code: 'no_plan', params: { tries: failuresInARow, problems } };
}

function firstFailure(state: RunState): Failure | undefined {
  for (const { failure, status, isSuperseded } of state.tasks.values()) {
    if (status === 'failed' && failure !== undefined && !isSuperseded) return failure;
  }
  return undefined;
}

/** A limit is reached, and the mind cannot make a closing call or has already tried. */
function exhausted(state: RunState, now: number): Ending | undefined {
  const last = lastDecision(state);
  // A closing answer that could not be read is asked for again, if another call is possible.
  const isRepairable = last?.failure?.kind === 'unusable_output' && !hasGivenUp(state);
  const hasTried = last?.purpose === 'conclude' && !(isRepairable && canConclude(state, now));
  if (reached(state, now) === undefined || (canConclude(state, now) && !hasTried)) return undefined;
  // If the added budget does not help, the earlier closing answer is still the best one.
  const said = hasTried ? last?.operations.find(({ operation }) => operation === 'answer') : undefined;
  return { outcome: 'exhausted', ...(said && { answer: said.args }), ...atLimit(state, now) };
}

/** The limit comes first, so that the user knows which one to raise. */
function atLimit(state: RunState, now: number): Pick<Ending, 'limit' | 'missing'> {
  const limit = reached(state, now);
  if (limit === undefined) return { missing: unfinished(state) };
  return { limit, missing: [limitSaid(state, limit), ...unfinished(state)] };
}
