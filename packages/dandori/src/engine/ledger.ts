import { apply, fold } from '../core/apply.ts';
import { redact } from '../core/redact.ts';
import type { RunState } from '../core/state.ts';
import { DandoriError } from '../domain/error.ts';
import { EVENT_VERSION, type Event, type Fact, isCommand } from '../domain/event.ts';
import type { Parts } from './parts.ts';

/**
 * The driver's side of the journal: facts are folded at once and written together.
 *
 * G1  Nothing leaves the house on the ground of a fact before `commit` has made it durable.
 * G2  Where somebody else has written a command meanwhile, what we only intended is forgotten, what we learnt from
 *     the world is kept and written behind the command, and the caller decides anew.
 * G3  Where another driver has written, we stand down.
 */
export interface Ledger {
  readonly state: RunState;
  record(...facts: Fact[]): void;
  /** False where a command came in between: intentions were dropped and must be decided again. */
  commit(): Promise<boolean>;
  /** Takes up what others have written. */
  catchUp(): Promise<void>;
  readonly isDirty: boolean;
}

export async function openLedger(run: string, parts: Parts): Promise<Ledger> {
  const { journal, clock, secrets } = parts;
  let committed = await journal.read(run);
  let state = foldOrFail(run, committed);
  let pending: Event[] = [];
  let isFresh = committed.every((event) => event.type === 'run_started' || event.type === 'plan_proposed');

  function record(...facts: Fact[]): void {
    if (!isFresh) {
      isFresh = true;
      add({ type: 'run_resumed', data: { by: parts.driver } });
    }
    for (const fact of facts) add(redact(fact, secrets));
  }

  function add(fact: Fact): void {
    const at = Math.max(clock.now(), state.lastAt);
    const event = { v: EVENT_VERSION, run, seq: state.seq + 1, at, ...fact } as Event;
    pending.push(event);
    state = apply(state, event);
  }

  async function commit(): Promise<boolean> {
    if (pending.length === 0) return true;
    const events = pending;
    try {
      await journal.append(run, lastSeq(), events);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'journal-conflict')) throw error;
      await rebase();
      return false;
    }
    pending = [];
    take(events);
    return true;
  }

  async function rebase(): Promise<void> {
    const learnt = pending.filter((event) => isFromTheWorld(event));
    pending = [];
    await takeForeign();
    state = foldOrFail(run, await journal.read(run));
    for (const { type, data } of learnt) add({ type, data } as Fact);
  }

  async function catchUp(): Promise<void> {
    if (pending.length > 0) return;
    for (const event of await takeForeign()) state = apply(state, event);
  }

  async function takeForeign(): Promise<Event[]> {
    const foreign = await journal.read(run, lastSeq());
    if (foreign.some((event) => !isCommand(event.type))) {
      throw new DandoriError('run-driven-elsewhere', `Another driver has written to the run ${run}; this one stands down.`);
    }
    take(foreign);
    return foreign;
  }

  function take(events: readonly Event[]): void {
    committed = events.length > 0 ? events.slice(-1) : committed;
    for (const event of events) parts.onEvent?.(event);
  }

  function lastSeq(): number {
    return committed.at(-1)?.seq ?? 0;
  }

  return {
    get state() {
      return state;
    },
    get isDirty() {
      return pending.length > 0;
    },
    record,
    commit,
    catchUp,
  };
}

/** Outcomes cannot be had again; everything else can be decided again. */
function isFromTheWorld(event: Event): boolean {
  switch (event.type) {
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
    case 'decision_made':
    case 'decision_failed':
    case 'plan_proposed':
      return true;
    case 'question_asked':
      return event.data.attempt !== undefined || event.data.question.task === undefined;
    default:
      return false;
  }
}

function foldOrFail(run: string, events: readonly Event[]): RunState {
  const state = fold(events);
  if (state === undefined) throw new DandoriError('journal-damaged', `The run ${run} has no events.`);
  return state;
}
