import type { Status } from '../../texts/statuses.ts';
import { LOOKS } from '../../ui/marks.tsx';
import type { Way } from './edges.ts';
import type { GateNode, TaskNode } from './elements.ts';
import type { EdgeKind } from './structure.ts';

/** Where the sheet lies, in pixels of the picture. */
export interface Transform {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const INKS = ['sheet', 'sunken', 'line', 'faint', 'accent', 'good', 'warn', 'bad', 'busy'] as const;
type Ink = (typeof INKS)[number];
type Inks = Readonly<Record<Ink, string>>;

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const mixed = new Map<string, Inks>();

/**
 * A canvas knows nothing of light and dark, so it is asked what the colours of the page are: once for each, as the whole
 * page is styled anew for the answer.
 */
function inksOf(canvas: HTMLCanvasElement): Inks {
  const theme = document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
  const inks = mixed.get(theme) ?? mix(canvas);
  mixed.set(theme, inks);
  return inks;
}

function mix(canvas: HTMLCanvasElement): Inks {
  const style = getComputedStyle(canvas);
  const inks = INKS.map((ink) => {
    canvas.style.color = `var(--${ink})`;
    return [ink, style.color];
  });
  return Object.fromEntries(inks) as Inks;
}

/** The canvas ready to be drawn on, in the places of the sheet. */
export function begin(
  canvas: HTMLCanvasElement,
  size: { readonly width: number; readonly height: number },
  { x, y, zoom }: Transform,
): { readonly pen: CanvasRenderingContext2D; readonly inks: Inks } | undefined {
  // Drawn by the processor: thousands of thin lines take a graphics card, or what stands for one, far longer.
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (pen === null) return undefined;
  const density = window.devicePixelRatio;
  const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.setTransform(density * zoom, 0, 0, density * zoom, density * x, density * y);
  return { pen, inks: inksOf(canvas) };
}

export interface Sketch {
  readonly way: Way;
  readonly path: Path2D;
}

/** As the elements of smaller graphs look. */
const EDGES: Readonly<Record<EdgeKind, { readonly ink: Ink; readonly dash: readonly number[] }>> = {
  after: { ink: 'faint', dash: [7, 4] },
  hazard: { ink: 'warn', dash: [2, 3] },
  data: { ink: 'accent', dash: [] },
};

const ARROW = { length: 8, half: 4 };

export function drawWays(
  pen: CanvasRenderingContext2D,
  sketches: readonly Sketch[],
  { inks, isFar }: { readonly inks: Inks; readonly isFar: boolean },
): void {
  for (const { way, path } of sketches) {
    const { ink, dash } = EDGES[way.edge.kind];
    pen.strokeStyle = inks[ink];
    pen.setLineDash(isFar ? [] : [...dash]);
    pen.stroke(path);
    if (isFar || way.edge.to.startsWith('gate:')) continue;
    pen.fillStyle = inks[ink];
    drawArrow(pen, way);
  }
}

function drawArrow(pen: CanvasRenderingContext2D, { points }: Way): void {
  const [before, end] = points.slice(-2);
  if (before === undefined || end === undefined) return;
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const [backX, backY] = [end.x - dx * ARROW.length, end.y - dy * ARROW.length];
  pen.beginPath();
  pen.moveTo(end.x, end.y);
  pen.lineTo(backX - dy * ARROW.half, backY + dx * ARROW.half);
  pen.lineTo(backX + dy * ARROW.half, backY - dx * ARROW.half);
  pen.fill();
}

interface Drawn {
  readonly inks: Inks;
  /** Signs say what colours say. Where they would be too small to be seen, there are none. */
  readonly hasSigns: boolean;
}

export function drawNodes(
  pen: CanvasRenderingContext2D,
  nodes: readonly (TaskNode | GateNode)[],
  { inks, hasSigns }: Drawn,
): void {
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = '40px sans-serif';
  for (const { type, position, width = 0, height = 0, data, selected } of nodes) {
    const { x, y } = position;
    if (type === 'frame') {
      pen.fillStyle = inks.sunken;
      pen.fillRect(x, y, width, height);
    }
    if (type === 'frame' || selected === true) {
      pen.lineWidth = selected === true ? 12 : 4;
      pen.strokeStyle = selected === true ? inks.accent : inks.line;
      pen.strokeRect(x, y, width, height);
    }
    if (type !== 'task') continue;
    const { status, standing } = (data as TaskNode['data']).face;
    const ink = inks[inkOf(status)];
    pen.globalAlpha = standing === 'gone' ? 0.3 : 1;
    pen.fillStyle = inks.sheet;
    pen.fillRect(x, y, width, height);
    pen.globalAlpha *= 0.35;
    pen.fillStyle = ink;
    pen.fillRect(x, y, width, height);
    pen.globalAlpha = 1;
    if (hasSigns) pen.fillText(LOOKS[status][0], x + width / 2, y + height / 2);
  }
}

/** By the class that it has elsewhere. */
function inkOf(status: Status): Ink {
  return LOOKS[status][1].replace('text-', '') as Ink;
}
