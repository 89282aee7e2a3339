import type { Failure } from '#dandori/model/failure.ts';
import { useTexts } from '../shell/language.tsx';
import { words } from './words.ts';

/** What went wrong in a run: in words, as it was said, and what can be done. */
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
