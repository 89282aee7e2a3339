import type { FactOf } from '../../model/event.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Access, Estimate, Outline, Revision } from '../../model/plan.ts';
import type { Question } from '../../model/question.ts';
import { type Task, task as taskShape } from '../../model/task.ts';
import { lastDecision } from './decisions.ts';
import type { OpenQuestion } from './questions.ts';
import type { RunState } from './state.ts';

/** The accepted plan as a whole, and the plan that is being checked or approved. */
export interface Plan {
  planVersion: number;
  /** The estimate of the plan. Only set if a person must approve it. */
  estimate: Estimate | undefined;
  /** What the tasks of the plan touch, in plan order. Only set if it depends on arguments. */
  accesses: readonly Access[];
  /** A proposed plan that has not been accepted. It waits for the compiler or for a person's approval. */
  draft: Draft | undefined;
  /** The last plan that was refused, until another is accepted. */
  refused: Draft | undefined;
  /** The tasks of the last plan that a person rejected, until another is accepted. */
  vetoed: readonly Task[];
  /** The user's plan, unchanged. */
  userPlan: readonly Task[];
  /** The mind's understanding of the goal, from its last plan that states it. */
  outline: Outline | undefined;
  /** Revisions in accepted plans. */
  readonly revisions: (Revision & {
    readonly version: number;
    readonly by: Draft['by'];
    readonly at: number;
  })[];
}

/** A proposed plan, or a proposed change of one. */
export interface Draft {
  readonly version: number;
  readonly by: 'mind' | 'user' | 'repair';
  readonly tasks: readonly Task[];
  readonly outline?: Outline | undefined;
  /** Tasks that have not begun and that this draft replaces. */
  readonly removes?: readonly string[] | undefined;
  readonly revision?:
    | Pick<FactOf<'plan_revised'>['data'], 'reason' | 'changes' | 'supersedes' | 'replaces'>
    | undefined;
  /** The approval question about this draft. */
  readonly question?: string | undefined;
  /** Why a person rejected it. Empty if the person gave no reason. */
  readonly veto?: string | undefined;
}

export function createPlan(): Plan {
  return {
    planVersion: 0,
    estimate: undefined,
    accesses: [],
    draft: undefined,
    refused: undefined,
    vetoed: [],
    userPlan: [],
    outline: undefined,
    revisions: [],
  };
}

export function planProposed(
  state: RunState,
  { version, by, tasks, outline, removes }: FactOf<'plan_proposed'>['data'],
): void {
  draftMade(state, { version, by, tasks, outline, removes });
}

export function planRevised(
  state: RunState,
  { version, by, tasks, removes, outline, ...revision }: FactOf<'plan_revised'>['data'],
): void {
  draftMade(state, { version, by, tasks, removes, outline, revision });
}

function draftMade(state: RunState, draft: Draft): void {
  const { draft: before } = state;
  const isEdited = draft.by === 'user' && before?.question !== undefined && before.version === draft.version;
  state.draft = isEdited ? { ...draft, question: before.question } : draft;
  if (draft.by === 'user' && draft.revision === undefined && state.planGiven) state.userPlan = draft.tasks;
  const decision = lastDecision(state);
  const isFromMind = draft.by !== 'user' || (isEdited && before.revision?.replaces === undefined);
  if (decision === undefined || !isFromMind) return;
  decision.proposed = draft.tasks;
  if (isEdited) decision.isEdited = true;
}

/** A person is asked to approve the proposed plan. */
export function planAsked(plan: Plan, { id, plan: version }: Question): void {
  if (plan.draft?.version === version) plan.draft = plan.draft && { ...plan.draft, question: id };
}

export function draftRefused(plan: Plan, { reason }: FactOf<'plan_rejected'>['data']): void {
  plan.refused = plan.draft && { ...plan.draft, question: undefined, veto: reason };
  if (reason !== undefined) plan.vetoed = plan.draft?.tasks ?? [];
  plan.draft = undefined;
}

/** Takes the draft that is accepted now. `accepted-tasks` adds its tasks. */
export function draftAccepted(
  plan: Plan,
  { version, accesses = [], estimate }: FactOf<'plan_approved'>['data'],
  at: number,
): void {
  const { draft } = plan;
  plan.draft = undefined;
  plan.refused = undefined;
  plan.vetoed = [];
  plan.planVersion = version;
  if (draft?.outline !== undefined) plan.outline = merged(plan.outline, draft.outline);
  if (draft?.revision !== undefined) {
    const { reason, changes } = draft.revision;
    plan.revisions.push({ version, by: draft.by, reason, changes, at });
  }
  // If a person's choice replaces a task, the rest of the plan stays unchanged.
  if (draft?.revision?.replaces !== undefined) plan.accesses = [...plan.accesses, ...accesses];
  else {
    plan.estimate = estimate;
    plan.accesses = accesses;
  }
}

/**
 * What a later plan leaves out stays valid. Otherwise the mind could drop success criteria by planning again.
 */
function merged(before: Outline | undefined, { successCriteria = [], ...outline }: Outline): Outline {
  const criteria = successCriteria.length > 0 ? successCriteria : before?.successCriteria;
  return { ...before, ...outline, ...(criteria !== undefined && { successCriteria: criteria }) };
}

/** A person's answer to a plan approval. */
export type PlanAnswer =
  | { readonly kind: 'approved'; readonly question: Question }
  | { readonly kind: 'edited'; readonly question: Question; readonly tasks: readonly Task[] }
  /** The reason is empty if the person gave none. */
  | { readonly kind: 'rejected'; readonly question: Question; readonly reason: string };

/** Whether a person has been asked to approve the proposed plan and has not answered. */
export function isPlanAsked({ draft, questions }: RunState): boolean {
  const asked = questions.get(draft?.question ?? '');
  return asked !== undefined && asked.answer === undefined;
}

/** The answer about the proposed plan. Undefined if there was no question or there is no answer yet. */
export function answerToDraft({ draft, questions }: RunState): PlanAnswer | undefined {
  const asked = questions.get(draft?.question ?? '');
  return asked === undefined ? undefined : planAnswer(asked);
}

export function planAnswer({ question, answer }: OpenQuestion): PlanAnswer | undefined {
  if (question.kind !== 'plan_approval' || answer === undefined) return undefined;
  if (answer.declined !== true && answer.value === 'approve') return { kind: 'approved', question };
  const tasks = answer.declined === true ? undefined : editedTasks(answer.value);
  if (tasks !== undefined) return { kind: 'edited', question, tasks };
  return { kind: 'rejected', question, reason: answer.comment ?? '' };
}

/** The tasks of an answer that is an edited plan. Undefined if the answer is not a plan. */
export function editedTasks(answer: Json): readonly Task[] | undefined {
  if (!isObject(answer)) return undefined;
  const read = taskShape.array().safeParse(answer.tasks);
  return read.success ? read.data : undefined;
}
