import type { Event } from '../model/event.ts';
import type { RunCounts, SumOptions, Sums } from './statistics.ts';

/**
 * What a store keeps of each run for statistics, so that they need not read every journal. It is only a copy:
 * without it, or after it was emptied, the journals give the same figures.
 */
export interface KeptCounts {
  /** Runs whose journal has changed since they were counted, newest first, with their events. */
  outdated(options: OutdatedOptions): Promise<readonly Uncounted[]>;
  /** An older count never replaces a newer one. A run that is gone is skipped. */
  keep(counted: readonly CountedRun[]): Promise<void>;
  /** Sums of the kept runs that started at or after `from`. */
  sum(options: SumOptions & { readonly userId?: string | undefined }): Promise<Sums>;
}

interface OutdatedOptions {
  readonly limit: number;
  /** Only ids before this one: the next page. */
  readonly before?: string | undefined;
  readonly userId?: string | undefined;
}

/** Its events, or the reason why they cannot be read. */
interface Uncounted {
  readonly run: string;
  readonly events?: readonly Event[] | undefined;
  readonly reason?: string | undefined;
}

interface CountedRun {
  readonly run: string;
  /** The last event that was counted. */
  readonly seq: number;
  readonly counts: RunCounts;
}
