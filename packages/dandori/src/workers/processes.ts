import type { ChildProcess } from 'node:child_process';
import { DandoriError } from '../model/error.ts';
import type { Bus, Drive } from '../store/index.ts';
import { type Listening, WorkerEnded, WorkerProcess } from './worker-process.ts';

/**
 * Processes that drive the runs of their parent, a server or a program, so that it uses more than one core. The parent
 * says which run is driven, and the process with the fewest drives it. That process holds the claim of the run.
 *
 * W1  A process that ends loses nothing: its drives fail with `WorkerEnded`, and the parent repeats them in another
 *     process.
 * W2  A process that ended is started again, later each time if it does not live long.
 * W3  When the parent ends, in whatever way, its processes stop their calls and end too. The exception is a process that a
 *     tool has blocked: the parent kills it when its calls must stop at once, and a parent that was killed cannot.
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

/** Milliseconds. */
const FIRST_RESTART = 200;
const LONGEST_RESTART = 30_000;
/** A process that lived this long, in milliseconds, is started again at once. */
const LONG_LIFE = 10_000;

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
  /** The processes that ended before they were ready, since the last one that was. */
  #failedStarts = 0;
  #lastFailedStart: WorkerEnded | undefined;
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
    if (failed >= (this.#options.mostFailedStarts ?? Number.POSITIVE_INFINITY)) {
      const { why = '', fix } = this.#lastFailedStart ?? {};
      throw new WorkerEnded(`${failed} worker processes ended before they were ready. ${why}`, fix);
    }
    if (leaving?.aborted || this.#isClosing)
      throw new DandoriError('server-stopping', 'The server is stopping.');
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
    this.#changed();
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

  ended(worker: WorkerProcess, error: WorkerEnded, lifetime: number): void {
    this.all.delete(worker);
    if (!worker.isReady) {
      this.#failedStarts++;
      this.#lastFailedStart = error;
    }
    this.#changed();
    if (this.#isClosing) return;
    const shortLives = lifetime < LONG_LIFE ? worker.shortLives + 1 : 0;
    const longer = FIRST_RESTART * 2 ** (shortLives - 1);
    const delay = shortLives === 0 ? 0 : Math.min(longer, LONGEST_RESTART);
    this.#options.log(`${error.why}; starting another one in ${Math.ceil(delay / 1000)} s.`);
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.#begin(shortLives);
    }, delay);
    this.#restarts.add(restart);
  }

  #begin(shortLives = 0): void {
    if (!this.#isClosing) this.all.add(new WorkerProcess(this.#options.start(), this, shortLives));
  }

  #changed(): void {
    for (const goOn of [...this.#waiting]) goOn();
  }
}
