import { fold } from '../core/apply.ts';
import { takesWords } from '../core/plain-answer.ts';
import type { RunState } from '../core/state.ts';
import { reject } from './approve.ts';
import { addNote, answerQuestion } from './inbox.ts';
import type { Parts } from './parts.ts';
import { sealingOf } from './sealing.ts';

/** A person's words for a run, whoever brings them. */
export interface Words {
  readonly run: string;
  readonly text: string;
  readonly by: string | undefined;
  /** A call that was lost may bring them once more. A person who says the same again means it. */
  readonly mayBeRepeated?: boolean;
}

/**
 * Takes a person's words to a run: as a no to its plan with the reason, as the answer to a question that takes any
 * words, else as a note for its next decision. They never are a yes to anything. Where they may be repeated, what the
 * run has heard already is not told again.
 */
export async function handOver({ run, text, by, mayBeRepeated = false }: Words, parts: Parts): Promise<void> {
  const state = fold(await parts.journal.read(run));
  if (mayBeRepeated && state !== undefined && isKnown(state, sealingOf(parts).seal(text))) return;
  const open = [...(state?.questions.values() ?? [])].filter(({ answer }) => answer === undefined);
  const asked = open.find(({ question }) => question.kind === 'plan_approval' || takesWords(question));
  if (asked === undefined) await addNote({ run, text, by }, parts);
  else if (asked.question.kind === 'plan_approval')
    await reject({ run, question: asked.question.id, reason: text, by }, parts);
  else await answerQuestion({ run, question: asked.question.id, answer: text, by }, parts);
}

function isKnown({ notes, questions }: RunState, text: string): boolean {
  if (notes.some((note) => note.text === text)) return true;
  return [...questions.values()].some(({ answer }) => answer?.comment === text || answer?.value === text);
}
