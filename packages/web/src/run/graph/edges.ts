import type { Layout, Point } from './layout.ts';
import type { GraphEdge } from './structure.ts';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An edge with its place on the sheet. */
export interface EdgePath {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  readonly path: string;
  readonly box: Box;
}

export function edgePathsOf(edges: readonly GraphEdge[], { routes }: Layout): EdgePath[] {
  return edges.flatMap((edge) => {
    const points = routes.get(edge.id);
    if (points === undefined) return [];
    return [{ edge, points, path: pathThrough(points), box: boxAround(points) }];
  });
}

export function isTouching({ edge: { from, to } }: EdgePath, task: string | undefined): boolean {
  return from === task || to === task;
}

export function overlap(one: Box, other: Box): boolean {
  return (
    one.left <= other.right && one.right >= other.left && one.top <= other.bottom && one.bottom >= other.top
  );
}

function boxAround(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

const RADIUS = 8;

/** A line through these points with round corners, in the syntax of SVG. */
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

/** A point a little away from a corner, at most halfway to the next one. */
function towards(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}
