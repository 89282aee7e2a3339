import { useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import { Scroller } from '../ui/scroller.tsx';
import type { Chart } from './chart.ts';
import type { Label } from './labels.ts';
import { texts } from './texts.ts';

interface Props {
  readonly chart: Chart;
  readonly labels: readonly Label[];
}

/** The same in numbers, for who cannot or will not read a picture. */
export function ChartTable({ chart: { title, series, format }, labels }: Props) {
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
