import type { Limit } from '../model/decision.ts';
import type { Cause, Failure, Said } from '../model/failure.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { type Action, isStep, purposeOf } from '../model/task.ts';
import { refsIn } from '../plan/fill-refs.ts';
import type { Ending, Intention } from './intention.ts';
import { canConclude, limitSaid, reached, timeLeft } from './limits.ts';
import { hasGivenUp } from './state/decisions.ts';
import { type Decision, hasEnded, lastDecision, type RunState, type TaskState } from './state/state.ts';

/** The end of the run, where it has come: cancelled, answered, failed or exhausted. Else nothing. */
export function closing(state: RunState, now: number): Intention[] {
  const ending = cancelled(state) ?? answered(state, now) ?? exhausted(state, now) ?? failed(state, now);
  return ending === undefined ? [] : [{ type: 'finish', ending }];
}

const NOT_REACHED: Cause = { kind: 'not_possible', code: 'not_reached' };

/** Tasks that were planned and not done, for an ending that is not an answer. */
function unfinished(state: RunState): Said[] {
  return [...state.tasks.values()]
    .filter(({ status, isSuperseded }) => status !== 'succeeded' && !isSuperseded)
    .map((one) => ({
      code: 'task',
      params: { task: one.task.id, name: nameOf(one), status: standingOf(one) },
    }));
}

function nameOf({ task }: TaskState): string {
  return isStep(task) ? purposeOf(task) : task.operation;
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

/** Somebody has said something since the mind began to think about it. */
function isOutdated({ startedSeq }: Decision, { notes }: RunState): boolean {
  return (notes.at(-1)?.seq ?? 0) > startedSeq;
}

function canAskAgain({ purpose }: Decision, state: RunState, now: number): boolean {
  return purpose !== 'conclude' && reached(state, now) === undefined;
}

/** The limit for which the compiler refused what the mind wanted to do, where it then gave up. */
function refusedFor({ decisions }: RunState): Limit | undefined {
  const codes = decisions.at(-2)?.diagnostics?.map(({ code }) => code) ?? [];
  if (codes.includes('over-budget')) return 'cost';
  return codes.includes('too-many-tasks') ? 'tasks' : undefined;
}

/** A person's plan is done when all of it is. */
function leftOpen(state: RunState): Cause | undefined {
  const isDone = [...state.tasks.values()].every(({ status }) => hasEnded(status));
  return isDone ? undefined : NOT_REACHED;
}

/** The mind says that the goal is reached, and not that all that it set itself for that is. */
function unreached({ args }: Action, state: RunState): Cause | undefined {
  const unmet = unmetCriteria(args, state);
  if (unmet === undefined) return { kind: 'not_possible', code: 'criteria_not_judged' };
  return unmet.length === 0
    ? undefined
    : { kind: 'not_possible', code: 'criteria_not_met', params: { criteria: unmet.join('; ') } };
}

/**
 * An answer that came together with tool calls stands when they have all succeeded, and if it either uses their
 * results by Ref or did not need them (nothing was read). Otherwise it was written before the facts were known, as
 * was one that came together with a question.
 */
function stands(answer: Action, decision: Decision, state: RunState): boolean {
  const { operations, proposed, purpose, isEdited } = decision;
  // It was written for another plan.
  if (isEdited === true) return false;
  if (purpose === 'act' && operations.some(({ operation }) => operation === 'ask')) return false;
  if (proposed.length === 0) return true;
  // Nobody can say whether a criterion is met before the results are there.
  if (criteriaOf(state).length > 0) return false;
  const tasks = proposed.map(({ id }) => state.tasks.get(id));
  if (!tasks.every((task) => task?.status === 'succeeded')) return false;
  const ids = new Set(proposed.map(({ id }) => id));
  return (
    refsIn(answer.args).some(({ ref }) => ids.has(ref.task)) || tasks.every((task) => task?.effect !== 'read')
  );
}

function failed(state: RunState, now: number): Ending | undefined {
  // A server may ask for an hour's patience. Who has half of that need not spend it to know how it ends.
  const isTooLate = state.thinkAfter > now && state.thinkAfter - now >= timeLeft(state, now);
  if (!hasGivenUp(state) && !isTooLate) return undefined;
  return {
    outcome: 'failed',
    failure: lastDecision(state)?.failure ?? planFailure(state),
    missing: unfinished(state),
  };
}

function planFailure({ planGiven, rejection = [], stumbles, refused }: RunState): Cause {
  if (refused?.veto !== undefined)
    return { kind: 'rejected', code: 'plan_not_approved', params: { reason: refused.veto } };
  const problems = rejection
    .map(({ task, message }) => (task === undefined ? message : `${task}: ${message}`))
    .join('; ');
  return planGiven
    ? { kind: 'plan_error', code: 'plan_invalid', params: { problems } }
    : { kind: 'plan_error', code: 'no_plan', params: { tries: stumbles, problems } };
}

function firstFailure(state: RunState): Failure | undefined {
  for (const { failure, status, isSuperseded } of state.tasks.values()) {
    if (status === 'failed' && failure !== undefined && !isSuperseded) return failure;
  }
  return undefined;
}

/** A limit is reached, and the mind has no call left to conclude with or did not manage to. */
function exhausted(state: RunState, now: number): Ending | undefined {
  const last = lastDecision(state);
  const hasTried = last?.purpose === 'conclude';
  if (reached(state, now) === undefined || (canConclude(state, now) && !hasTried)) return undefined;
  // Where what was added does not help, the best answer is still the one that was given then.
  const said = hasTried ? last.operations.find(({ operation }) => operation === 'answer') : undefined;
  return { outcome: 'exhausted', ...(said && { answer: said.args }), ...atLimit(state, now) };
}

/** The limit comes first: who wants more done must know which one to raise. */
function atLimit(state: RunState, now: number): Pick<Ending, 'limit' | 'missing'> {
  const limit = reached(state, now);
  if (limit === undefined) return { missing: unfinished(state) };
  return { limit, missing: [limitSaid(state, limit), ...unfinished(state)] };
}

/** What the mind itself said must be true for the goal to be reached. */
function criteriaOf({ outline }: RunState): readonly string[] {
  return outline?.successCriteria ?? [];
}

/** The criteria that the answer says are not met; undefined where it does not judge all of them. */
export function unmetCriteria(answer: JsonObject, state: RunState): string[] | undefined {
  const criteria = criteriaOf(state);
  if (criteria.length === 0) return [];
  const judged = Array.isArray(answer.criteria) ? answer.criteria.map(isMet) : [];
  if (criteria.some((_, index) => judged[index] === undefined)) return undefined;
  return criteria.filter((_, index) => judged[index] === false);
}

function isMet(judgement: Json): boolean | undefined {
  if (typeof judgement === 'boolean') return judgement;
  return isObject(judgement) && typeof judgement.met === 'boolean' ? judgement.met : undefined;
}
