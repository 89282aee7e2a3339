import type { Statistics } from '#dandori/store/statistics.ts';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { texts } from '../texts/dashboard.ts';
import { words } from '../texts/words.ts';
import { Scroller } from '../ui/page.tsx';

/** Sorted by error rate, then by number of calls. */
export function ToolTable({ tools }: Pick<Statistics, 'tools'>) {
  const word = useTexts(words);
  const { tools: say, charts } = useTexts(texts);
  const { language } = useLanguage();
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const sorted = Object.entries(tools).sort(
    ([, one], [, other]) => other.errorRate - one.errorRate || other.calls - one.calls,
  );
  if (sorted.length === 0) return null;
  return (
    <section aria-labelledby="by-tool" className="flex flex-col gap-2">
      <h2 id="by-tool" className="font-semibold">
        {say.title}
      </h2>
      <Scroller label={say.title} className="rounded-lg border border-line bg-sheet">
        <table className="w-full text-right text-sm tabular-nums">
          <thead className="text-faint">
            <tr>
              <th className="px-4 py-2 text-left font-normal">{say.tool}</th>
              {(
                [
                  say.calls,
                  word.statuses.failed,
                  word.statuses.in_doubt,
                  charts.timeouts.title,
                  say.errorRate,
                ] as const
              ).map((name) => (
                <th key={name} className="whitespace-nowrap px-4 py-2 font-normal">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map(([name, { calls, failed, inDoubt, timeouts, errorRate }]) => (
              <tr key={name} className="border-line border-t">
                <th className="min-w-40 break-all px-4 py-1.5 text-left font-mono font-normal">{name}</th>
                <td className="px-4 py-1.5">{calls}</td>
                <td className="px-4 py-1.5">{failed}</td>
                <td className="px-4 py-1.5">{inDoubt}</td>
                <td className="px-4 py-1.5">{timeouts}</td>
                <td className={`px-4 py-1.5 ${errorRate > 0 ? 'text-bad' : ''}`}>
                  {percent.format(errorRate)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  );
}
