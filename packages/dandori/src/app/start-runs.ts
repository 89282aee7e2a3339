import { createHash } from 'node:crypto';
import { type GivenAttachment, startOnce, startRun } from '../commands/index.ts';
import { type Config, inMode, refuseLooser } from '../config/index.ts';
import type { Drivable, Parts, StartedRun } from '../driver/index.ts';
import { DandoriError } from '../model/error.ts';
import type { Event } from '../model/event.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import type { ApprovalPolicy, Mode, Settings } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import { type Language, spokenLanguage } from '../model/text.ts';
import type { Keys } from '../store/index.ts';
import type { Telemetry } from '../telemetry/index.ts';

export interface StartOptions {
  /** The id of the new run. Ids sort by time (`newId`). */
  readonly run?: string;
  readonly mode?: Mode;
  /** JSON Schema of the output that the answer must have. */
  readonly output?: JsonObject | undefined;
  readonly userId?: string;
  /** Files that belong to the goal. */
  readonly attachments?: readonly GivenAttachment[] | undefined;
  /** The caller's own plan. The mind is then not asked for a plan. */
  readonly tasks?: readonly Task[];
  /** Applies to every call of this run, instead of all configured approval policies. */
  readonly approval?: ApprovalPolicy;
  /** Refuses an `approval` that asks less often than the user's settings require. */
  readonly isStricterOnly?: boolean;
  /** Refuses `tasks` that do not compile, with `plan-invalid`. Otherwise such a run starts and then fails. */
  readonly isValidOnly?: boolean;
  /**
   * A second start by the same user with the same key returns the first run, as long as that run is stored.
   */
  readonly key?: string;
  /** The user's language, used if neither the configuration nor the goal determines it. */
  readonly language?: Language | undefined;
  /** The user chose the language, so the goal does not determine it. */
  readonly isLanguageChosen?: boolean;
  /** Called with the first events once they are durable. Not called if an earlier call wrote them. */
  readonly onStart?: (events: readonly Event[]) => void;
}

/** The most runs that were started and not driven yet, whose events are kept in memory. */
const MOST_STARTED = 1_000;

/** Starts runs. It keeps the events of each new run, so that the first drive need not read them. */
export interface Starter {
  start(goal: string, options?: StartOptions): Promise<string>;
  /** What to drive. The kept events are returned once. They are of use only until something else is written. */
  take(run: string): Drivable;
}

interface StarterOptions {
  readonly config: Pick<Config, 'userId'>;
  readonly settingsFor: (userId: string | undefined) => Promise<Settings>;
  readonly telemetry: Pick<Telemetry, 'event'> | undefined;
}

export function createStarter(
  parts: Parts & { readonly keys: Keys },
  { config, settingsFor, telemetry }: StarterOptions,
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
      const {
        isValidOnly = false,
        key,
        onStart,
        language,
        isLanguageChosen = false,
        run: id,
        output,
        attachments,
      } = options;
      const wanted = inMode(await settingsFor(userId), mode);
      if (isStricterOnly) refuseLooser(approval, wanted);
      const settings = {
        ...wanted,
        ...(approval && { approval, approvals: undefined }),
        ...(wanted.language === undefined &&
          language &&
          (isLanguageChosen || !spokenLanguage(goal)) && { language }),
      };
      // Task durations matter only if not all tasks can start at once.
      if (isValidOnly && (tasks?.length ?? 0) > settings.concurrency) await parts.durations?.load();
      checkOutput(output, parts);
      const beginning = {
        goal,
        output,
        attachments,
        tasks,
        isValidOnly,
        userId,
        settings,
        ...(id !== undefined && { run: id }),
      };
      const begun =
        key === undefined
          ? await startRun(beginning, parts)
          : await startOnce(
              beginning,
              {
                key,
                request: stringifyJson([
                  goal,
                  mode,
                  approval,
                  tasks,
                  ...(output === undefined ? [] : [output]),
                  ...(attachments ?? []).map(({ name, data }) => [
                    name,
                    createHash('sha256').update(data).digest('hex'),
                  ]),
                ]),
              },
              parts,
            );
      const { run, events } = begun;
      if (events === undefined) return run;
      if (telemetry !== undefined || onStart !== undefined) {
        const first = shown(events);
        for (const event of first) telemetry?.event(event);
        onStart?.(first);
      }
      keep(begun);
      return run;
    },
    take(run) {
      const begun = started.get(run) ?? run;
      started.delete(run);
      return begun;
    },
  };
}

function checkOutput(output: JsonObject | undefined, { check }: Pick<Parts, 'check'>): void {
  const problem = output === undefined ? undefined : check.problem?.(output);
  if (problem === undefined) return;
  throw new DandoriError('request-invalid', `The output is no JSON Schema that can be used: ${problem}`, {
    fix: 'Pass a JSON Schema, such as {"type": "object", "properties": {"city": {"type": "string"}}}.',
  });
}
