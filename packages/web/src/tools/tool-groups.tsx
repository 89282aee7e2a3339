import type { KeyboardEvent } from 'react';
import type { Tool } from '#dandori/model/tool.ts';
import { ToolCard } from './tool-card.tsx';

/** The tools under who offers them. */
export function ToolGroups({ tools }: { readonly tools: readonly Tool[] }) {
  const groups = [...Map.groupBy(tools, ({ server }) => server)];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only adds to what the tools within do by themselves
    <div className="flex flex-col gap-6" onKeyDown={moveAmongTools}>
      {groups.map(([server, own]) => (
        <section key={server} aria-label={server} className="flex flex-col gap-2">
          <h2 className="font-semibold">{server}</h2>
          <div className="divide-y divide-line rounded-lg border border-line bg-sheet">
            {own.map((tool) => (
              <ToolCard key={tool.name} tool={tool} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function moveAmongTools(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-tool] > summary')];
  const here = all.findIndex((summary) => summary.contains(document.activeElement));
  if (step === undefined || here < 0) return;
  event.preventDefault();
  all[here + step]?.focus();
}
