import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failedPoint } from '#dandori/history/fork-point.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { questionIn } from '#dandori/views/texts/question-text.ts';
import { type Language, useLanguage, useTexts } from '../../shell/language.tsx';
import { goTo, Link } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/answer.ts';
import { type Words, words } from '../../texts/words.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { FailureView } from '../../ui/failure.tsx';
import { StatusMark } from '../../ui/marks.tsx';
import { Problem } from '../../ui/problem.tsx';
import { LongText, RichText } from '../../ui/rich-text.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { AnswerLine } from '../questions/answered-list.tsx';
import type { ViewProps } from '../view.tsx';
import { type ThreadEntry, threadOf } from './thread.ts';

/** The activity of a run: notes, questions and its final answer. */
export function Answer({ run, state, events, news, isPast }: ViewProps) {
  const say = useTexts(texts);
  const [goal, ...others] = threadOf(events, state);
  const { end, forkedFrom } = state;
  const written = isPast || end !== undefined ? '' : news.answer;
  // The goal is already the heading of the page.
  const isEmpty = others.length === 0 && end === undefined && written === '' && forkedFrom === undefined;
  return (
    <>
      {/* Announced once at the start and once at the end, not with every word. */}
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
          {end?.outcome === 'failed' && !isPast && (
            <Again
              run={run}
              isModel={end.failure?.kind === 'model_error'}
              hasTasks={state.tasks.size > 0}
              failedAt={failedPoint(events, state)}
            />
          )}
        </section>
      )}
    </>
  );
}

interface AgainProps {
  readonly run: string;
  readonly isModel: boolean;
  readonly hasTasks: boolean;
  /** The last event before what failed. */
  readonly failedAt: number;
}

const WAY = 'rounded border border-line px-3 py-1.5 text-sm hover:bg-sunken';

/**
 * What to do about a failed run. "From the failed task" only opens the graph at that event, where the fork dialog
 * lists the calls that may repeat.
 */
function Again({ run, isModel, hasTasks, failedAt }: AgainProps) {
  const say = useTexts(texts).again;
  const client = useClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.fork(run, { from: 'start' }),
    onSuccess: (forked) => goTo({ at: 'run', run: forked.run, view: 'graph' }),
  });
  return (
    <div className="flex flex-col gap-2">
      {isModel && <p className="text-sm">{say.modelFailed}</p>}
      <div className="flex flex-wrap gap-2">
        <Button disabled={isPending} onClick={() => mutate()}>
          {say.whole}
        </Button>
        {hasTasks && (
          <>
            <Link to={{ at: 'run', run, view: 'plan' }} className={WAY}>
              {say.changed}
            </Link>
            <Link to={{ at: 'run', run, view: 'graph', seq: failedAt }} className={WAY}>
              {say.failed}
            </Link>
          </>
        )}
      </div>
      <Problem error={error} />
    </div>
  );
}

/** At most this many; the Tasks view shows the rest. */
const MOST_MISSING = 20;

interface Props {
  readonly end: NonNullable<RunState['end']>;
  readonly rating: RunState['rating'];
}

/** How a run ended: its final answer or failure, what was not completed, and its rating. */
function Ending({ end, rating }: Props) {
  const word = useTexts(words);
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
      {failure !== undefined && !(failure.code === 'not_reached' && answer !== undefined) && (
        <FailureView failure={failure} isSaid={answer?.includes(failure.message) === true} />
      )}
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
          <span className="sr-only">{word.rated(rating.rating)}</span>{' '}
          {rating.comment !== undefined && <span>“{rating.comment}”</span>}{' '}
          {rating.by !== undefined && <span className="text-faint">{rating.by}</span>}
        </p>
      )}
    </div>
  );
}

function Message({ entry }: { readonly entry: ThreadEntry }) {
  const say = useTexts(texts);
  const word = useTexts(words);
  const { language } = useLanguage();
  const [name, body] = contentOf(entry, { say, word, language });
  const by = 'by' in entry ? entry.by : undefined;
  return (
    <li className="flex flex-col gap-0.5 border-line border-l-2 pl-3">
      <p className="flex flex-wrap gap-x-2 text-faint text-xs">
        <span>{name}</span>
        {by !== undefined && <span>{by}</span>}
        <ClockTime at={entry.at} />
      </p>
      <div className="text-sm">{body}</div>
    </li>
  );
}

type AnswerTexts = (typeof texts)['en'];

function contentOf(
  entry: ThreadEntry,
  { say, word, language }: { readonly say: AnswerTexts; readonly word: Words; readonly language: Language },
): readonly [name: string, body: ReactNode] {
  switch (entry.kind) {
    case 'goal':
      return [say.goal, <RichText key="goal" text={entry.text} />];
    case 'note':
      return [
        entry.passedOnBy === undefined ? say.note : word.passedOn(entry.passedOnBy.run),
        <RichText key="note" text={entry.text} />,
      ];
    case 'question':
      return [
        say.question,
        <div key="question">
          <RichText text={questionIn(entry.asked.question, language).text} />
          <AnswerLine asked={entry.asked} />
        </div>,
      ];
    case 'paused':
      return [say.you, word.paused(undefined, entry.reason)];
    case 'continued':
      return [say.you, say.resumed];
    case 'cancelled':
      return [
        entry.passedOnBy === undefined ? say.you : word.passedOn(entry.passedOnBy.run),
        word.cancelled(entry.reason),
      ];
    case 'budget':
      return [say.you, say.raised(amountsText(entry.amounts))];
  }
}

function amountsText({ by: _, ...amounts }: Extract<ThreadEntry, { kind: 'budget' }>['amounts']): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `${name} +${amount}`)
    .join(', ');
}
