import { DandoriError } from '#dandori/model/error.ts';
import type { Failure } from '#dandori/model/failure.ts';
import { useTexts } from '../shell/language.tsx';
import { type Words, words } from '../texts/words.ts';

export function Problem({ error }: { readonly error: unknown }) {
  const say = useTexts(words);
  if (error === undefined || error === null) return null;
  const { what, fix } = problemWords(error, say);
  return (
    <div role="alert" className="rounded border border-bad px-3 py-2 text-sm">
      <p className="text-bad">{what}</p>
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </div>
  );
}

/** A failure of a run: what happened, the original message, and the fix. */
export function FailureView({ failure }: { readonly failure: Failure }) {
  const [what, fix] = useTexts(words).failures[failure.kind];
  return (
    <div className="border-bad border-l-2 pl-3 text-sm">
      <p className="font-medium text-bad">{what}</p>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{failure.message}</p>
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </div>
  );
}

interface ProblemWords {
  readonly what: string;
  readonly fix: string | undefined;
}

/** What happened and how to fix it. Some codes have texts of the page, because the server's are technical. */
export function problemWords(error: unknown, { errors }: Pick<Words, 'errors'>): ProblemWords {
  if (!(error instanceof DandoriError))
    return { what: error instanceof Error ? error.message : String(error), fix: undefined };
  const [what, fix] = errors[error.code] ?? [error.message, error.fix];
  return { what, fix };
}
