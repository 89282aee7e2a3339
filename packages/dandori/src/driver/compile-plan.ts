import type { Fact, FactOf } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import type { Diagnostic } from '../model/plan.ts';
import type { Question } from '../model/question.ts';
import { isSameButRedacted } from '../model/redact.ts';
import { isStep, type Task } from '../model/task.ts';
import type { Effect, Tool } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { fillRefs } from '../plan/fill-refs.ts';
import { repair } from '../plan/repair.ts';
import { proposal } from '../run/actions/facts.ts';
import { asksAboutPlan, asksFirst, neverAsks } from '../run/approval-policy.ts';
import { type CompileParts, compileContext, compileDraft } from '../run/drafts/draft.ts';
import { findRepeats, type ProposedCall, type Repeats } from '../run/repeats.ts';
import { isOrder } from '../run/state/orders.ts';
import { answerToDraft, type PlanAnswer } from '../run/state/plan.ts';
import type { Draft, RunState } from '../run/state/state.ts';
import { planOrigins } from '../run/trust/plan-doubts.ts';
import { checkOpened } from '../secrets/index.ts';
import { driverTexts } from '../views/texts/of-run.ts';
import type { Driver } from './perform.ts';
import { planDigest, planQuestion } from './questions.ts';
import type { Results } from './results.ts';

/**
 * Compiles the draft and records the result: the plan is approved, rejected, or the user is asked about it.
 * Certain mistakes of the mind are repaired without asking it again. A plan that the user approved is
 * compiled again, because the tools may have changed. If it would now do something else, the user is asked
 * again.
 */
export async function compilePlan({
  ledger,
  parts,
  results,
  sealing,
  checked,
  compiledAtStart,
}: Driver): Promise<void> {
  const { state } = ledger;
  const { draft } = state;
  if (draft === undefined) return;
  const { version } = draft;
  const word = answerToDraft(state);
  if (word?.kind === 'rejected') {
    const { reason, question } = word;
    const tasks = repeatsIn(question);
    const repeats = tasks.length === 0 ? {} : { repeats: { tasks } };
    ledger.record({ type: 'plan_rejected', data: { version, diagnostics: [], reason, ...repeats } });
    return;
  }
  const atStart = version === 1 && draft.by === 'user' && word === undefined ? compiledAtStart() : undefined;
  // Durations tell which task is urgent. That matters only if the tasks cannot all start at once.
  const isCrowded = draft.tasks.length > state.settings.concurrency;
  if (isCrowded && atStart === undefined) await parts.durations?.load();
  const { toolbox, clock, durations } = parts;
  const check = checkOpened(parts.check, sealing);
  // Only tasks that the mind wrote may have been checked before, while it was writing.
  const isSeen = draft.by !== 'user';
  const compiling = {
    state,
    parts: { toolbox, check, clock, durations, checked: isSeen ? checked : undefined },
    results,
    atStart,
  };
  ledger.record(
    ...(word?.kind === 'edited' ? edited(draft, word, compiling) : judged(draft, word, compiling)),
  );
}

interface Compiling {
  readonly state: RunState;
  readonly parts: CompileParts;
  readonly results: Results;
  readonly atStart?: Compiled | undefined;
}

/**
 * The user's edited plan compiled before it was journaled. If it no longer compiles, the driver judges the
 * original draft and reports the problems in its question.
 */
function edited(draft: Draft, word: PlanAnswer & { kind: 'edited' }, compiling: Compiling): Fact[] {
  const theirs: Draft = { ...draft, by: 'user', tasks: word.tasks };
  const compiled = compileDraft(theirs, compiling);
  if (!compiled.ok) return judged(draft, undefined, { ...compiling, problems: compiled.diagnostics });
  return [proposal(theirs), approval(theirs, compiled, { ...compiling, question: word.question.id })];
}

function judged(
  draft: Draft,
  word: (PlanAnswer & { kind: 'approved' }) | undefined,
  compiling: Compiling & { readonly problems?: readonly Diagnostic[] },
): Fact[] {
  const { state, parts, results, problems, atStart } = compiling;
  const { version } = draft;
  const compiled = atStart ?? compileDraft(draft, compiling);
  const tools = parts.toolbox.tools();
  if (compiled.ok) return accepted(draft, compiled, { state, results, tools, word, problems });
  const fixed =
    draft.by === 'user'
      ? undefined
      : repair(draft.tasks, compiled.diagnostics, compileContext(draft, compiling));
  const repaired: Draft | undefined = fixed && { ...draft, by: 'repair', tasks: fixed.tasks };
  const again = repaired && compileDraft(repaired, { state, parts });
  if (fixed === undefined || repaired === undefined || again?.ok !== true)
    return [{ type: 'plan_rejected', data: { version, diagnostics: compiled.diagnostics } }];
  return [
    proposal(repaired),
    ...accepted(repaired, again, { state, results, tools, repairs: fixed.notes, problems }),
  ];
}

interface Circumstances {
  readonly state: RunState;
  readonly results: Results;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly word?: (PlanAnswer & { kind: 'approved' }) | undefined;
  readonly repairs?: readonly string[];
  /** Problems in the user's edited plan, if it no longer compiles. */
  readonly problems?: readonly Diagnostic[] | undefined;
}

