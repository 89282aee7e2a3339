import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { type JsonObject, stringifyJson } from '#dandori/model/json.ts';
import type { Tool } from '#dandori/model/tool.ts';
import { viewOf } from '#dandori/plan/schema/view.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/tools.ts';
import { words } from '../texts/words.ts';
import { EffectMark } from '../ui/marks.tsx';
import { Scroller } from '../ui/page.tsx';
import { SchemaTree } from './schema-tree.tsx';

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

function ToolCard({ tool }: { readonly tool: Tool }) {
  const [isOpen, setOpen] = useState(false);
  const { name, title, description, effect } = tool;
  const [first = ''] = (title ?? description).split('\n');
  return (
    <details data-tool={name} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="group">
      <summary className="flex cursor-pointer list-none flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <span aria-hidden="true" className="text-faint text-xs transition-transform group-open:rotate-90">
          ▶
        </span>
        <span className="min-w-0 break-all font-mono text-sm">{name}</span>
        <span className="ml-auto sm:order-last">
          <EffectMark effect={effect} />
        </span>
        {!isOpen && (
          <span className="w-full min-w-0 truncate text-faint text-sm sm:w-auto sm:flex-1">{first}</span>
        )}
      </summary>
      {isOpen && <ToolBody tool={tool} />}
    </details>
  );
}

function ToolBody({ tool }: { readonly tool: Tool }) {
  const say = useTexts(texts);
  const word = useTexts(words);
  const { title, description, inputSchema, outputSchema, resource, cost, calls, probe } = tool;
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-5 text-sm sm:pl-9">
      {title !== undefined && <p className="font-medium">{title}</p>}
      <p className="max-w-prose whitespace-pre-wrap break-words">{description}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 empty:hidden">
        {resource !== undefined && <Fact name={say.resource} value={resource} />}
        {cost !== undefined && <Fact name={say.cost} value={`$${cost}`} />}
        {calls !== undefined && <Fact name={say.calls} value={calls.join(', ')} />}
        {probe !== undefined && <Fact name={say.probe} value={probe.tool} />}
      </dl>
      {tool.independent === true && <p className="text-faint">{say.independent}</p>}
      {!tool.trusted && <p className="text-faint">{say.untrusted}</p>}
      {tool.trustMissing === true && (
        <p className="max-w-prose text-faint">{word.trust.trustMissing([tool.name])}</p>
      )}
      {tool.unseen === true && <p className="text-warn">{word.trust.unseen([tool.server])}</p>}
      <Schema title={say.input} schema={inputSchema} />
      {outputSchema === undefined ? (
        <Part title={say.output}>
          <p className="text-faint">{say.unknownOutput}</p>
        </Part>
      ) : (
        <Schema title={say.output} schema={outputSchema} />
      )}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="break-all font-mono">{value}</dd>
    </>
  );
}

function Schema({ title, schema }: { readonly title: string; readonly schema: JsonObject }) {
  const say = useTexts(texts);
  return (
    <Part title={title}>
      <SchemaTree view={viewOf(schema)} />
      <details>
        <summary className="w-fit cursor-pointer rounded text-faint text-xs">{say.raw}</summary>
        <Scroller label={title} className="mt-1 max-h-96 rounded bg-sunken">
          <pre className="p-3 font-mono text-xs">{stringifyJson(schema, 2)}</pre>
        </Scroller>
      </details>
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="font-medium">{title}</h3>
      {children}
    </div>
  );
}
