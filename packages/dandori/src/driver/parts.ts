import type { Mind } from '../mind/mind.ts';
import type { Clock } from '../model/clock.ts';
import type { Event } from '../model/event.ts';
import type { Live } from '../model/live.ts';
import type { SchemaCheck } from '../model/tool.ts';
import type { Blobs } from '../store/blobs.ts';
import type { Journal } from '../store/journal.ts';
import type { OtherRuns } from '../tools/own.ts';
import type { Toolbox } from '../tools/toolbox.ts';

/** How long the calls of each tool took, from the journals of the last runs. */
export interface Durations {
  /** Reads the history, once. */
  load(): Promise<void>;
  /** The median in milliseconds; undefined for a tool that nobody has seen. */
  readonly expected: (operation: string) => number | undefined;
}

/** What the engine is made of. */
export interface Parts {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly toolbox: Toolbox;
  readonly mind: Mind;
  readonly check: SchemaCheck;
  /** How long tools took so far; without it all count the same. */
  readonly durations?: Durations;
  /** The other runs of a conversation, for a run of it. */
  readonly others?: OtherRuns;
  /** Never journaled, wherever they turn up; a call gets them all the same. */
  readonly secrets: readonly string[];
  /** The key of the store, by which a journal names a secret without telling it. */
  readonly storeKey?: () => string;
  /** Who drives, for `run_resumed`. */
  readonly driver: string;
  /** Told of every event, once it is durable. */
  readonly onEvent?: (event: Event) => void;
  /** Told of what is not durable: progress, text as it is written. */
  readonly onLive?: (live: Live) => void;
}
