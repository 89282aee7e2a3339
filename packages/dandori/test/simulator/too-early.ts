import type { Event } from '../../src/model/event.ts';
import { stringifyJson } from '../../src/model/json.ts';
import { refsIn } from '../../src/plan/fill-refs.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { Call } from '../../src/tools/index.ts';
import type { Violation } from './checks.ts';
import type { Disk } from './disk.ts';
import { effectOf, type Scenario } from './scenario.ts';

/**
 * Finds what leaves a process before the facts that it rests on are on the disk. It looks at each call, and at each word
 * to a client, the user or the caller of `drive`. So no crash has to strike in the right moment.
 */
export interface TooEarly {
  readonly found: readonly Violation[];
  /**
   * A tool is called. By now the start of the call is on the disk, unless it reads, and so are the outcomes of the
   * tasks that it follows from, unless these read.
   */
  called(call: Call): void;
  /** A client is told of an event, or the user that a command is accepted. */
  told(event: Event): void;
  /** The caller of `drive` is told that the run has ended. */
  toldEnd(run: string): void;
}

interface Parts {
  readonly disk: Pick<Disk, 'fileOf'>;
  readonly scenario: Pick<Scenario, 'batches'>;
  /** The hashes of the blobs that are on the disk. */
  readonly storedBlobs: ReadonlySet<string>;
}

export function createTooEarly({ disk, scenario, storedBlobs }: Parts): TooEarly {
  const found: Violation[] = [];
  /** How many calls were made with each key. */
  const made = new Map<string, number>();
  const tasks = new Map(scenario.batches.flat().map((task) => [task.id, task]));

  function durableEvents(run: string): readonly Event[] {
    const { lines, durable } = disk.fileOf(run);
    return lines.slice(0, durable).map(({ event }) => event);
  }

  function changingSourcesOf(id: string): string[] {
    const { args = {}, after = [] } = tasks.get(id) ?? {};
    const sources = [...after, ...refsIn(args).map(({ ref }) => ref.task)];
    return sources.filter((source) => effectOf(tasks.get(source)?.operation ?? '') !== 'read');
  }

  return {
    found,
    called({ run, operation, task, key }) {
      const events = durableEvents(run);
      const call = `${operation} ${key}`;
      if (effectOf(operation) !== 'read') {
        const count = (made.get(key) ?? 0) + 1;
        made.set(key, count);
        const starts = events.filter(
          ({ type, data }) => (type === 'task_started' || type === 'inner_call_started') && data.key === key,
        );
        if (starts.length < count) found.push(`early: ${call} was called before its start was on the disk`);
      }
      const sources = changingSourcesOf(task);
      const state = sources.length === 0 ? undefined : fold(events);
      for (const source of sources)
        if (state?.tasks.get(source)?.status !== 'succeeded')
          found.push(`early: ${call} was called before the outcome of ${source} was on the disk`);
    },
    told({ run, seq, type, data }) {
      const { lines, durable } = disk.fileOf(run);
      const isThere = seq <= durable && stringifyJson(lines[seq - 1]?.event.data) === stringifyJson(data);
      if (!isThere) found.push(`early: event ${seq} (${type}) was told before it was on the disk`);
      const { blob } = data as { readonly blob?: { readonly sha256: string } };
      if (blob !== undefined && !storedBlobs.has(blob.sha256))
        found.push(`early: event ${seq} (${type}) was told before its blob was on the disk`);
    },
    toldEnd(run) {
      if (!durableEvents(run).some(({ type }) => type === 'run_finished'))
        found.push('early: the end of the run was told before it was on the disk');
    },
  };
}
