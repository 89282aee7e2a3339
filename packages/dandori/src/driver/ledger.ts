import { DandoriError } from '../model/error.ts';
import { type Event, eventOf, type Fact } from '../model/event.ts';
import { isCommand, originOf } from '../model/event-kinds.ts';
import { apply, foldRun } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import { withVerdict } from '../run/verdicts.ts';
import { sealingOf } from '../secrets/index.ts';
import type { Claim } from '../store/index.ts';
import { wordFor } from '../views/texts/said.ts';
import type { Parts } from './parts.ts';
import { withTerms } from './questions.ts';

/**
 * The driver's side of the journal: events are folded at once and written together.
 *
 * G1  The driver does nothing because of an event before `commit` has made it durable. The exception is a
 *     decision: the model may be called while the disk still writes, because the call only costs money. If
 *     the commit fails, what the model says is dropped.
 * G2  If another process has written a command in the meantime, intentions are dropped. Outcomes are kept and
 *     written after the command, and the caller decides again.
 * G3  If another driver has written, or the claim has ended, this driver stops.
 */
export interface Ledger {
  readonly state: RunState;
  record(...facts: Fact[]): void;
  /** Records that this driver continues the run, if another one began it. `record` does so too. */
  resume(): void;
  /** Whether an outcome that must not be lost is still uncommitted. If so, no call may start. */
  readonly owesOutcome: boolean;
  /** False if another process wrote a command first: intentions were dropped and must be decided again. */
  commit(): Promise<boolean>;
  /** Whether the journal has events that this ledger does not know. */
  isNews(last: number | undefined): boolean;
  /** Reads what other processes have written. */
  catchUp(): Promise<void>;
}

/** The journal has more events than the caller passed to `openLedger`, so it must be read. */
export class StaleStart extends Error {}

interface Opening {
  /** The driver's claim: a driver that has lost it cannot write. */
  readonly claim?: Claim | undefined;
  /** All events of the run, if the caller has just written them. They are not read again. */
  readonly started?: readonly Event[] | undefined;
}

export async function openLedger(
  run: string,
  parts: Parts,
  { claim, started }: Opening = {},
): Promise<Ledger> {
  const { journal, clock } = parts;
  const sealing = sealingOf(parts);
  let isUnread = started !== undefined;
  let committed = started ?? (await journal.read(run));
  let state = foldRun(run, committed);
  let pending: Event[] = [];
  let owesOutcome = false;
  let isFresh = committed.every((event) => event.type === 'run_started' || event.type === 'plan_proposed');

  function record(...facts: Fact[]): void {
    resume();
    for (const fact of facts) add(sealing.conceal(fact));
  }

  function resume(): void {
    if (isFresh) return;
    isFresh = true;
    add({ type: 'run_resumed', data: { by: parts.driver } });
  }

  function add(fact: Fact): void {
    const at = Math.max(clock.now(), state.lastAt);
    const judged = withVerdict(onTerms(fact, at), { state, at, word: wordFor(state) });
    const event = eventOf(judged, { run, seq: state.seq + 1, at });
    pending.push(event);
    state = apply(state, event);
    owesOutcome ||= isOutcomeOfEffect(event);
  }

  /** Applied to every question here, so that no caller can forget the run's expiry and answerers. */
  function onTerms(fact: Fact, at: number): Fact {
    if (fact.type !== 'question_asked') return fact;
    const { question } = fact.data;
    return { ...fact, data: { ...fact.data, question: withTerms(question, state.settings, at) } };
  }

  async function commit(): Promise<boolean> {
    if (pending.length === 0) return true;
    const events = pending;
    try {
      await journal.append(run, lastSeq(), events, claim);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'journal-conflict')) throw error;
      if (isUnread) throw new StaleStart();
      await rebase();
      return false;
    }
    pending = [];
    owesOutcome = false;
    isUnread = false;
    take(events);
    return true;
  }

  async function rebase(): Promise<void> {
    const kept = worthKeeping(pending);
    pending = [];
    owesOutcome = false;
    const events = await journal.read(run);
    take(commandsOnly(events.filter(({ seq }) => seq > lastSeq())));
    state = foldRun(run, events);
    for (const { type, data } of kept) add({ type, data } as Fact);
  }

  function isOutcomeOfEffect(event: Event): boolean {
    if (originOf(event) !== 'outcome' || !('task' in event.data)) return false;
    const task = state.tasks.get(event.data.task);
    return task !== undefined && (task.effect !== 'read' || task.cost > 0);
  }

  /** Pending events may clash with those of another process. `append` detects that. */
  function isNews(last = Number.POSITIVE_INFINITY): boolean {
    return last > (pending.at(-1)?.seq ?? lastSeq());
  }

  async function catchUp(): Promise<void> {
    if (pending.length > 0) return;
    const foreign = commandsOnly(await journal.read(run, lastSeq()));
    take(foreign);
    for (const event of foreign) state = apply(state, event);
  }

  function commandsOnly(foreign: Event[]): Event[] {
    if (foreign.every((event) => isCommand(event.type))) return foreign;
    throw new DandoriError(
      'run-driven-elsewhere',
      `Another driver has written to the run ${run}; this one stops.`,
    );
  }

  function take(events: readonly Event[]): void {
    committed = events.length > 0 ? events.slice(-1) : committed;
    for (const event of events) parts.onEvent?.(event);
  }

  function lastSeq(): number {
    return committed.at(-1)?.seq ?? 0;
  }

  return new OpenLedger({
    stateNow: () => state,
    owesNow: () => owesOutcome,
    record,
    resume,
    commit,
    isNews,
    catchUp,
  });
}

interface Inside extends Omit<Ledger, 'state' | 'owesOutcome'> {
  stateNow(): RunState;
  owesNow(): boolean;
}

/** A class, because V8 makes a dictionary of an object literal with getters, and every task reads the state. */
class OpenLedger implements Ledger {
  readonly record: Ledger['record'];
  readonly resume: Ledger['resume'];
  readonly commit: Ledger['commit'];
  readonly isNews: Ledger['isNews'];
  readonly catchUp: Ledger['catchUp'];
  readonly #stateNow: () => RunState;
  readonly #owesNow: () => boolean;

  constructor({ record, resume, commit, isNews, catchUp, stateNow, owesNow }: Inside) {
    this.record = record;
    this.resume = resume;
    this.commit = commit;
    this.isNews = isNews;
    this.catchUp = catchUp;
    this.#stateNow = stateNow;
    this.#owesNow = owesNow;
  }

  get state(): RunState {
    return this.#stateNow();
  }

  get owesOutcome(): boolean {
    return this.#owesNow();
  }
}

/** Outcomes cannot be repeated, so they are kept. Everything else is decided again, with its consequences. */
function worthKeeping(pending: readonly Event[]): Event[] {
  const dropped = new Set<string>();
  return pending.filter((event) => {
    if (event.type === 'task_started') dropped.add(attemptOf(event.data));
    // A read that was prefetched is simply made again.
    const isEnd = event.type === 'task_failed' || event.type === 'task_succeeded';
    if (isEnd && dropped.has(attemptOf(event.data))) return false;
    return originOf(event) === 'outcome';
  });
}

function attemptOf({ task, attempt }: { task: string; attempt: number }): string {
  return `${task}#${attempt}`;
}
