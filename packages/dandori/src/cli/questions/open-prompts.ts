import type { RunClient } from '../../app/index.ts';
import type { Event } from '../../model/event.ts';
import type { Question } from '../../model/question.ts';

export interface HeldQuestions {
  /** Must be called with every event of the run. */
  event(event: Event): void;
  /** Withdraws the open prompts, and resolves when the last one is closed. */
  stop(): Promise<void>;
}

/**
 * Asks the questions of calls that are held open, one at a time, while the run is driven. A prompt is
 * withdrawn if the question is answered elsewhere or its call ends.
 */
export function createHeldQuestions(
  ask: (question: Question, signal: AbortSignal) => Promise<void>,
): HeldQuestions {
  const open = new Map<string, { readonly task: string | undefined; readonly controller: AbortController }>();
  let turn: Promise<void> = Promise.resolve();

  const withdraw = (id: string) => open.get(id)?.controller.abort();

  return {
    event({ type, data }) {
      if (type === 'question_answered' || type === 'question_expired') withdraw(data.question);
      if (type === 'task_succeeded' || type === 'task_failed')
        for (const [id, { task }] of open) if (task === data.task) withdraw(id);
      if (type !== 'question_asked' || data.held !== true) return;
      const { question } = data;
      const controller = new AbortController();
      open.set(question.id, { task: question.task, controller });
      turn = turn.then(async () => {
        if (!controller.signal.aborted) await ask(question, controller.signal);
        open.delete(question.id);
      });
      // `stop` reports the error.
      turn.catch(() => {});
    },
    async stop() {
      for (const id of open.keys()) withdraw(id);
      await turn;
    },
  };
}

/** Tells when a question no longer needs an answer from this prompt. */
interface OpenQuestion extends Disposable {
  /** Aborted when the question is answered elsewhere or expires, or when its run ends. */
  readonly settled: AbortSignal;
}

/** Closes the prompt of a question that is already settled. */
export function watchQuestion(
  run: string,
  { id, expiresAt }: Question,
  dandori: Pick<RunClient, 'watch' | 'report'>,
): OpenQuestion {
  const controller = new AbortController();
  const look = async () => {
    const { questions } = await dandori.report(run);
    if (!questions.some((question) => question.id === id)) controller.abort();
  };
  // A read error is ignored here. It shows again when the answer is sent.
  const changed = () => void look().catch(() => {});
  const unwatch = dandori.watch(run, changed);
  const timer = expiresAt === undefined ? undefined : afterwards(expiresAt, () => controller.abort());
  changed();
  return {
    settled: controller.signal,
    [Symbol.dispose]() {
      unwatch();
      clearTimeout(timer);
    },
  };
}

/** The longest delay of a timer, about 25 days. A later expiry is not watched. */
const LONGEST = 2 ** 31 - 1;

function afterwards(at: number, then: () => void): NodeJS.Timeout | undefined {
  const left = at - Date.now();
  return left > LONGEST ? undefined : setTimeout(then, left);
}
