import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { type Json, stringifyJson } from '#dandori/model/json.ts';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';
import { CopyButton } from './button.tsx';
import { type JsonRow, jsonRows, PAGE, parentRow, ROOT } from './json-rows.ts';

interface Props {
  readonly value: Json;
  /** The name for screen readers. */
  readonly label: string;
  /** Renders a text, such as one with references. */
  readonly renderText?: ((text: string) => ReactNode) | undefined;
}

/** A value as a tree, with the keyboard control of the ARIA tree pattern. */
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
    // The row exists already; only its tabindex changes.
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

interface JsonRowProps {
  readonly row: JsonRow;
  readonly isFocusable: boolean;
  /** A long text is shown in full. */
  readonly isWhole: boolean;
  readonly page: number;
  readonly onAct: () => void;
  readonly renderText: ((text: string) => ReactNode) | undefined;
}

const CLIPPED = 200;
const COLOURS: Readonly<Record<string, string>> = {
  string: 'text-good',
  number: 'text-busy',
  bigint: 'text-busy',
  boolean: 'text-warn',
};

function isLong(row: JsonRow): boolean {
  return row.kind === 'leaf' && typeof row.value === 'string' && row.value.length > CLIPPED;
}

function JsonRowView({ row, isFocusable, isWhole, page, onAct, renderText }: JsonRowProps) {
  const { level, position, siblings, key } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys for all of its items
    <div
      role="treeitem"
      data-row={row.id}
      tabIndex={isFocusable ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={false}
      {...(row.kind === 'branch' && row.count > 0 && { 'aria-expanded': row.isOpen })}
      onClick={onAct}
      style={{ paddingLeft: `${level * 14 - 4}px` }}
      className="cursor-default [overflow-wrap:anywhere] -outline-offset-2 hover:bg-sunken"
    >
      <span aria-hidden="true" className="inline-block w-3.5 text-faint">
        {row.kind === 'branch' && row.count > 0 && (row.isOpen ? '▾' : '▸')}
      </span>
      {key !== undefined && <span className="text-ink">{key}: </span>}
      <Content row={row} isWhole={isWhole} page={page} renderText={renderText} />
    </div>
  );
}

function Content({ row, isWhole, page, renderText }: Omit<JsonRowProps, 'isFocusable' | 'onAct'>) {
  const say = useTexts(words);
  if (row.kind === 'more')
    return (
      <span className="text-accent underline">
        {say.more(Math.min(page, row.left))} / {row.left}
      </span>
    );
  if (row.kind === 'branch')
    return <span className="text-faint">{row.isList ? `[${row.count}]` : `{${row.count}}`}</span>;
  const { value } = row;
  if (typeof value !== 'string')
    return <span className={COLOURS[typeof value] ?? 'text-faint'}>{String(value)}</span>;
  const isCut = value.length > CLIPPED && !isWhole;
  const shown = isCut ? value.slice(0, CLIPPED) : value;
  return (
    <span className="whitespace-pre-wrap text-good">
      &quot;{renderText === undefined ? shown : renderText(shown)}
      {isCut ? '…' : '"'}
      {isCut && <span className="text-faint"> ({value.length})</span>}
    </span>
  );
}
