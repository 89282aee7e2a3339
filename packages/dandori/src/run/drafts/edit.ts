import { DandoriError } from '../../model/error.ts';
import type { Fact } from '../../model/event.ts';
import { canonicalJson, type Json, sameJson } from '../../model/json.ts';
import type { Change, Diagnostic } from '../../model/plan.ts';
import type { Question } from '../../model/question.ts';
import { shown, withHidden } from '../../model/redact.ts';
import type { Task } from '../../model/task.ts';
import type { Compiled } from '../../plan/compile.ts';
import { notBegun } from '../actions/plan-operations.ts';
import { editedTasks, isPlanAsked } from '../state/plan.ts';
import type { Draft, RunState } from '../state/state.ts';
import { type CompileParts, compileDraft } from './draft.ts';

/**
 * Turns a user's whole plan into a change of the run's plan. A task that began must be unchanged or left out.
 * Everything else replaces the tasks that have not begun. Undefined if nothing changes. A diagnostic
 * describes a change that is not allowed.
 */
export function changedPlan(state: RunState, tasks: readonly Task[]): Fact | Diagnostic | undefined {
  const left = new Map(notBegun(state).map((task) => [task.id, task]));
  const fixed = (id: string) => (left.has(id) ? undefined : state.tasks.get(id)?.task);
  const changed = tasks.find((task) => {
    const begun = fixed(task.id);
    return begun !== undefined && !isSame(begun, task);
  });
  if (changed !== undefined)
    return {
      code: 'duplicate-id',
      task: changed.id,
      message: `${changed.id} has started and can't be changed`,
      hint: 'write the replacement as a task with another id',
    };
  const wanted = tasks.filter(({ id }) => fixed(id) === undefined);
  const changes = changesBetween(left, wanted);
  if (changes.length === 0) return undefined;
  const version = state.planVersion + 1;
  if (state.tasks.size === 0)
    return { type: 'plan_proposed', data: { version, by: 'user', tasks: [...wanted] } };
  const removes = [...left.keys()];
  return {
    type: 'plan_revised',
    data: { version, by: 'user', reason: 'edited by the user', changes, removes, tasks: [...wanted] },
  };
}

function changesBetween(left: ReadonlyMap<string, Task>, wanted: readonly Task[]): Change[] {
  const kept = new Set(wanted.map(({ id }) => id));
  const changes: Change[] = [
    ...wanted.flatMap((task): Change[] => {
      const before = left.get(task.id);
      if (before === undefined) return [{ kind: 'add', task: task.id }];
      return isSame(before, task) ? [] : [{ kind: 'replace', task: task.id }];
    }),
    ...[...left.keys()].filter((id) => !kept.has(id)).map((id) => ({ kind: 'remove' as const, task: id })),
  ];
  const order = [...left.keys()].filter((id) => kept.has(id));
  const isMoved = wanted.filter(({ id }) => left.has(id)).some(({ id }, index) => id !== order[index]);
  return isMoved ? [...changes, { kind: 'reorder' }] : changes;
}

/** Whether two tasks do the same. An empty `after` equals a missing one. */
function isSame(one: Task, other: Task): boolean {
  return editedText(one) === editedText(other);
}

function editedText({ after = [], ...task }: Task): string {
  return canonicalJson({ ...task, ...(after.length > 0 && { after }) } as Json);
}

/**
 * What a proposed plan changes, compared with the accepted tasks that have not begun or with the plan that a
 * person rejected.
 */
interface PlanDiff {
  readonly added: readonly string[];
  /** The tasks before the change. */
  readonly changed: readonly Task[];
  readonly removed: readonly Task[];
}

