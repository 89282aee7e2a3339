import type { ReactNode } from 'react';
import type { JsonObject } from '#dandori/model/json.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import type { Tool } from '#dandori/model/tool.ts';
import { viewOf } from '#dandori/plan/schema/view.ts';
import { useTexts } from '../shell/language.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { SchemaTree } from './schema-tree.tsx';
import { texts } from './texts.ts';

/** All that is known of a tool. */
export function ToolBody({ tool }: { readonly tool: Tool }) {
  const say = useTexts(texts);
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
