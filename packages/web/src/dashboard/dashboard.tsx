import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLanguage, useTexts } from '../shell/language.tsx';
import type { Query } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { Page } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { ChartCard } from './chart-card.tsx';
import { columnsOf, widened } from './columns.ts';
import { figuresOf } from './figures.ts';
import { labelsOf } from './labels.ts';
import { RANGES, spanOf } from './range.ts';
import { RangeLinks } from './range-links.tsx';
import { texts } from './texts.ts';
import { ToolTable } from './tool-table.tsx';

/** Every journal is read for the figures, so they are asked for seldom. */
const LOOKED_FOR_EVERY_MS = 60_000;

export default function Dashboard({ query }: { readonly query: Query }) {
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
        {figuresOf(counted, columns, { say, language }).map((chart) => (
          <ChartCard key={chart.id} chart={chart} labels={labels} />
        ))}
      </div>
      <ToolTable tools={counted.tools} />
    </Page>
  );
}
