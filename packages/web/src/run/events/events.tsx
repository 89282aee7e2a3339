import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import type { Event } from '#dandori/model/event.ts';
import type { Json } from '#dandori/model/json.ts';
import { describeEvent } from '#dandori/views/event-line.ts';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { texts } from '../../texts/events.ts';
import { words } from '../../texts/words.ts';
import { Choice, SearchField } from '../../ui/fields.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Badge } from '../../ui/marks.tsx';
import { ClockTime } from '../../ui/time.tsx';
import type { ViewProps } from '../view.tsx';
import { ALL, eventRows, type TypeFilter, typesIn } from './event-rows.ts';

const ROW_HEIGHT = 33;

/** All events, even while an earlier state is shown, so that the user can move on from there. */
export default function Events({ run, state, news, isPast }: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { events } = news;
  const [typed, setTyped] = useState('');
  const [type, setType] = useState<TypeFilter>(ALL);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const text = useDeferredValue(typed);
  const rows = useMemo(() => eventRows(events, { text, type }), [events, text, type]);
  const types = useMemo(() => [ALL, ...typesIn(events)] as const, [events]);
  const names = Object.fromEntries(types.map((name) => [name, name === ALL ? word.allOfThem : name]));
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    // Scrolls to the event that is shown.
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

interface Props {
  readonly run: string;
  readonly event: Event;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Compared with the event that is shown. */
  readonly place: 'past' | 'here' | 'future';
}

/** A line shows no more than this. */
const LONGEST = 300;

/** An event in one line, with its data when it is opened. Its number links to the state at that event. */
function EventRow({ run, event, isOpen, onToggle, place }: Props) {
  const say = useTexts(texts);
  const { seq, type, at } = event;
  return (
    <div className={place === 'here' ? 'bg-sunken' : ''}>
      <div className="flex items-center gap-2 px-2 py-1 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={say.expand(seq, type)}
          onClick={onToggle}
          className="w-5 shrink-0 text-faint"
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <Link
          to={{ at: 'run', run, view: 'events', seq }}
          aria-label={say.moment(seq)}
          aria-current={place === 'here' ? 'location' : undefined}
          className="w-10 shrink-0 text-right text-accent tabular-nums hover:underline"
        >
          {seq}
        </Link>
        <span className="hidden shrink-0 text-faint text-xs sm:inline">
          <ClockTime at={at} />
        </span>
        <span className={`shrink-0 font-medium ${place === 'future' ? 'text-faint' : ''}`}>{type}</span>
        {place === 'here' && <Badge look="warn">{say.here}</Badge>}
        <span className="min-w-0 truncate text-faint">{describeEvent(event).slice(0, LONGEST)}</span>
      </div>
      {isOpen && (
        <div className="px-3 pb-3">
          <JsonTree value={event.data as Json} label={say.data(seq)} />
        </div>
      )}
    </div>
  );
}
