import { DandoriError } from '../model/error.ts';
import { type Event, eventOf, type Fact } from '../model/event.ts';
import { isCommand, originOf } from '../model/event-kinds.ts';
import type { Word } from '../model/failure.ts';
import type { Sealing } from '../model/redact.ts';
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
 *     the commit fails, what the model says is dropped. Reads that cost nothing are made before it too.
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

interface Opening {
  /** The driver's claim: a driver that has lost it cannot write. */
  readonly claim?: Claim | undefined;
  /** The events that the caller has just written. They are not read again if they are all that the run has. */
  readonly started?: readonly Event[] | undefined;
}

export async function openLedger(
  run: string,
  parts: Parts,
  { claim, started }: Opening = {},
): Promise<Ledger> {
  const isWhole = started !== undefined && started.at(-1)?.seq === claim?.last;
  const events = isWhole ? started : await parts.journal.read(run);
  parts.onOpened?.(events);
  return new OpenLedger(run, parts, { claim, events });
}

class OpenLedger implements Ledger {
  state: RunState;
  owesOutcome = false;
  readonly #run: string;
  readonly #parts: Parts;
  readonly #claim: Claim | undefined;
  readonly #sealing: Sealing;
  /** Whether this driver has recorded that it continues the run, or the run needs no such fact. */
  #isFresh: boolean;
  /** The `seq` of the last event that is durable. */
  #lastSeq: number;
  #pending: Event[] = [];
  readonly #word: Word = (said) => wordFor(this.state)(said);

  constructor(
    run: string,
    parts: Parts,
    { claim, events }: { claim: Claim | undefined; events: readonly Event[] },
  ) {
    this.#run = run;
    this.#parts = parts;
    this.#claim = claim;
    this.#sealing = sealingOf(parts);
    this.#isFresh = events.every(({ type }) => type === 'run_started' || type === 'plan_proposed');
    this.#lastSeq = events.at(-1)?.seq ?? 0;
    this.state = foldRun(run, events);
  }

  record(...facts: Fact[]): void {
    this.resume();
    for (const fact of facts) this.#add(this.#sealing.conceal(fact));
  }

  resume(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    this.#add({ type: 'run_resumed', data: { by: this.#parts.driver } });
  }

  async commit(): Promise<boolean> {
    if (this.#pending.length === 0) return true;
    const events = this.#pending;
    try {
      await this.#parts.journal.append(this.#run, this.#lastSeq, events, this.#claim);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'journal-conflict')) throw error;
      await this.#rebase();
      return false;
    }
    this.#pending = [];
    this.owesOutcome = false;
    this.#take(events);
    return true;
  }

  /** Pending events may clash with those of another process. `append` detects that. */
  isNews(last = Number.POSITIVE_INFINITY): boolean {
    return last > (this.#pending.at(-1)?.seq ?? this.#lastSeq);
  }

  async catchUp(): Promise<void> {
    if (this.#pending.length > 0) return;
    const foreign = this.#commandsOnly(await this.#parts.journal.read(this.#run, this.#lastSeq));
    this.#take(foreign);
    for (const event of foreign) this.state = apply(this.state, event);
  }

  #add(fact: Fact): void {
    const { state } = this;
    const at = Math.max(this.#parts.clock.now(), state.lastAt);
    const judged = withVerdict(this.#onTerms(fact, at), { state, at, word: this.#word });
    const event = eventOf(judged, { run: this.#run, seq: state.seq + 1, at });
    this.#pending.push(event);
    this.state = apply(state, event);
    this.owesOutcome ||= isOutcomeOfEffect(event, this.state);
  }

  /** Applied to every question here, so that no caller can forget the run's expiry and answerers. */
  #onTerms(fact: Fact, at: number): Fact {
    if (fact.type !== 'question_asked') return fact;
    const { question } = fact.data;
    return { ...fact, data: { ...fact.data, question: withTerms(question, this.state.settings, at) } };
  }

  async #rebase(): Promise<void> {
    const kept = worthKeeping(this.#pending);
    this.#pending = [];
    this.owesOutcome = false;
    const events = await this.#parts.journal.read(this.#run);
    this.#take(this.#commandsOnly(events.filter(({ seq }) => seq > this.#lastSeq)));
    this.state = foldRun(this.#run, events);
    for (const { type, data } of kept) this.#add({ type, data } as Fact);
  }

  #commandsOnly(foreign: Event[]): Event[] {
    if (foreign.every((event) => isCommand(event.type))) return foreign;
    throw new DandoriError(
      'run-driven-elsewhere',
      `Another driver has written to the run ${this.#run}; this one stops.`,
    );
  }

  #take(events: readonly Event[]): void {
    this.#lastSeq = events.at(-1)?.seq ?? this.#lastSeq;
    for (const event of events) this.#parts.onEvent?.(event);
  }
}

/** What the user said of a call in doubt is its outcome too. */
function isOutcomeOfEffect(event: Event, { tasks }: RunState): boolean {
  const isOutcome = originOf(event) === 'outcome' || event.type === 'answer_applied';
  if (!isOutcome || !('task' in event.data)) return false;
  const task = tasks.get(event.data.task);
  return task !== undefined && (task.effect !== 'read' || task.cost > 0);
}

/** Outcomes cannot be repeated, so they are kept. Everything else is decided again, with its consequences. */
function worthKeeping(pending: readonly Event[]): Event[] {
  const dropped = new Set<string>();
  let isAskedAgain = false;
  return pending.filter((event) => {
    if (event.type === 'task_started') dropped.add(attemptOf(event.data));
    // A decision that costs nothing is made again too. What it said goes with it.
    if (event.type === 'decision_started') isAskedAgain = true;
    if (isAskedAgain && !isAboutCall(event)) return false;
    // A read that was prefetched is simply made again.
    const isEnd = event.type === 'task_failed' || event.type === 'task_succeeded';
    if (isEnd && dropped.has(attemptOf(event.data))) return false;
    return originOf(event) === 'outcome';
  });
}

function isAboutCall({ type, data }: Event): boolean {
  return 'task' in data || (type === 'question_asked' && data.attempt !== undefined);
}

function attemptOf({ task, attempt }: { task: string; attempt: number }): string {
  return `${task}#${attempt}`;
}
