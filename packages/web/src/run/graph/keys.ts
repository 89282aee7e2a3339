import type { ReactFlowInstance } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import type { View } from './canvas.tsx';
import type { Layout } from './layout.ts';
import type { Structure } from './structure.ts';
import type { LaidOut } from './use-layout.ts';

interface Keys {
  readonly laidOut: LaidOut;
  readonly active: string | undefined;
  readonly setActive: (id: string) => void;
  readonly select: (id: string | undefined) => void;
  readonly flow: Pick<ReactFlowInstance, 'zoomIn' | 'zoomOut' | 'setCenter' | 'getZoom'>;
  readonly view: View;
}

const ARROWS: Readonly<Record<Layout['flow'], Readonly<Record<string, Direction>>>> = {
  right: { ArrowLeft: 'before', ArrowRight: 'behind', ArrowUp: 'above', ArrowDown: 'below' },
  down: { ArrowUp: 'before', ArrowDown: 'behind', ArrowLeft: 'above', ArrowRight: 'below' },
};

/** Keyboard control of the graph. */
export function useKeys({ laidOut, active, setActive, select, flow, view }: Keys) {
  const { structure, layout } = laidOut;
  const tasks = structure.nodes.filter(({ kind, isGroup }) => kind !== 'gate' && !isGroup);
  const go = (id: string | undefined) => {
    const place = id === undefined ? undefined : layout.places.get(id);
    if (id === undefined || place === undefined) return;
    setActive(id);
    view.moved();
    // A task must be in view and legible to be the active element.
    const zoom = Math.max(flow.getZoom(), 0.6);
    void flow.setCenter(place.x + place.width / 2, place.y + place.height / 2, { zoom, duration: 0 });
  };
  const acts: Readonly<Record<string, () => void>> = {
    Home: () => go(tasks[0]?.id),
    End: () => go(tasks.at(-1)?.id),
    Enter: () => active !== undefined && select(active),
    ' ': () => active !== undefined && select(active),
    Escape: () => select(undefined),
    '+': () => void flow.zoomIn(),
    '-': () => void flow.zoomOut(),
    f: view.fit,
  };
  return (event: KeyboardEvent) => {
    const isOurs = event.target === event.currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isOurs) return;
    const direction = ARROWS[layout.flow][event.key];
    const act = direction === undefined ? acts[event.key] : undefined;
    if (direction === undefined && act === undefined) return;
    event.preventDefault();
    if (act !== undefined) act();
    else if (direction !== undefined)
      go(active === undefined ? tasks[0]?.id : neighbourOf(active, direction, laidOut));
  };
}

type Direction = 'before' | 'behind' | 'above' | 'below';

/** The target of an arrow key: along an edge, or the nearest task beside it. */
export function neighbourOf(
  id: string,
  direction: Direction,
  { structure, layout }: { readonly structure: Structure; readonly layout: Layout },
): string | undefined {
  const candidates =
    direction === 'before' || direction === 'behind'
      ? along(id, direction, structure)
      : beside(id, direction, { structure, layout });
  const here = middleOf(id, layout);
  const [first, ...others] = candidates;
  if (first === undefined || here === undefined) return first;
  const distance = (other: string) => {
    const there = middleOf(other, layout);
    return there === undefined ? Number.POSITIVE_INFINITY : Math.hypot(there.x - here.x, there.y - here.y);
  };
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/** Gates are passed through. */
function along(id: string, direction: 'before' | 'behind', { nodes, edges }: Structure): string[] {
  const gates = new Set(nodes.filter(({ kind }) => kind === 'gate').map((node) => node.id));
  const next = (from: string) =>
    edges.flatMap((edge) => {
      const [start, end] = direction === 'behind' ? [edge.from, edge.to] : [edge.to, edge.from];
      return start === from ? [end] : [];
    });
  return next(id).flatMap((one) => (gates.has(one) ? next(one) : [one]));
}

/** Across the flow: tasks of the same level, or any task on that side. */
function beside(
  id: string,
  direction: 'above' | 'below',
  { structure, layout }: { readonly structure: Structure; readonly layout: Layout },
): string[] {
  const here = layout.places.get(id);
  const middle = middleOf(id, layout);
  if (here === undefined || middle === undefined) return [];
  const isDown = layout.flow === 'down';
  const others = structure.nodes.filter(({ kind, isGroup, id: other }) => {
    const there = middleOf(other, layout);
    if (kind === 'gate' || isGroup || other === id || there === undefined) return false;
    const by = isDown ? there.x - middle.x : there.y - middle.y;
    return direction === 'below' ? by > 1 : by < -1;
  });
  const isLevel = (other: string) => {
    const there = middleOf(other, layout);
    const off = there === undefined ? 0 : isDown ? there.y - middle.y : there.x - middle.x;
    return Math.abs(off) < (isDown ? here.height : here.width);
  };
  const level = others.filter(({ id: other }) => isLevel(other));
  return (level.length > 0 ? level : others).map(({ id: other }) => other);
}

function middleOf(id: string, { places }: Layout): { x: number; y: number } | undefined {
  const place = places.get(id);
  return place && { x: place.x + place.width / 2, y: place.y + place.height / 2 };
}
