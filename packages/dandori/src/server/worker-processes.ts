import type { ChildProcess } from 'node:child_process';
import { assertNever, DandoriError } from '../model/error.ts';
import type { Bus, Drive, DriveSignals } from '../store/index.ts';
import type { Order, Report } from './server-line.ts';

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
  const workers = new Set<WorkerProcess>();
  const waiting = new Set<() => void>();
  const listeners = new Set<(message: string) => void>();
  let shortLives = 0;
  let isClosing = false;

  const heard: Listening = {
    ready() {
      for (const goOn of [...waiting]) goOn();
    },
    wake: onWake,
    live(message) {
      for (const listener of listeners) listener(message);
    },
    unreachable: (problem) => log(`A worker process can't be reached: ${problem}`),
    ended(worker, why, lifetime) {
      workers.delete(worker);
      if (isClosing) return;
      shortLives = lifetime < LONG_LIFE ? shortLives + 1 : 0;
      const delay = shortLives === 0 ? 0 : Math.min(FIRST_RESTART * 2 ** (shortLives - 1), LONGEST_RESTART);
      log(`${why}; starting another one in ${Math.ceil(delay / 1000)} s.`);
      setTimeout(begin, delay).unref();
    },
  };

  function begin(): void {
    if (!isClosing) workers.add(new WorkerProcess(start(), heard));
  }

  /** The ready process that drives the fewest runs. Waits until there is one. */
  async function leastBusy(leaving: AbortSignal): Promise<WorkerProcess> {
    for (;;) {
      const ready = [...workers].filter((worker) => worker.canDrive);
      const [first] = ready.sort((one, other) => one.runs.length - other.runs.length);
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

  for (let one = 0; one < count; one++) begin();

  return {
    async drive(run, signals) {
      const worker = await leastBusy(signals.soon);
      return worker.drive(run, conversationOf(run), signals);
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
      const counted = await Promise.all(ready.map((worker) => worker.count()));
      return counted.filter((one) => one !== undefined);
    },
    list: () =>
      [...workers].flatMap(({ isReady, startedAt, runs, pid }) =>
        isReady && pid !== undefined ? [{ pid, startedAt, runs }] : [],
      ),
    async close() {
      isClosing = true;
      await Promise.all([...workers].map((worker) => worker.close()));
    },
  };
}

/** What the server does about one of its processes. */
interface Listening {
  ready(): void;
  wake(run: string): void;
  live(message: string): void;
  unreachable(problem: string): void;
  /** The process ended after so many milliseconds. Its drives have failed. */
  ended(worker: WorkerProcess, why: string, lifetime: number): void;
}

interface Driven {
  readonly run: string;
  readonly signals: DriveSignals;
  readonly resolve: (how: { readonly isOpen: boolean }) => void;
  readonly reject: (error: unknown) => void;
}

/** One process: the orders that it got, until it reports about them. */
class WorkerProcess {
  readonly startedAt = Date.now();
  readonly #begunAt = performance.now();
  readonly #process: ChildProcess;
  readonly #listening: Listening;
  readonly #drives = new Map<number, Driven>();
  readonly #counts = new Map<number, (metrics: object | undefined) => void>();
  #nextId = 1;
  #isReady = false;

  constructor(child: ChildProcess, listening: Listening) {
    this.#process = child;
    this.#listening = listening;
    child.on('message', (report) => this.#hear(report as Report));
    child.on('error', (error) => {
      // A program that can't be started has no exit.
      if (child.pid === undefined) this.#ended(`A worker process can't be started: ${error.message}`);
      else listening.unreachable(error.message);
    });
    child.once('exit', (code, signal) =>
      this.#ended(`The worker process ${child.pid} ended (${signal ?? `exit code ${code}`})`),
    );
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get canDrive(): boolean {
    return this.#isReady && this.#process.connected;
  }

  get runs(): string[] {
    return [...this.#drives.values()].map(({ run }) => run);
  }

  async drive(
    run: string,
    conversation: string | undefined,
    signals: DriveSignals,
  ): Promise<{ readonly isOpen: boolean }> {
    const id = this.#nextId++;
    const soon = () => this.#send({ type: 'leave', id, when: 'soon' });
    const now = () => this.#send({ type: 'leave', id, when: 'now' });
    signals.soon.addEventListener('abort', soon, { once: true });
    signals.now.addEventListener('abort', now, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#drives.set(id, { run, signals, resolve, reject });
        this.#send({ type: 'drive', id, run, ...(conversation !== undefined && { conversation }) });
        // The server was told to stop while this drive waited for a process.
        if (signals.soon.aborted) soon();
      });
    } finally {
      this.#drives.delete(id);
      signals.soon.removeEventListener('abort', soon);
      signals.now.removeEventListener('abort', now);
    }
  }

  /** What the process has counted. Undefined if it does not answer. */
  count(): Promise<object | undefined> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const late = setTimeout(() => give(undefined), COUNTING);
      const give = (metrics: object | undefined) => {
        clearTimeout(late);
        this.#counts.delete(id);
        resolve(metrics);
      };
      this.#counts.set(id, give);
      this.#send({ type: 'count', id });
    });
  }

  async close(): Promise<void> {
    const child = this.#process;
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid === undefined || hasEnded) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const late = setTimeout(() => child.kill('SIGKILL'), CLOSING);
    if (child.connected) child.disconnect();
    await ended;
    clearTimeout(late);
  }

  #send(order: Order): void {
    // If the process has just ended, its exit rejects the drive.
    if (this.#process.connected) this.#process.send(order, () => {});
  }

  #hear(report: Report): void {
    switch (report.type) {
      case 'ready':
        this.#isReady = true;
        this.#listening.ready();
        break;
      case 'wake':
        this.#listening.wake(report.run);
        break;
      case 'live':
        this.#listening.live(report.message);
        break;
      case 'held':
        this.#drives.get(report.id)?.signals.onHold(report.isHolding);
        break;
      case 'driven': {
        const driven = this.#drives.get(report.id);
        driven?.signals.onPark(report.wakeAt);
        driven?.resolve({ isOpen: report.isOpen });
        break;
      }
      case 'failed': {
        const { code, message } = report;
        this.#drives.get(report.id)?.reject(new DandoriError(code ?? 'server-failed', message));
        break;
      }
      case 'counted':
        this.#counts.get(report.id)?.(report.metrics);
        break;
      default:
        assertNever(report);
    }
  }

  #ended(why: string): void {
    for (const { reject } of this.#drives.values()) reject(new DandoriError('server-failed', why));
    for (const give of this.#counts.values()) give(undefined);
    this.#listening.ended(this, why, performance.now() - this.#begunAt);
  }
}
