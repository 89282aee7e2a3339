import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { Link, type Query } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/dashboard.ts';
import { words } from '../texts/words.ts';
import { Page, Waiting } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { ChartCard } from './chart-card.tsx';
import { columnsOf, labelsOf, RANGES, type Range, spanOf, widened } from './columns.ts';
import { figuresOf } from './figures.ts';
import { ToolTable } from './tool-table.tsx';
import { Workers } from './workers.tsx';

/** The server reads every journal for these figures. */
const LOOKED_FOR_EVERY_MS = 60_000;

export default function Dashboard({ query }: { readonly query: Query }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { language } = useLanguage();
  const client = useClient();
  const range = RANGES.find((one) => one === query.range) ?? '7d';
  const { data, error } = useQuery({
    queryKey: ['statistics', range],
    async queryFn() {
      const now = Date.now();
      const span = spanOf(range, now);
      return { counted: await client.statistics(span), span, now };
    },
    refetchInterval: LOOKED_FOR_EVERY_MS,
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  const { counted, span, now } = data;
  const columns = widened(columnsOf(counted.series ?? [], span, now), span.every === 'day' ? 7 : 1);
  const labels = labelsOf(columns, span.every, language);
  return (
    <Page title={say.title} actions={<RangeLinks chosen={range} />}>
      <Problem error={error} />
      <p className="-mt-4 text-faint text-sm">{counted.runs === 0 ? say.empty : say.byStart}</p>
      <div className="grid gap-4 md:grid-cols-2">
        {figuresOf(counted, columns, { say, statuses: word.statuses, language }).map((chart) => (
          <ChartCard key={chart.id} chart={chart} labels={labels} />
        ))}
      </div>
      <ToolTable tools={counted.tools} />
      <Workers />
    </Page>
  );
}

function RangeLinks({ chosen }: { readonly chosen: Range }) {
  const say = useTexts(texts);
  return (
    <nav aria-label={say.range}>
      <ul className="flex overflow-hidden rounded border border-line bg-sheet text-sm">
        {RANGES.map((range) => (
          <li key={range} className="border-line border-l first:border-l-0">
            <Link
              to={{ at: 'dashboard', query: { range } }}
              aria-current={range === chosen ? 'true' : undefined}
              className="block px-3 py-1.5 -outline-offset-2 hover:bg-sunken aria-[current]:bg-accent aria-[current]:text-on-accent"
            >
              {say.ranges[range]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
