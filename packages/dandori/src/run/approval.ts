import { stringifyJson } from '../model/json.ts';
import { OWN_TOOLS } from '../model/own-tools.ts';
import type { ApprovalPolicy, Settings } from '../model/settings.ts';
import type { Effect } from '../model/tool.ts';
import { laneOf } from '../model/tool.ts';
import type { RunState, TaskState } from './state/state.ts';

type Rules = Pick<Settings, 'approval' | 'approvals'>;

interface Called {
  readonly operation: string;
  readonly effect: Effect;
}

/** Whether a person is asked before this call, and has not said yes yet: to itself, or to the plan that it is in. */
export function needsApproval(task: TaskState, state: RunState): boolean {
  const { settings: rules } = state;
  const { operation } = task.task;
  if (task.approved !== undefined || isCovered(task, rules)) return false;
  if (!asksFirst({ operation, effect: task.effect }, rules)) return false;
  return !(operation === 'run.cancel' && isWantedByUser(task, state));
}

/**
 * Whether the user's own message led to the cancelling of another run: its words may, and when the mind decided on it,
 * it had seen nothing else. A tool's result, a note that a model passed on, or a value taken from a result may hold
 * an order from tool output. `mayCancel` is set only where the operation is ours.
 */
function isWantedByUser({ task, override }: TaskState, state: RunState): boolean {
  if (state.mayCancel !== true || override !== undefined || stringifyJson(task.args).includes('${'))
    return false;
  const decision = state.decisions.findLast(({ proposed }) => proposed.some(({ id }) => id === task.id));
  if (decision === undefined) return false;
  const { startedSeq } = decision;
  const wasTold = state.notes.some(({ passedOnBy, seq }) => passedOnBy !== undefined && seq < startedSeq);
  return !wasTold && !state.ends.some(({ seq }) => seq < startedSeq);
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
