import { once } from 'node:events';
import { messageOf } from '../model/error.ts';
import { isUnfinished } from '../model/event.ts';
import { openParentLine } from '../workers/index.ts';
import { openRuntime } from './dandori.ts';
import type { PoolResult, PoolUpdate, PoolWorkerOptions } from './worker-pool.ts';

/** A process that drives runs of a program (`openDandori({ workers })`), with the configuration that it is sent. */
async function work(): Promise<void> {
  const line = openParentLine();
  const message = await Promise.race([once(process, 'message'), line.ended]);
  if (message === undefined) return;
  const [{ config, tellsAll }] = message as [PoolWorkerOptions];
  const tell = (update: PoolUpdate) => line.update(update);
  const isFollowed = (run: string) => tellsAll || line.isFollowed(run);
  const opening = openRuntime({
    config,
    isFollowed,
    onEvent: (event) => isFollowed(event.run) && tell({ type: 'event', event }),
    onLive: (live) => isFollowed(live.run) && tell({ type: 'live', live }),
    onTorn: (tail) => tell({ type: 'torn', tail }),
    onUntraced: (detail) => tell({ type: 'untraced', detail }),
  });
  const runtime = await opening.catch(async (error: unknown) => {
    await line.unable(error);
    process.exit(1);
  });
  const working = line.dispatcher.work(
    async (run, signals): Promise<PoolResult> => {
      const report = await runtime.drive(run, signals);
      return { isOpen: isUnfinished(report.outcome), report };
    },
    { atOnce: Number.POSITIVE_INFINITY },
  );
  line.ready();
  await line.ended;
  await working.stop(config.server.grace);
  await runtime.close().catch((error: unknown) => process.stderr.write(`${messageOf(error)}\n`));
  // A tool that did not stop must not keep the process alive.
  process.exit();
}

await work();
