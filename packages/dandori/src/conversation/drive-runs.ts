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
import { type Changes, createChanges } from './changes.ts';
import { createReporter } from './reports.ts';

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

export function createBackground(options: Options): Background {
  const { parts, onChange, wake } = options;
  const followed = new Map<string, FollowedRun>();
  const changes = createChanges();
  changes.watch(onChange);
  const soon = new AbortController();
  const now = new AbortController();
  const signals = { soon: soon.signal, now: now.signal };
  const follow = (run: string, mind: Mind) => {
    const one = new FollowedRun({ ...options, run, mind, changes, signals });
    followed.set(run, one);
    return one;
  };
  const untilIdle = () =>
    changes.until(() => ([...followed.values()].every(({ isIdle }) => isIdle) ? true : undefined));

  return {
    async take(run, mind, { isOthers }) {
      const one = follow(run, mind);
      await one.look();
      if (one.hasEnded) return;
      one.watch();
      if (wake !== undefined) return wake(run);
      one.driveToEnd(isOthers);
    },
    state: (run) => followed.get(run)?.state,
    states: () => [...followed.values()].flatMap(({ state }) => state ?? []),
    standing(run) {
      const one = followed.get(run);
      return one === undefined ? 'ended' : one.phase;
    },
    released: async (run) => followed.get(run)?.released() ?? 'ended',
    settled: () => untilIdle().then(() => {}),
    problem: (run) => followed.get(run)?.problem,
    lose(run, problem) {
      follow(run, parts.mind).problem = problem;
    },
    look: async (run) => followed.get(run)?.look(),
    async drive(run, leaving) {
      const one = followed.get(run);
      if (one === undefined) return undefined;
      // If the run has ended, the driver sets no further timer for the report. So the report comes first.
      await one.look();
      return one.drive(leaving);
    },
    async close(grace = Number.POSITIVE_INFINITY) {
      soon.abort();
      changes.changed();
      const takeBack = Number.isFinite(grace)
        ? parts.clock.at(parts.clock.now() + grace, () => now.abort())
        : () => {};
      await untilIdle();
      takeBack();
      for (const one of followed.values()) one.unwatch();
    },
  };
}

interface Following extends Options {
  readonly run: string;
  readonly mind: Mind;
  readonly changes: Changes;
  readonly signals: { readonly soon: AbortSignal; readonly now: AbortSignal };
}

/** One run of the conversation: reads its events, tells about them, and drives it. */
class FollowedRun {
  problem: unknown;
  readonly #options: Following;
  readonly #reporter = createReporter();
  #seen = 0;
  /** Messages about its last events are being written. Until then it has not ended for the conversation. */
  #isTelling = false;
  #isDriven = false;
  #reading: Promise<void> = Promise.resolve();
  #unwatch = () => {};

  constructor(options: Following) {
    this.#options = options;
  }

  get state(): RunState | undefined {
    return this.#reporter.state;
  }

  get hasEnded(): boolean {
    return this.state?.end !== undefined && !this.#isTelling;
  }

  /** The driver holds the run for a moment after its end. Until then it cannot be pruned. */
  get isIdle(): boolean {
    return !this.#isDriven || this.problem !== undefined;
  }

  get phase(): RunPhase | undefined {
    const { state } = this;
    if (state?.end !== undefined) return this.hasEnded ? 'ended' : undefined;
    if ((state?.indexes.openQuestions ?? 0) > 0) return 'waiting';
    return state !== undefined && isHeavy(state) ? 'background' : undefined;
  }

  async released(): Promise<RunPhase> {
    const { parts, changes } = this.#options;
    let isLong = false;
    const takeBack = parts.clock.at(parts.clock.now() + LIGHT_TIME, () => {
      isLong = true;
      changes.changed();
    });
    try {
      return await changes.until(() => {
        if (!this.hasEnded && this.problem !== undefined) throw this.problem;
        return this.phase ?? (isLong ? 'background' : undefined);
      });
    } finally {
      takeBack();
    }
  }

