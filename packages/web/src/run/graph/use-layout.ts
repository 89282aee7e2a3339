import ELK, { type ELK as Elk, type ElkNode } from 'elkjs/lib/elk-api.js';
import ElkWorker from 'elkjs/lib/elk-worker.min.js?worker';
import { useEffect, useMemo, useState } from 'react';
import { type Flow, type Layout, layoutFrom, layoutInput } from './layout.ts';
import { layoutByLevels } from './rough-layout.ts';
import { digestOf, type Structure } from './structure.ts';

export interface LaidOut {
  readonly structure: Structure;
  readonly layout: Layout;
}

/** Layouts are kept while the user is in another view. */
const kept = new Map<string, Layout>();
const KEPT = 8;

/** The last finished layout. Until the first is ready, a rough one. */
export function useLayout(structure: Structure, flow: Flow): { laidOut: LaidOut; error?: unknown } {
  const key = useMemo(() => `${flow} ${digestOf(structure)}`, [structure, flow]);
  const [known, setKnown] = useState<{ laidOut?: LaidOut; error?: unknown }>(() => {
    const layout = kept.get(key);
    return layout === undefined ? {} : { laidOut: { structure, layout } };
  });
  useEffect(() => {
    const before = kept.get(key);
    if (before !== undefined) {
      setKnown((now) => (now.laidOut?.layout === before ? now : { laidOut: { structure, layout: before } }));
      return;
    }
    const start = performance.now();
    const layouting = startLayout(layoutInput(structure, flow));
    let isWanted = true;
    layouting.done.then(
      (node) => {
        // Shown in the performance panel of the browser.
        performance.measure('layout of the graph', { start, detail: structure.nodes.length });
        const layout = layoutFrom(node, flow);
        keep(key, layout);
        if (isWanted) setKnown({ laidOut: { structure, layout } });
      },
      (error: unknown) => {
        if (isWanted) setKnown((now) => ({ ...now, error }));
      },
    );
    return () => {
      isWanted = false;
      layouting.stop();
    };
  }, [structure, flow, key]);
  const isThere = known.laidOut !== undefined;
  const rough = useMemo(
    () => (isThere ? undefined : { structure, layout: layoutByLevels(structure, flow) }),
    [isThere, structure, flow],
  );
  return { ...known, laidOut: known.laidOut ?? (rough as LaidOut) };
}

function keep(key: string, layout: Layout): void {
  kept.set(key, layout);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}

/** An idle worker is reused: loading one takes longer than most layouts. */
let idle: Elk | undefined;

interface Layouting {
  readonly done: Promise<ElkNode>;
  /** Ends a layout whose result is not needed any more. */
  stop(): void;
}

function startLayout(input: ElkNode): Layouting {
  const elk = idle ?? new ELK({ workerFactory: () => new ElkWorker() });
  idle = undefined;
  let isDone = false;
  const done = elk.layout(input).finally(() => {
    isDone = true;
    if (idle === undefined) idle = elk;
    else elk.terminateWorker();
  });
  return {
    done,
    stop() {
      if (!isDone) elk.terminateWorker();
    },
  };
}
