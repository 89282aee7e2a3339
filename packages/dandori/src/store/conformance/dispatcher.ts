import assert from 'node:assert/strict';
import { DandoriError } from '../../model/error.ts';
import type { Dispatcher, Drive, Working } from '../dispatcher/dispatcher.ts';
import type { Journal } from '../journal.ts';
import { eventAt, firstEvent, type Open, type StoreCase } from './cases.ts';

/** A store as one process sees it. */
export interface DispatchingStore {
  readonly journal: Journal;
  readonly dispatcher: Dispatcher;
}

/** Opens a fresh store for one case. `reopen` opens it once more, as another process, or after a crash. */
export type OpenDispatching = Open<DispatchingStore & { reopen(): Promise<DispatchingStore> }>;

/** The contract of `Dispatcher` as cases that every store must pass. */
export function dispatcherCases(open: OpenDispatching): StoreCase[] {
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    async run() {
      await using opened = await open();
      const begun: Working[] = [];
      const start = async (store: DispatchingStore, drive: Drive, atOnce = 4) => {
        const working = store.dispatcher.work(drive, { atOnce, patience: HASTY });
        begun.push(working);
        await working.begin();
        return working;
      };
      try {
        await check(opened, start);
      } finally {
        await Promise.all(begun.map((working) => working.stop(0)));
      }
    },
  }));
}

/** Milliseconds, so that no case has to wait for a minute. */
const HASTY = { quiet: 30, firstRetry: 20, longestRetry: 100, sweep: 50, look: 30, stranded: 50 };

type Opened = DispatchingStore & { reopen(): Promise<DispatchingStore> };
type Start = (store: DispatchingStore, drive: Drive, atOnce?: number) => Promise<Working>;

/** Drives like the engine: with the claim, which is released with the last event that it knew. */
function driveWith({ journal }: DispatchingStore, work: (run: string) => Promise<void> | void): Drive {
  return async (run, { onPark }) => {
    const claim = await journal.claim(run);
    const seen = (await journal.read(run)).length;
    let isDone = false;
    try {
      await work(run);
      isDone = true;
    } finally {
      await claim.release(isDone ? { seen, wakeAt: undefined } : undefined);
    }
    onPark(undefined);
    return { isOpen: true };
  };
}

