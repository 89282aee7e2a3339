import type { ChildProcess } from 'node:child_process';
import { assertNever, DandoriError } from '../model/error.ts';
import type { Bus, Drive, DriveSignals } from '../store/index.ts';
import type { Order, Report } from './line.ts';

/**
 * Processes that drive the runs of their parent, a server or a program, so that it uses more than one core. The parent
 * says which run is driven, and the process with the fewest drives it. That process holds the claim of the run.
 *
 * W1  A process that ends loses nothing: its drives fail with `WorkerEnded`, and the parent repeats them in another
 *     process.
 * W2  A process that ended is started again, later each time if it does not live long.
 * W3  When the parent ends, in whatever way, its processes stop their calls and end too.
 */
export interface Workers {
  readonly drive: Drive;
  /** Resolves when all processes can drive. */
  ready(): Promise<void>;
  /** Whether the process that drives this run now tells its updates. */
  follow(run: string, isFollowed: boolean): void;
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
  readonly onWake?: (run: string) => void;
  /** What a process says about a followed run. */
  readonly onUpdate?: (update: unknown) => void;
  /** The conversation of a run that may not have begun yet. */
  readonly conversationOf?: (run: string) => string | undefined;
  /** Whether the updates of this run are wanted when its drive begins. */
  readonly isFollowed?: (run: string) => boolean;
  /** So many processes one after the other may end before they are ready. Then drives that wait for one fail. */
  readonly mostFailedStarts?: number;
  readonly log: (line: string) => void;
}

/** The process that drove the run has ended. Another one can go on. */
export class WorkerEnded extends DandoriError {
  constructor(why: string) {
    super('worker-failed', `${why}.`, {
      fix: 'Its runs can be continued. What it printed before says why it ended.',
    });
  }
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

export function createWorkers(options: WorkersOptions): Workers {
  const processes = new Processes(options);
  const listeners = new Set<(message: string) => void>();
  processes.onLive = (message) => {
    for (const listener of listeners) listener(message);
  };
  return {
    ready: () => processes.allReady(),
    async drive(run, signals) {
      let worker = processes.leastBusy();
      // Nothing is awaited between the choice and the drive, which counts for the next choice.
      for (; worker === undefined; worker = processes.leastBusy()) await processes.change(signals.soon);
      const conversation = options.conversationOf?.(run);
      const isFollowed = options.isFollowed?.(run) === true;
      const about = {
        ...(conversation !== undefined && { conversation }),
        ...(isFollowed && { isFollowed }),
      };
      return worker.drive(run, about, signals);
    },
    follow(run, isFollowed) {
      for (const worker of processes.all) worker.follow(run, isFollowed);
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
      const counted = await Promise.all(processes.ready.map((worker) => worker.count()));
      return counted.filter((one) => one !== undefined);
    },
    list: () =>
      processes.ready.flatMap(({ startedAt, runs, pid }) =>
        pid === undefined ? [] : [{ pid, startedAt, runs }],
      ),
    close: () => processes.close(),
  };
}

/** Starts the processes, and each one that ended again. */
class Processes implements Listening {
  readonly all = new Set<WorkerProcess>();
  onLive: (message: string) => void = () => {};
  readonly #options: WorkersOptions;
  /** Those that wait until something here has changed. */
  readonly #waiting = new Set<() => void>();
  /** A drive may wait for one, so they keep the parent alive. */
  readonly #restarts = new Set<NodeJS.Timeout>();
  #shortLives = 0;
  /** The processes that ended before they were ready, since the last one that was. */
  #failedStarts = 0;
  #isClosing = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    for (let one = 0; one < options.count; one++) this.#begin();
  }

  get ready(): WorkerProcess[] {
    return [...this.all].filter(({ isReady }) => isReady);
  }

  async allReady(): Promise<void> {
    while (this.ready.length < this.#options.count) await this.change();
  }

  /** The ready process that drives the fewest runs, if one is ready. */
  leastBusy(): WorkerProcess | undefined {
    const able = this.ready.filter(({ canDrive }) => canDrive);
    return able.sort((one, other) => one.load - other.load)[0];
  }

  /** Waits until a process is ready or has ended, or the signal is aborted. */
  change(leaving?: AbortSignal): Promise<void> {
    const failed = this.#failedStarts;
    if (failed >= (this.#options.mostFailedStarts ?? Number.POSITIVE_INFINITY))
      throw new WorkerEnded(`${failed} worker processes ended before they were ready`);
    if (leaving?.aborted) throw new DandoriError('server-stopping', 'The server is stopping.');
    return new Promise((resolve) => {
      const goOn = () => {
        this.#waiting.delete(goOn);
        leaving?.removeEventListener('abort', goOn);
        resolve();
      };
      this.#waiting.add(goOn);
      leaving?.addEventListener('abort', goOn);
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    await Promise.all([...this.all].map((worker) => worker.close()));
  }

  isReady(): void {
    this.#failedStarts = 0;
    this.#changed();
  }

  wake(run: string): void {
    this.#options.onWake?.(run);
  }

  update(update: unknown): void {
    this.#options.onUpdate?.(update);
  }

  live(message: string): void {
    this.onLive(message);
  }

  unreachable(problem: string): void {
    this.#options.log(`A worker process can't be reached: ${problem}`);
  }

  ended(worker: WorkerProcess, why: string, lifetime: number): void {
    this.all.delete(worker);
    if (!worker.isReady) this.#failedStarts++;
    this.#changed();
    if (this.#isClosing) return;
    this.#shortLives = lifetime < LONG_LIFE ? this.#shortLives + 1 : 0;
    const longer = FIRST_RESTART * 2 ** (this.#shortLives - 1);
    const delay = this.#shortLives === 0 ? 0 : Math.min(longer, LONGEST_RESTART);
    this.#options.log(`${why}; starting another one in ${Math.ceil(delay / 1000)} s.`);
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.#begin();
    }, delay);
    this.#restarts.add(restart);
  }

  #begin(): void {
    if (!this.#isClosing) this.all.add(new WorkerProcess(this.#options.start(), this));
  }

  #changed(): void {
    for (const goOn of [...this.#waiting]) goOn();
  }
}

/** What the parent does about one of its processes. */
interface Listening {
  isReady(): void;
  wake(run: string): void;
  update(update: unknown): void;
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

  /** How many runs it drives. */
  get load(): number {
    return this.#drives.size;
  }

  follow(run: string, isFollowed: boolean): void {
    for (const driven of this.#drives.values())
      if (driven.run === run) this.#send({ type: 'follow', run, isFollowed });
  }

  async drive(
    run: string,
    about: Pick<Order & { type: 'drive' }, 'conversation' | 'isFollowed'>,
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
        this.#send({ type: 'drive', id, run, ...about });
        // The parent was told to stop while this drive waited for a process.
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
        this.#listening.isReady();
        break;
      case 'wake':
        this.#listening.wake(report.run);
        break;
      case 'live':
        this.#listening.live(report.message);
        break;
      case 'update':
        this.#listening.update(report.update);
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
        const { code = 'worker-failed', message, fix } = report;
        this.#drives
          .get(report.id)
          ?.reject(new DandoriError(code, message, fix === undefined ? {} : { fix }));
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
    for (const { reject } of this.#drives.values()) reject(new WorkerEnded(why));
    for (const give of this.#counts.values()) give(undefined);
    this.#listening.ended(this, why, performance.now() - this.#begunAt);
  }
}
