import { useReactFlow, useStore } from '@xyflow/react';
import { type PointerEvent, useLayoutEffect, useMemo, useRef } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/graph.ts';
import { isTouching, type Way } from './edges.ts';
import type { GateNode, TaskNode } from './elements.ts';
import { boundsOf, type Place } from './layout.ts';
import { begin, drawNodes, drawWays, type Sketch } from './painter.ts';
import type { LaidOut } from './use-layout.ts';
import { overlap } from './use-sight.ts';

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

interface SmallMapProps {
  readonly laidOut: LaidOut;
  readonly nodes: readonly (TaskNode | GateNode)[];
  readonly onMove: () => void;
}

const SIZE = { width: 160, height: 100 };

/** The whole sheet in a corner, with what of it is in sight; one can point to where one wants to be. */
export function SmallMap({ laidOut, nodes, onMove }: SmallMapProps) {
  const say = useTexts(texts);
  const flow = useReactFlow();
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = placeOf(boundsOf(laidOut.layout));
  useLayoutEffect(() => {
    const drawing = canvas.current && begin(canvas.current, SIZE, place);
    if (drawing) drawNodes(drawing.pen, nodes, { inks: drawing.inks, hasSigns: false });
  }, [nodes, place.x, place.y, place.zoom]);
  const go = ({ clientX, clientY, currentTarget, buttons }: PointerEvent) => {
    if (buttons !== 1) return;
    onMove();
    const { left, top } = currentTarget.getBoundingClientRect();
    const [x, y] = [(clientX - left - place.x) / place.zoom, (clientY - top - place.y) / place.zoom];
    void flow.setCenter(x, y, { zoom: flow.getZoom(), duration: 0 });
  };
  return (
    <div
      role="img"
      aria-label={say.map}
      onPointerDown={go}
      onPointerMove={go}
      style={SIZE}
      className="absolute right-3 bottom-3 cursor-crosshair overflow-hidden rounded border border-line bg-paper shadow-sm"
    >
      <canvas ref={canvas} className="absolute inset-0 size-full" />
      <InSight place={place} />
    </div>
  );
}

function InSight({ place }: { readonly place: ReturnType<typeof placeOf> }) {
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((flow) => flow.width);
  const height = useStore((flow) => flow.height);
  const scale = place.zoom / zoom;
  return (
    <div
      className="pointer-events-none absolute border border-accent bg-accent/15"
      style={{
        left: place.x - x * scale,
        top: place.y - y * scale,
        width: width * scale,
        height: height * scale,
      }}
    />
  );
}

/** All of it, in the middle. */
function placeOf({ x, y, width, height }: Place) {
  const zoom = Math.min(SIZE.width / width, SIZE.height / height) * 0.94;
  return { zoom, x: SIZE.width / 2 - (x + width / 2) * zoom, y: SIZE.height / 2 - (y + height / 2) * zoom };
}
