import { fork } from 'node:child_process';
import type { Config } from '../config/index.ts';
import type { StopSignals } from '../driver/index.ts';
import { assertNever, DandoriError } from '../model/error.ts';
import type { Event, FactType, Live } from '../model/event.ts';
import { drivenElsewhere, type TornTail } from '../store/index.ts';
import type { Report } from '../views/report.ts';
import { createWorkers, type DriveResult, WorkerEnded } from '../workers/index.ts';
import type { OpenOptions } from './dandori.ts';

/** What a process of the pool is sent first. */
export interface PoolWorkerOptions {
  readonly config: Config;
  /** What happens in all runs is told, not only in those that are followed. */
  readonly tellsAll: boolean;
}

/** What a process of the pool tells the program. */
export type PoolUpdate =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'live'; readonly live: Live }
  | { readonly type: 'torn'; readonly tail: TornTail }
  | { readonly type: 'untraced'; readonly detail: string };

/** How a drive ended. A report that the program made itself could be newer than the drive. */
export interface PoolResult extends DriveResult {
  readonly report: Report;
}

/** The processes that drive the runs of a program. */
export interface WorkerPool {
  /** Resolves when all processes can drive. */
  ready(): Promise<void>;
  /**
   * Drives a run as far as it can go, and says how far. If its process ends, another one goes on. Undefined if the caller
   * left before it was driven, or the pool is closed.
   */
  drive(run: string, leaving: StopSignals): Promise<Report | undefined>;
  /** Whether updates of the run are wanted from now on. */
  follow(run: string, isFollowed: boolean): void;
  close(): Promise<void>;
}

/** What happens in the processes is told as if it happened here. */
interface PoolOptions
  extends PoolWorkerOptions,
    Required<Pick<OpenOptions, 'onEvent' | 'onLive' | 'isFollowed'>>,
    Pick<OpenOptions, 'onUntraced' | 'onTorn'> {
  readonly count: number;
  /** The events of a run after this one. */
  readonly eventsOf: (run: string, after: number) => Promise<readonly Event[]>;
}

/** A run that got no further while so many processes ended probably ends them itself. */
const MOST_ENDED = 3;

/** With them a run gets further. Other facts come again when it is driven again. */
const PROGRESS: ReadonlySet<FactType> = new Set<FactType>(['decision_made', 'task_succeeded', 'task_failed']);

const NEVER = new AbortController().signal;

export function createWorkerPool(given: PoolOptions): WorkerPool {
  const { count, config, tellsAll, isFollowed, eventsOf } = given;
  if (config.store === undefined && config.planning.history.storageType === 'memory')
    throw new DandoriError('config-invalid', 'workers needs runs that other processes can read.', {
      fix: 'Set planning.history.storage_type to jsonl, or leave out workers.',
    });
  const driven = new Set<string>();
  const workers = createWorkers({
    count,
    start: () => startWorker({ config, tellsAll }),
    isFollowed,
    onUpdate: (update) => passOn(update as PoolUpdate, given),
    mostFailedStarts: MOST_ENDED,
    log: (line) => process.emitWarning(line, 'DandoriWarning'),
  });

  async function driveOn(
    run: string,
    { soon = NEVER, now = NEVER }: StopSignals,
  ): Promise<Report | undefined> {
    const signals = { soon, now, onHold: () => {}, onPark: () => {} };
    let last = 0;
    for (let ended = 1; !soon.aborted; ended++) {
      try {
        const { report } = (await workers.drive(run, signals)) as PoolResult;
        return report;
      } catch (error) {
        // The caller left while no process was ready.
        if (error instanceof DandoriError && error.code === 'server-stopping') return undefined;
        if (!(error instanceof WorkerEnded)) throw error;
        const written = await eventsOf(run, last);
        last = written.at(-1)?.seq ?? last;
        if (written.some(({ type }) => PROGRESS.has(type))) ended = 1;
        if (ended === MOST_ENDED) throw error;
      }
    }
    return undefined;
  }

  return {
    ready: workers.ready,
    async drive(run, leaving) {
      if (driven.has(run)) drivenElsewhere(run, 'this process');
      driven.add(run);
      try {
        return await driveOn(run, leaving);
      } finally {
        driven.delete(run);
      }
    },
    follow: workers.follow,
    close: workers.close,
  };
}

function passOn(update: PoolUpdate, { onEvent, onLive, onTorn, onUntraced }: PoolOptions): void {
  switch (update.type) {
    case 'event':
      onEvent(update.event);
      break;
    case 'live':
      onLive(update.live);
      break;
    case 'torn':
      onTorn?.(update.tail);
      break;
    case 'untraced':
      onUntraced?.(update.detail);
      break;
    default:
      assertNever(update);
  }
}

function startWorker(options: PoolWorkerOptions): ReturnType<typeof fork> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const child = fork(new URL(`./pool-worker.${extension}`, import.meta.url), {
    execArgv: sharedOptions(process.execArgv),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Unlike JSON, it keeps integers of any size.
    serialization: 'advanced',
  });
  // If it can't be started, it has no channel.
  if (child.connected) child.send(options, () => {});
  return child;
}

/** They take the next argument as a program. */
const PROGRAM = /^(-e|--eval|-p|-pe|--print)$/;
const ONLY_HERE = /^(--inspect|--input-type|--eval=|--print=)/;

/**
 * Node's options for a worker: without a program on the command line, which would be run again instead of the worker, and
 * without the port of a debugger, which this process has taken.
 */
function sharedOptions(all: readonly string[]): string[] {
  return all.filter(
    (option, index) =>
      !PROGRAM.test(option) && !PROGRAM.test(all[index - 1] ?? '') && !ONLY_HERE.test(option),
  );
}
