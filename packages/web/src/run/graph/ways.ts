import type { Layout, Point } from './layout.ts';
import { pathThrough } from './path.ts';
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
