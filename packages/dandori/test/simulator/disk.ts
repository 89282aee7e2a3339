import { DandoriError } from '../../src/model/error.ts';
import type { Event } from '../../src/model/event.ts';
import { type Json, parseJson, stringifyJson } from '../../src/model/json.ts';
import { type Claim, conflict, RUNS } from '../../src/store/index.ts';
import type { Fate, FaultAt } from './faults.ts';
import type { Lease } from './leases.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** A written line and the event parsed from it. It never shares the writer's object. */
interface Line {
  readonly text: string;
  readonly event: Event;
  /** Whether it is the last line of its append. */
  readonly isLast: boolean;
}

export interface SimulatedFile {
  readonly lines: readonly Line[];
  /** The lines that a writer was told are durable, by seq. */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** So many lines are on the disk. */
  readonly durable: number;
  /** The process that may drive the run. The claim of a dead process does not count. */
  claim: { readonly by: SimulatedProcess; readonly claim: Claim; readonly lease: Lease } | undefined;
  readonly watchers: Watchers;
}

type Watchers = Set<{ readonly by: SimulatedProcess; readonly changed: (last: number) => void }>;

interface Append {
  readonly by: SimulatedProcess;
  readonly after: number;
  readonly events: readonly Event[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The journals of a simulation. All processes see a write at once, but it is durable only after the sync. If
 * a process dies, its writes stay. If the machine dies, the synced writes stay, and maybe some of the others.
 *
 * Appends are serialized. Each holds a lock until its sync is done, as in `run-file`.
 */
export interface Disk {
  readonly files: ReadonlyMap<string, SimulatedFile>;
  fileOf(run: string): SimulatedFile;
  /** Those who watch a run, which may not exist yet. */
  watchersOf(run: string): Watchers;
  create(run: string, events: readonly Event[]): void;
  /** From now on everything that is written is durable. */
  sync(run: string): void;
  append(run: string, about: Omit<Append, 'resolve' | 'reject'>): Promise<void>;
  remove(run: string): void;
  /** Notifications get lost for some time. */
  loseNotices(ms: number): void;
  powerCut(): void;
}

interface DiskParts {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  /** All processes on the machine with this disk. */
  readonly processes: ReadonlySet<SimulatedProcess>;
  /** Lets a process stand still for some time. */
  readonly stop: (process: SimulatedProcess) => void;
}

interface File extends SimulatedFile {
  readonly lines: Line[];
  durable: number;
  readonly acknowledged: Map<number, string>;
  readonly queue: Append[];
  writing: Append | undefined;
}

/** The longest delay between a write and the notification of watchers, in milliseconds. */
const LONGEST_NOTICE = 8;
/** A watcher that gets no notifications looks by itself, so many milliseconds later. */
const LOOK = 2_000;

export function createDisk({ random, timeline, fate, processes, stop }: DiskParts): Disk {
  const files = new Map<string, File>();
  const watched = new Map<string, Watchers>();
  let deafUntil = 0;
  const fileOf = (run: string): File => files.get(run) ?? RUNS.notFound(run);
  const watchersOf = (run: string): Watchers => {
    const watchers = watched.get(run) ?? new Set();
    watched.set(run, watchers);
    return watchers;
  };

  function write(file: File, events: readonly Event[]): void {
    for (const event of events) {
      const text = stringifyJson(event);
      file.lines.push({
        text,
        event: frozen(parseJson(text) as Json & Event),
        isLast: event === events.at(-1),
      });
    }
    // Delayed, so that another process can decide on stale state in between and must be refused.
    for (const watcher of file.watchers)
      timeline.after(random.below(LONGEST_NOTICE) + (timeline.now < deafUntil ? LOOK : 0), () =>
        watcher.by.whenAwake(() => watcher.changed(file.lines.length)),
      );
  }

  function acknowledge(file: File, { resolve, events }: Append): void {
    for (const { seq } of events) file.acknowledged.set(seq, file.lines[seq - 1]?.text ?? '');
    resolve();
  }

  /** Starts the next append in the queue that matches the length of the file. */
  function pump(run: string, file: File): void {
    while (file.writing === undefined) {
      const next = file.queue.shift();
      if (next === undefined) return;
      if (!next.by.isAlive) continue;
      if (file.lines.length !== next.after) {
        attempt(() => conflict(run, next.after, file.lines.length), next.reject);
        continue;
      }
      begin(run, file, next);
    }
  }

  function begin(run: string, file: File, one: Append): void {
    const { by, events } = one;
    const fault = fate.strike('append', () => `${by.name}: ${events.map(({ type }) => type).join(' ')}`);
    switch (fault) {
      case 'crash_before_write':
      // The next append cuts a torn write off: an append is there completely or not at all.
      case 'torn_write':
        by.die();
        return;
      case 'write_refused':
        one.reject(new DandoriError('journal-unwritable', 'The disk is full, says the simulation.'));
        return;
    }
    write(file, events);
    if (fault === 'crash_before_sync') by.die();
    else if (fault === 'power_cut') powerCut();
    else sync(run, file, { one, fault });
  }

  /** The lock is held until the sync is done or its holder dies. */
  function sync(
    run: string,
    file: File,
    { one, fault }: { one: Append; fault: FaultAt<'append'> | undefined },
  ): void {
    const { by } = one;
    file.writing = one;
    const end = file.lines.length;
    const goOn = () => {
      file.writing = undefined;
      pump(run, file);
    };
    by.onDeath(() => file.writing === one && goOn());
    timeline.after(random.below(4), () => {
      if (file.writing !== one) return;
      file.durable = end;
      if (fault === 'crash_before_acknowledgement') by.die();
      else {
        // It hears of the acknowledgement when it goes on.
        if (fault === 'stopped_after_event') stop(by);
        acknowledge(file, one);
        goOn();
        if (fault === 'crash_after_event') by.die();
      }
    });
  }

  function powerCut(): void {
    for (const file of files.values()) {
      const rest = file.lines.length - file.durable;
      let kept = file.durable + random.below(rest + 1);
      while (kept > file.durable && file.lines[kept - 1]?.isLast === false) kept--;
      file.lines.length = kept;
      file.durable = kept;
    }
    for (const process of [...processes]) process.die();
  }

  return {
    files,
    fileOf,
    create(run, events) {
      if (files.has(run)) throw new DandoriError('run-exists', `The run ${run} already exists.`);
      const file: File = {
        lines: [],
        durable: events.length,
        acknowledged: new Map(),
        queue: [],
        writing: undefined,
        claim: undefined,
        watchers: watchersOf(run),
      };
      write(file, events);
      for (const [index, { text }] of file.lines.entries()) file.acknowledged.set(index + 1, text);
      files.set(run, file);
    },
    watchersOf,
    sync(run) {
      const file = fileOf(run);
      file.durable = file.lines.length;
    },
    append(run, about) {
      const file = fileOf(run);
      return new Promise((resolve, reject) => {
        file.queue.push({ ...about, resolve, reject });
        pump(run, file);
      });
    },
    remove: (run) => void files.delete(run),
    loseNotices(ms) {
      deafUntil = timeline.now + ms;
    },
    powerCut,
  };
}

function attempt(work: () => never, caught: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    caught(error);
  }
}

/** Journaled events are facts. Freezing them exposes code that changes one. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}
