import { startOnce, startRun } from '../commands/start.ts';
import type { Config } from '../config/config.ts';
import { inMode } from '../config/settings.ts';
import { refuseLooser } from '../config/user-config.ts';
import type { Drivable, StartedRun } from '../driver/drive.ts';
import type { Parts } from '../driver/parts.ts';
import type { Event } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import type { ApprovalPolicy, Mode, Settings } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import type { Keys } from '../store/blobs.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export interface RunOptions {
  readonly mode?: Mode;
  readonly userId?: string;
  /** A plan of your own: the mind is asked for no other. */
  readonly tasks?: readonly Task[];
  /** For every call of this run, instead of all approval policies of the configuration. */
  readonly approval?: ApprovalPolicy;
  /** Refuses an `approval` that asks about less than is configured for the user. */
  readonly isStricterOnly?: boolean;
  /** Refuses `tasks` that do not compile with `plan-invalid`. Otherwise such a run starts, and fails. */
  readonly isValidOnly?: boolean;
  /** A second start of the same user under the same key starts nothing and gives the first run, as long as it is kept. */
  readonly key?: string;
  /** Told of the first events once they are durable, where this call has written them. */
  readonly onStart?: (events: readonly Event[]) => void;
}

/** Runs that were started here and not driven yet, whose events are kept. */
const MOST_STARTED = 100;

/** Starts runs, and keeps what was written of each until its first drive, which then need not read it. */
export interface Starter {
  start(goal: string, options?: RunOptions): Promise<string>;
  /** What to drive. It is given once: a later drive comes after others have written, and reads the journal. */
  take(run: string): Drivable;
  /** The parts for a request to the run. What it writes is read by the first drive. */
  steering(run: string): Parts;
}

interface Surroundings {
  readonly config: Pick<Config, 'userId'>;
  readonly settingsFor: (userId: string | undefined) => Promise<Settings>;
  readonly telemetry: Pick<Telemetry, 'event'> | undefined;
}

export function createStarter(
  parts: Parts & { readonly keys: Keys },
  { config, settingsFor, telemetry }: Surroundings,
): Starter {
  const started = new Map<string, StartedRun>();

  function keep(run: StartedRun): void {
    started.set(run.run, run);
    const [oldest] = started.keys();
    if (started.size > MOST_STARTED && oldest !== undefined) started.delete(oldest);
  }

  return {
    async start(goal, options = {}) {
      const { mode, userId = config.userId, tasks, approval, isStricterOnly = false } = options;
      const { isValidOnly = false, key, onStart } = options;
      const wanted = inMode(await settingsFor(userId), mode);
      if (isStricterOnly) refuseLooser(approval, wanted);
      const settings = { ...wanted, ...(approval && { approval, approvals: undefined }) };
      // Which task is urgent matters only where not all can start at once.
      if (isValidOnly && (tasks?.length ?? 0) > settings.concurrency) await parts.durations?.load();
      const beginning = { goal, tasks, isValidOnly, userId, settings };
      const begun =
        key === undefined
          ? await startRun(beginning, parts)
          : await startOnce(beginning, { key, request: stringifyJson([goal, mode, approval, tasks]) }, parts);
      const { run, events } = begun;
      if (events === undefined) return run;
      const first = shown(events);
      for (const event of first) telemetry?.event(event);
      onStart?.(first);
      keep(begun);
      return run;
    },
    take(run) {
      const begun = started.get(run) ?? run;
      started.delete(run);
      return begun;
    },
    steering(run) {
      started.delete(run);
      return parts;
    },
  };
}
