import { DandoriError, type ErrorCode, messageOf } from '../model/error.ts';
import type { Bus, Dispatcher, Drive, Working } from '../store/index.ts';

/** From the server to a process that drives for it. */
export type Order =
  | { readonly type: 'drive'; readonly id: number; readonly run: string; readonly conversation?: string }
  | { readonly type: 'leave'; readonly id: number; readonly when: 'soon' | 'now' }
  | { readonly type: 'count'; readonly id: number };

/** From such a process to the server. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'wake'; readonly run: string }
  | { readonly type: 'live'; readonly message: string }
  | { readonly type: 'held'; readonly id: number; readonly isHolding: boolean }
  | { readonly type: 'driven'; readonly id: number; readonly isOpen: boolean; readonly wakeAt?: number }
  | { readonly type: 'failed'; readonly id: number; readonly code?: ErrorCode; readonly message: string }
  | { readonly type: 'counted'; readonly id: number; readonly metrics: object };

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
