import type { Effect } from '../domain/effect.ts';
import type { ApprovalPolicy } from '../domain/mode.ts';
import type { Settings } from '../domain/settings.ts';
import { OWN_TOOLS } from './own-tools.ts';
import { laneOf, type TaskState } from './state.ts';

type Rules = Pick<Settings, 'approval' | 'approvals'>;

interface Called {
  readonly operation: string;
  readonly effect: Effect;
}

/** Whether a person is asked before this call, and has not said yes yet: to itself, or to the plan that it is in. */
export function needsApproval(state: TaskState, rules: Rules): boolean {
  const { task, effect, approved } = state;
  if (approved !== undefined || isCovered(state, rules)) return false;
  return asksFirst({ operation: task.operation, effect }, rules);
}

/** A plan that was approved answers for its calls as they are written in it. What a choice has changed is not. */
function isCovered({ task, coveredBy, override }: TaskState, rules: Rules): boolean {
  return coveredBy !== undefined && override === undefined && policyFor(task.operation, rules) === 'plan';
}

export function asksFirst({ operation, effect }: Called, rules: Rules): boolean {
  if (isOurs({ operation, effect })) return false;
  switch (policyFor(operation, rules)) {
    case 'never':
      return false;
    case 'destructive':
      return effect === 'destructive';
    case 'writes':
    case 'plan':
      return effect !== 'read';
    default:
      // A policy of a later version may ask about anything.
      return true;
  }
}

/** Whether a person is asked about the plan that these are in. Nobody is asked about one that only reads. */
export function asksAboutPlan(calls: readonly Called[], rules: Rules): boolean {
  return calls.some((call) => call.effect !== 'read' && policyFor(call.operation, rules) === 'plan');
}

/** Whether no call at all is asked about, whatever it does. */
export function asksNobody({ approval, approvals = {} }: Rules): boolean {
  return approval === 'never' && Object.values(approvals).every((policy) => policy === 'never');
}

/** Whether the user has said that no call of this tool is ever asked about. */
export function isNeverAsked(operation: string, rules: Rules): boolean {
  return policyFor(operation, rules) === 'never';
}

/** A tool of the user's that has taken the place of one of ours may do more than read. */
function isOurs({ operation, effect }: Called): boolean {
  return effect === 'read' && Object.hasOwn(OWN_TOOLS, operation);
}

function policyFor(operation: string, { approval, approvals }: Rules): ApprovalPolicy {
  if (approvals === undefined) return approval;
  // Names of servers may hold dots, as lanes know.
  const server = laneOf(operation, approvals);
  const named = [operation, server].find((name) => Object.hasOwn(approvals, name));
  return (named === undefined ? undefined : approvals[named]) ?? approval;
}
