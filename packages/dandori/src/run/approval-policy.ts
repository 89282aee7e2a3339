import { isObject, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { ownEffect } from '../model/own-tools.ts';
import type { ApprovalPolicy, Settings } from '../model/settings.ts';
import { STEP_OPERATION } from '../model/task.ts';
import { type Effect, laneOf } from '../model/tool.ts';
import type { RunState, TaskState } from './state/state.ts';

type Rules = Pick<Settings, 'approval' | 'approvals'>;

interface CallWithEffect {
  readonly operation: string;
  readonly effect: Effect;
}

/**
 * Whether this call still needs approval. A person may approve the call itself or the plan that contains it.
 */
export function needsApproval(task: TaskState, state: RunState): boolean {
  const { settings: rules } = state;
  const { operation } = task.task;
  if (task.approved !== undefined || isCovered(task, rules)) return false;
  if (!asksFirst({ operation, effect: task.effect }, rules)) return false;
  return !isWantedByUser(task, state);
}

/**
 * Whether the user's own message asked to cancel another run, or gives the answer to its question. That is so
 * only if the mind had seen nothing else when it decided. A tool result, a note passed on by a model, or a
 * value from a result may contain injected instructions. `mayCancel` and `mayAnswer` are set only if the
 * operation is a built-in one.
 */
function isWantedByUser({ task, override }: TaskState, state: RunState): boolean {
  const { operation, args } = task;
  const isWanted =
    (operation === 'run.cancel' && state.mayCancel === true) ||
    (operation === 'run.answer' && isAnswerSaid(args, state));
  if (!isWanted || override !== undefined || stringifyJson(args).includes('${')) return false;
  const decision = state.decisions.findLast(({ proposed }) => proposed.some(({ id }) => id === task.id));
  if (decision === undefined) return false;
  const { startedSeq } = decision;
  const wasTold = state.notes.some(({ passedOnBy, seq }) => passedOnBy !== undefined && seq < startedSeq);
  return !wasTold && !state.ends.some(({ seq }) => seq < startedSeq);
}

/** Whether the user's message, which is the goal, says this answer. */
function isAnswerSaid(
  { run, question, answer, declined }: JsonObject,
  { mayAnswer, goal }: RunState,
): boolean {
  const given = mayAnswer?.find((one) => one.run === run && one.question === question);
  if (given === undefined) return false;
  if (declined === true) return given.declined === true;
  const written = stringifyJson(answer);
  if (given.answers !== undefined) return given.answers.some((one) => stringifyJson(one) === written);
  const leaves = leavesOf(answer ?? null);
  const message = folded(goal);
  return leaves.length > 0 && leaves.every((leaf) => leaf !== '' && message.includes(folded(leaf)));
}

/** The texts and numbers in a value. A boolean becomes an empty text, because no word of the message can match it. */
export function leavesOf(value: Json): string[] {
  if (isObject(value)) return Object.values(value).flatMap(leavesOf);
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return [typeof value === 'string' || typeof value === 'number' ? String(value) : ''];
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** An approved plan covers its calls as written. It does not cover a call that a choice has changed. */
function isCovered({ task, coveredBy, override }: TaskState, rules: Rules): boolean {
  return coveredBy !== undefined && override === undefined && policyFor(task.operation, rules) === 'plan';
}

export function asksFirst({ operation, effect }: CallWithEffect, rules: Rules): boolean {
  if (isOurs({ operation, effect })) return false;
  const policy = policyFor(operation, rules);
  switch (policy) {
    case 'never':
      return false;
    case 'destructive':
    case 'step':
      return effect === 'destructive';
    case 'writes':
    case 'plan':
      return effect !== 'read';
    case 'always':
      return true;
    default:
      // An unknown policy comes from a later version. Ask, to be safe.
      policy satisfies never;
      return true;
  }
}

/** Whether a person must approve the plan with these calls. A plan that only reads needs no approval. */
export function asksAboutPlan(calls: readonly CallWithEffect[], rules: Rules): boolean {
  return calls.some((call) => call.effect !== 'read' && asksForPlan(call.operation, rules));
}

/** With `step`, the steps are approved as a plan. The calls in them are not. */
function asksForPlan(operation: string, rules: Rules): boolean {
  const policy = policyFor(operation, rules);
  return policy === 'plan' || (policy === 'step' && operation === STEP_OPERATION);
}

/** Whether no call ever needs approval. */
export function neverAsks({ approval, approvals = {} }: Rules): boolean {
  return approval === 'never' && Object.values(approvals).every((policy) => policy === 'never');
}

/** Whether the user's settings say that calls of this tool never need approval. */
export function isNeverAsked(operation: string, rules: Rules): boolean {
  return policyFor(operation, rules) === 'never';
}

/**
 * A user's tool may replace a built-in one and do more than read, so the effect is checked too. Starting a
 * sub-goal changes nothing by itself: the sub-goal asks about its own calls.
 */
function isOurs({ operation, effect }: CallWithEffect): boolean {
  return ownEffect(operation) === effect;
}

function policyFor(operation: string, { approval, approvals }: Rules): ApprovalPolicy {
  if (approvals === undefined) return approval;
  // Server names may contain dots. `laneOf` handles that.
  const server = laneOf(operation, approvals);
  const named = [operation, server].find((name) => Object.hasOwn(approvals, name));
  return (named === undefined ? undefined : approvals[named]) ?? approval;
}
