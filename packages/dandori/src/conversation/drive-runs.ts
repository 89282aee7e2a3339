import * as z from 'zod';
import { drive, type Leaving } from '../driver/drive.ts';
import type { Parts } from '../driver/parts.ts';
import type { Mind } from '../mind/mind.ts';
import type { Message } from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import { shown } from '../model/redact.ts';
import type { RunState } from '../run/state/state.ts';
import type { OtherRuns } from '../tools/own.ts';
import { type AskedQuestion, openQuestions } from '../views/report.ts';
import { createReporter, type Reporter } from './reports.ts';

/** `waiting`: for an answer. `background`: the prompt need not wait for it. */
export const standingSchema = z.enum(['ended', 'waiting', 'background']);
export type Standing = z.infer<typeof standingSchema>;

/**
 * The runs of a conversation that this process drives, many at once.
 *
 * B1  A run is driven again whenever somebody has written to it, until it has ended.
 * B2  What its events mean for the conversation is written there once they are durable, in their order. After a crash
 *     the same events give the same messages again, and those that are there already are left out.
 * B3  After `close` nothing of it is under way: calls came to their end, or were left when the grace period was over, and
 *     nothing more was begun.
 */
export interface Background {
  /** Follows a run, from its first event on. */
  take(run: string, mind: Mind): Promise<void>;
  state(run: string): RunState | undefined;
  states(): RunState[];
  /** Undefined as long as somebody may want to wait for it at the prompt. */
  standing(run: string): Standing | undefined;
  /** As soon as nobody need wait at the prompt any more. */
  released(run: string): Promise<Standing>;
  /** When every run has ended or waits for a person. */
  settled(): Promise<void>;
  /** Why a run cannot be driven on, where that is no matter of the run itself. */
  problem(run: string): unknown;
  /** The run cannot be taken up. */
  lose(run: string, problem: unknown): void;
  /** Looks for what somebody has written to the run. */
  look(run: string): Promise<void>;
  /** Drives it as far as it goes, for who was woken; undefined where it is none of these runs. */
  drive(run: string, leaving: Leaving): Promise<RunState | undefined>;
  close(grace?: number): Promise<void>;
}

interface Options {
  readonly parts: Parts;
  readonly others: OtherRuns;
  readonly tell: (messages: readonly Message[]) => Promise<void>;
  readonly onChange: () => void;
  /** Told of each run that can go on, where somebody else says when it is driven: they call `drive`. */
  readonly wake?: ((run: string) => void) | undefined;
}

interface Work {
  readonly run: string;
  readonly mind: Mind;
  readonly reporter: Reporter;
  seen: number;
  isDriven: boolean;
  problem: unknown;
  reading: Promise<void>;
  unwatch: () => void;
}

