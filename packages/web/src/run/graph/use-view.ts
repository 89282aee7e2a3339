import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import type { LaidOut } from './use-layout.ts';

/** Smaller than that is no use to begin with; what is too large is shown from its beginning. */
const SMALLEST = 0.4;
const PADDING = 0.08;

export interface View {
  /** A person has moved the sheet: from now on it stays where it is. */
  moved(): void;
  fit(): void;
  show(): void;
}

/** What of the sheet is seen: all of it, also when it grows, until a person looks elsewhere. */
export function useView(laidOut: LaidOut): View {
  const flow = useReactFlow();
  const isMoved = useRef(false);
  const fit = (duration = 200) => void flow.fitView({ padding: PADDING, duration: calm(duration) });
  const show = (duration = 0) => {
    if (isMoved.current) return;
    const bounds = flow.getNodesBounds([...laidOut.layout.places.keys()]);
    const { width = 0, height = 0 } = document.querySelector('.react-flow')?.getBoundingClientRect() ?? {};
    const zoom = Math.min(width / bounds.width, height / bounds.height);
    if (zoom >= SMALLEST) void flow.fitView({ padding: PADDING, maxZoom: 1, duration: calm(duration) });
    else void flow.setViewport({ x: 24, y: 24, zoom: 0.7 }, { duration: calm(duration) });
  };
  const latest = useRef(show);
  latest.current = show;
  // A new layout is what it waits for.
  useEffect(() => latest.current(300), [laidOut]);
  return {
    moved() {
      isMoved.current = true;
    },
    fit: () => fit(),
    show: () => show(),
  };
}

function calm(duration: number): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : duration;
}
