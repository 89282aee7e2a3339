import * as z from 'zod';
import { drive, type Parts, type StopSignals } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import type { Message } from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import { shown } from '../model/redact.ts';
import { isStep } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { nextExpiry } from '../run/decide.ts';
import type { RunState } from '../run/state/state.ts';
import type { OtherRuns } from '../tools/index.ts';
import { createReporter, type Reporter } from './reports.ts';

/** `waiting`: for an answer. `background`: the client need not wait for the run. */
export const runPhaseSchema = z.enum(['ended', 'waiting', 'background']);
export type RunPhase = z.infer<typeof runPhaseSchema>;

/**
 * The runs of a conversation that this process drives, several at once.
 *
 * B1  A run is driven again after each write to its journal from outside the driver, until it has ended.
 * B2  Messages that follow from events are written once the events are durable, in their order. After a crash
 *     the same events give the same messages again. Messages that exist already are skipped.
 * B3  After `close` nothing is running. Calls have finished, or were left at the end of the grace period.
 *     Nothing more was started.
 */
export interface Background {
  /** Follows a run from its first event. A run that another process has just begun is left to that process at first. */
  take(run: string, mind: Mind, options: { readonly isOthers: boolean }): Promise<void>;
  state(run: string): RunState | undefined;
  states(): RunState[];
  /** Undefined as long as a client may want to wait for the run. */
  standing(run: string): RunPhase | undefined;
  /** Resolves as soon as the client no longer needs to wait. */
  released(run: string): Promise<RunPhase>;
  /** Resolves when every run has ended or waits for the user. */
  settled(): Promise<void>;
  /** Why a run can't be driven further, if the cause lies outside the run. */
  problem(run: string): unknown;
  /** The run can't be resumed. */
  lose(run: string, problem: unknown): void;
  /** Checks the run for events that other processes have written. */
  look(run: string): Promise<void>;
  /** Drives a run as far as it goes. Undefined if the run is not followed here. */
  drive(run: string, leaving: StopSignals): Promise<RunState | undefined>;
  close(grace?: number): Promise<void>;
}

export interface PlanNews {
  readonly name: string;
  readonly type: 'plan_proposed' | 'plan_activated';
}

interface Options {
  readonly parts: Parts;
  readonly others: OtherRuns;
  readonly tell: (messages: readonly Message[]) => Promise<void>;
  /** A plan of a run waits for approval, or was approved. */
  readonly onPlan: (run: string, plan: PlanNews) => Promise<void>;
  readonly onChange: () => void;
  /**
   * Called for each run that can continue, if the caller decides when to drive it. The caller then calls
   * `drive`.
   */
  readonly wake?: ((run: string) => void) | undefined;
}

interface Work {
  readonly run: string;
  readonly mind: Mind;
  readonly reporter: Reporter;
  seen: number;
  /** Messages about its last events are being written. Until then it has not ended for the conversation. */
  isTelling: boolean;
  isDriven: boolean;
  problem: unknown;
  reading: Promise<void>;
  unwatch: () => void;
}