/** Undefined if there is no earlier plan, so that all of it is new. */
export function planDiff({ tasks, removes = [] }: Draft, state: RunState): PlanDiff | undefined {
  const accepted = removes.flatMap((id) => state.tasks.get(id)?.task ?? []);
  const before = accepted.length > 0 ? accepted : state.vetoed;
  if (before.length === 0) return undefined;
  const now = new Map(tasks.map((task) => [task.id, task]));
  const earlier = new Set(before.map(({ id }) => id));
  return {
    added: tasks.filter(({ id }) => !earlier.has(id)).map(({ id }) => id),
    changed: before.filter((task) => {
      const written = now.get(task.id);
      return written !== undefined && !sameJson(written, task);
    }),
    removed: before.filter(({ id }) => !now.has(id)),
  };
}

/** The user's edited tasks, with the secrets that were hidden from the user. */
export function asHidden(
  given: readonly Task[],
  { tasks, draft }: Pick<RunState, 'tasks' | 'draft'>,
): Task[] {
  const drafted = new Map(draft?.tasks.map((task) => [task.id, task]));
  return given.map((task) => withHidden(task, drafted.get(task.id) ?? tasks.get(task.id)?.task));
}

/**
 * Compiles a user's plan as a replacement for the plan that awaits approval, or for all tasks that have not
 * begun. Nothing is journaled.
 */
export function compileEdit(
  given: readonly Task[],
  context: { readonly state: RunState; readonly parts: CompileParts },
): Compiled {
  const { state } = context;
  const tasks = asHidden(given, state);
  if (isPlanAsked(state) && state.draft !== undefined)
    return compileDraft({ ...state.draft, by: 'user', tasks }, context);
  const change = changedPlan(state, tasks);
  if (change !== undefined && 'code' in change) return { ok: false, diagnostics: [change] };
  const wanted = draftOf(change, state);
  const compiled = compileDraft(wanted, context);
  return compiled.ok ? compiled : { ok: false, diagnostics: inFile(compiled.diagnostics, wanted, tasks) };
}

function draftOf(change: Fact | undefined, state: RunState): Draft {
  const version = state.planVersion + 1;
  if (change?.type === 'plan_proposed') return change.data;
  if (change?.type === 'plan_revised') return { ...change.data, revision: change.data };
  const left = notBegun(state);
  const revision = { reason: '', changes: [] };
  return { version, by: 'user', tasks: left, removes: left.map(({ id }) => id), revision };
}

/** Converts positions: the user's file contains tasks that began, and the compiled draft does not. */
function inFile<T extends { readonly index?: number | undefined }>(
  diagnostics: readonly T[],
  compiled: Draft,
  tasks: readonly Task[],
): T[] {
  return diagnostics.map((one) => {
    const task = one.index === undefined ? undefined : compiled.tasks[one.index];
    return task === undefined ? one : { ...one, index: tasks.indexOf(task) };
  });
}

/** Refuses an edited plan that does not compile. It was given as the answer to a plan approval. */
export function checkEdit(
  { id }: Question,
  { answer, state }: { answer: Json; state: RunState },
  parts: CompileParts,
): void {
  const tasks = editedTasks(answer);
  if (state.draft === undefined || tasks === undefined) {
    throw new DandoriError('answer-invalid', `The answer to ${id} holds no plan.`, {
      fix: 'Give { "tasks": [{ "id": …, "operation": …, "args": {…} }, …] }, "approve" or "reject".',
    });
  }
  if (state.draft.revision?.replaces !== undefined) {
    throw new DandoriError('answer-invalid', `${id} asks about tasks that replace another task.`, {
      fix: 'Answer "approve" or "reject"; only a plan can be edited.',
    });
  }
  const compiled = compileDraft({ ...state.draft, by: 'user', tasks }, { state, parts });
  if (compiled.ok) return;
  throw invalidEdit(
    compiled.diagnostics,
    'Correct what is shown and answer again; the question is still open.',
  );
}

export function invalidEdit(found: readonly Diagnostic[], fix: string): DandoriError {
  const diagnostics = shown(found);
  const lines = diagnostics.map(({ task, message, hint }) => {
    const place = task === undefined ? '' : `${task}: `;
    return `- ${place}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
  return new DandoriError('plan-invalid', `The edited plan is not valid.\n${lines.join('\n')}`, {
    fix,
    diagnostics,
  });
}
