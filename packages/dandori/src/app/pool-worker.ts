import { once } from 'node:events';
import { isUnfinished } from '../model/event.ts';
import { openParentLine } from '../workers/index.ts';
import { openRuntime } from './dandori.ts';
import type { PoolUpdate, PoolWorkerOptions } from './worker-pool.ts';

/** A process that drives runs of a program (`openDandori({ workers })`), with the configuration that it is sent. */
async function work(): Promise<void> {
  const line = openParentLine();
  const [options] = await once(process, 'message');
  const { config, tellsAll } = options as PoolWorkerOptions;
  const tell = (update: PoolUpdate) => line.update(update);
  const isFollowed = (run: string) => tellsAll || line.isFollowed(run);
  const runtime = await openRuntime({
    config,
    isFollowed,
    onEvent: (event) => isFollowed(event.run) && tell({ type: 'event', event }),
    onLive: (live) => isFollowed(live.run) && tell({ type: 'live', live }),
    onTorn: (tail) => tell({ type: 'torn', tail }),
    onUntraced: (detail) => tell({ type: 'untraced', detail }),
  });
  const working = line.dispatcher.work(
    async (run, signals) => {
      const report = await runtime.drive(run, signals);
      tell({ type: 'report', report });
      return { isOpen: isUnfinished(report.outcome) };
    },
    { atOnce: Number.POSITIVE_INFINITY },
  );
  line.ready();
  await line.ended;
  await working.stop(config.server.grace);
  await runtime.close();
  // A tool that did not stop must not keep the process alive.
  process.exit();
}

await work();
