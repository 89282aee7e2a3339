import type { ToolList } from 'dandori/client';
import type { Tool } from '#dandori/model/tool.ts';
import { useTexts } from '../shell/language.tsx';
import { useTools } from '../shell/queries.tsx';
import { goTo, type Query } from '../shell/route.tsx';
import { texts } from '../texts/tools.ts';
import { words } from '../texts/words.ts';
import { Page, Scroller, Waiting } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Approvals } from './approvals.tsx';
import { matchingTools, ToolFilters } from './tool-filters.tsx';
import { ToolGroups } from './tool-list.tsx';

export default function Tools({ query }: { readonly query: Query }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { data, error } = useTools();
  if (data === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  const found: readonly Tool[] = matchingTools(data.tools, query);
  const choose = (change: Query) => goTo({ at: 'tools', query: { ...query, ...change } }, { replace: true });
  return (
    <Page title={say.title}>
      <Problem error={error} />
      <Servers tools={data.tools} missing={data.missing} />
      <Approvals />
      {data.tools.length === 0 ? (
        <p className="text-faint">{word.noTools}</p>
      ) : (
        <>
          <ToolFilters query={query} onChoose={choose} shown={say.shown(found.length, data.tools.length)} />
          {found.length === 0 && <p className="py-8 text-center text-faint">{say.none}</p>}
          <ToolGroups tools={found} />
        </>
      )}
    </Page>
  );
}

/** The servers and services, and why some are not available. */
function Servers({ tools, missing }: ToolList) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const offering = [...Map.groupBy(tools, ({ server }) => server)];
  if (offering.length + missing.length === 0) return null;
  return (
    <section aria-labelledby="servers" className="flex flex-col gap-2">
      <h2 id="servers" className="font-semibold">
        {say.servers}
      </h2>
      <Scroller label={say.servers} className="rounded-lg border border-line bg-sheet">
        <table className="w-full text-left text-sm">
          <thead className="text-faint">
            <tr>
              <th className="px-4 py-2 font-normal">{say.server}</th>
              <th className="px-4 py-2 font-normal">{word.status}</th>
              <th className="whitespace-nowrap px-4 py-2 text-right font-normal">{say.title}</th>
            </tr>
          </thead>
          <tbody>
            {missing.map(({ server, reason }) => (
              <tr key={server} className="border-line border-t align-top">
                <th className="px-4 py-2 font-medium">{server}</th>
                <td className="px-4 py-2">
                  <span className="text-bad">✕ {say.missing}</span>
                  <span className="block text-faint [overflow-wrap:anywhere]">{reason}</span>
                </td>
                <td className="px-4 py-2 text-right">–</td>
              </tr>
            ))}
            {offering.map(([server, own]) => (
              <tr key={server} className="border-line border-t">
                <th className="px-4 py-2 font-medium">{server}</th>
                <td className="px-4 py-2 text-good">✓ {say.fine}</td>
                <td className="px-4 py-2 text-right tabular-nums">{own.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  );
}
