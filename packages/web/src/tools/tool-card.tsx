import { useState } from 'react';
import type { Tool } from '#dandori/model/tool.ts';
import { EffectMark } from '../ui/effect-mark.tsx';
import { ToolBody } from './tool-body.tsx';

export function ToolCard({ tool }: { readonly tool: Tool }) {
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
