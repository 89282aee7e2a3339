import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/timeline.ts';
import { ZoomButtons } from '../view.tsx';
import type { Bar } from './bars.ts';
import { barId, ChartRow, nameOf } from './chart-row.tsx';
import { type Direction, neighbourBar, type Row } from './rows.ts';
import { type Scale, ticksOf } from './scale.ts';

export interface ChartProps {
  readonly rows: readonly Row[];
  readonly scale: Scale;
  readonly critical: ReadonlySet<string>;
  readonly now: number;
  /** Whether a bar is still running. */
  readonly isOpen: boolean;
  readonly selected: string | undefined;
  readonly select: (task: string | undefined) => void;
}

const ROW = 28;
/** Width of the row labels. */
export const LABELS = 56;
const MOST = 4_000;

/** Rows of bars on a time axis. Only what is in view is drawn. */
export function Chart({ rows, scale, critical, now, isOpen, selected, select }: ChartProps) {
  const say = useTexts(texts);
  const area = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const [active, setActive] = useState<Bar>();
  const seen = useWindow(area);
  const width = Math.max(100, (seen.width - LABELS - 16) * zoom);
  const pixelOf = (time: number) => (scale.placeOf(time) / scale.length) * width;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: () => ROW,
    overscan: 4,
  });
  const show = (bar: Bar) => {
    setActive(bar);
    virtual.scrollToIndex(rows.findIndex(({ bars }) => bars.includes(bar)));
    const left = pixelOf(bar.start);
    const isSeen = left > seen.left && left < seen.left + seen.width - LABELS - 40;
    if (!isSeen) area.current?.scrollTo({ left: left - seen.width / 3 });
  };
  const zoomBy = (factor: number) => setZoom((before) => Math.min(MOST, Math.max(1, before * factor)));
  useKeptMiddle(area, { zoom, width, labels: LABELS });
  const onKeyDown = useKeys({ rows, active, show, select, zoomBy, fit: () => setZoom(1) });
  const window = { pixelOf, now, from: seen.left - 50, to: seen.left + seen.width + 50 };
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={area}
        role="application"
        aria-label={say.timeline}
        aria-describedby="timeline-keys"
        aria-activedescendant={active && barId(active)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is a widget of its own, in which the arrow keys move.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(undefined)}
        className="relative max-h-[calc(100dvh-var(--stuck-below,0px)-4rem)] min-h-40 flex-1 overflow-auto rounded-md border border-line bg-sheet outline-offset-[-2px]"
      >
        <Axis scale={scale} width={width} window={window} />
        <div
          className="relative"
          style={{ width: width + LABELS + 16, height: Math.max(virtual.getTotalSize(), 4 * ROW) }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const marked = { critical, selected, active: active?.id };
            return (
              <ChartRow
                key={row.id}
                row={row}
                top={start}
                height={ROW}
                window={window}
                marked={marked}
                onSelect={select}
              />
            );
          })}
          {isOpen && (
            <div
              title={say.now}
              style={{ left: LABELS + pixelOf(now) }}
              className="pointer-events-none absolute inset-y-0 w-px bg-bad"
            />
          )}
        </div>
      </div>
      <ZoomButtons
        onIn={() => zoomBy(1.6)}
        onOut={() => zoomBy(1 / 1.6)}
        onFit={() => setZoom(1)}
        className="right-3 bottom-3"
      />
      <p id="timeline-keys" className="sr-only">
        {say.keys}
      </p>
      <p role="status" className="sr-only">
        {active && nameOf(active, { say, now, isCritical: critical.has(active.id) })}
      </p>
    </div>
  );
}

/** Keeps the middle in place while zooming. */
function useKeptMiddle(
  area: React.RefObject<HTMLDivElement | null>,
  { zoom, width, labels }: { readonly zoom: number; readonly width: number; readonly labels: number },
): void {
  const before = useRef({ zoom, width });
  useLayoutEffect(() => {
    const element = area.current;
    const known = before.current;
    before.current = { zoom, width };
    if (element === null || known.zoom === zoom) return;
    const half = (element.clientWidth - labels) / 2;
    element.scrollLeft = ((element.scrollLeft + half) / known.width) * width - half;
  }, [area, zoom, width, labels]);
}

/** Pixels between two labels. */
const GAP = 90;

interface Props {
  readonly scale: Scale;
  readonly width: number;
  readonly window: { readonly from: number; readonly to: number };
}

/** Time since the start of the run, with its folds. */
function Axis({ scale, width, window }: Props) {
  const say = useTexts(texts);
  const perPixel = scale.length / width;
  const from = Math.max(0, window.from * perPixel);
  const to = Math.min(scale.length, window.to * perPixel);
  const ticks = ticksOf(scale, { from, to, gap: GAP * perPixel });
  return (
    <div
      aria-hidden="true"
      className="sticky top-0 z-10 h-6 border-line border-b bg-sheet text-[11px] text-faint tabular-nums"
      style={{ width: width + LABELS + 16 }}
    >
      {ticks.map(({ place, ms }) => (
        <span
          key={ms}
          className="absolute bottom-0 whitespace-nowrap border-line border-l pl-1"
          style={{ left: LABELS + place / perPixel }}
        >
          {durationText(ms)}
        </span>
      ))}
      {scale.folds.map(({ from: left, to: right, ms }) => (
        <span
          key={left}
          title={say.folded(durationText(ms))}
          className="absolute inset-y-0 flex items-center justify-center overflow-hidden whitespace-nowrap bg-sunken text-warn"
          style={{ left: LABELS + left / perPixel, width: Math.max(10, (right - left) / perPixel) }}
        >
          ⋯
        </span>
      ))}
    </div>
  );
}

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

/** Keyboard control of the chart. */
function useKeys({ rows, active, show, select, zoomBy, fit }: Keys) {
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

interface Seen {
  readonly left: number;
  readonly width: number;
}

/** The visible horizontal range of a scroll area. */
function useWindow(area: RefObject<HTMLElement | null>): Seen {
  const [seen, setSeen] = useState<Seen>({ left: 0, width: 800 });
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const look = () => {
      const { scrollLeft: left, clientWidth: width } = element;
      setSeen((before) => (before.left === left && before.width === width ? before : { left, width }));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [area]);
  return seen;
}
