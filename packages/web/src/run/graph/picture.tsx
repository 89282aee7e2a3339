import { useStore } from '@xyflow/react';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { GateNode, TaskNode } from './elements.ts';
import { begin, drawNodes, drawWays, type Sketch } from './painter.ts';
import { overlap } from './use-sight.ts';
import { isTouching, type Way } from './ways.ts';

interface Props {
  readonly ways: readonly Way[];
  readonly nodes: readonly (TaskNode | GateNode)[];
  /** From afar the tasks are drawn too. */
  readonly isOverview: boolean;
  /** The task whose edges stand out. */
  readonly marked: string | undefined;
}

/** Smaller signs could not be told apart. */
const SIGNS_FROM = 0.12;

/**
 * A large graph in one picture, drawn anew whenever it moves: its edges, and from afar its tasks. As elements they would
 * take a browser without a graphics card seconds a frame whenever it zooms, most of it for the edges.
 */
export function Picture({ ways, nodes, isOverview, marked }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((flow) => flow.width);
  const height = useStore((flow) => flow.height);
  const sketches = useMemo(() => ways.map((way): Sketch => ({ way, path: new Path2D(way.path) })), [ways]);
  const drawn = isOverview ? nodes : undefined;
  useLayoutEffect(() => {
    const drawing = canvas.current && begin(canvas.current, { width, height }, { x, y, zoom });
    if (!drawing) return;
    const { pen, inks } = drawing;
    const sight = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom };
    const seen = sketches.filter(({ way }) => overlap(way.around, sight));
    const touching = seen.filter(({ way }) => isTouching(way, marked));
    // A line is never thinner than a pixel is dense.
    pen.lineWidth = isOverview ? 1 / zoom : 1.5;
    pen.globalAlpha = isOverview ? 0.5 : touching.length > 0 ? 0.4 : 0.8;
    drawWays(pen, seen, { inks, isFar: isOverview });
    pen.globalAlpha = 1;
    pen.lineWidth = isOverview ? 2 / zoom : 2.5;
    drawWays(pen, touching, { inks, isFar: isOverview });
    if (drawn === undefined) return;
    const near = drawn.filter(({ position, width: wide = 0, height: high = 0 }) =>
      overlap(
        { left: position.x, top: position.y, right: position.x + wide, bottom: position.y + high },
        sight,
      ),
    );
    drawNodes(pen, near, { inks, hasSigns: zoom > SIGNS_FROM });
  }, [sketches, drawn, isOverview, marked, x, y, zoom, width, height]);
  return <canvas ref={canvas} className="pointer-events-none absolute inset-0 size-full" />;
}
