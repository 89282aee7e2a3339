import ELK, { type ELK as Elk, type ElkNode } from 'elkjs/lib/elk-api.js';
import ElkWorker from 'elkjs/lib/elk-worker.min.js?worker';

/** A worker that has nothing to do is kept for the next time: to load it takes longer than most layouts. */
let idle: Elk | undefined;

export interface Layouting {
  readonly done: Promise<ElkNode>;
  /** What nobody waits for any more is not reckoned to its end. */
  stop(): void;
}

export function startLayout(input: ElkNode): Layouting {
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
