import {
  hasOpenCall,
  type InputResponse,
  MOST_QUESTIONS,
  responseTo,
  savedAnswer,
} from '../run/state/held-calls.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import type { Ledger } from './ledger.ts';
import type { Mail } from './mailbox.ts';
import { inputQuestion } from './questions.ts';

type Asked = Mail & { type: 'input_asked' };

/**
 * Calls that stay open while the user is asked.
 *
 * H1  A question is journaled before it can be answered, and an answer is durable before the call gets it.
 * H2  A call gets one answer per question: the user's, a saved answer to an earlier call of the same task, or
 *     `cancel`.
 * H3  The call gets `cancel` only after the end of the hold is durable. A late answer is then kept for the
 *     next call.
 */
export interface Holds {
  ask(mail: Asked): void;
  /** Call after each commit. */
  deliver(): void;
}

export function createHolds(ledger: Ledger): Holds {
  const waiting = new Map<string, Asked>();
  /** Per attempt: the questions whose saved answers the call already got. */
  const used = new Map<string, Set<string>>();

  return {
    ask(mail) {
      const { state } = ledger;
      const task = state.tasks.get(mail.task);
      if (task === undefined || !mayAsk(state, task, mail.attempt)) return mail.reply({ action: 'cancel' });
      const attempt = `${mail.task}#${mail.attempt}`;
      const given = used.get(attempt) ?? new Set();
      used.set(attempt, given);
      const saved = savedAnswer(state, task, { request: mail.request, used: given });
      if (saved !== undefined) {
        given.add(saved.question.id);
        return mail.reply(responseTo(saved));
      }
      const question = inputQuestion(task, mail.request, state);
      ledger.record({ type: 'question_asked', data: { question, attempt: mail.attempt, held: true } });
      waiting.set(question.id, mail);
    },
    deliver() {
      for (const [id, mail] of waiting) {
        const response = responseNow(ledger.state, id);
        if (response === undefined) continue;
        waiting.delete(id);
        mail.reply(response);
      }
    },
  };
}

function mayAsk(state: RunState, task: TaskState, attempt: number): boolean {
  const asked = [...state.questions.values()].filter(
    ({ question }) => question.kind === 'elicitation' && question.task === task.task.id,
  );
  const isEnding = state.indexes.held.has(task.task.id) && task.asking?.call === 'ending';
  return task.attempts === attempt && hasOpenCall(state, task) && !isEnding && asked.length < MOST_QUESTIONS;
}

function responseNow(state: RunState, id: string): InputResponse | undefined {
  const asked = state.questions.get(id);
  const task = state.tasks.get(asked?.question.task ?? '');
  // An answer after the end of the hold goes to the next call.
  if (task?.asking?.call === 'ending') return { action: 'cancel' };
  return asked?.answer === undefined ? undefined : responseTo(asked);
}
