import { takesWords } from '../core/plain-answer.ts';
import type { OpenQuestion, RunState } from '../core/state.ts';
import { DandoriError } from '../domain/error.ts';
import type { Fact } from '../domain/event.ts';
import { type Keeping, send } from './inbox.ts';

/** A person's words for a run, whoever brings them. `key`: the same words under the same key are taken once. */
export interface Words {
  readonly run: string;
  readonly text: string;
  readonly key: string;
}

/**
 * Takes a person's words to a run: as a no to its plan with the reason, as the answer to a question that takes any
 * words, else as a note for its next decision. They never are a yes to anything.
 */
export async function handOver({ run, text, key }: Words, parts: Keeping): Promise<void> {
  await send(run, parts, (state) => {
    if (state.end !== undefined) {
      throw new DandoriError('run-ended', `The run ${run} has ended (${state.end.outcome}).`, {
        fix: 'Say what is to be done now, and a new run begins.',
      });
    }
    return isKnown(state, { text, key }) ? undefined : factFor(state, { text, key });
  });
}

function isKnown({ notes, questions }: RunState, { text, key }: Omit<Words, 'run'>): boolean {
  if (notes.some(({ by }) => by === key)) return true;
  return [...questions.values()].some(({ answer }) => answer?.comment === text || answer?.value === text);
}

function factFor({ questions }: RunState, { text, key }: Omit<Words, 'run'>): Fact {
  const open = [...questions.values()].filter(({ answer }) => answer === undefined);
  const isMeant = ({ question }: OpenQuestion) => question.kind === 'plan_approval' || takesWords(question);
  const [asked] = open.filter(isMeant);
  if (asked === undefined) return { type: 'note_added', data: { text, by: key } };
  const { id, kind } = asked.question;
  return kind === 'plan_approval'
    ? {
        type: 'question_answered',
        data: { question: id, answer: null, declined: true, comment: text, by: key },
      }
    : { type: 'question_answered', data: { question: id, answer: text, by: key } };
}
