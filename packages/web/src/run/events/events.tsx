import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Choice } from '../../ui/choice.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import type { ViewProps } from '../view.ts';
import { EventRow } from './event-row.tsx';
import { ALL, eventRows, type TypeFilter, typesIn } from './event-rows.ts';
import { texts } from './texts.ts';

const ROW_HEIGHT = 33;

/** The journal. All of it also where an earlier moment is shown, so that one can go on from there. */
export function Events({ run, state, news, isPast }: ViewProps) {
  const say = useTexts(texts);
  const { events } = news;
  const [typed, setTyped] = useState('');
  const [type, setType] = useState<TypeFilter>(ALL);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const text = useDeferredValue(typed);
  const rows = useMemo(() => eventRows(events, { text, type }), [events, text, type]);
  const types = useMemo(() => [ALL, ...typesIn(events)] as const, [events]);
  const names = Object.fromEntries(types.map((name) => [name, name === ALL ? say.allTypes : name]));
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    // The moment that is shown is in view.
    initialOffset: isPast ? Math.max(0, state.seq - 5) * ROW_HEIGHT : 0,
    getItemKey: (index) => rows[index]?.seq ?? index,
    overscan: 15,
  });
  const toggle = (seq: number) => {
    const next = new Set(open);
    if (!next.delete(seq)) next.add(seq);
    setOpen(next);
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <SearchField label={say.search} value={typed} onType={setTyped} />
        <Choice
          label={say.type}
          value={type}
          options={types}
          texts={names as Record<TypeFilter, string>}
          onChoose={setType}
        />
        <p role="status" className="text-faint text-sm">
          {say.count(rows.length, events.length)}
        </p>
      </div>
      {rows.length === 0 && <p className="p-4 text-faint">{say.none}</p>}
      <div
        ref={box}
        className="max-h-[calc(100dvh-var(--stuck-below,0px)-4rem)] overflow-auto rounded border border-line bg-sheet"
      >
        <ol aria-label={say.list} className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const event = rows[index];
            if (event === undefined) return null;
            return (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-posinset={index + 1}
                aria-setsize={rows.length}
                className="absolute top-0 left-0 w-full border-line border-b"
                style={{ transform: `translateY(${start}px)` }}
              >
                <EventRow
                  run={run}
                  event={event}
                  isOpen={open.has(event.seq)}
                  onToggle={() => toggle(event.seq)}
                  place={
                    !isPast
                      ? 'past'
                      : event.seq === state.seq
                        ? 'here'
                        : event.seq > state.seq
                          ? 'future'
                          : 'past'
                  }
                />
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}
