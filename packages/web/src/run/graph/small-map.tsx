import { useReactFlow, useStore } from '@xyflow/react';
import { type PointerEvent, useLayoutEffect, useRef } from 'react';
import { useTexts } from '../../shell/language.tsx';
import type { GateNode, TaskNode } from './elements.ts';
import { boundsOf, type Place } from './layout.ts';
import { begin, drawNodes } from './painter.ts';
import { texts } from './texts.ts';
import type { LaidOut } from './use-layout.ts';

interface Props {
  readonly laidOut: LaidOut;
  readonly nodes: readonly (TaskNode | GateNode)[];
  readonly onMove: () => void;
}

const SIZE = { width: 160, height: 100 };

/** The whole sheet in a corner, with what of it is in sight; one can point to where one wants to be. */
export function SmallMap({ laidOut, nodes, onMove }: Props) {
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
