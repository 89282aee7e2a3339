import type { Event } from '../domain/event.ts';
import type { Question } from '../domain/question.ts';

export interface Held {
  /** To be told of every event of the run. */
  event(event: Event): void;
  /** Takes back what is asked, and waits until nobody is asked any more. */
  stop(): Promise<void>;
}

/**
 * Questions for which a call is held open: they are asked while the run is driven, one after the other. One that
 * somebody else answers meanwhile, or whose call has ended, is taken back.
 */
export function createHeld(ask: (question: Question, signal: AbortSignal) => Promise<void>): Held {
  const open = new Map<string, { readonly task: string | undefined; readonly controller: AbortController }>();
  let turn: Promise<void> = Promise.resolve();

  const takeBack = (id: string) => open.get(id)?.controller.abort();

  return {
    event({ type, data }) {
      if (type === 'question_answered' || type === 'question_expired') takeBack(data.question);
      if (type === 'task_succeeded' || type === 'task_failed')
        for (const [id, { task }] of open) if (task === data.task) takeBack(id);
      if (type !== 'question_asked' || data.held !== true) return;
      const { question } = data;
      const controller = new AbortController();
      open.set(question.id, { task: question.task, controller });
      turn = turn.then(async () => {
        if (!controller.signal.aborted) await ask(question, controller.signal);
        open.delete(question.id);
      });
      // Whatever goes wrong is told to who stops it.
      turn.catch(() => {});
    },
    async stop() {
      for (const id of open.keys()) takeBack(id);
      await turn;
    },
  };
}
