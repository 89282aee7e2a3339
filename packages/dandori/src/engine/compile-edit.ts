import type { Compiled } from '../core/compile.ts';
import { notBegun } from '../core/plan-change.ts';
import { changedPlan } from '../core/plan-edit.ts';
import { isPlanAsked } from '../core/plan-word.ts';
import type { Draft, RunState } from '../core/state.ts';
import type { Fact } from '../domain/event.ts';
import type { Task } from '../domain/task.ts';
import { asHidden } from './answer.ts';
import { compileDraft } from './draft.ts';
import type { Parts } from './parts.ts';
import { sealingOf } from './sealing.ts';

/**
 * Compiles a person's plan as it would stand in a run: in place of the one that they are asked about, or of all that was
 * not begun. Nothing is written.
 */
export function compileEdit(
  given: readonly Task[],
  house: {
    readonly state: RunState;
    readonly parts: Pick<Parts, 'toolbox' | 'check' | 'clock' | 'durations' | 'secrets' | 'storeKey'>;
  },
): Compiled {
  const { state, parts } = house;
  const tasks = asHidden(sealingOf(parts).seal(given), state);
  if (isPlanAsked(state) && state.draft !== undefined)
    return compileDraft({ ...state.draft, by: 'user', tasks }, house);
  const change = changedPlan(state, tasks);
  if (change !== undefined && 'code' in change) return { ok: false, diagnostics: [change] };
  const wanted = draftOf(change, state);
  const compiled = compileDraft(wanted, house);
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

/** What was begun stands in the file and not in what is compiled. */
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
