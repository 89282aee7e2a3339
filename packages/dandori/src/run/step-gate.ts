import { isStep } from '../model/task.ts';
import { hasEnded, type RunState, type TaskState } from './state/state.ts';

/**
 * With the approval policy `step`, the user is asked before each step but the first. Only steps of the plan
 * itself are asked about, not steps inside a step.
 */
export function stepsToAsk(state: RunState): TaskState[] {
  if (state.settings.approval !== 'step') return [];
  const steps = [...state.tasks.values()].filter(isOfPlan);
  if (!steps.some(({ status }) => hasEnded(status))) return [];
  return steps.filter((step) => isNext(step) && !hasBegun(step, state));
}

/** Whether the task belongs to a step that the user has not approved yet. */
export function isBehindGate(task: TaskState, state: RunState): boolean {
  if (state.settings.approval !== 'step') return false;
  const step = stepOf(task, state);
  return step !== undefined && (step.status === 'waiting' || stepsToAsk(state).includes(step));
}

/** The place of a step in the plan, from 1. */
export function stepNumber({ task: { id } }: TaskState, { tasks }: RunState): number {
  const steps = [...tasks.values()].filter(isOfPlan);
  return steps.findIndex((one) => one.task.id === id) + 1;
}

function isOfPlan({ task, isSuperseded }: TaskState): boolean {
  return isStep(task) && task.step === undefined && !isSuperseded;
}

function isNext({ status, approved }: TaskState): boolean {
  return approved === undefined && (status === 'ready' || status === 'expanding');
}

function hasBegun({ children }: TaskState, { tasks }: RunState): boolean {
  return children.some((id) => (tasks.get(id)?.attempts ?? 0) > 0);
}

function stepOf({ task }: TaskState, { tasks }: RunState): TaskState | undefined {
  let step = task.step === undefined ? undefined : tasks.get(task.step);
  while (step?.task.step !== undefined) step = tasks.get(step.task.step);
  return step;
}
