import type { ChildProcess } from 'node:child_process';
import { assertNever, DandoriError, type ErrorCode, messageOf } from '../model/error.ts';
import type { Bus, Dispatcher, Drive, DriveSignals, Working } from '../store/index.ts';

/**
 * Processes that drive the runs of one server, so that it uses more than one core. The server keeps the queue and
 * says which process drives which run. The claim of a run is held by the process that drives it.
 *
 * W1  A process that ends loses nothing: its drives fail in the server, which retries them in another process.
 * W2  A process that ended is started again, later each time if it does not live long.
 * W3  When the server ends, in whatever way, its processes stop their calls and end too.
 */
export interface Workers {
  readonly drive: Drive;
  /** What the processes say live. */
  readonly bus: Bus;
  /** What each process has counted, for `/metrics`. A process that does not answer is left out. */
  metrics(): Promise<object[]>;
  /** The processes that are ready now, with the runs that they drive. */
  list(): { readonly pid: number; readonly startedAt: number; readonly runs: readonly string[] }[];
  close(): Promise<void>;
}

/** From the server to a process that drives for it. */
type Order =
  | { readonly type: 'drive'; readonly id: number; readonly run: string; readonly conversation?: string }
  | { readonly type: 'leave'; readonly id: number; readonly when: 'soon' | 'now' }
  | { readonly type: 'count'; readonly id: number };

/** From such a process to the server. */
type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'wake'; readonly run: string }
  | { readonly type: 'live'; readonly message: string }
  | { readonly type: 'held'; readonly id: number; readonly isHolding: boolean }
  | { readonly type: 'driven'; readonly id: number; readonly isOpen: boolean; readonly wakeAt?: number }
  | { readonly type: 'failed'; readonly id: number; readonly code?: ErrorCode; readonly message: string }
  | { readonly type: 'counted'; readonly id: number; readonly metrics: object };

export interface WorkersOptions {
  readonly count: number;
  /** Starts a process with a channel for messages. */
  readonly start: () => ChildProcess;
  /** A process has written to this run, which is therefore due. */
  readonly onWake: (run: string) => void;
  /** The conversation of a run that may not have begun yet. */
  readonly conversationOf: (run: string) => string | undefined;
  readonly log: (line: string) => void;
}

interface Worker {
  readonly process: ChildProcess;
  readonly startedAt: number;
  readonly drives: Map<number, Driven>;
  readonly counts: Map<number, (metrics: object | undefined) => void>;
  isReady: boolean;
}

