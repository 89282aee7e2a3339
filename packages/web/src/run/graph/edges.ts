import type { Layout, Point } from './layout.ts';
import type { GraphEdge } from './structure.ts';
import { type Sight, sightOf } from './use-sight.ts';

/** An edge as it runs over the sheet. */
export interface Way {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  readonly path: string;
  readonly around: Sight;
}

export function waysOf(edges: readonly GraphEdge[], { routes }: Layout): Way[] {
  return edges.flatMap((edge) => {
    const points = routes.get(edge.id);
    if (points === undefined) return [];
    return [{ edge, points, path: pathThrough(points), around: sightOf(points) }];
  });
}

export function isTouching({ edge: { from, to } }: Way, task: string | undefined): boolean {
  return from === task || to === task;
}

const RADIUS = 8;

/** A way through these points with round corners, as SVG writes it. */
function pathThrough(points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const parts = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L${point.x},${point.y}`;
    const before = rest[index - 1] ?? start;
    const [from, to] = [towards(point, before), towards(point, next)];
    return `L${from.x},${from.y}Q${point.x},${point.y} ${to.x},${to.y}`;
  });
  return `M${start.x},${start.y}${parts.join('')}`;
}

/** A little away from a corner, at most half of the way. */
function towards(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}
