import type { Brief, Offer, Reflection } from '../../model/decision.ts';
import type { FactOf, Purpose } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Diagnostic } from '../../model/plan.ts';
import { type Action, isStep, type Task } from '../../model/task.ts';
import type { Budget } from './budget.ts';
import type { TaskState } from './task-state.ts';

/** What the mind has decided, what it was told, and whether it may be asked again. */
export interface Decisions {
  readonly decisions: Decision[];
  /** The decision that the mind is working on. */
  thinking: Thinking | undefined;
  /** Tools that the mind has been told about. Undefined before its first decision, and in old journals. */
  offered: Offered | undefined;
  /** The mind may not be asked again before this time. */
  thinkAfter: number;
  /** Failed decisions and rejected plans since the last accepted plan or question. */
  failuresInARow: number;
  /** Asking the mind again cannot help. */
  isHopeless: boolean;
  /** What was wrong with the last plan that was rejected. */
  rejection: readonly Diagnostic[] | undefined;
  /**
   * The decision that was told about a loop. Only set by a version that reported at most one loop per run.
   */
  loopTold: number | undefined;
  /** The decisions that were told about a loop. */
  readonly toldLoops: Decision[];
  /** The last event in which the user gave input to the mind or raised the limits. 0 before that. */
  lastWord: number;
  /** The limits were raised after the end, and the mind has not decided since. */
  isContinued: boolean;
  readonly reflections: (Reflection & { readonly decision: number; readonly at: number })[];
  /** Tasks that have ended since the last reflection, and how many of them failed. */
  sinceReflection: { ended: number; failed: number };
  /** Notes that users added during the run, and notes that models of other runs passed on. */
  readonly notes: (FactOf<'note_added'>['data'] & { readonly seq: number; readonly at: number })[];
  /** Steps that have ended and that the user has not been told about. Only used in a conversation. */
  readonly unreported: Set<string>;
}

interface Thinking {
  readonly decision: number;
  readonly purpose: Purpose;
  readonly brief: Brief | undefined;
  readonly offer: Offer | undefined;
  readonly startedSeq: number;
  /** The decision needs no model call. */
  readonly isFree: boolean;
}

/** One turn of the mind, kept for the prompt and for people. */
export interface Decision {
  readonly number: number;
  readonly purpose: Purpose;
  readonly brief: Brief | undefined;
  /** The decision takes into account all events up to this one. */
  readonly startedSeq: number;
  reasoning: string | undefined;
  operations: readonly Action[];
  /** Tasks proposed by this decision, in written order. */
  proposed: readonly Task[];
  diagnostics: readonly Diagnostic[] | undefined;
  failure: Failure | undefined;
  /** Why a person rejected the proposal. Empty if the person gave no reason. */
  veto?: string | undefined;
  /** Proposed calls that had already succeeded. */
  repeats?: FactOf<'plan_rejected'>['data']['repeats'];
  /** A person has edited the proposal. `proposed` is the edited version. */
  isEdited?: boolean;
  /** Tools that this decision was told about. */
  offer?: Offer | undefined;
  /** The mind may have read a stranger's text (`orders`). */
  isInfluenced?: boolean;
  /** The model to use from here on, because the previous one failed. */
  next?: string | undefined;
}

/** The tools that the mind has been told about so far. */
export interface Offered {
  /** The tools in the instructions, which stay the same for the whole run. */
  readonly first: Offer;
  readonly names: Set<string>;
  /** Undefined while every tool is described. */
  servers: Map<string, number> | undefined;
}

export function createDecisions(): Decisions {
  return {
    decisions: [],
    thinking: undefined,
    offered: undefined,
    thinkAfter: 0,
    failuresInARow: 0,
    isHopeless: false,
    rejection: undefined,
    loopTold: undefined,
    toldLoops: [],
    lastWord: 0,
    isContinued: false,
    reflections: [],
    sinceReflection: { ended: 0, failed: 0 },
    notes: [],
    unreported: new Set(),
  };
}

export function lastDecision({ decisions }: Decisions): Decision | undefined {
  return decisions.at(-1);
}

/** Whether the mind has failed too often, or in a way that a retry cannot fix. */
export function hasGivenUp({
  failuresInARow,
  isHopeless,
  settings,
}: Decisions & Pick<Budget, 'settings'>): boolean {
  return isHopeless || failuresInARow > settings.repairs;
}

