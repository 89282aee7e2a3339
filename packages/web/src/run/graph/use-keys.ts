import type { ReactFlowInstance } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import type { Layout } from './layout.ts';
import { type Direction, neighbourOf } from './neighbours.ts';
import type { LaidOut } from './use-layout.ts';
import type { View } from './use-view.ts';

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

/** The keyboard in the graph. */
export function useKeys({ laidOut, active, setActive, select, flow, view }: Keys) {
  const { structure, layout } = laidOut;
  const tasks = structure.nodes.filter(({ kind, isGroup }) => kind !== 'gate' && !isGroup);
  const go = (id: string | undefined) => {
    const place = id === undefined ? undefined : layout.places.get(id);
    if (id === undefined || place === undefined) return;
    setActive(id);
    view.moved();
    // What is not in sight is not drawn, and nobody could stand on it.
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
