import type { Dandori } from '../dandori.ts';
import type { Question } from '../domain/question.ts';

/** Says when a question need not be asked here any more. */
export interface OpenQuestion extends Disposable {
  /** Aborted when somebody has answered it elsewhere, when its time is over, or when its run has ended. */
  readonly settled: AbortSignal;
}

/** Who sits at a prompt must not go on thinking about what is settled. */
export function watchQuestion(
  run: string,
  { id, expiresAt }: Question,
  dandori: Pick<Dandori, 'watch' | 'report'>,
): OpenQuestion {
  const controller = new AbortController();
  const look = async () => {
    const { questions } = await dandori.report(run);
    if (!questions.some((question) => question.id === id)) controller.abort();
  };
  // What cannot be read now is read when the answer is given.
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

/** Longer than a timer can last, nobody sits at a prompt. */
const LONGEST = 2 ** 31 - 1;

function afterwards(at: number, then: () => void): NodeJS.Timeout | undefined {
  const left = at - Date.now();
  return left > LONGEST ? undefined : setTimeout(then, left);
}
