import type { DandoriError } from '#dandori/model/error.ts';
import type { Failure } from '#dandori/model/failure.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/problems.ts';
import { Message } from './message.tsx';

interface Props {
  readonly failure: Failure;
  /** The message stands in the answer already. */
  readonly isSaid?: boolean;
}

/** A failure of a run: what happened, the original message, and the fix. */
export function FailureView({ failure, isSaid = false }: Props) {
  const [what, fix] = useTexts(texts).failures[failure.kind];
  return (
    <div className="border-bad border-l-2 pl-3 text-sm">
      <p className="font-medium text-bad">{what}</p>
      {!isSaid && (
        <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          <Message text={failure.message} />
        </p>
      )}
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </div>
  );
}

/** The name of an error in the user's language. The message of the server is English and has the details. */
export default function NamedError({ error }: { readonly error: DandoriError }) {
  const [what, fix = error.fix] = useTexts(texts).errors[error.code];
  return (
    <>
      <p className="text-bad">{what}</p>
      <p lang="en">{error.message}</p>
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </>
  );
}
