import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import type { Json } from '#dandori/model/json.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { CopyButton } from './copy-button.tsx';
import { isLong, JsonRowView } from './json-row.tsx';
import { type JsonRow, jsonRows, PAGE, parentRow, ROOT } from './json-rows.ts';

interface Props {
  readonly value: Json;
  /** What screen readers call it. */
  readonly label: string;
  /** In place of a text in it, such as one with Refs. */
  readonly renderText?: ((text: string) => ReactNode) | undefined;
}

/** A value as a tree: the arrow keys walk in it, as the pattern of ARIA says. */
export function JsonTree({ value, label, renderText }: Props) {
  const tree = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map());
  const [focused, setFocused] = useState(ROOT);
  const rows = jsonRows(value, { toggled, pages });
  const here = Math.max(
    0,
    rows.findIndex(({ id }) => id === focused),
  );

  const focus = (index: number) => {
    const row = rows[Math.min(Math.max(0, index), rows.length - 1)];
    if (row === undefined) return;
    setFocused(row.id);
    // The row is there already; only which of them Tab leads to has changed.
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`)?.focus();
  };
  const act = (row: JsonRow) => {
    if (row.kind === 'more') setPages(new Map(pages).set(row.parent, (pages.get(row.parent) ?? 1) + 1));
    else if (row.kind === 'branch' || isLong(row)) setToggled(flipped(toggled, row.id));
  };
  const press = (event: KeyboardEvent) => {
    const row = rows[here];
    if (row === undefined || event.target !== event.currentTarget.querySelector('[tabindex="0"]')) return;
    const isOpen = row.kind === 'branch' && row.isOpen;
    const keys: Record<string, () => void> = {
      ArrowDown: () => focus(here + 1),
      ArrowUp: () => focus(here - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (isOpen ? focus(here + 1) : row.kind === 'branch' && row.count > 0 && act(row)),
      ArrowLeft: () => (isOpen ? act(row) : focus(parentRow(rows, here))),
      Enter: () => act(row),
      ' ': () => act(row),
    };
    const pressed = keys[event.key];
    if (pressed === undefined) return;
    event.preventDefault();
    pressed();
  };

  return (
    <div className="relative rounded border border-line bg-paper">
      <div className="absolute top-1 right-2 z-10 bg-paper pl-2">
        <CopyButton text={() => stringifyJson(value, 2)} />
      </div>
      <div
        ref={tree}
        role="tree"
        aria-label={label}
        onKeyDown={press}
        className="max-h-96 overflow-auto py-1 pr-16 font-mono text-xs leading-5"
      >
        {rows.map((row) => (
          <JsonRowView
            key={row.id}
            row={row}
            isFocusable={row.id === (rows[here]?.id ?? ROOT)}
            isWhole={toggled.has(row.id)}
            page={PAGE}
            onAct={() => {
              setFocused(row.id);
              act(row);
            }}
            renderText={renderText}
          />
        ))}
      </div>
    </div>
  );
}

function flipped(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
