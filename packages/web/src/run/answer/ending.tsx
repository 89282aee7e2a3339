import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { ClockTime } from '../../ui/clock-time.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FailureView } from '../../ui/failure-view.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { StatusMark } from '../../ui/status.tsx';
import { words } from '../../ui/words.ts';
import { texts } from './texts.ts';

/** The others are among the tasks. */
const MOST_MISSING = 20;

interface Props {
  readonly end: NonNullable<RunState['end']>;
  readonly rating: RunState['rating'];
}

/** How a run ended: its answer, or why there is none; what was not done, and what people think of it. */
export function Ending({ end, rating }: Props) {
  const say = useTexts(texts);
  const { limits, more } = useTexts(words);
  const { outcome, answer, failure, missing = [], limit } = end;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 text-sm">
        <StatusMark status={outcome} />
        <span className="text-faint text-xs">
          <ClockTime at={end.at} />
        </span>
        {answer !== undefined && <CopyButton text={() => answer} />}
      </div>
      {answer !== undefined && <LongText text={answer} />}
      {failure !== undefined && <FailureView failure={failure} />}
      {limit !== undefined && (
        <p className="border-warn border-l-2 pl-3 text-sm">
          {say.limit(limits[limit])} <span className="text-faint">{say.limitFix}</span>
        </p>
      )}
      {missing.length > 0 && (
        <div className="text-sm">
          <h3 className="text-faint">{say.missing}</h3>
          <ul className="list-disc pl-6 [overflow-wrap:anywhere]">
            {missing.slice(0, MOST_MISSING).map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          {missing.length > MOST_MISSING && (
            <p className="text-faint">{more(missing.length - MOST_MISSING)}</p>
          )}
        </div>
      )}
      {rating !== undefined && (
        <p className="text-sm">
          <span aria-hidden="true" className="text-warn">
            {'★'.repeat(rating.rating)}
            {'☆'.repeat(5 - rating.rating)}
          </span>
          <span className="sr-only">{say.rating(rating.rating)}</span>{' '}
          {rating.comment !== undefined && <span>“{rating.comment}”</span>}{' '}
          {rating.by !== undefined && <span className="text-faint">{rating.by}</span>}
        </p>
      )}
    </div>
  );
}
