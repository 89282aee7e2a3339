import { DandoriError } from '#dandori/model/error.ts';
import type { Words } from './words.ts';

export interface ProblemWords {
  readonly what: string;
  readonly fix: string | undefined;
}

/** What went wrong and what to do, in words for people where the server has words for programs. */
export function problemWords(error: unknown, { errors }: Pick<Words, 'errors'>): ProblemWords {
  if (!(error instanceof DandoriError))
    return { what: error instanceof Error ? error.message : String(error), fix: undefined };
  const [what, fix] = errors[error.code] ?? [error.message, error.fix];
  return { what, fix };
}
