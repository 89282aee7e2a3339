import { lazy, type ReactNode, Suspense } from 'react';
import { DandoriError, messageOf } from '#dandori/model/error.ts';
import { OutdatedPage } from '../live/outdated.ts';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { type Words, words } from '../texts/words.ts';

/** Loaded with the first error: most visits have none. */
const NamedError = lazy(() => import('./failure.tsx'));

export function Problem({ error }: { readonly error: unknown }) {
  const word = useTexts(words);
  const { language } = useLanguage();
  if (error === undefined || error === null) return null;
  const { what, fix } = problemWords(error, word);
  const plain: ReactNode = (
    <>
      <p className="text-bad">{what}</p>
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </>
  );
  const isNamed = language !== 'en' && error instanceof DandoriError && word.errors[error.code] === undefined;
  return (
    <div role="alert" className="rounded border border-bad px-3 py-2 text-sm">
      {isNamed ? (
        <Suspense fallback={plain}>
          <NamedError error={error} />
        </Suspense>
      ) : (
        plain
      )}
    </div>
  );
}

interface ProblemWords {
  readonly what: string;
  readonly fix: string | undefined;
}

/** What happened and how to fix it. Some codes have texts of the page, because the server's are technical. */
export function problemWords(
  error: unknown,
  { errors, outdated }: Pick<Words, 'errors' | 'outdated'>,
): ProblemWords {
  if (error instanceof OutdatedPage) return { what: outdated[0], fix: outdated[1] };
  if (!(error instanceof DandoriError)) return { what: messageOf(error), fix: undefined };
  const [what, fix] = errors[error.code] ?? [error.message, error.fix];
  return { what, fix };
}
