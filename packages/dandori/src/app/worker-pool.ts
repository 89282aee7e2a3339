import { fork } from 'node:child_process';
import type { Config } from '../config/index.ts';
import type { StopSignals } from '../driver/index.ts';
import { DandoriError } from '../model/error.ts';
import type { Event, Live } from '../model/event.ts';
import type { TornTail } from '../store/index.ts';
import type { Report } from '../views/report.ts';
import { createWorkers, type DriveResult, WorkerEnded } from '../workers/index.ts';

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
   * left before it was driven.
   */
  drive(run: string, leaving: StopSignals): Promise<Report | undefined>;
  /** Whether updates of the run are wanted from now on. */
  follow(run: string, isFollowed: boolean): void;
  close(): Promise<void>;
}

export interface PoolOptions extends PoolWorkerOptions {
  readonly count: number;
  readonly isFollowed: (run: string) => boolean;
  readonly onUpdate: (update: PoolUpdate) => void;
}

/** A run during which so many processes ended probably ends them itself. */
const MOST_ENDED = 3;

const NEVER = new AbortController().signal;

export function createWorkerPool({ count, isFollowed, onUpdate, ...options }: PoolOptions): WorkerPool {
  const { config } = options;
  if (config.store === undefined && config.planning.history.storageType === 'memory')
    throw new DandoriError('config-invalid', 'workers needs runs that other processes can read.', {
      fix: 'Set planning.history.storage_type to jsonl, or leave out workers.',
    });
  const workers = createWorkers({
    count,
    start: () => startWorker(options),
    isFollowed,
    onUpdate: (update) => onUpdate(update as PoolUpdate),
    mostFailedStarts: MOST_ENDED,
    log: (line) => process.emitWarning(line, 'DandoriWarning'),
  });
  return {
    ready: workers.ready,
    async drive(run, { soon = NEVER, now = NEVER }) {
      const signals = { soon, now, onHold: () => {}, onPark: () => {} };
      for (let ended = 1; !soon.aborted; ended++) {
        try {
          const { report } = (await workers.drive(run, signals)) as PoolResult;
          return report;
        } catch (error) {
          // The caller left while no process was ready.
          if (error instanceof DandoriError && error.code === 'server-stopping') return undefined;
          if (!(error instanceof WorkerEnded) || ended === MOST_ENDED) throw error;
        }
      }
      return undefined;
    },
    follow: workers.follow,
    close: workers.close,
  };
}

function startWorker(options: PoolWorkerOptions): ReturnType<typeof fork> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const child = fork(new URL(`./pool-worker.${extension}`, import.meta.url), {
    // The port of a debugger is taken by this process.
    execArgv: process.execArgv.filter((option) => !option.startsWith('--inspect')),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Unlike JSON, it keeps integers of any size.
    serialization: 'advanced',
  });
  // If it can't be started, it has no channel.
  if (child.connected) child.send(options, () => {});
  return child;
}
