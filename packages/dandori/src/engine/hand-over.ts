import { fold } from '../core/apply.ts';
import { takesWords } from '../core/plain-answer.ts';
import { reject } from './approve.ts';
import { addNote, answerQuestion } from './inbox.ts';
import type { Parts } from './parts.ts';

/** A person's words for a run. What a model passes on is none: that is a note, and `other-runs` adds it. */
export interface Words {
  readonly run: string;
  readonly text: string;
  readonly by: string | undefined;
}

/**
 * Takes a person's words to a run: as a no to its plan with the reason, as the answer to a question that takes any
 * words, else as a note for its next decision. They never are a yes to anything.
 */
export async function handOver({ run, text, by }: Words, parts: Parts): Promise<void> {
  const state = fold(await parts.journal.read(run));
  const open = [...(state?.questions.values() ?? [])].filter(({ answer }) => answer === undefined);
  const asked = open.find(({ question }) => question.kind === 'plan_approval' || takesWords(question));
  if (asked === undefined) await addNote({ run, text, by }, parts);
  else if (asked.question.kind === 'plan_approval')
    await reject({ run, question: asked.question.id, reason: text, by }, parts);
  else await answerQuestion({ run, question: asked.question.id, answer: text, by }, parts);
}
