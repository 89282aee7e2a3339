import { useState } from 'react';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/timeline.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import type { Bar } from './bars.ts';
import type { ChartProps } from './chart.tsx';
import { titleOf } from './chart-row.tsx';

const PAGE = 200;

/** The timeline as a table. */
export function BarTable({
  bars,
  scale,
  critical,
  now,
  select,
}: ChartProps & { readonly bars: readonly Bar[] }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const [shown, setShown] = useState(PAGE);
  const { columns } = say;
  const rest = bars.length - shown;
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead className="text-left text-faint text-xs">
          <tr>
            {[columns.what, columns.how, columns.start, columns.took, say.critical].map((name) => (
              <th key={name} scope="col" className="py-1 pr-4 font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.slice(0, shown).map((bar) => (
            <tr key={bar.id} className="border-line border-t">
              <th scope="row" className="py-1 pr-4 text-left font-normal">
                <What bar={bar} select={select} />
              </th>
              <td className="py-1 pr-4">{bar.kind !== 'slot' && say.hows[bar.how]}</td>
              <td className="py-1 pr-4 tabular-nums">{durationText(Math.max(0, bar.start - scale.start))}</td>
              <td className="py-1 pr-4 tabular-nums">
                {durationText(Math.max(0, (bar.end ?? now) - bar.start))}
              </td>
              <td className="py-1">{critical.has(bar.id) && say.yes}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <Button className="mt-2" onClick={() => setShown(shown + PAGE)}>
          {word.more(Math.min(rest, PAGE))}
        </Button>
      )}
    </div>
  );
}

function What({ bar, select }: { readonly bar: Bar; readonly select: (task: string | undefined) => void }) {
  const say = useTexts(texts);
  const { kind, task, which } = bar;
  const title = titleOf(bar, say);
  const said = kind === 'attempt' ? say.attempt(which) : say.kinds[kind];
  return (
    <>
      {task === undefined ? (
        title
      ) : (
        <button type="button" className="text-accent underline" onClick={() => select(task)}>
          {title}
        </button>
      )}{' '}
      {kind !== 'decision' && <span className="text-faint text-xs">{said}</span>}
    </>
  );
}
