import { DandoriError, type ErrorCode, messageOf } from '../model/error.ts';
import type { Bus, Dispatcher, Drive, Working } from '../store/index.ts';

/** From the parent to a process that drives for it. */
export type Order =
  | {
      readonly type: 'drive';
      readonly id: number;
      readonly run: string;
      readonly conversation?: string;
      readonly isFollowed?: boolean;
    }
  | { readonly type: 'follow'; readonly run: string; readonly isFollowed: boolean }
  | { readonly type: 'leave'; readonly id: number; readonly when: 'soon' | 'now' }
  | { readonly type: 'count'; readonly id: number };

/** An error, as far as it can be sent. */
interface Problem {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** How a drive ended, with what else the parent wants to know then. */
export type DriveResult = Awaited<ReturnType<Drive>>;

/** From such a process to its parent. */
export type Report =
  | { readonly type: 'ready' }
  | ({ readonly type: 'unable' } & Problem)
  | { readonly type: 'wake'; readonly run: string }
  | { readonly type: 'live'; readonly message: string }
  | { readonly type: 'update'; readonly update: unknown }
  | { readonly type: 'held'; readonly id: number; readonly isHolding: boolean }
  | { readonly type: 'driven'; readonly id: number; readonly how: DriveResult; readonly wakeAt?: number }
  | ({ readonly type: 'failed'; readonly id: number } & Problem)
  | { readonly type: 'counted'; readonly id: number; readonly metrics: object };

/** A report as it is sent. Tools send messages to the parent too, such as `ready` for a process manager. */
export interface ReportMessage {
  readonly dandori: Report;
}

/** The other end: what a process does that drives runs for its parent. */
export interface ParentLine {
  readonly dispatcher: Dispatcher;
  readonly bus: Bus;
  /** The conversation of a run that the parent wants to be driven, if the parent knows it. */
  readonly conversationOf: (run: string) => string | undefined;
  /** Whether the parent wants the updates of this run. */
  readonly isFollowed: (run: string) => boolean;
  update(update: unknown): void;
  /** Tells the parent that this process can drive, and gives it what was counted when it asks. */
  ready(metrics?: () => Promise<object>): void;
  /** Tells the parent why this process will never be ready, and resolves when it has been told. */
  unable(error: unknown): Promise<void>;
  /** Resolves when the parent is gone or wants this process to end. */
  readonly ended: Promise<void>;
}

interface Driving {
  readonly run: string;
  readonly soon: AbortController;
  readonly now: AbortController;
}

/** The channel to the parent that started this process. */
export function openParentLine(): ParentLine {
  // With `node --watch`, Node would send what this process loads to the parent, which watches nothing.
  delete process.env.WATCH_REPORT_DEPENDENCIES;
  // Ctrl-C in a terminal reaches this process too. The parent decides when it stops.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const drives = new Map<number, Driving>();
  const running = new Set<Promise<void>>();
  const conversations = new Map<string, string>();
  const followed = new Set<string>();
  let drive: Drive | undefined;
  let count: (() => Promise<object>) | undefined;

  const tell = (report: Report, told = () => {}) => {
    const message: ReportMessage = { dandori: report };
    if (process.connected) process.send?.(message, told);
    else told();
  };

  async function driveFor(id: number, run: string, wanted: Drive): Promise<void> {
    const signals = { soon: new AbortController(), now: new AbortController() };
    drives.set(id, { run, ...signals });
    let wakeAt: number | undefined;
    try {
      const how = await wanted(run, {
        soon: signals.soon.signal,
        now: signals.now.signal,
        onHold: (isHolding) => tell({ type: 'held', id, isHolding }),
        onPark: (at) => {
          wakeAt = at;
        },
      });
      tell({ type: 'driven', id, how, ...(wakeAt !== undefined && { wakeAt }) });
    } catch (error) {
      tell({ type: 'failed', id, ...aboutError(error) });
    } finally {
      drives.delete(id);
      conversations.delete(run);
      followed.delete(run);
    }
  }

  function follow(run: string, isWanted: boolean): void {
    const isDriven = [...drives.values()].some((one) => one.run === run);
    if (isWanted && isDriven) followed.add(run);
    else followed.delete(run);
  }

  process.on('message', (message) => {
    const order = message as Order;
    if (order.type === 'leave') drives.get(order.id)?.[order.when].abort();
    if (order.type === 'drive' && drive !== undefined) {
      if (order.conversation !== undefined) conversations.set(order.run, order.conversation);
      if (order.isFollowed === true) followed.add(order.run);
      const driving = driveFor(order.id, order.run, drive);
      running.add(driving);
      void driving.then(() => running.delete(driving));
    }
    if (order.type === 'follow') follow(order.run, order.isFollowed);
    if (order.type === 'count')
      void count?.().then((metrics) => tell({ type: 'counted', id: order.id, metrics }));
  });

  const wake = (run: string) => tell({ type: 'wake', run });
  return {
    dispatcher: {
      wake: async (run) => wake(run),
      work(wanted) {
        drive = wanted;
        return createWorking(drives, { running, wake });
      },
    },
    conversationOf: (run) => conversations.get(run),
    isFollowed: (run) => followed.has(run),
    update: (update) => tell({ type: 'update', update }),
    bus: { tell: (message) => tell({ type: 'live', message }), hear: () => () => {} },
    ready(metrics) {
      count = metrics;
      tell({ type: 'ready' });
    },
    unable: (error) => new Promise((resolve) => tell({ type: 'unable', ...aboutError(error) }, resolve)),
    ended: new Promise((resolve) => {
      // The parent may have ended while this process was loading its code.
      if (process.connected) process.on('disconnect', () => resolve());
      else resolve();
    }),
  };
}

function aboutError(error: unknown): Problem {
  const { code, fix } = error instanceof DandoriError ? error : {};
  return { message: messageOf(error), ...(code !== undefined && { code, fix }) };
}

/** The parent has the queue, so this process only knows what it drives. */
function createWorking(
  drives: ReadonlyMap<number, Driving>,
  { running, wake }: { readonly running: ReadonlySet<Promise<void>>; readonly wake: (run: string) => void },
): Working {
  let isStopping = false;
  return {
    begin: async () => {},
    take: wake,
    stateOf: () => 'idle',
    get count() {
      return { driving: drives.size, queued: 0, retrying: 0 };
    },
    get isStopping() {
      return isStopping;
    },
    async stop(grace) {
      isStopping = true;
      for (const { soon } of drives.values()) soon.abort();
      const late = setTimeout(() => {
        for (const { now } of drives.values()) now.abort();
      }, grace);
      await Promise.all(running);
      clearTimeout(late);
    },
  };
}
