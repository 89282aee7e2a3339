import type { Json, JsonObject } from '../domain/json.ts';
import type { RunState } from './state.ts';

/** What the mind itself said must be true for the goal to be reached. */
export function criteriaOf({ outline }: RunState): readonly string[] {
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
  if (typeof judgement !== 'object' || judgement === null || Array.isArray(judgement)) return undefined;
  return typeof judgement.met === 'boolean' ? judgement.met : undefined;
}

/** Said once, as a weak model may forget it; the second time the answer counts as not having reached the goal. */
export const UNJUDGED =
  'The plan has success criteria. Give the answer again with "criteria": for each of them, in their order, {"met": true or false, "because": "…"}';
