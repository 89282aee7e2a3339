import { getViewportForBounds, useReactFlow } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { boundsOf } from './layout.ts';
import type { LaidOut } from './use-layout.ts';

/** Smaller than that is no use to begin with; what is too large is shown from its beginning. */
const SMALLEST = 0.4;
const PADDING = 0.08;
/** Down to which the sheet can be zoomed at all. */
export const SMALLEST_EVER = 0.02;

export interface View {
  /** A person has moved the sheet: from now on it stays where it is. */
  moved(): void;
  fit(): void;
  show(): void;
}

/** What of the sheet is seen: all of it, also when it grows, until a person looks elsewhere. */
export function useView(laidOut: LaidOut): View {
  const flow = useReactFlow();
  const held = useRef<'whole' | 'moved'>(undefined);
  const lookAt = (maxZoom: number, smallest: number, duration: number) => {
    const { width = 0, height = 0 } = document.querySelector('.react-flow')?.getBoundingClientRect() ?? {};
    const bounds = boundsOf(laidOut.layout);
    const whole = getViewportForBounds(bounds, width, height, SMALLEST_EVER, maxZoom, PADDING);
    const viewport = whole.zoom >= smallest ? whole : { x: 24, y: 24, zoom: 0.7 };
    void flow.setViewport(viewport, { duration: calm(duration) });
  };
  const fit = () => {
    held.current = 'whole';
    lookAt(2, 0, 200);
  };
  const show = (duration = 0) => {
    if (held.current === 'whole') lookAt(2, 0, duration);
    else if (held.current === undefined) lookAt(1, SMALLEST, duration);
  };
  const latest = useRef(show);
  latest.current = show;
  // A new layout is what it waits for.
  useEffect(() => latest.current(300), [laidOut]);
  return {
    moved() {
      held.current = 'moved';
    },
    fit,
    show: () => show(),
  };
}

function calm(duration: number): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : duration;
}
