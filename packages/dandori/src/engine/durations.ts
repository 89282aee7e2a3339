import type { Event } from '../domain/event.ts';
import type { Journal } from '../ports/journal.ts';

/** How long the calls of each tool took, from the journals of the last runs. */
export interface Durations {
  /** Reads the history, once. */
  load(): Promise<void>;
  /** The median in milliseconds; undefined for a tool that nobody has seen. */
  readonly expected: (operation: string) => number | undefined;
}

/** The newest runs tell enough, and a long one more than enough. */
const RUNS = 20;
const LONGEST = 20_000;

export function createDurations(journal: Journal): Durations {
  const medians = new Map<string, number>();
  let loading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const seen = new Map<string, number[]>();
    for (const { run, lastSeq, status } of await journal.list({ limit: RUNS })) {
      if (status === 'damaged' || lastSeq > LONGEST) continue;
      // Somebody may have taken it away meanwhile, and it is only for an estimate.
      collect(await journal.read(run).catch(() => []), seen);
    }
    for (const [operation, times] of seen) {
      const sorted = times.sort((a, b) => a - b);
      medians.set(operation, sorted[Math.floor(sorted.length / 2)] ?? 0);
    }
  }

  return {
    load: () => {
      loading ??= read();
      return loading;
    },
    expected: (operation) => medians.get(operation),
  };
}

function collect(events: readonly Event[], seen: Map<string, number[]>): void {
  const operations = new Map<string, string>();
  for (const { type, data } of events) {
    if (type === 'plan_proposed' || type === 'plan_revised')
      for (const { id, operation } of data.tasks) operations.set(id, operation);
    if (type !== 'task_succeeded') continue;
    const operation = operations.get(data.task);
    if (operation === undefined) continue;
    const times = seen.get(operation) ?? [];
    times.push(data.ms);
    seen.set(operation, times);
  }
}
