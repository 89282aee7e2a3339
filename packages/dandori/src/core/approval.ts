import type { Effect } from '../domain/effect.ts';
import type { ApprovalPolicy } from '../domain/mode.ts';
import type { Settings } from '../domain/settings.ts';
import { laneOf, type TaskState } from './state.ts';

type Rules = Pick<Settings, 'approval' | 'approvals'>;

/** Whether a person is asked before this call, and has not said yes yet. */
export function needsApproval({ task, effect, approved }: TaskState, rules: Rules): boolean {
  return approved === undefined && asksFirst({ operation: task.operation, effect }, rules);
}

export function asksFirst(
  { operation, effect }: { readonly operation: string; readonly effect: Effect },
  rules: Rules,
): boolean {
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

/** Whether no call at all is asked about, whatever it does. */
export function asksNobody({ approval, approvals = {} }: Rules): boolean {
  return approval === 'never' && Object.values(approvals).every((policy) => policy === 'never');
}

function policyFor(operation: string, { approval, approvals }: Rules): ApprovalPolicy {
  if (approvals === undefined) return approval;
  // Names of servers may hold dots, as lanes know.
  const server = laneOf(operation, approvals);
  const named = [operation, server].find((name) => Object.hasOwn(approvals, name));
  return (named === undefined ? undefined : approvals[named]) ?? approval;
}
