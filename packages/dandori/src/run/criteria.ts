import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { lastDecision, type RunState } from './state/state.ts';

/** The success criteria that the mind set in its plan. */
export function criteriaOf({ outline }: Pick<RunState, 'outline'>): readonly string[] {
  return outline?.successCriteria ?? [];
}

/** The criteria that the answer says are not met. Undefined if the answer does not judge all of them. */
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

/**
 * The criteria for which the run goes back to planning: the last answer says that they are not met. Empty if
 * the mind was told about them already and answered again without doing more.
 */
export function criteriaToMeet(state: RunState): string[] {
  const decision = lastDecision(state);
  const answer = decision?.operations.find(({ operation }) => operation === 'answer');
  const isOpen = decision?.purpose === 'act' && decision.brief?.unmet === undefined && !state.planGiven;
  return answer !== undefined && isOpen ? (unmetCriteria(answer.args, state) ?? []) : [];
}