interface Driven {
  readonly run: string;
  readonly signals: DriveSignals;
  readonly resolve: (how: { readonly isOpen: boolean }) => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds. */
const FIRST_RESTART = 200;
const LONGEST_RESTART = 30_000;
/** A process that lived this long, in milliseconds, is started again at once. */
const LONG_LIFE = 10_000;
/** Milliseconds that processes get to close their tool servers. */
const CLOSING = 5_000;
/** Milliseconds to tell what was counted. */
const COUNTING = 2_000;

export function createWorkers({ count, start, onWake, conversationOf, log }: WorkersOptions): Workers {
  const workers = new Set<Worker>();
  const waiting = new Set<() => void>();
  const listeners = new Set<(message: string) => void>();
  let nextId = 1;
  let shortLives = 0;
  let isClosing = false;

  function begin(): void {
    if (isClosing) return;
    const begunAt = performance.now();
    const worker: Worker = {
      process: start(),
      startedAt: Date.now(),
      drives: new Map(),
      counts: new Map(),
      isReady: false,
    };
    workers.add(worker);
    worker.process.on('message', (report) => hear(worker, report as Report));
    worker.process.on('error', (error) => {
      // A program that can't be started has no exit.
      if (worker.process.pid === undefined)
        return ended(`A worker process can't be started: ${error.message}`);
      log(`A worker process can't be reached: ${error.message}`);
    });
    worker.process.once('exit', (code, signal) =>
      ended(`The worker process ${worker.process.pid} ended (${signal ?? `exit code ${code}`})`),
    );

    function ended(why: string): void {
      workers.delete(worker);
      for (const { reject } of worker.drives.values()) reject(new DandoriError('server-failed', why));
      for (const give of worker.counts.values()) give(undefined);
      if (isClosing) return;
      shortLives = performance.now() - begunAt < LONG_LIFE ? shortLives + 1 : 0;
      const delay = shortLives === 0 ? 0 : Math.min(FIRST_RESTART * 2 ** (shortLives - 1), LONGEST_RESTART);
      log(`${why}; starting another one in ${Math.ceil(delay / 1000)} s.`);
      setTimeout(begin, delay).unref();
    }
  }

  function hear(worker: Worker, report: Report): void {
    switch (report.type) {
      case 'ready':
        worker.isReady = true;
        for (const goOn of [...waiting]) goOn();
        break;
      case 'wake':
        onWake(report.run);
        break;
      case 'live':
        for (const listener of listeners) listener(report.message);
        break;
      case 'held':
        worker.drives.get(report.id)?.signals.onHold(report.isHolding);
        break;
      case 'driven': {
        const driven = worker.drives.get(report.id);
        driven?.signals.onPark(report.wakeAt);
        driven?.resolve({ isOpen: report.isOpen });
        break;
      }
      case 'failed': {
        const { code, message } = report;
        const error = new DandoriError(code ?? 'server-failed', message);
        worker.drives.get(report.id)?.reject(error);
        break;
      }
      case 'counted':
        worker.counts.get(report.id)?.(report.metrics);
        break;
      default:
        assertNever(report);
    }
  }

  /** The ready process that drives the fewest runs. Waits until there is one. */
  async function leastBusy(leaving: AbortSignal): Promise<Worker> {
    for (;;) {
      const ready = [...workers].filter(({ isReady, process }) => isReady && process.connected);
      const [first] = ready.sort((one, other) => one.drives.size - other.drives.size);
      if (first !== undefined) return first;
      if (leaving.aborted) throw new DandoriError('server-stopping', 'The server is stopping.');
      await new Promise<void>((resolve) => {
        const goOn = () => {
          waiting.delete(goOn);
          leaving.removeEventListener('abort', goOn);
          resolve();
        };
        waiting.add(goOn);
        leaving.addEventListener('abort', goOn);
      });
    }
  }

  function send({ process }: Worker, order: Order): void {
    // If the process has just ended, its exit rejects the drive.
    if (process.connected) process.send(order, () => {});
  }

  for (let one = 0; one < count; one++) begin();

  return {
    async drive(run, signals) {
      const worker = await leastBusy(signals.soon);
      const conversation = conversationOf(run);
      const id = nextId++;
      const soon = () => send(worker, { type: 'leave', id, when: 'soon' });
      const now = () => send(worker, { type: 'leave', id, when: 'now' });
      signals.soon.addEventListener('abort', soon, { once: true });
      signals.now.addEventListener('abort', now, { once: true });
      try {
        return await new Promise((resolve, reject) => {
          worker.drives.set(id, { run, signals, resolve, reject });
          send(worker, { type: 'drive', id, run, ...(conversation !== undefined && { conversation }) });
          // The server was told to stop while this drive waited for a process.
          if (signals.soon.aborted) soon();
        });
      } finally {
        worker.drives.delete(id);
        signals.soon.removeEventListener('abort', soon);
        signals.now.removeEventListener('abort', now);
      }
    },
    bus: {
      // The processes have no clients of their own.
      tell: () => {},
      hear(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    async metrics() {
      const ready = [...workers].filter(({ isReady }) => isReady);
      const counted = ready.map(
        (worker) =>
          new Promise<object | undefined>((resolve) => {
            const id = nextId++;
            const late = setTimeout(() => give(undefined), COUNTING);
            const give = (metrics: object | undefined) => {
              clearTimeout(late);
              worker.counts.delete(id);
              resolve(metrics);
            };
            worker.counts.set(id, give);
            send(worker, { type: 'count', id });
          }),
      );
      return (await Promise.all(counted)).filter((one) => one !== undefined);
    },
    list: () =>
      [...workers].flatMap(({ isReady, startedAt, drives, process: { pid } }) =>
        isReady && pid !== undefined
          ? [{ pid, startedAt, runs: [...drives.values()].map(({ run }) => run) }]
          : [],
      ),
    async close() {
      isClosing = true;
      await Promise.all(
        [...workers].map(async ({ process }) => {
          const hasEnded = process.exitCode !== null || process.signalCode !== null;
          if (process.pid === undefined || hasEnded) return;
          const ended = new Promise((resolve) => process.once('exit', resolve));
          const late = setTimeout(() => process.kill('SIGKILL'), CLOSING);
          if (process.connected) process.disconnect();
          await ended;
          clearTimeout(late);
        }),
      );
    },
  };
}

/** The other end: what a process does that drives runs for a server. */
export interface ServerLine {
  readonly dispatcher: Dispatcher;
  readonly bus: Bus;
  /** The conversation of a run that the server wants to be driven, if the server knows it. */
  readonly conversationOf: (run: string) => string | undefined;
  /** Tells the server that this process can drive, and gives it what was counted when it asks. */
  ready(metrics: () => Promise<object>): void;
  /** Resolves when the server is gone or wants this process to end. */
  readonly ended: Promise<void>;
}

/** The channel to the server that started this process. */
export function openServerLine(): ServerLine {
  const leaving = new Map<number, { readonly soon: AbortController; readonly now: AbortController }>();
  const running = new Set<Promise<void>>();
  const conversations = new Map<string, string>();
  let drive: Drive | undefined;
  let count: (() => Promise<object>) | undefined;

  const tell = (report: Report) => {
    if (process.connected) process.send?.(report, () => {});
  };

  async function driveFor(id: number, run: string, wanted: Drive): Promise<void> {
    const signals = { soon: new AbortController(), now: new AbortController() };
    leaving.set(id, signals);
    let wakeAt: number | undefined;
    try {
      const { isOpen } = await wanted(run, {
        soon: signals.soon.signal,
        now: signals.now.signal,
        onHold: (isHolding) => tell({ type: 'held', id, isHolding }),
        onPark: (at) => {
          wakeAt = at;
        },
      });
      tell({ type: 'driven', id, isOpen, ...(wakeAt !== undefined && { wakeAt }) });
    } catch (error) {
      const code = error instanceof DandoriError ? { code: error.code } : {};
      tell({ type: 'failed', id, message: messageOf(error), ...code });
    } finally {
      leaving.delete(id);
      conversations.delete(run);
    }
  }

  process.on('message', (message) => {
    const order = message as Order;
    if (order.type === 'leave') leaving.get(order.id)?.[order.when].abort();
    if (order.type === 'drive' && drive !== undefined) {
      if (order.conversation !== undefined) conversations.set(order.run, order.conversation);
      const driving = driveFor(order.id, order.run, drive);
      running.add(driving);
      void driving.then(() => running.delete(driving));
    }
    if (order.type === 'count')
      void count?.().then((metrics) => tell({ type: 'counted', id: order.id, metrics }));
  });

  const wake = (run: string) => tell({ type: 'wake', run });
  return {
    dispatcher: {
      wake: async (run) => wake(run),
      work(wanted): Working {
        drive = wanted;
        const stopping = new AbortController();
        return {
          begin: async () => {},
          take: wake,
          stateOf: () => 'idle',
          get count() {
            return { driving: leaving.size, queued: 0, retrying: 0 };
          },
          get isStopping() {
            return stopping.signal.aborted;
          },
          async stop(grace) {
            stopping.abort();
            for (const { soon } of leaving.values()) soon.abort();
            const late = setTimeout(() => {
              for (const { now } of leaving.values()) now.abort();
            }, grace);
            await Promise.all(running);
            clearTimeout(late);
          },
        };
      },
    },
    conversationOf: (run) => conversations.get(run),
    bus: { tell: (message) => tell({ type: 'live', message }), hear: () => () => {} },
    ready(metrics) {
      count = metrics;
      tell({ type: 'ready' });
    },
    ended: new Promise((resolve) => process.on('disconnect', () => resolve())),
  };
}
