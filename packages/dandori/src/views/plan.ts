import type { Reflection } from '../model/decision.ts';
import type { Revision, Step } from '../model/plan.ts';
import { isStep, purposeOf, type Task } from '../model/task.ts';
import { isPlanAsked } from '../run/state/plan.ts';
import { hasEnded, type RunState, type TaskState } from '../run/state/state.ts';

type PlanStatus = 'draft' | 'approved' | 'in_progress' | 'completed' | 'failed';
type StepStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

export interface StepView extends Step {
  readonly status: StepStatus;
  readonly tasks: readonly string[];
}

/** A plan as people and the mind see it. */
export interface PlanView {
  readonly version: number;
  readonly status: PlanStatus;
  readonly objective?: string;
  readonly successCriteria?: readonly string[];
  readonly constraints?: readonly string[];
  readonly reasoning?: string;
  readonly steps: readonly StepView[];
  /** Tasks that belong to no step. */
  readonly tasks: readonly string[];
  readonly revisions: readonly Revision[];
  readonly reflections: readonly Reflection[];
}

/** Undefined where nothing has been planned. */
export function planView(state: RunState): PlanView | undefined {
  const { draft, outline, planVersion, revisions, reflections } = state;
  if (planVersion === 0 && draft === undefined) return undefined;
  const { steps: _, ...understanding } = outline ?? {};
  const all = [...state.tasks.values()].filter(({ isSuperseded }) => !isSuperseded);
  const steps = all.filter(({ task }) => isStep(task));
  const placed = new Set(steps.flatMap(({ children }) => children));
  return {
    version: planVersion,
    status: statusOf(state, all),
    ...understanding,
    steps: steps.map((step) => stepView(step, outline?.steps)),
    tasks: all.filter(({ task }) => !isStep(task) && !placed.has(task.id)).map(({ task }) => task.id),
    revisions,
    reflections,
  };
}

function stepView({ task, status, children }: TaskState, outlined: readonly Step[] = []): StepView {
  const { id, after } = task;
  const complexity = outlined.find((step) => step.id === id)?.complexity;
  return {
    id,
    description: purposeOf(task),
    ...(after !== undefined && { after }),
    ...(complexity !== undefined && { complexity }),
    status: stepStatus(status),
    tasks: children,
  };
}

function stepStatus(status: TaskState['status']): StepStatus {
  if (status === 'succeeded') return 'completed';
  if (status === 'failed' || status === 'blocked') return 'failed';
  return status === 'expanding' ? 'in_progress' : 'pending';
}

function statusOf({ draft, end }: RunState, tasks: readonly TaskState[]): PlanStatus {
  if (draft !== undefined) return 'draft';
  if (tasks.every(({ status }) => status === 'succeeded')) return 'completed';
  if (end !== undefined || tasks.every(({ status }) => hasEnded(status))) return 'failed';
  const isBegun = tasks.some(({ status, attempts }) => attempts > 0 || status === 'expanding');
  return isBegun ? 'in_progress' : 'approved';
}

/**
 * The plan that a person is asked about; else as it was accepted, without what a revision put others in place of, or as
 * it was proposed, whatever became of it.
 */
export function planTasks(state: RunState): readonly Task[] {
  const standing = [...state.tasks.values()].filter(({ isSuperseded }) => !isSuperseded);
  const accepted = standing.map(({ task }) => task);
  return accepted.length > 0 && !isPlanAsked(state) ? accepted : (state.draft?.tasks ?? []);
}
