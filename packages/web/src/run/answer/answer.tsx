import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { RichText } from '../../ui/rich-text.tsx';
import type { ViewProps } from '../view.ts';
import { Ending } from './ending.tsx';
import { Message } from './message.tsx';
import { texts } from './texts.ts';
import { threadOf } from './thread.ts';

/** The conversation of a run: what it was told and asked, and what it answers. */
export function Answer({ state, events, news, isPast }: ViewProps) {
  const say = useTexts(texts);
  const [goal, ...others] = threadOf(events, state);
  const { end, forkedFrom } = state;
  const written = isPast || end !== undefined ? '' : news.answer;
  // The goal stands above as the heading of the page; who started it stands here.
  const isEmpty = others.length === 0 && end === undefined && written === '' && forkedFrom === undefined;
  return (
    <>
      {/* Said once when it begins and once when it ends, and not with every word. */}
      <p role="status" className="sr-only">
        {end !== undefined && !isPast ? say.ended[end.outcome] : written !== '' && say.writing}
      </p>
      {!isEmpty && (
        <section
          aria-label={say.title}
          className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4"
        >
          {forkedFrom !== undefined && (
            <p className="text-faint text-sm">
              {say.forkedFrom}{' '}
              <Link
                to={{ at: 'run', run: forkedFrom.run, view: 'graph', seq: forkedFrom.seq }}
                className="text-accent underline"
              >
                {forkedFrom.run}
              </Link>{' '}
              {say.event(forkedFrom.seq)}
            </p>
          )}
          {others.length > 0 && (
            <details open={end === undefined && others.length <= 3}>
              <summary className="cursor-pointer text-faint text-sm">{say.thread(others.length + 1)}</summary>
              <ol className="mt-2 flex max-h-80 flex-col gap-3 overflow-auto">
                {[...(goal === undefined ? [] : [goal]), ...others].map((entry) => (
                  <Message key={entry.seq} entry={entry} />
                ))}
              </ol>
            </details>
          )}
          {written !== '' && (
            <div>
              <p className="text-busy text-xs">{say.writing}</p>
              <RichText text={written} />
            </div>
          )}
          {end !== undefined && <Ending end={end} rating={state.rating} />}
        </section>
      )}
    </>
  );
}
