import { useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/dashboard.ts';
import { Scroller } from '../ui/page.tsx';
import type { Chart } from './chart.ts';
import type { Label } from './columns.ts';
import { Plot, SWATCH } from './plot.tsx';

interface Props {
  readonly chart: Chart;
  readonly labels: readonly Label[];
}

/** A figure with its chart and the same values as a table. */
export function ChartCard({ chart, labels }: Props) {
  const [column, setColumn] = useState<number>();
  const { id, title, figure } = chart;
  return (
    <section
      aria-labelledby={`${id}-title`}
      className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-sheet p-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={`${id}-title`} className="text-faint text-sm">
          {title}
        </h2>
        <p className="font-semibold text-lg tabular-nums">{figure}</p>
      </div>
      <Plot chart={chart} labels={labels} column={column} onColumn={setColumn} />
      <Legend chart={chart} label={column === undefined ? undefined : labels[column]} column={column} />
      <ChartTable chart={chart} labels={labels} />
    </section>
  );
}

interface LegendProps {
  readonly chart: Chart;
  readonly label: Label | undefined;
  readonly column: number | undefined;
}

/** The names of the series, with their values at the pointer. */
function Legend({ chart: { series, about, format }, label, column }: LegendProps) {
  const shown = (values: readonly (number | null)[]) => {
    const value = column === undefined ? undefined : values[column];
    if (value === undefined) return null;
    return <span className="text-ink tabular-nums">{value === null ? '–' : format(value)}</span>;
  };
  if (column === undefined && series.length === 1)
    return <p className="min-h-5 text-faint text-xs">{about}</p>;
  return (
    <div aria-hidden={column !== undefined} className="flex min-h-5 flex-wrap gap-x-3 text-faint text-xs">
      {label !== undefined && <span className="text-ink">{label.long}</span>}
      {series.map(({ name, ink, values }) => (
        <span key={name} className="flex items-center gap-1">
          <span aria-hidden="true" className={`size-2.5 rounded-sm ${SWATCH[ink]}`} />
          {name} {shown(values)}
        </span>
      ))}
    </div>
  );
}

interface ChartTableProps {
  readonly chart: Chart;
  readonly labels: readonly Label[];
}

function ChartTable({ chart: { title, series, format }, labels }: ChartTableProps) {
  const say = useTexts(texts);
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="text-xs" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded text-accent">
        {say.table}
        <span className="sr-only"> ({title})</span>
      </summary>
      {isOpen && (
        <Scroller label={title} className="mt-2 max-h-60">
          <table className="w-full text-right tabular-nums">
            <thead className="sticky top-0 bg-sheet text-faint">
              <tr>
                <th className="py-1 pr-2 text-left font-normal">{say.time}</th>
                {series.map(({ name }) => (
                  <th key={name} className="py-1 pl-2 font-normal">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map(({ long }, column) => (
                <tr key={long} className="border-line border-t">
                  <th className="whitespace-nowrap py-1 pr-2 text-left font-normal">{long}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} className="py-1 pl-2">
                      {values[column] == null ? '–' : format(values[column])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </details>
  );
}
