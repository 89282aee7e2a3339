import type { ChildProcess } from 'node:child_process';
import { assertNever, DandoriError } from '../model/error.ts';
import { asObject } from '../model/json.ts';
import type { DriveSignals } from '../store/index.ts';
import type { DriveResult, Order, Report, ReportMessage } from './line.ts';

/** The process that drove the run has ended. Another one can go on. */
export class WorkerEnded extends DandoriError {
  /** Without the full stop of the message. */
  readonly why: string;

  constructor(why: string, fix = 'Its runs can be continued. What it printed before says why it ended.') {
    super('worker-failed', `${why}.`, { fix });
    this.why = why;
  }
}

/** Milliseconds that processes get to close their tool servers. */
const CLOSING = 5_000;
/** Milliseconds to leave a run whose calls must stop at once. Calls get five seconds of them to stop. */
const LEAVING = 10_000;
/** Milliseconds to tell what was counted. */
const COUNTING = 2_000;

/** What the parent does about one of its processes. */
export interface Listening {
  isReady(): void;
  wake(run: string): void;
  update(update: unknown): void;
  live(message: string): void;
  unreachable(problem: string): void;
  /** The process ended after so many milliseconds. Its drives have failed. */
  ended(worker: WorkerProcess, error: WorkerEnded, lifetime: number): void;
}

interface Driven {
  readonly run: string;
  readonly signals: DriveSignals;
  readonly resolve: (how: DriveResult) => void;
  readonly reject: (error: unknown) => void;
}

/** One process: the orders that it got, until it reports about them. */
export class WorkerProcess {
  readonly startedAt = Date.now();
  /** So many processes before this one, in its place, did not live long. */
  readonly shortLives: number;
  readonly #begunAt = performance.now();
  readonly #process: ChildProcess;
  readonly #listening: Listening;
  readonly #drives = new Map<number, Driven>();
  readonly #counts = new Map<number, (metrics: object | undefined) => void>();
  #nextId = 1;
  #isReady = false;
  #unable: WorkerEnded | undefined;

  constructor(child: ChildProcess, listening: Listening, shortLives: number) {
    this.#process = child;
    this.#listening = listening;
    this.shortLives = shortLives;
    child.on('message', (message) => {
      const { dandori: report }: Partial<ReportMessage> = asObject(message);
      if (report !== undefined) this.#hear(report);
    });
    child.on('error', (error) => {
      // A program that can't be started has no exit.
      if (child.pid === undefined)
        this.#ended(new WorkerEnded(`A worker process can't be started: ${error.message}`));
      else listening.unreachable(error.message);
    });
    child.once('exit', (code, signal) =>
      this.#ended(
        this.#unable ??
          new WorkerEnded(`The worker process ${child.pid} ended (${signal ?? `exit code ${code}`})`),
      ),
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
  ): Promise<DriveResult> {
    const id = this.#nextId++;
    let late: NodeJS.Timeout | undefined;
    const soon = () => this.#send({ type: 'leave', id, when: 'soon' });
    const now = () => {
      this.#send({ type: 'leave', id, when: 'now' });
      // It may be stopped, or a tool may have blocked it.
      late = setTimeout(() => this.#process.kill('SIGKILL'), LEAVING);
    };
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
      clearTimeout(late);
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
      case 'unable':
        this.#unable = new WorkerEnded(`A worker process can't begin: ${report.message}`, report.fix);
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
        driven?.resolve(report.how);
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

  #ended(error: WorkerEnded): void {
    for (const { reject } of this.#drives.values()) reject(error);
    for (const give of this.#counts.values()) give(undefined);
    this.#listening.ended(this, error, performance.now() - this.#begunAt);
  }
}
