import { editedTasks } from '../core/plan-word.ts';
import { shown } from '../core/redact.ts';
import type { RunState } from '../core/state.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { DandoriError } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import { compileDraft } from './draft.ts';
import type { Parts } from './parts.ts';

/** Refuses a plan that a person wrote in place of the one that they were asked about, and that cannot be carried out. */
export function checkEdit(
  { id }: Question,
  { answer, state }: { answer: Json; state: RunState },
  parts: Pick<Parts, 'toolbox' | 'check' | 'clock' | 'durations' | 'secrets' | 'storeKey'>,
): void {
  const tasks = editedTasks(answer);
  if (state.draft === undefined || tasks === undefined) {
    throw new DandoriError('answer-invalid', `The answer to ${id} holds no plan.`, {
      fix: 'Give { "tasks": [{ "id": …, "operation": …, "args": {…} }, …] }, "approve" or "reject".',
    });
  }
  if (state.draft.revision?.replaces !== undefined) {
    throw new DandoriError('answer-invalid', `${id} asks about what an answer has put in place of a task.`, {
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
