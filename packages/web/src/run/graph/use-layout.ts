import { useEffect, useState } from 'react';
import { startLayout } from './elk.ts';
import { type Flow, type Layout, layoutFrom, layoutInput } from './layout.ts';
import type { Structure } from './structure.ts';

export interface LaidOut {
  readonly structure: Structure;
  readonly layout: Layout;
}

/** The last structure that was laid out; until a new one is, the one before it stays. */
export function useLayout(structure: Structure, flow: Flow): { laidOut?: LaidOut; error?: unknown } {
  const [known, setKnown] = useState<{ laidOut?: LaidOut; error?: unknown }>({});
  useEffect(() => {
    const start = performance.now();
    const layouting = startLayout(layoutInput(structure, flow));
    let isWanted = true;
    layouting.done.then(
      (node) => {
        // So that it can be seen among the timings of the browser's tools.
        performance.measure('layout of the graph', { start, detail: structure.nodes.length });
        if (isWanted) setKnown({ laidOut: { structure, layout: layoutFrom(node, flow) } });
      },
      (error: unknown) => {
        if (isWanted) setKnown((before) => ({ ...before, error }));
      },
    );
    return () => {
      isWanted = false;
      layouting.stop();
    };
  }, [structure, flow]);
  return known;
}
