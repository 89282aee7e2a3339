import { useStore } from '@xyflow/react';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { GateNode, TaskNode } from './elements.ts';
import { begin, drawNodes, type Inks } from './painter.ts';
import { pathThrough } from './path.ts';
import type { EdgeKind } from './structure.ts';
import type { LaidOut } from './use-layout.ts';

interface Props {
  readonly laidOut: LaidOut;
  readonly nodes: readonly (TaskNode | GateNode)[];
}

const EDGE_INKS: Readonly<Record<EdgeKind, keyof Inks>> = { after: 'faint', hazard: 'warn', data: 'accent' };

/** Smaller signs could not be told apart. */
const SIGNS_FROM = 0.12;

/**
 * A large graph from afar: one picture, drawn anew whenever it moves. A thousand elements would take the browser most
 * of a second a frame, of which nobody could read a word.
 */
export function Overview({ laidOut, nodes }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((flow) => flow.width);
  const height = useStore((flow) => flow.height);
  const ways = useMemo(() => waysOf(laidOut), [laidOut]);
  useLayoutEffect(() => {
    const drawing = canvas.current && begin(canvas.current, { width, height }, { x, y, zoom });
    if (!drawing) return;
    const { pen, inks } = drawing;
    // A line is never thinner than a pixel is dense.
    pen.lineWidth = 1 / zoom;
    pen.globalAlpha = 0.5;
    for (const [kind, path] of ways) {
      pen.strokeStyle = inks[EDGE_INKS[kind]];
      pen.stroke(path);
    }
    pen.globalAlpha = 1;
    drawNodes(pen, nodes, { inks, hasSigns: zoom > SIGNS_FROM });
  });
  return <canvas ref={canvas} className="pointer-events-none absolute inset-0 size-full" />;
}

function waysOf({ structure: { edges }, layout: { routes } }: LaidOut): [EdgeKind, Path2D][] {
  return [...Map.groupBy(edges, ({ kind }) => kind)].map(([kind, some]) => [
    kind,
    new Path2D(some.map(({ id }) => pathThrough(routes.get(id) ?? [])).join('')),
  ]);
}
