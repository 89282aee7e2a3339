import { outcomeOf } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { StatusMark } from '../../ui/status.tsx';
import { ForkedFrom } from '../past/forked-from.tsx';
import type { ViewProps } from '../view.ts';
import { Figures } from './figures.tsx';
import { Steering } from './steering.tsx';
import { texts } from './texts.ts';

/** What a run is for, how it stands, and what can be done with it. */
export function Head(props: ViewProps) {
  const say = useTexts(texts);
  const { state, news, isPast } = props;
  const status = outcomeOf(state);
  const hasEnded = state.end !== undefined;
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <h1 className="line-clamp-4 min-w-0 max-w-full flex-1 basis-80 text-balance break-words font-semibold text-xl leading-snug">
          {state.goal}
        </h1>
        {!isPast && <Steering {...props} />}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-faint text-sm">
        <span role="status" className="contents">
          <StatusMark status={status} />
        </span>
        {status === 'open' && !isPast && news.driving !== undefined && (
          <span>{say.driving[news.driving]}</span>
        )}
        {state.thinking !== undefined && !hasEnded && <span className="text-busy">{say.thinking}</span>}
        <Figures {...props} />
      </div>
      {state.paused !== undefined && !hasEnded && (
        <p className="text-sm text-warn">{say.paused(state.paused.by, state.paused.reason)}</p>
      )}
      {state.cancel !== undefined && (
        <p className="text-faint text-sm">{say.cancelled(state.cancel.reason)}</p>
      )}
      <ForkedFrom {...props} />
    </header>
  );
}