export function decisionStarted(
  state: Decisions,
  { decision, purpose, brief, offer, free }: FactOf<'decision_started'>['data'],
  seq: number,
): void {
  state.thinking = { decision, purpose, brief, offer, startedSeq: seq, isFree: free === true };
  if (brief?.loop !== undefined && brief.loop.circle === undefined) state.loopTold ??= decision;
}

export function decisionMade(
  state: Decisions,
  data: FactOf<'decision_made'>['data'],
  { seq, isInfluenced }: { seq: number; isInfluenced: boolean },
): void {
  const { reflect, report = [] } = state.thinking?.brief ?? {};
  if (reflect !== undefined) state.sinceReflection = { ended: 0, failed: 0 };
  for (const step of report) state.unreported.delete(step);
  close(state, seq, {
    number: data.decision,
    reasoning: data.reasoning,
    operations: data.operations ?? [],
    ...(isInfluenced && { isInfluenced }),
  });
  state.isContinued = false;
}

export function decisionFailed(
  state: Decisions,
  { decision, failure, next, retryAt, final }: FactOf<'decision_failed'>['data'],
  { seq, at }: { seq: number; at: number },
): void {
  close(state, seq, { number: decision, failure, next });
  state.thinkAfter = retryAt ?? at;
  // The next model has made no mistake yet.
  if (next !== undefined) startOver(state);
  else {
    state.failuresInARow++;
    if (final === true) state.isHopeless = true;
  }
}

function close(state: Decisions, seq: number, how: Partial<Decision> & { readonly number: number }): void {
  const { purpose = 'act', brief, offer, startedSeq = seq } = state.thinking ?? {};
  state.thinking = undefined;
  // Recorded only now: if a decision is lost, the mind does not remember the tools it was offered.
  toolsOffered(state, offer);
  const decision: Decision = {
    purpose,
    brief,
    startedSeq,
    reasoning: undefined,
    operations: [],
    proposed: [],
    diagnostics: undefined,
    failure: undefined,
    offer,
    ...how,
  };
  state.decisions.push(decision);
  if (brief?.loop !== undefined) state.toldLoops.push(decision);
}

function toolsOffered(state: Decisions, offer: Offer | undefined): void {
  if (offer === undefined) return;
  const servers = offer.servers && new Map(Object.entries(offer.servers));
  if (state.offered === undefined) {
    state.offered = { first: offer, names: new Set(offer.tools), servers };
    return;
  }
  const { offered } = state;
  for (const name of offer.tools) offered.names.add(name);
  for (const name of offer.gone ?? []) offered.names.delete(name);
  if (servers !== undefined) offered.servers = new Map([...(offered.servers ?? []), ...servers]);
}

/** Clears earlier mistakes. */
export function startOver(state: Decisions): void {
  state.failuresInARow = 0;
  state.isHopeless = false;
}

export function planRefused(state: Decisions, data: FactOf<'plan_rejected'>['data']): void {
  const { diagnostics, reason, repeats, final } = data;
  const decision = state.decisions.at(-1);
  if (decision !== undefined) {
    decision.diagnostics = diagnostics;
    decision.veto = reason;
    decision.repeats = repeats;
  }
  state.rejection = diagnostics;
  // A plan that only repeats calls is not a malformed plan.
  if (repeats === undefined) state.failuresInARow++;
  if (final === true) state.isHopeless = true;
}

export function noteAdded(
  state: Decisions,
  data: FactOf<'note_added'>['data'],
  { seq, at }: { seq: number; at: number },
): void {
  state.notes.push({ ...data, seq, at });
  state.lastWord = seq;
}

export function limitsWereRaised(state: Decisions, seq: number, wasEnded: boolean): void {
  state.loopTold = undefined;
  state.lastWord = seq;
  startOver(state);
  if (wasEnded) state.isContinued = true;
}

/** Ended steps are reported to the user of a conversation. Ended tasks count towards the next reflection. */
export function taskEnded(state: Decisions, { task, status }: TaskState, isInConversation: boolean): void {
  // A blocked step is not reported, because the failure that blocked it is.
  if (status === 'blocked') return;
  if (isStep(task)) {
    if (isInConversation) state.unreported.add(task.id);
    return;
  }
  state.sinceReflection.ended++;
  if (status === 'failed') state.sinceReflection.failed++;
}
