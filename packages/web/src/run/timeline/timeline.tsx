import { useDeferredValue, useMemo, useState } from 'react';
import { useNow } from '../../live/now.tsx';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/timeline.ts';
import { EmptyView, ViewHead, type ViewProps, ViewSwitch } from '../view.tsx';
import { BarTable } from './bar-table.tsx';
import { barsOf } from './bars.ts';
import { Chart } from './chart.tsx';
import { criticalPath } from './critical-path.ts';
import { rowsOf } from './rows.ts';
import { createScale } from './scale.ts';

const SHAPES = ['chart', 'table'] as const;

/** The timeline with its critical path. */
export default function Timeline({ state, events, selected, select }: ViewProps) {
  const say = useTexts(texts);
  const [shape, setShape] = useState<(typeof SHAPES)[number]>('chart');
  const [isFolding, setIsFolding] = useState(true);
  const shown = useDeferredValue(events);
  const found = useMemo(() => barsOf(shown), [shown]);
  // The state is changed in place, but only by new events.
  const { ids: critical, slots } = useMemo(() => criticalPath(found, state), [found, state]);
  const bars = useMemo(
    () => [...found.bars, ...slots].sort((one, other) => one.start - other.start),
    [found, slots],
  );
  const rows = useMemo(() => rowsOf(bars), [bars]);
  const isOpen = state.end === undefined && found.bars.some(({ end }) => end === undefined);
  const tick = useNow({ isMoving: isOpen });
  const start = Math.min(shown[0]?.at ?? 0, found.bars[0]?.start ?? Number.POSITIVE_INFINITY);
  const last = shown.at(-1)?.at ?? start;
  const now = isOpen ? Math.max(tick, last) : last;
  const scale = useMemo(
    () => createScale(found.bars, { start, end: now }, isFolding),
    [found, start, now, isFolding],
  );
  if (found.bars.length === 0) return <EmptyView text={say.nothing} />;
  const view = { rows, scale, critical, now, isOpen, selected, select };
  return (
    <section aria-label={say.timeline} className="flex min-h-0 flex-1 flex-col gap-2">
      <ViewHead shapes={SHAPES} shape={shape} onShape={setShape} names={say.shapes}>
        {shape === 'chart' && <ViewSwitch isOn={isFolding} onSwitch={setIsFolding} text={say.fold} />}
        <span className="flex items-center gap-1.5 text-faint text-xs">
          <span aria-hidden="true" className="h-3 w-6 rounded-sm border-2 border-ink bg-sunken" />
          {say.critical}
        </span>
      </ViewHead>
      {shape === 'chart' ? <Chart {...view} /> : <BarTable bars={bars} {...view} />}
    </section>
  );
}
