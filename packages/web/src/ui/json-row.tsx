import type { ReactNode } from 'react';
import { useTexts } from '../shell/language.tsx';
import type { JsonRow } from './json-rows.ts';
import { words } from './words.ts';

interface Props {
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

export function isLong(row: JsonRow): boolean {
  return row.kind === 'leaf' && typeof row.value === 'string' && row.value.length > CLIPPED;
}

export function JsonRowView({ row, isFocusable, isWhole, page, onAct, renderText }: Props) {
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

function Content({ row, isWhole, page, renderText }: Omit<Props, 'isFocusable' | 'onAct'>) {
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
