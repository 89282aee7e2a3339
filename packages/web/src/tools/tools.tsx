import type { Tool } from '#dandori/model/tool.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo, type Query } from '../shell/route.tsx';
import { Page } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { fitting } from './fitting.ts';
import { Servers } from './servers.tsx';
import { texts } from './texts.ts';
import { ToolFilters } from './tool-filters.tsx';
import { ToolGroups } from './tool-groups.tsx';
import { useTools } from './use-tools.ts';

export default function Tools({ query }: { readonly query: Query }) {
  const say = useTexts(texts);
  const { data, error } = useTools();
  if (data === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  const found: readonly Tool[] = fitting(data.tools, query);
  const choose = (change: Query) => goTo({ at: 'tools', query: { ...query, ...change } }, { replace: true });
  return (
    <Page title={say.title}>
      <Problem error={error} />
      <Servers tools={data.tools} missing={data.missing} />
      {data.tools.length === 0 ? (
        <p className="text-faint">{say.noTools}</p>
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