export function createBackground({ parts, others, tell, onPlan, onChange, wake }: Options): Background {
  const works = new Map<string, Work>();
  const { changed, until, watch } = createChanges();
  watch(onChange);
  const soon = new AbortController();
  const now = new AbortController();

  /** One at a time, so that messages keep the order of the events. */
  function look(work: Work): Promise<void> {
    const reading = work.reading.then(() => readOn(work));
    work.reading = reading.catch(() => {});
    return reading;
  }

  async function readOn(work: Work): Promise<void> {
    const events = shown(await parts.journal.read(work.run, work.seen));
    if (events.length === 0) return;
    work.isTelling = true;
    try {
      const messages = events.flatMap((event) => work.reporter.take(event));
      work.seen = events.at(-1)?.seq ?? work.seen;
      if (messages.length > 0) await tell(messages);
    } finally {
      work.isTelling = false;
    }
    const isApproved = events.some(({ type }) => type === 'plan_approved');
    const isAsked = events.some(
      ({ type, data }) => type === 'question_asked' && data.question.kind === 'plan_approval',
    );
    const name = isApproved || isAsked ? planName(work.reporter.state) : undefined;
    if (name !== undefined)
      await onPlan(work.run, { name, type: isApproved ? 'plan_activated' : 'plan_proposed' });
    changed();
  }

  function notice(work: Work): void {
    void look(work).catch((error: unknown) => fail(work, error));
  }

  async function driveOnce(work: Work, leaving: StopSignals): Promise<RunState> {
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

  async function carryOn(work: Work, isOthers: boolean): Promise<void> {
    if (isOthers) await untilNews(work, Number.POSITIVE_INFINITY, parts.clock.now() + BETWEEN_ATTEMPTS);
    const leaving = { soon: soon.signal, now: now.signal };
    while (!hasEnded(work) && !soon.signal.aborted) {
      // The driver has not seen events that were written while it was finishing.
      const driven = await driveOnce(work, leaving).catch(ifElsewhere);
      const next = driven === undefined ? parts.clock.now() + BETWEEN_ATTEMPTS : nextExpiryOf(work);
      if (!hasEnded(work)) await untilNews(work, driven?.seq ?? work.seen, next);
    }
  }

  /** Waits for a write from outside the driver, at most until `next`. */
  async function untilNews(work: Work, last: number, next: number): Promise<void> {
    let isTime = false;
    const takeBack = Number.isFinite(next)
      ? parts.clock.at(next, () => {
          isTime = true;
          changed();
        })
      : () => {};
    await until(() => (work.seen > last || isTime || soon.signal.aborted ? true : undefined));
    takeBack();
  }

  function fail(work: Work, error: unknown): void {
    work.problem = error;
    work.isDriven = false;
    work.unwatch();
    changed();
    // The server drives it again, with growing delays, and reads the journal from the start.
    wake?.(work.run);
  }

  function standing(work: Work): RunPhase | undefined {
    const { state } = work.reporter;
    if (state?.end !== undefined) return hasEnded(work) ? 'ended' : undefined;
    if ((state?.indexes.openQuestions ?? 0) > 0) return 'waiting';
    return state !== undefined && isHeavy(state) ? 'background' : undefined;
  }

  const isIdle = (work: Work) => !work.isDriven || hasEnded(work) || work.problem !== undefined;

  return {
    async take(run, mind, { isOthers }) {
      const work = newWork(run, mind);
      works.set(run, work);
      await look(work);
      if (hasEnded(work)) return;
      work.unwatch = parts.journal.watch(run, () => notice(work));
      if (wake !== undefined) return wake(run);
      work.isDriven = true;
      void carryOn(work, isOthers).catch((error: unknown) => fail(work, error));
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
      if (work === undefined) return undefined;
      // If the run has ended, the driver sets no further timer for the report. So the report comes first.
      await look(work);
      return driveOnce(work, leaving);
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
    isTelling: false,
    isDriven: false,
    problem: undefined,
    reading: Promise.resolve(),
    unwatch: () => {},
  };
}

const LONGEST_NAME = 80;

/** The user can refer to a plan only if it has a name or steps. */
function planName(state: RunState | undefined): string | undefined {
  if (state === undefined) return undefined;
  const { draft, outline = draft?.outline, indexes } = state;
  const { name, objective } = outline ?? {};
  const isNamed = name !== undefined && name.trim() !== '';
  const hasSteps = indexes.stepCount > 0 || draft?.tasks.some(isStep);
  if (!isNamed && !hasSteps) return undefined;
  return clip((isNamed ? name : (objective ?? state.goal)).replaceAll(/\s+/g, ' ').trim(), LONGEST_NAME);
}

function hasEnded({ reporter, isTelling }: Work): boolean {
  return reporter.state?.end !== undefined && !isTelling;
}

function nextExpiryOf({ reporter: { state } }: Work): number {
  return state === undefined ? Number.POSITIVE_INFINITY : nextExpiry(state);
}

/** Milliseconds between two attempts to drive a run that another process drives. That process may die. */
const BETWEEN_ATTEMPTS = 1_000;

/** Another process may drive the run; its events are read from the journal. */
function ifElsewhere(error: unknown): undefined {
  if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
}

/** Callers that wait for a condition. Each change makes them check it again. */
export interface Changes {
  changed(): void;
  /** Resolves with the first value that is not undefined. Checks again after each change. */
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

/** A user can wait at the prompt for a run with at most this many calls. */
const LIGHT_TASKS = 5;
/** Milliseconds that a user waits at the prompt. */
export const LIGHT_TIME = 30_000;

/**
 * Whether a run should continue in the background: its plan has steps, or more than a few tasks. The driver
 * checks separately whether it takes long or waits for the user.
 */
function isHeavy({ indexes: { stepCount }, tasks }: RunState): boolean {
  return stepCount > 0 || tasks.size > LIGHT_TASKS;
}
