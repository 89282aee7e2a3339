import type { Status } from '../../texts/words.ts';
import { LOOKS } from '../../ui/marks.tsx';
import type { EdgePath } from './edges.ts';
import type { GateNode, TaskNode } from './elements.ts';
import type { EdgeKind } from './structure.ts';

/** The pan and zoom, in pixels of the canvas. */
export interface Transform {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const INKS = ['sheet', 'sunken', 'line', 'faint', 'accent', 'good', 'warn', 'bad', 'busy'] as const;
type Ink = (typeof INKS)[number];
type Inks = Readonly<Record<Ink, string>>;

const mixed = new Map<string, Inks>();

/** `light` or `dark`: as chosen on the page, otherwise as the system has it. */
export function schemeNow(): string {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  return document.documentElement.dataset.theme ?? system;
}

/** A canvas has no style sheet, so the colours are read from the page once per scheme: reading them restyles it. */
function inksOf(canvas: HTMLCanvasElement): Inks {
  const scheme = schemeNow();
  const inks = mixed.get(scheme) ?? mix(canvas);
  mixed.set(scheme, inks);
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

/** Clears the canvas and sets it to the coordinates of the sheet. */
export function begin(
  canvas: HTMLCanvasElement,
  size: { readonly width: number; readonly height: number },
  { x, y, zoom }: Transform,
): { readonly pen: CanvasRenderingContext2D; readonly inks: Inks } | undefined {
  // Drawn on the CPU: a GPU, real or emulated, is far slower with thousands of thin lines.
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
  readonly edge: EdgePath;
  readonly path: Path2D;
}

/** Never by colour alone. The legend shows the same. */
const EDGES: Readonly<Record<EdgeKind, { readonly ink: Ink; readonly dash: readonly number[] }>> = {
  after: { ink: 'faint', dash: [7, 4] },
  hazard: { ink: 'warn', dash: [2, 3] },
  data: { ink: 'accent', dash: [] },
};

const ARROW = { length: 8, half: 4 };

export function drawEdges(
  pen: CanvasRenderingContext2D,
  sketches: readonly Sketch[],
  { inks, isFar }: Look,
): void {
  for (const { edge, path } of sketches) {
    const { ink, dash } = EDGES[edge.edge.kind];
    pen.strokeStyle = inks[ink];
    pen.setLineDash(isFar ? [] : [...dash]);
    pen.stroke(path);
    if (isFar || edge.edge.to.startsWith('gate:')) continue;
    pen.fillStyle = inks[ink];
    drawArrow(pen, edge);
  }
}

function drawArrow(pen: CanvasRenderingContext2D, { points }: EdgePath): void {
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

type Nodes = readonly (TaskNode | GateNode)[];

interface Look {
  readonly inks: Inks;
  /** When zoomed out there are no DOM elements, so borders are painted too. Dashes and arrows are left out. */
  readonly isFar: boolean;
}

/** The steps, behind everything else. */
export function drawFrames(pen: CanvasRenderingContext2D, nodes: Nodes, { inks, isFar }: Look): void {
  for (const { type, position, width = 0, height = 0 } of nodes) {
    if (type !== 'frame') continue;
    pen.beginPath();
    pen.roundRect(position.x, position.y, width, height, 8);
    pen.globalAlpha = 0.6;
    pen.fillStyle = inks.sunken;
    pen.fill();
    pen.globalAlpha = 1;
    if (!isFar) continue;
    pen.lineWidth = 4;
    pen.strokeStyle = inks.line;
    pen.stroke();
  }
}

interface Tasks {
  readonly inks: Inks;
  /** Whether each task gets its status sign, in addition to its colour. */
  readonly hasSigns: boolean;
}

export function drawTasks(pen: CanvasRenderingContext2D, nodes: Nodes, { inks, hasSigns }: Tasks): void {
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = '40px sans-serif';
  for (const { type, position, width = 0, height = 0, data, selected } of nodes) {
    const { x, y } = position;
    if (selected === true) {
      pen.lineWidth = 12;
      pen.strokeStyle = inks.accent;
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

/** The colour of its text class elsewhere on the page. */
function inkOf(status: Status): Ink {
  return LOOKS[status][1].replace('text-', '') as Ink;
}
