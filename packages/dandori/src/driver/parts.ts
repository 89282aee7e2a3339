import type { Mind } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import type { Event, Live } from '../model/event.ts';
import type { SchemaCheck } from '../model/tool.ts';
import type { Approvals, Blobs, Journal } from '../store/index.ts';
import type { Memory, OtherRuns, SubGoals, Toolbox } from '../tools/index.ts';

/** Typical durations of each tool, from the journals of the last runs. */
export interface Durations {
  /** Reads the history, once. */
  load(): Promise<void>;
  /** The median in milliseconds; undefined for an unknown tool. */
  readonly expected: (operation: string) => number | undefined;
}

/** Everything a driver needs. */
export interface Parts {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly toolbox: Toolbox;
  readonly mind: Mind;
  readonly check: SchemaCheck;
  /** Without it, all tools are assumed to take equally long. */
  readonly durations?: Durations;
  /** The approvals that users gave for good. Without it the user is asked each time. */
  readonly approvals?: Approvals;
  /** For a run of a conversation: its other runs. */
  readonly others?: OtherRuns;
  /** Runs sub-goals. Without it there are none. */
  readonly goals?: SubGoals;
  /** What runs are told at their start. */
  readonly memory?: Pick<Memory, 'atStart'>;
  /** The run is driven on behalf of the run that started it as a sub-goal. */
  readonly isSubGoal?: boolean;
  /** Secrets: never journaled, but sent in calls. */
  readonly secrets: readonly string[];
  /** The key of the store, used to make the marks that replace secrets. */
  readonly storeKey?: () => string;
  /** The name of this process, for `run_resumed`. */
  readonly driver: string;
  /** Called with what a drive finds in the journal when it begins. */
  readonly onOpened?: (events: readonly Event[]) => void;
  /** Called with every event once it is durable. */
  readonly onEvent?: (event: Event) => void;
  /** Called with live updates that are never journaled: progress and streamed text. */
  readonly onLive?: (live: Live) => void;
}
