import type { Failure } from '../../domain/failure.ts';
import type { Action } from '../../domain/task.ts';
import type { Thought } from '../../ports/mind.ts';
import type { Extraction } from '../json/extract.ts';
import { isAllowed } from './allowed.ts';
import type { Spoken } from './call.ts';
import { unusable } from './unusable.ts';

export interface Decided {
  readonly actions: readonly Action[];
  readonly reasoning?: string;
  readonly repaired?: string;
}

const MAX_THOUGHTS = 2000;

/** What a model that ended without an error has decided, or why that cannot be used. */
export function judge(
  spoken: Spoken,
  thought: Thought,
  read: (spoken: Spoken, thought: Thought) => Extraction,
): Decided | { readonly failure: Failure } {
  const refusal = refusalOf(spoken);
  if (refusal !== undefined) return { failure: refusal };
  const extraction = read(spoken, thought);
  if (!extraction.ok) return { failure: unusable(extraction.reason) };
  const actions = extraction.actions.filter((action) => isAllowed(action, thought));
  if (actions.length === 0)
    return { failure: unusable('no more tools can be called now. Return one action: "answer"') };
  const dropped = extraction.actions
    .filter((action) => !isAllowed(action, thought))
    .map(({ operation }) => operation);
  const notes = [
    extraction.repaired,
    dropped.length === 0 ? undefined : `left out, as only an answer was asked for: ${dropped.join(', ')}`,
  ];
  const repaired = notes.filter((note) => note !== undefined).join('; ');
  const reasoning = extraction.reasoning ?? clip(spoken.thoughts);
  return { actions, ...(reasoning !== '' && { reasoning }), ...(repaired !== '' && { repaired }) };
}

function refusalOf({ finishReason, text }: Spoken): Failure | undefined {
  if (finishReason === 'error')
    return { kind: 'model_error', message: 'The model stopped with an error.', retryable: true };
  if (finishReason !== 'content-filter') return undefined;
  const said = text.trim() === '' ? 'its content filter stopped the answer' : clip(text);
  return { kind: 'model_error', message: `The model refused: ${said}`, retryable: false };
}

function clip(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= MAX_THOUGHTS ? trimmed : `${trimmed.slice(0, MAX_THOUGHTS)}…`;
}
