import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { ZoomButtons } from '../zoom-buttons.tsx';
import { Axis } from './axis.tsx';
import type { Bar } from './bars.ts';
import { barId, ChartRow } from './chart-row.tsx';
import { nameOf } from './names.ts';
import type { Row } from './rows.ts';
import type { Scale } from './scale.ts';
import { texts } from './texts.ts';
import { useKeys } from './use-keys.ts';
import { useWindow } from './use-window.ts';

export interface ChartProps {
  readonly rows: readonly Row[];
  readonly scale: Scale;
  readonly critical: ReadonlySet<string>;
  readonly now: number;
  /** Whether something goes on. */
  readonly isOpen: boolean;
  readonly selected: string | undefined;
  readonly select: (task: string | undefined) => void;
}

const ROW = 28;
/** Of the names of the rows. */
export const LABELS = 56;
const MOST = 4_000;

/** Rows of bars on an axis of time. What is not in sight is not drawn. */
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

/** What stood in the middle stays there while it is zoomed. */
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
