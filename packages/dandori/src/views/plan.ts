import * as z from 'zod';
import { reflection } from '../model/decision.ts';
import { outline, revision, type Step, step } from '../model/plan.ts';
import { isStep, purposeOf, type Task } from '../model/task.ts';
import { isPlanAsked } from '../run/state/plan.ts';
import { hasEnded, type RunState, type TaskState } from '../run/state/state.ts';

const names = z.array(z.string()).readonly();

const stepStatusSchema = z.enum(['pending', 'in_progress', 'completed', 'failed']);
type StepStatus = z.infer<typeof stepStatusSchema>;
const planStatus = z.enum(['draft', 'approved', 'in_progress', 'completed', 'failed']);
type PlanStatus = z.infer<typeof planStatus>;

const stepView = step.extend({ status: stepStatusSchema, tasks: names });
export type StepView = Readonly<z.infer<typeof stepView>>;

/** A plan as users and the model see it. */
export const planViewSchema = z.object({
  version: z.number().int(),
  status: planStatus,
  ...outline.omit({ steps: true }).shape,
  steps: z.array(stepView).readonly(),
  tasks: names.describe('Those that belong to no step'),
  revisions: z.array(revision).readonly(),
  reflections: z.array(reflection).readonly(),
});
export type PlanView = Readonly<z.infer<typeof planViewSchema>>;

/** Undefined if there is no plan yet. */
export function planView(state: RunState): PlanView | undefined {
  const { draft, outline: outlined, planVersion, revisions, reflections } = state;
  if (planVersion === 0 && draft === undefined) return undefined;
  const { steps: _, ...understanding } = outlined ?? {};
  const all = [...state.tasks.values()].filter(({ isSuperseded }) => !isSuperseded);
  const steps = all.filter(({ task }) => isStep(task));
  const placed = new Set(steps.flatMap(({ children }) => children));
  return {
    version: planVersion,
    status: statusOf(state, all),
    ...understanding,
    steps: steps.map((task) => viewOfStep(task, outlined?.steps)),
    tasks: all.filter(({ task }) => !isStep(task) && !placed.has(task.id)).map(({ task }) => task.id),
    revisions,
    reflections,
  };
}

function viewOfStep({ task, status, children }: TaskState, outlined: readonly Step[] = []): StepView {
  const { id, after } = task;
  const complexity = outlined.find((one) => one.id === id)?.complexity;
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
 * The plan that the user is asked to approve, if there is one. Otherwise the accepted plan without replaced
 * tasks. Otherwise the last proposed plan, whatever its status.
 */
export function planTasks(state: RunState): readonly Task[] {
  const standing = [...state.tasks.values()].filter(({ isSuperseded }) => !isSuperseded);
  const accepted = standing.map(({ task }) => task);
  return accepted.length > 0 && !isPlanAsked(state) ? accepted : (state.draft?.tasks ?? []);
}