export function createBackground({ parts, others, tell, onChange, wake }: Options): Background {
  const works = new Map<string, Work>();
  const { changed, until, watch } = createChanges();
  watch(onChange);
  const soon = new AbortController();
  const now = new AbortController();

  /** One after the other, so that messages come in the order of the events. */
  function look(work: Work): Promise<void> {
    const reading = work.reading.then(() => readOn(work));
    work.reading = reading.catch(() => {});
    return reading;
  }

  async function readOn(work: Work): Promise<void> {
    const events = shown(await parts.journal.read(work.run, work.seen));
    if (events.length === 0) return;
    const messages = events.flatMap((event) => work.reporter.take(event));
    work.seen = events.at(-1)?.seq ?? work.seen;
    if (messages.length > 0) await tell(messages);
    changed();
  }

  function notice(work: Work): void {
    void look(work).catch((error: unknown) => fail(work, error));
  }

  async function driveOnce(work: Work, leaving: Leaving): Promise<RunState> {
    const own: Parts = {
      ...parts,
      mind: work.mind,
      others,
      onEvent(event) {
        parts.onEvent?.(event);
        notice(work);
      },
    };
    work.isDriven = true;
    try {
      return await drive(work.run, own, leaving);
    } finally {
      await look(work);
      work.isDriven = false;
      if (hasEnded(work)) work.unwatch();
      changed();
    }
  }

  async function carryOn(work: Work): Promise<void> {
    const leaving = { soon: soon.signal, now: now.signal };
    while (!hasEnded(work) && !soon.signal.aborted) {
      // What was written while it came to its end it has not seen.
      const driven = await driveOnce(work, leaving).catch(ifElsewhere);
      if (!hasEnded(work)) await untilNews(work, driven?.seq ?? work.seen);
    }
  }

  /** Until somebody has written to it, or a question of it expires. */
  async function untilNews(work: Work, last: number): Promise<void> {
    let isExpired = false;
    const next = Math.min(
      ...openQuestionsOf(work).map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt),
    );
    const takeBack = Number.isFinite(next)
      ? parts.clock.at(next, () => {
          isExpired = true;
          changed();
        })
      : () => {};
    await until(() => (work.seen > last || isExpired || soon.signal.aborted ? true : undefined));
    takeBack();
  }

  function fail(work: Work, error: unknown): void {
    work.problem = error;
    work.isDriven = false;
    work.unwatch();
    changed();
    // The server drives it again, later each time, and reads it from the beginning.
    wake?.(work.run);
  }

  function standing({ reporter: { state } }: Work): Standing | undefined {
    if (state?.end !== undefined) return 'ended';
    if ((state?.indexes.openQuestions ?? 0) > 0) return 'waiting';
    return state !== undefined && isHeavy(state) ? 'background' : undefined;
  }

  const isIdle = (work: Work) => !work.isDriven || hasEnded(work) || work.problem !== undefined;

  return {
    async take(run, mind) {
      const work = newWork(run, mind);
      works.set(run, work);
      await look(work);
      if (hasEnded(work)) return;
      work.unwatch = parts.journal.watch(run, () => notice(work));
      if (wake !== undefined) return wake(run);
      work.isDriven = true;
      void carryOn(work).catch((error: unknown) => fail(work, error));
    },
    state: (run) => works.get(run)?.reporter.state,
    states: () => [...works.values()].flatMap(({ reporter }) => reporter.state ?? []),
    standing(run) {
      const work = works.get(run);
      return work === undefined ? 'ended' : standing(work);
    },
    async released(run) {
      const work = works.get(run);
      if (work === undefined) return 'ended';
      let isLong = false;
      const takeBack = parts.clock.at(parts.clock.now() + LIGHT_TIME, () => {
        isLong = true;
        changed();
      });
      try {
        return await until(() => {
          if (!hasEnded(work) && work.problem !== undefined) throw work.problem;
          return standing(work) ?? (isLong ? 'background' : undefined);
        });
      } finally {
        takeBack();
      }
    },
    settled: () => until(() => ([...works.values()].every(isIdle) ? true : undefined)).then(() => {}),
    problem: (run) => works.get(run)?.problem,
    lose: (run, problem) => void works.set(run, { ...newWork(run, parts.mind), problem }),
    async look(run) {
      const work = works.get(run);
      if (work !== undefined) await look(work);
    },
    async drive(run, leaving) {
      const work = works.get(run);
      return work === undefined ? undefined : driveOnce(work, leaving);
    },
    async close(grace = Number.POSITIVE_INFINITY) {
      soon.abort();
      changed();
      const takeBack = Number.isFinite(grace)
        ? parts.clock.at(parts.clock.now() + grace, () => now.abort())
        : () => {};
      await until(() => ([...works.values()].every(isIdle) ? true : undefined));
      takeBack();
      for (const work of works.values()) work.unwatch();
    },
  };
}

function newWork(run: string, mind: Mind): Work {
  return {
    run,
    mind,
    reporter: createReporter(),
    seen: 0,
    isDriven: false,
    problem: undefined,
    reading: Promise.resolve(),
    unwatch: () => {},
  };
}

function hasEnded({ reporter }: Work): boolean {
  return reporter.state?.end !== undefined;
}

function openQuestionsOf({ reporter: { state } }: Work): AskedQuestion[] {
  return state === undefined ? [] : openQuestions(state);
}

/** Whoever drives it writes what we read. */
function ifElsewhere(error: unknown): undefined {
  if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
}

/** Who waits until something has become true, and is told of every change. */
interface Changes {
  changed(): void;
  /** Resolves with the first value that is not undefined, looking again after each change. */
  until<T>(look: () => T | undefined): Promise<T>;
  watch(changed: () => void): () => void;
}

export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  const watch = (changed: () => void) => {
    listeners.add(changed);
    return () => void listeners.delete(changed);
  };
  return {
    changed() {
      for (const listener of [...listeners]) listener();
    },
    watch,
    until: (look) =>
      new Promise((resolve, reject) => {
        const wake = () => {
          try {
            const found = look();
            if (found === undefined) return;
            resolve(found);
          } catch (error) {
            reject(error);
          }
          unwatch();
        };
        const unwatch = watch(wake);
        wake();
      }),
  };
}

/** So many calls a user can wait for at the prompt. */
const LIGHT_TASKS = 5;
/** Milliseconds that a user waits at the prompt. */
export const LIGHT_TIME = 30_000;

/**
 * Whether a run of a conversation is work that nobody should wait for: it has a plan with steps, or more than a few
 * tasks. That it takes long, and that it waits for a person, its driver sees.
 */
function isHeavy({ indexes: { stepCount }, tasks }: RunState): boolean {
  return stepCount > 0 || tasks.size > LIGHT_TASKS;
}
