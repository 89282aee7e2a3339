import { type ReactFlowState, useStore } from '@xyflow/react';
import { useMemo, useRef } from 'react';
import type { Point } from './layout.ts';

/** Below it no letter can be read, and no dash be seen. */
const READABLE = 0.35;

/** Whether the sheet is so far away that only shapes can be told. */
export function useIsFar(): boolean {
  return useStore(({ transform: [, , zoom] }) => zoom < READABLE);
}

/** More tasks than that are never elements all at once, nor are their edges. */
export const LARGE = 120;
/** Its tasks are drawn in one picture as soon as their words are too small, and are elements again a little later. */
const LEGIBLE = { until: 0.45, from: 0.5 };

/** Whether a large graph is seen from afar. */
export function useIsOverview(isLarge: boolean): boolean {
  const was = useRef(false);
  const is = useStore(
    ({ transform: [, , zoom] }) => isLarge && zoom < (was.current ? LEGIBLE.from : LEGIBLE.until),
  );
  was.current = is;
  return is;
}

export interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What of the sheet is in sight, and a good piece around it, so that it changes only now and then. */
export function useSight(): Sight {
  const key = useStore(sightKey);
  return useMemo(() => {
    const [left = 0, top = 0, right = 0, bottom = 0] = key.split(' ').map(Number);
    return { left, top, right, bottom };
  }, [key]);
}

/** In pixels of the screen. */
const CELL = 500;

function sightKey({ transform: [x, y, zoom], width, height }: ReactFlowState): string {
  const cell = CELL * 2 ** Math.ceil(Math.log2(1 / zoom));
  const before = (place: number) => (Math.floor(place / cell) - 1) * cell;
  const behind = (place: number) => (Math.ceil(place / cell) + 1) * cell;
  return [before(-x / zoom), before(-y / zoom), behind((width - x) / zoom), behind((height - y) / zoom)].join(
    ' ',
  );
}

export function sightOf(points: readonly Point[]): Sight {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

export function overlap(one: Sight, other: Sight): boolean {
  return (
    one.left <= other.right && one.right >= other.left && one.top <= other.bottom && one.bottom >= other.top
  );
}
