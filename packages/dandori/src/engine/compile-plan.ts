import { asksAboutPlan, asksFirst } from '../core/approval.ts';
import type { Compiled } from '../core/compile.ts';
import { type PlanWord, wordOnDraft } from '../core/plan-word.ts';
import { repair } from '../core/repair.ts';
import type { Draft, RunState } from '../core/state.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Effect } from '../domain/effect.ts';
import type { Fact } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import { planDigest } from './digest.ts';
import { compileDraft, surroundingsOf } from './draft.ts';
import type { Parts } from './parts.ts';
import type { Driver } from './perform.ts';
import { planQuestion } from './plan-question.ts';
import { proposal } from './proposal.ts';

/**
 * Compiles the draft and records what came of it: it is accepted, refused, or a person is asked about it. Certain
 * mistakes of the mind are corrected without asking it. What a person has approved is compiled once more, as the tools
 * may be others by now, and they are asked again where it would do anything else than what they saw.
 */
export async function compilePlan({ ledger, parts }: Driver): Promise<void> {
  const { state } = ledger;
  const { draft } = state;
  if (draft === undefined) return;
  const { version } = draft;
  const word = wordOnDraft(state);
  if (word?.kind === 'rejected') {
    ledger.record({ type: 'plan_rejected', data: { version, diagnostics: [], reason: word.reason } });
    return;
  }
  // Which task is urgent matters only where not all can start at once.
  if (draft.tasks.length > state.settings.concurrency) await parts.durations?.load();
  ledger.record(
    ...(word?.kind === 'edited'
      ? edited(draft, word, { state, parts })
      : judged(draft, word, { state, parts })),
  );
}

interface House {
  readonly state: RunState;
  readonly parts: Parts;
}

/** It was compiled before it was journaled; where it does not compile any more, the person hears of it. */
function edited(draft: Draft, word: PlanWord & { kind: 'edited' }, house: House): Fact[] {
  const theirs: Draft = { ...draft, by: 'user', tasks: word.tasks };
  const compiled = compileDraft(theirs, house);
  if (!compiled.ok) return judged(draft, undefined, { ...house, problems: compiled.diagnostics });
  return [proposal(theirs), approval(theirs, compiled, { ...house, question: word.question.id })];
}

function judged(
  draft: Draft,
  word: (PlanWord & { kind: 'approved' }) | undefined,
  house: House & { readonly problems?: readonly Diagnostic[] },
): Fact[] {
  const { state, parts, problems } = house;
  const { version } = draft;
  const compiled = compileDraft(draft, house);
  if (compiled.ok) return accepted(draft, compiled, { state, word, problems });
  const mended =
    draft.by === 'user' ? undefined : repair(draft.tasks, compiled.diagnostics, surroundingsOf(draft, house));
  const repaired: Draft | undefined = mended && { ...draft, by: 'repair', tasks: mended.tasks };
  const again = repaired && compileDraft(repaired, { state, parts });
  if (mended === undefined || repaired === undefined || again?.ok !== true)
    return [{ type: 'plan_rejected', data: { version, diagnostics: compiled.diagnostics } }];
  return [proposal(repaired), ...accepted(repaired, again, { state, repairs: mended.notes, problems })];
}

interface Circumstances {
  readonly state: RunState;
  readonly word?: (PlanWord & { kind: 'approved' }) | undefined;
  readonly repairs?: readonly string[];
  /** What was wrong with the plan that a person wrote in place of it. */
  readonly problems?: readonly Diagnostic[] | undefined;
}

/** The plan is right. A person may have to say yes to it first. */
function accepted(draft: Draft, compiled: Compiled & { ok: true }, circumstances: Circumstances): Fact[] {
  const { state, word, problems } = circumstances;
  const repairs = circumstances.repairs ?? notesIn(word?.question);
  const calls = callsOf(draft, compiled);
  const digest = planDigest(draft, compiled.tasks);
  const isApproved = word !== undefined && word.question.digest === digest;
  if (isApproved || !asksAboutPlan(calls, state.settings))
    return [approval(draft, compiled, { state, repairs, ...(isApproved && { question: word.question.id }) })];
  const notes = notesOn(compiled, repairs);
  return [planQuestion(draft, { compiled, digest, notes, problems, state })];
}

function approval(
  draft: Draft,
  compiled: Compiled & { ok: true },
  { state, repairs = [], question }: { state: RunState; repairs?: readonly string[]; question?: string },
): Fact {
  const { tasks, groups, accesses } = compiled;
  const notes = notesOn(compiled, repairs);
  const isAsked = callsOf(draft, compiled).some((call) => asksFirst(call, state.settings));
  return {
    type: 'plan_approved',
    data: {
      version: draft.version,
      tasks,
      ...(groups.length > 0 && { groups: groups.map((group) => [...group]) }),
      ...(accesses && { accesses }),
      ...(notes.length > 0 && { notes }),
      ...(isAsked && { estimate: compiled.estimate() }),
      ...(question !== undefined && { question }),
    },
  };
}

function notesOn(compiled: Compiled & { ok: true }, repairs: readonly string[]): string[] {
  const warnings = compiled.warnings.map(({ task, message }) =>
    task === undefined ? message : `${task}: ${message}`,
  );
  return [...new Set([...repairs, ...compiled.notes, ...warnings])];
}

/** What was corrected before a person was asked is not found again. */
function notesIn(question: Question | undefined): string[] {
  const { notes } = (question?.context ?? {}) as { notes?: Json };
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
}

function callsOf(
  { tasks: written }: Draft,
  { tasks }: Compiled & { ok: true },
): { operation: string; effect: Effect }[] {
  const operations = new Map(written.map(({ id, operation }) => [id, operation]));
  return tasks.map(({ id, effect }) => ({ operation: operations.get(id) ?? '', effect }));
}