const CASES: Record<string, (opened: Opened, start: Start) => Promise<void>> = {
  async 'D1: a run that was woken before any process works is driven'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    await store.dispatcher.wake('r1');
    const driven = createCount();
    await start(store, driveWith(store, driven.add));
    await driven.reaches('r1', 1);
  },

  async 'D1: a wake outlives the process that asked for it'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    await store.dispatcher.wake('r1');
    const other = await store.reopen();
    const driven = createCount();
    await start(other, driveWith(other, driven.add));
    await driven.reaches('r1', 1);
  },

  async 'D1: each wake of a parked run is followed by a drive'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const driven = createCount();
    await start(store, driveWith(store, driven.add));
    for (let round = 0; round < 5; round++) {
      const before = driven.of('r1');
      await store.dispatcher.wake('r1');
      await driven.reaches('r1', before + 1);
    }
  },

  async 'D1: a wake during a drive is followed by another one'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const driven = createCount();
    let isWoken = false;
    await start(
      store,
      driveWith(store, async (run) => {
        driven.add(run);
        if (!isWoken) await store.dispatcher.wake(run);
        isWoken = true;
      }),
    );
    await store.dispatcher.wake('r1');
    await driven.reaches('r1', 2);
  },

  async 'D1: a wake for later comes at its time, and an earlier one is not delayed by it'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const driven = createCount();
    const times: number[] = [];
    await start(
      store,
      driveWith(store, (run) => {
        times.push(Date.now());
        driven.add(run);
      }),
    );
    await store.dispatcher.wake('r1');
    await driven.reaches('r1', 1);
    await driven.settles();
    const before = driven.of('r1');
    const asked = Date.now();
    await store.dispatcher.wake('r1', asked + 200);
    await store.dispatcher.wake('r1', asked + 3_600_000);
    // A drive too many is allowed. The clock of a database may differ by a few milliseconds.
    for (let drives = before; (times.at(-1) ?? 0) < asked + 190; drives++)
      await driven.reaches('r1', drives + 1);
  },

  async 'D1: no wake for later is lost by a drive before its time'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const driven = createCount();
    let last = 0;
    await start(
      store,
      driveWith(store, (run) => {
        last = Date.now();
        driven.add(run);
      }),
    );
    await driven.reaches('r1', 1);
    await driven.settles();
    const asked = Date.now();
    for (const later of [300, 600]) await store.dispatcher.wake('r1', asked + later);
    const before = driven.of('r1');
    await store.dispatcher.wake('r1');
    await driven.reaches('r1', before + 1);
    // The clock of a database may differ by a few milliseconds.
    for (const later of [300, 600])
      await until(() => last >= asked + later - 10, `a drive after ${later} ms`);
  },

  async 'D2: a run that was created is driven, without a wake'(store, start) {
    const driven = createCount();
    await store.journal.create('r1', [firstEvent('r1')]);
    const other = await store.reopen();
    await start(other, driveWith(other, driven.add));
    await driven.reaches('r1', 1);
  },

  async 'D2: a command of another process is followed by a drive that sees it'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const seen: number[] = [];
    const driven = createCount();
    await start(
      store,
      driveWith(store, async (run) => {
        seen.push((await store.journal.read(run)).length);
        driven.add(run);
      }),
    );
    await driven.reaches('r1', 1);
    const other = await store.reopen();
    for (let seq = 2; seq <= 5; seq++) {
      await other.journal.append('r1', seq - 1, [eventAt('r1', seq)]);
      await until(() => seen.at(-1) === seq, `a drive that sees event ${seq}`);
    }
  },

  async 'D2: a command that a driver has not seen is followed by another drive'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const seen: number[] = [];
    const other = await store.reopen();
    await start(store, async (run, { onPark }) => {
      const claim = await store.journal.claim(run);
      const { length } = await store.journal.read(run);
      seen.push(length);
      // The command comes after the driver has read for the last time.
      if (length === 1) await other.journal.append(run, 1, [eventAt(run, 2)]);
      await claim.release({ seen: length, wakeAt: undefined });
      onPark(undefined);
      return { isOpen: true };
    });
    await until(() => seen.includes(2), 'a drive that sees the command');
  },

  async 'D2: a parked run is woken at the time that its driver told'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const driven = createCount();
    await start(store, async (run, { onPark }) => {
      const claim = await store.journal.claim(run);
      driven.add(run);
      const wakeAt = driven.of(run) < 3 ? Date.now() + 30 : undefined;
      await claim.release({ seen: 1, wakeAt });
      onPark(wakeAt);
      return { isOpen: true };
    });
    await driven.reaches('r1', 3);
  },

  async 'D3: however often it is woken, one process drives a run at a time'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const other = await store.reopen();
    const driven = createCount();
    let now = 0;
    let most = 0;
    const work = async (run: string) => {
      most = Math.max(most, ++now);
      await pause(20);
      now--;
      driven.add(run);
    };
    await start(store, driveWith(store, work));
    await start(other, driveWith(other, work));
    for (let round = 0; round < 10; round++) {
      await Promise.all([store.dispatcher.wake('r1'), other.dispatcher.wake('r1')]);
      await pause(10);
    }
    await driven.reaches('r1', 2);
    assert.equal(most, 1);
  },

  async 'D4: a process drives no more runs at once than it may, and all of them in the end'(store, start) {
    const runs = Array.from({ length: 12 }, (_, index) => `r${index}`);
    for (const run of runs) await store.journal.create(run, [firstEvent(run)]);
    for (const run of runs) await store.dispatcher.wake(run);
    const driven = createCount();
    let now = 0;
    let most = 0;
    const work = async (run: string) => {
      most = Math.max(most, ++now);
      await pause(5);
      now--;
      driven.add(run);
    };
    await start(store, driveWith(store, work), 3);
    for (const run of runs) await driven.reaches(run, 1);
    assert.ok(most <= 3, `${most} at once`);
  },

  async 'D4: a run that only holds calls open gives up its place'(store, start) {
    for (const run of ['r1', 'r2']) await store.journal.create(run, [firstEvent(run)]);
    const driven = createCount();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const drive = driveWith(store, async (run) => {
      driven.add(run);
      if (driven.total === 1) await held;
    });
    await start(
      store,
      (run, signals) => {
        if (driven.total === 0) signals.onHold(true);
        return drive(run, signals);
      },
      1,
    );
    for (const run of ['r1', 'r2']) await store.dispatcher.wake(run);
    await until(() => driven.of('r1') > 0 && driven.of('r2') > 0, 'both runs');
    letGo();
  },

  async 'D5: a drive that fails is repeated, and other runs do not wait for it'(store, start) {
    for (const run of ['r1', 'r2']) await store.journal.create(run, [firstEvent(run)]);
    const driven = createCount();
    await start(
      store,
      driveWith(store, (run) => {
        driven.add(run);
        if (run === 'r1' && driven.of(run) < 4) throw new DandoriError('journal-unwritable', 'Full.');
      }),
    );
    for (const run of ['r1', 'r2']) await store.dispatcher.wake(run);
    await driven.reaches('r2', 1);
    await driven.reaches('r1', 4);
  },

  async 'D6: after a stop nothing is driven, and what is left another process drives'(store, start) {
    await store.journal.create('r1', [firstEvent('r1')]);
    const driven = createCount();
    const first = await start(store, async (run, { soon }) => {
      const claim = await store.journal.claim(run);
      driven.add(run);
      if (!soon.aborted) await new Promise((resolve) => soon.addEventListener('abort', resolve));
      await claim.release({ seen: 1, wakeAt: Date.now() });
      return { isOpen: true };
    });
    await store.dispatcher.wake('r1');
    await driven.reaches('r1', 1);
    await first.stop(1_000);
    assert.ok(first.isStopping);
    const before = driven.total;
    await store.dispatcher.wake('r1');
    await pause(100);
    assert.equal(driven.total, before);
    const other = await store.reopen();
    const taken = createCount();
    await start(other, driveWith(other, taken.add));
    await taken.reaches('r1', 1);
  },
};

function createCount() {
  const counts = new Map<string, number>();
  const of = (run: string) => counts.get(run) ?? 0;
  return {
    of,
    get total() {
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    add: (run: string) => void counts.set(run, of(run) + 1),
    reaches: (run: string, least: number) => until(() => of(run) >= least, `drive ${least} of ${run}`),
    /** Waits until no more drives follow, such as one for what the drive itself wrote. */
    async settles() {
      for (let before = -1; before !== this.total; await pause(150)) before = this.total;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`It did not come to this: ${what}.`);
    await pause(5);
  }
}