/** The plan compiles. It may still repeat finished calls, or need the user's approval first. */
function accepted(draft: Draft, compiled: Compiled & { ok: true }, circumstances: Circumstances): Fact[] {
  const { state, word, problems } = circumstances;
  const repairs = circumstances.repairs ?? notesIn(word?.question);
  const isApproved = word !== undefined && word.question.digest === planDigest(draft, compiled.tasks);
  if (isApproved) return [approval(draft, compiled, { state, repairs, question: word.question.id })];
  const isTheirs = draft.by === 'user' || state.planGiven;
  const found = isTheirs ? undefined : findRepeats(knownCalls(draft, compiled, circumstances), state);
  if (found?.verdict === 'tell' || found?.verdict === 'end') return [refusal(draft, found)];
  const noted = [...repairs, ...notesOnRepeats(found, state)];
  if (found?.verdict !== 'ask' && !asksAboutPlan(callsOf(draft, compiled), state.settings))
    return [approval(draft, compiled, { state, repairs: noted })];
  const repeated = found?.verdict === 'ask' ? found : undefined;
  const notes = notesOn(compiled, noted);
  const { results, tools } = circumstances;
  const resultOf = (id: string) => results.get(state, id);
  const shown = { tasks: draft.tasks, tools, state, isOrdered: isOrder(state, draft, false), resultOf };
  const originOf = (task: Task) => planOrigins(task, shown);
  return [planQuestion(draft, { compiled, notes, problems, repeated, originOf, state })];
}

/**
 * Calls that change something and whose arguments are known before the plan runs. Tasks that were already in
 * the plan are left out: compiling them again is not a new request.
 */
function knownCalls(
  draft: Draft,
  compiled: Compiled & { ok: true },
  { state, results }: Circumstances,
): ProposedCall[] {
  const changing = draft.tasks.filter(
    (task, index) => compiled.tasks[index]?.effect !== 'read' && !isStep(task),
  );
  if (changing.length === 0) return [];
  const own = new Set(draft.tasks.map(({ id }) => id));
  return changing.flatMap(({ id, operation, args }) => {
    const before = state.tasks.get(id)?.task;
    const isOld = before?.operation === operation && isSameButRedacted(before.args, args);
    if (isOld) return [];
    const filled = fillRefs(args, (task) => (own.has(task) ? undefined : results.get(state, task)));
    return filled.ok ? [{ id, operation, args: filled.args }] : [];
  });
}

/** More entries would not help the mind. */
const MOST_TOLD = 20;

const WHEN_INSISTED: Readonly<Record<Repeats['next'], string>> = {
  go_on: 'if the goal needs it done once more, return the same list again',
  ask: 'if the goal needs it done once more, return the same list again, and the user is asked',
  end: 'returning the same list again ends the run. What the goal needs several times more belongs in one list',
};

/**
 * The plan is valid but repeats finished calls. Results are not quoted, because tool output may appear only
 * inside its tags.
 */
function refusal({ version }: Draft, { calls, verdict, next }: Repeats): Fact {
  const diagnostics = calls.slice(0, MOST_TOLD).map(({ call, done }): Diagnostic => {
    const { id } = done.task;
    return {
      code: 'already-done',
      task: call.id,
      message: `${id} has already called ${call.operation} with exactly these arguments and succeeded. Its result, ${id}, is still valid`,
      hint: `leave it out and use the result of ${id}; ${WHEN_INSISTED[next]}`,
    };
  });
  const tasks = [...new Set(calls.map(({ done }) => done.task.id))];
  const repeats = { tasks, ...(verdict === 'end' && { isInsisted: true }) };
  return { type: 'plan_rejected', data: { version, diagnostics, repeats } };
}

function notesOnRepeats(found: Repeats | undefined, state: RunState): string[] {
  const { repeats } = driverTexts(state);
  return (found?.calls ?? []).slice(0, MOST_TOLD).map(({ call, done }) => repeats(call.id, done.task.id));
}

/** The repeated tasks that the question to the user listed. */
function repeatsIn({ context }: Question): string[] {
  const { repeats } = (context ?? {}) as { repeats?: Json };
  return Array.isArray(repeats) ? repeats.filter((id) => typeof id === 'string') : [];
}

function approval(
  draft: Draft,
  compiled: Compiled & { ok: true },
  { state, repairs = [], question }: { state: RunState; repairs?: readonly string[]; question?: string },
): Fact {
  const { tasks, groups, accesses } = compiled;
  const notes = notesOn(compiled, repairs);
  const { settings } = state;
  const isAsked = !neverAsks(settings) && callsOf(draft, compiled).some((call) => asksFirst(call, settings));
  const data: FactOf<'plan_approved'>['data'] = { version: draft.version, tasks };
  if (groups.length > 0) data.groups = groups.map((group) => [...group]);
  if (accesses !== undefined) data.accesses = accesses;
  if (notes.length > 0) data.notes = notes;
  if (isAsked) data.estimate = compiled.estimate();
  if (question !== undefined) data.question = question;
  return { type: 'plan_approved', data };
}

function notesOn(compiled: Compiled & { ok: true }, repairs: readonly string[]): string[] {
  if (repairs.length + compiled.notes.length + compiled.warnings.length === 0) return [];
  const warnings = compiled.warnings.map(({ task, message }) =>
    task === undefined ? message : `${task}: ${message}`,
  );
  return [...new Set([...repairs, ...compiled.notes, ...warnings])];
}

/** Notes on repairs made before the user was asked. Compiling the approved plan does not find them again. */
function notesIn(question: Question | undefined): string[] {
  const { notes } = (question?.context ?? {}) as { notes?: Json };
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
}

function callsOf(
  { tasks: written }: Draft,
  { tasks }: Compiled & { ok: true },
): { operation: string; effect: Effect }[] {
  return tasks.map(({ effect }, index) => ({ operation: written[index]?.operation ?? '', effect }));
}
