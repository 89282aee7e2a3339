import { useEffect, useRef } from 'react';
import { effect as effects, type Tool } from '#dandori/model/tool.ts';
import { useTexts } from '../shell/language.tsx';
import type { Query } from '../shell/route.tsx';
import { texts } from '../texts/tools.ts';
import { words as common } from '../texts/words.ts';
import { Choice, SearchField } from '../ui/fields.tsx';
import { EffectMark } from '../ui/marks.tsx';

interface Props {
  readonly query: Query;
  readonly onChoose: (change: Query) => void;
  /** How many tools are shown, as text. */
  readonly shown: string;
}

const CHOICES = ['any', ...effects.options] as const;

export function ToolFilters({ query, onChoose, shown }: Props) {
  const say = useTexts(texts);
  const words = useTexts(common);
  const field = useSlash();
  const chosen = effects.options.find((one) => one === query.effect) ?? 'any';
  return (
    <div className="flex flex-col gap-2">
      <search className="flex flex-wrap items-center gap-2">
        <span className="flex w-full sm:w-auto sm:flex-1">
          <SearchField
            ref={field}
            label={say.search}
            value={query.text ?? ''}
            onType={(text) => onChoose({ text })}
          />
        </span>
        <Choice
          label={say.effect}
          value={chosen}
          options={CHOICES}
          texts={{ ...words.effects, any: say.anyEffect }}
          onChoose={(value) => onChoose({ effect: value === 'any' ? '' : value })}
          isBare
        />
      </search>
      <p className="flex flex-wrap justify-between gap-x-4 text-faint text-sm">
        <span role="status">{shown}</span>
        <span className="hidden sm:inline">{say.searchHint}</span>
      </p>
      <details className="text-sm">
        <summary className="w-fit cursor-pointer rounded text-faint">{say.effectsTitle}</summary>
        <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {effects.options.map((effect) => (
            <div key={effect} className="col-span-2 grid grid-cols-subgrid">
              <dt>
                <EffectMark effect={effect} />
              </dt>
              <dd className="text-faint">{say.effectHints[effect]}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}

/** `/` focuses the search, unless the user is typing in a field. */
function useSlash() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return field;
}

/** The tools that contain every typed word. */
export function matchingTools(tools: readonly Tool[], { text = '', effect = '' }: Query): Tool[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    if (effect !== '' && tool.effect !== effect) return false;
    const all = `${tool.name} ${tool.title ?? ''} ${tool.description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
