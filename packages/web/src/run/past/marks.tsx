import { useMemo } from 'react';
import type { Event } from '#dandori/model/event.ts';
import { type LandmarkKind, marksOf } from './landmarks.ts';

const COLOURS: Readonly<Record<LandmarkKind, string>> = {
  decision: 'stroke-busy',
  question: 'stroke-warn',
  failure: 'stroke-bad',
};

/** Each kind has a height of its own, too. */
const ENDS: Readonly<Record<LandmarkKind, number>> = { decision: 4, question: 6, failure: 8 };

/** Where decisions, questions and failures are on the way; who cannot see them has buttons to jump there. */
export function Marks({ events }: { readonly events: readonly Event[] }) {
  const marks = useMemo(() => marksOf(events), [events]);
  return (
    <svg
      aria-hidden="true"
      preserveAspectRatio="none"
      viewBox="0 0 1000 8"
      className="pointer-events-none absolute inset-x-2 -top-1 h-2 w-[calc(100%-1rem)]"
    >
      {marks.map(({ kind, place }) => (
        <path
          key={`${kind} ${place}`}
          d={`M${place * 1000},${8 - ENDS[kind]}V8`}
          className={`${COLOURS[kind]} [stroke-width:2] [vector-effect:non-scaling-stroke]`}
        />
      ))}
    </svg>
  );
}