  /** Reads the new events. One at a time, so that messages keep the order of the events. */
  look(): Promise<void> {
    const reading = this.#reading.then(() => this.#readOn());
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #readOn(): Promise<void> {
    const { run, parts, tell, onPlan, changes } = this.#options;
    const events = shown(await parts.journal.read(run, this.#seen));
    if (events.length === 0) return;
    this.#isTelling = true;
    try {
      const messages = events.flatMap((event) => this.#reporter.take(event));
      this.#seen = events.at(-1)?.seq ?? this.#seen;
      if (messages.length > 0) await tell(messages);
    } finally {
      this.#isTelling = false;
    }
    const isApproved = events.some(({ type }) => type === 'plan_approved');
    const isAsked = events.some(
      ({ type, data }) => type === 'question_asked' && data.question.kind === 'plan_approval',
    );
    const name = isApproved || isAsked ? planName(this.state) : undefined;
    if (name !== undefined)
      await onPlan(run, { name, type: isApproved ? 'plan_activated' : 'plan_proposed' });
    changes.changed();
  }

  watch(): void {
    const { parts, run } = this.#options;
    this.#unwatch = parts.journal.watch(run, () => this.#notice());
  }

  unwatch(): void {
    this.#unwatch();
  }

  #notice(): void {
    void this.look().catch((error: unknown) => this.#fail(error));
  }

  async drive(leaving: StopSignals): Promise<RunState> {
    const { run, mind, parts, others, changes } = this.#options;
    const own: Parts = {
      ...parts,
      mind,
      others,
      onEvent: (event) => {
        parts.onEvent?.(event);
        this.#notice();
      },
    };
    this.#isDriven = true;
    try {
      return await drive(run, own, leaving);
    } finally {
      await this.look().finally(() => {
        this.#isDriven = false;
        if (this.hasEnded) this.#unwatch();
        changes.changed();
      });
    }
  }

  /** Drives it again after each write, until it has ended. */
  driveToEnd(isOthers: boolean): void {
    this.#isDriven = true;
    void this.#carryOn(isOthers).catch((error: unknown) => this.#fail(error));
  }

  async #carryOn(isOthers: boolean): Promise<void> {
    const { parts, signals, changes } = this.#options;
    if (isOthers) await this.#untilNews(Number.POSITIVE_INFINITY, parts.clock.now() + BETWEEN_ATTEMPTS);
    while (!this.hasEnded && !signals.soon.aborted) {
      // The driver has not seen events that were written while it was finishing.
      const driven = await this.drive(signals).catch(ifElsewhere);
      const next = driven === undefined ? parts.clock.now() + BETWEEN_ATTEMPTS : this.#nextExpiry();
      if (!this.hasEnded) await this.#untilNews(driven?.seq ?? this.#seen, next);
    }
    // Another process may have driven it to its end.
    this.#isDriven = false;
    changes.changed();
  }

  /** Waits for a write from outside the driver, at most until `next`. */
  async #untilNews(last: number, next: number): Promise<void> {
    const { parts, changes, signals } = this.#options;
    let isTime = false;
    const takeBack = Number.isFinite(next)
      ? parts.clock.at(next, () => {
          isTime = true;
          changes.changed();
        })
      : () => {};
    await changes.until(() => (this.#seen > last || isTime || signals.soon.aborted ? true : undefined));
    takeBack();
  }

  #nextExpiry(): number {
    return this.state === undefined ? Number.POSITIVE_INFINITY : nextExpiry(this.state);
  }

  #fail(error: unknown): void {
    const { run, wake, changes } = this.#options;
    this.problem = error;
    this.#isDriven = false;
    this.#unwatch();
    changes.changed();
    // The server drives it again, with growing delays, and reads the journal from the start.
    wake?.(run);
  }
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

/** Milliseconds between two attempts to drive a run that another process drives. That process may die. */
const BETWEEN_ATTEMPTS = 1_000;

/** Another process may drive the run; its events are read from the journal. */
function ifElsewhere(error: unknown): undefined {
  if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
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
