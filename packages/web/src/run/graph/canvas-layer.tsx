import { useReactFlow, useStore } from '@xyflow/react';
import { type PointerEvent, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/graph.ts';
import { type Box, type EdgePath, isTouching, overlap } from './edges.ts';
import type { GateNode, TaskNode } from './elements.ts';
import { boundsOf, type Place } from './layout.ts';
import { begin, drawEdges, drawFrames, drawTasks, type Sketch, schemeNow } from './painter.ts';
import type { LaidOut } from './use-layout.ts';

interface Props {
  readonly edges: readonly EdgePath[];
  readonly nodes: readonly (TaskNode | GateNode)[];
  /** From afar the tasks are drawn too; otherwise they are elements. */
  readonly isOverview: boolean;
  /** The task whose edges stand out. */
  readonly marked: string | undefined;
}

/** Smaller signs can't be told apart. */
const SIGNS_FROM = 0.12;

/**
 * The parts of the graph that are drawn on one canvas, and redrawn on every move: the frames of steps, the edges,
 * and when zoomed out the tasks. As DOM elements, the edges of a large graph take seconds per frame to zoom on a
 * machine without a GPU.
 */
export function Picture({ edges, nodes, isOverview, marked }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useScheme();
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((flow) => flow.width);
  const height = useStore((flow) => flow.height);
  const sketches = useMemo(
    () => edges.map((edge): Sketch => ({ edge, path: new Path2D(edge.path) })),
    [edges],
  );
  useLayoutEffect(() => {
    const drawing = canvas.current && begin(canvas.current, { width, height }, { x, y, zoom });
    if (!drawing) return;
    const { pen, inks } = drawing;
    const sight = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom };
    const near = nodes.filter((node) => overlap(boxOf(node), sight));
    const seen = sketches.filter(({ edge }) => overlap(edge.box, sight));
    const touching = seen.filter(({ edge }) => isTouching(edge, marked));
    drawFrames(pen, near, { inks, isFar: isOverview });
    // From afar a line is still one pixel wide.
    pen.lineWidth = isOverview ? 1 / zoom : 1.5;
    pen.globalAlpha = isOverview ? 0.5 : touching.length > 0 ? 0.4 : 0.8;
    drawEdges(pen, seen, { inks, isFar: isOverview });
    pen.globalAlpha = 1;
    pen.lineWidth = isOverview ? 2 / zoom : 2.5;
    drawEdges(pen, touching, { inks, isFar: isOverview });
    if (isOverview) drawTasks(pen, near, { inks, hasSigns: zoom > SIGNS_FROM });
  }, [sketches, nodes, isOverview, marked, scheme, x, y, zoom, width, height]);
  return <canvas ref={canvas} className="pointer-events-none absolute inset-0 size-full" />;
}

function boxOf({ position: { x, y }, width = 0, height = 0 }: TaskNode | GateNode): Box {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

/** Changes whenever the colours of the page do. */
function useScheme(): string {
  return useSyncExternalStore(onScheme, schemeNow);
}

function onScheme(listener: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', listener);
  return () => {
    chosen.disconnect();
    dark.removeEventListener('change', listener);
  };
}

interface SmallMapProps {
  readonly laidOut: LaidOut;
  readonly nodes: readonly (TaskNode | GateNode)[];
  readonly onMove: () => void;
}

const SIZE = { width: 160, height: 100 };

/** The whole sheet in a corner, with the part that is in view. Pointing to it moves the view there. */
export function SmallMap({ laidOut, nodes, onMove }: SmallMapProps) {
  const say = useTexts(texts);
  const flow = useReactFlow();
  const scheme = useScheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = placeOf(boundsOf(laidOut.layout));
  useLayoutEffect(() => {
    const drawing = canvas.current && begin(canvas.current, SIZE, place);
    if (!drawing) return;
    drawFrames(drawing.pen, nodes, { inks: drawing.inks, isFar: true });
    drawTasks(drawing.pen, nodes, { inks: drawing.inks, hasSigns: false });
  }, [nodes, scheme, place.x, place.y, place.zoom]);
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

/** Fits everything into the map, centred. */
function placeOf({ x, y, width, height }: Place) {
  const zoom = Math.min(SIZE.width / width, SIZE.height / height) * 0.94;
  return { zoom, x: SIZE.width / 2 - (x + width / 2) * zoom, y: SIZE.height / 2 - (y + height / 2) * zoom };
}
