import { DandoriError } from '../../model/error.ts';
import type { Event } from '../../model/event.ts';
import { parseJson, stringifyJson } from '../../model/json.ts';
import { conflict, RUNS } from '../../store/journal.ts';
import type { Fate, FaultAt } from './faults.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** A line as it was written, and the event that is read from it: never the object that the writer had. */
interface Line {
  readonly text: string;
  readonly event: Event;
  /** Whether it is the last one of its append. */
  readonly isLast: boolean;
}

export interface SimulatedFile {
  readonly lines: readonly Line[];
  /** What a writer was told to be safe, by seq. */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** Who may drive the run. A dead holder holds nothing. */
  claim: { readonly by: SimulatedProcess } | undefined;
  readonly watchers: Set<{ readonly by: SimulatedProcess; readonly changed: (last: number) => void }>;
}

interface Append {
  readonly by: SimulatedProcess;
  readonly after: number;
  readonly events: readonly Event[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Where the journals of a simulation lie. What is written is seen by all at once and is safe only when it is synced: a
 * process that dies leaves what it has written, a machine that dies leaves what was synced and perhaps some of the rest.
 *
 * Appends are made one after the other, each under a lock that is held until the sync, as with `run-file`.
 */
export interface Disk {
  readonly files: ReadonlyMap<string, SimulatedFile>;
  fileOf(run: string): SimulatedFile;
  create(run: string, events: readonly Event[]): void;
  append(run: string, about: Omit<Append, 'resolve' | 'reject'>): Promise<void>;
  remove(run: string): void;
  powerCut(): void;
}

interface DiskParts {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  /** Every process that runs on the machine of this disk. */
  readonly processes: ReadonlySet<SimulatedProcess>;
}

interface File extends SimulatedFile {
  readonly lines: Line[];
  durable: number;
  readonly acknowledged: Map<number, string>;
  readonly queue: Append[];
  writing: Append | undefined;
}

/** Milliseconds from a write to the moment at which those who watch the file are told. */
const LONGEST_NOTICE = 8;

export function createDisk({ random, timeline, fate, processes }: DiskParts): Disk {
  const files = new Map<string, File>();
  const fileOf = (run: string): File => files.get(run) ?? RUNS.notFound(run);

  function write(file: File, events: readonly Event[]): void {
    for (const event of events) {
      const text = stringifyJson(event);
      file.lines.push({
        text,
        event: frozen(parseJson(text) as unknown as Event),
        isLast: event === events.at(-1),
      });
    }
    // Not at once: what somebody else decides in between does not fit any more.
    for (const watcher of file.watchers)
      timeline.after(
        random.below(LONGEST_NOTICE),
        () => watcher.by.isAlive && watcher.changed(file.lines.length),
      );
  }

  function acknowledge(file: File, { resolve, events }: Append): void {
    for (const { seq } of events) file.acknowledged.set(seq, file.lines[seq - 1]?.text ?? '');
    resolve();
  }

  /** Takes the next in the queue that fits. */
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
      // What is torn is nobody's, and the next append cuts it off: an append is there whole or not at all.
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

  /** The lock is held until it is done, or until its holder dies. */
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
      if (files.has(run)) throw new DandoriError('run-exists', `The run ${run} is there already.`);
      const file: File = {
        lines: [],
        durable: events.length,
        acknowledged: new Map(),
        queue: [],
        writing: undefined,
        claim: undefined,
        watchers: new Set(),
      };
      write(file, events);
      for (const [index, { text }] of file.lines.entries()) file.acknowledged.set(index + 1, text);
      files.set(run, file);
    },
    append(run, about) {
      const file = fileOf(run);
      return new Promise((resolve, reject) => {
        file.queue.push({ ...about, resolve, reject });
        pump(run, file);
      });
    },
    remove: (run) => void files.delete(run),
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

/** What is in the journal has happened: who changed it would be found out. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}
