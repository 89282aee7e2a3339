import type { KeyboardEvent } from 'react';
import type { Bar } from './bars.ts';
import { type Direction, neighbourBar, type Row } from './rows.ts';

interface Keys {
  readonly rows: readonly Row[];
  readonly active: Bar | undefined;
  readonly show: (bar: Bar) => void;
  readonly select: (task: string | undefined) => void;
  readonly zoomBy: (factor: number) => void;
  readonly fit: () => void;
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'before',
  ArrowRight: 'behind',
  ArrowUp: 'above',
  ArrowDown: 'below',
};

/** The keyboard in the chart. */
export function useKeys({ rows, active, show, select, zoomBy, fit }: Keys) {
  const go = (bar: Bar | undefined) => bar !== undefined && show(bar);
  const open = () => active?.task !== undefined && select(active.task);
  const acts: Readonly<Record<string, () => unknown>> = {
    Home: () => go(rows[0]?.bars[0]),
    End: () => go(rows.at(-1)?.bars.at(-1)),
    Enter: open,
    ' ': open,
    Escape: () => select(undefined),
    '+': () => zoomBy(1.6),
    '-': () => zoomBy(1 / 1.6),
    '0': fit,
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const direction = ARROWS[event.key];
    const act = acts[event.key];
    if (direction === undefined && act === undefined) return;
    event.preventDefault();
    if (direction !== undefined)
      go(active === undefined ? rows[0]?.bars[0] : neighbourBar(rows, active.id, direction));
    else act?.();
  };
}
