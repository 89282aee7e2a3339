import { useSettled } from '../live/use-settled.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo, type Query } from '../shell/route.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { filtersOf } from './filters.ts';
import { Newcomer } from './newcomer.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunList } from './run-list.tsx';
import { texts } from './texts.ts';
import { useRuns } from './use-runs.ts';

interface Props {
  readonly query: Query;
  /** Puts a goal into the field above. */
  readonly onPropose: (goal: string) => void;
}

export function Runs({ query, onPropose }: Props) {
  const say = useTexts(texts).list;
  const text = useSettled(query.text ?? '');
  const filters = filtersOf({ ...query, text });
  const isFiltered = Object.keys(filters).length > 0;
  const { runs, hasMore, isLoadingMore, error, more } = useRuns(filters);
  const choose = (change: Query) => goTo({ at: 'home', query: { ...query, ...change } }, { replace: true });
  if (runs === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  if (runs.length === 0 && !isFiltered && !hasMore) return <Newcomer onPropose={onPropose} />;
  return (
    <section aria-labelledby="all-runs" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 id="all-runs" className="font-semibold">
          {say.title}
        </h2>
        <p className="text-faint text-sm tabular-nums">{say.count(runs.length, !hasMore)}</p>
      </div>
      <RunFilters
        query={query}
        onChoose={choose}
        onClear={isFiltered ? () => goTo({ at: 'home' }, { replace: true }) : undefined}
      />
      <Problem error={error} />
      {runs.length === 0 ? (
        <p className="py-8 text-center text-faint">{say.none}</p>
      ) : (
        <RunList runs={runs} />
      )}
      {hasMore && (
        <Button className="self-center" disabled={isLoadingMore} onClick={more}>
          {isLoadingMore ? say.loading : say.more}
        </Button>
      )}
    </section>
  );
}
