import { isHeavy, LIGHT_TIME } from '../core/background.ts';
import { createReporter, type Reporter } from '../core/reporter.ts';
import type { RunState } from '../core/state.ts';
import type { Message } from '../domain/conversation.ts';
import { DandoriError } from '../domain/error.ts';
import type { Mind } from '../ports/mind.ts';
import { drive } from './drive.ts';
import { continueRun, pauseRun } from './inbox.ts';
import type { OtherRuns } from './own-tools.ts';
import type { Parts } from './parts.ts';

/** `waiting`: for a person. `background`: nobody need wait for it at the prompt. */
export type Standing = 'ended' | 'waiting' | 'background';

/**
 * The runs of a conversation that this process drives, many at once.
 *
 * B1  A run is driven again whenever somebody has written to it, until it has ended.
 * B2  What its events mean for the conversation is written there once they are durable, in their order. After a crash
 *     the same events give the same messages again, and those that are there already are left out.
 * B3  After `close` nothing of it is under way: calls came to their end, and nothing more was begun.
 */
export interface Background {
  /** Follows a run, from its first event on. */
  take(run: string, mind: Mind): Promise<void>;
  state(run: string): RunState | undefined;
  states(): RunState[];
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
  close(): Promise<void>;
}

interface Options {
  readonly parts: Parts;
  readonly others: OtherRuns;
  readonly tell: (messages: readonly Message[]) => Promise<void>;
  readonly onChange: () => void;
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

/** Who paused a run that stands still only because its process was left. */
const LEFT = 'conversation';

export function createBackground({ parts, others, tell, onChange }: Options): Background {
  const works = new Map<string, Work>();
  const waiters = new Set<() => void>();
  let isClosing = false;

  function changed(): void {
    for (const wake of [...waiters]) wake();
    onChange();
  }

  /** Resolves with the first value that is not undefined, looking again after each change. */
  function until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const wake = () => {
        const found = look();
        if (found === undefined) return;
        waiters.delete(wake);
        resolve(found);
      };
      waiters.add(wake);
      wake();
    });
  }

  /** One after the other, so that messages come in the order of the events. */
  function look(work: Work): Promise<void> {
    const reading = work.reading.then(() => readOn(work));
    work.reading = reading.catch(() => {});
    return reading;
  }

  async function readOn(work: Work): Promise<void> {
    const events = await parts.journal.read(work.run, work.seen);
    if (events.length === 0) return;
    const messages = events.flatMap((event) => work.reporter.take(event));
    work.seen = events.at(-1)?.seq ?? work.seen;
    if (messages.length > 0) await tell(messages);
    changed();
  }

  async function carryOn(work: Work): Promise<void> {
    const { run, mind } = work;
    const noticed = () => void look(work).catch((error: unknown) => fail(work, error));
    work.unwatch = parts.journal.watch(run, noticed);
    const own: Parts = {
      ...parts,
      mind,
      others,
      onEvent(event) {
        parts.onEvent?.(event);
        noticed();
      },
    };
    while (!hasEnded(work) && !isClosing) {
      work.isDriven = true;
      // What was written while it came to its end it has not seen.
      const driven = await drive(run, own).catch(ifElsewhere);
      await look(work);
      work.isDriven = false;
      changed();
      const last = driven?.seq ?? work.seen;
      if (!hasEnded(work)) await until(() => (work.seen > last || isClosing ? true : undefined));
    }
    work.unwatch();
  }

  function fail(work: Work, error: unknown): void {
    work.problem = error;
    work.isDriven = false;
    work.unwatch();
    changed();
  }

  function standing(work: Work): Standing | 'broken' | undefined {
    const { state } = work.reporter;
    if (state?.end !== undefined) return 'ended';
    if (work.problem !== undefined) return 'broken';
    if ((state?.openQuestions ?? 0) > 0) return 'waiting';
    return state !== undefined && isHeavy(state) ? 'background' : undefined;
  }

  const isIdle = (work: Work) => !work.isDriven || hasEnded(work) || work.problem !== undefined;

  return {
    async take(run, mind) {
      const work = newWork(run, mind);
      works.set(run, work);
      await look(work);
      if (work.reporter.state?.paused?.by === LEFT) await continueRun({ run, by: LEFT }, parts);
      if (hasEnded(work)) return;
      work.isDriven = true;
      void carryOn(work).catch((error: unknown) => fail(work, error));
    },
    state: (run) => works.get(run)?.reporter.state,
    states: () => [...works.values()].flatMap(({ reporter }) => reporter.state ?? []),
    async released(run) {
      const work = works.get(run);
      if (work === undefined) return 'ended';
      let isLong = false;
      const takeBack = parts.clock.at(parts.clock.now() + LIGHT_TIME, () => {
        isLong = true;
        changed();
      });
      try {
        const found = await until(() => standing(work) ?? (isLong ? 'background' : undefined));
        if (found === 'broken') throw work.problem;
        return found;
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
    async close() {
      isClosing = true;
      const driven = [...works.values()].filter((work) => !isIdle(work));
      const busy = driven.filter((work) => !isWaiting(work));
      await Promise.all(busy.map(({ run }) => standStill(run, parts)));
      changed();
      await until(() => (driven.every(isIdle) ? true : undefined));
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

/** Its drive comes back by itself. Nobody else should find it paused when they have the answer. */
function isWaiting({ reporter: { state } }: Work): boolean {
  if (state === undefined || state.openQuestions === 0) return false;
  return state.running.size === 0 && state.thinking === undefined;
}

/** Whoever drives it writes what we read. */
function ifElsewhere(error: unknown): undefined {
  if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
}

/** It may come to its end at the same moment. */
async function standStill(run: string, parts: Parts): Promise<void> {
  try {
    await pauseRun({ run, by: LEFT }, parts);
  } catch (error) {
    if (!(error instanceof DandoriError && error.code === 'run-ended')) throw error;
  }
}
