import { statSync } from 'node:fs';
import type { Entry } from '../journal.ts';
import type { Position } from './run-file.ts';

/** Bytes. A shorter file is read quickly. */
const SHORTEST = 32 * 1024;
/** Bytes of all files together. Their events take a few times as much memory. */
const MOST = 4 * 1024 * 1024;

/** A run as it was when it was last read in full. */
interface Known<E> {
  readonly events: readonly E[];
  readonly end: Position;
  readonly stamp: Stamp;
}

/** What the system says about a file. */
interface Stamp {
  readonly ino: number;
  /** A new file may get the number of one that was deleted. */
  readonly birthtimeMs: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * The events of the runs that were read last. A run that asks 400 questions is read a thousand times, and a page may
 * show a long run again and again: each time only what is new is read. A file that was replaced, cut or changed in its
 * place is read in full.
 */
export interface RecentRuns<E> {
  /** What is known of the run in the file, and what the system says about the file now. */
  look(
    run: string,
    path: string,
  ): { readonly known?: Known<E> | undefined; readonly stamp?: Stamp | undefined };
  keep(run: string, known: Known<E>): void;
  forget(run: string): void;
}

export function createRecentRuns<E extends Entry>(): RecentRuns<E> {
  const runs = new Map<string, Known<E>>();
  let bytes = 0;
  const forget = (run: string) => {
    bytes -= runs.get(run)?.end.bytes ?? 0;
    runs.delete(run);
  };
  return {
    look(run, path) {
      const stamp = statSync(path, { throwIfNoEntry: false });
      const known = runs.get(run);
      return { stamp, known: known && stamp && isBeginningOf(known, stamp) ? known : undefined };
    },
    keep(run, known) {
      forget(run);
      if (known.end.bytes < SHORTEST || known.end.bytes > MOST) return;
      runs.set(run, known);
      bytes += known.end.bytes;
      for (const oldest of runs.keys()) if (bytes > MOST) forget(oldest);
    },
    forget,
  };
}

function isBeginningOf({ end, stamp: before }: Known<unknown>, now: Stamp): boolean {
  if (now.ino !== before.ino || now.birthtimeMs !== before.birthtimeMs) return false;
  return now.size > end.bytes || (now.size === end.bytes && now.mtimeMs === before.mtimeMs);
}
