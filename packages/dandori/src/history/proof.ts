import { answerText, callDigest, type Results, unexpected, withOutput } from '../driver/index.ts';
import type { Brief } from '../model/decision.ts';
import { assertNever, DandoriError } from '../model/error.ts';
import { EVENT_VERSION, type Event, type FactType } from '../model/event.ts';
import { isCommand } from '../model/event-kinds.ts';
import type { Cause, Failure } from '../model/failure.ts';
import { stringifyJson } from '../model/json.ts';
import { isSameButRedacted } from '../model/redact.ts';
import type { SchemaCheck } from '../model/tool.ts';
import { appliedAnswer } from '../run/answers.ts';
import { expiredAt } from '../run/decide.ts';
import type { Ending, Intention } from '../run/intention.ts';
import { costUsed, tokensUsed } from '../run/limits.ts';
import { firstLoop } from '../run/loop.ts';
import { hasEnded, type RunState, type TaskState } from '../run/state/state.ts';
import { verdictFields, withVerdict } from '../run/verdicts.ts';
import { wordFor } from '../views/texts/said.ts';
import { previewProblems, questionProblems, standingProblems } from './proof-approvals.ts';
import { fill, intentions, isIntended } from './proof-intentions.ts';
import { draftProblems, planApprovalProblems, same, versionProblems } from './proof-plan.ts';

/**
 * Whether the driver would write this fact after the events before it. Nothing here calls a model or a tool,
 * or changes the state.
 *
 * V1  Dandori's own decisions are made again: when the mind is asked and for what, what a plan waits for, each call
 *     with its arguments and key, each approval, and how the run ends. Codes and values are compared, sentences are
 *     not.
 * V2  What came from outside (a result, a decision of the mind, an answer) is accepted as evidence. It is
 *     checked against what is known about it: its attempt, its expectation, the options of its question.
 * V3  A fact that depends on an unreadable result is unproved, which is neither right nor wrong.
 */
export interface Proving {
  /** The state before the event. */
  readonly state: RunState;
  /** The next event, because some facts come in pairs. */
  readonly next: Event | undefined;
  readonly results: Results;
  readonly check: SchemaCheck;
}

/**
 * Facts that a replay computes again. The driver also decides `plan_rejected` and `hold_ended`, but they depend on
 * tools and connections that a replay does not have.
 */
const DECIDED: ReadonlySet<FactType> = new Set([
  'decision_started',
  'plan_approved',
  'task_started',
  'probe_started',
  'preview_started',
  'call_approved',
  'question_asked',
  'question_expired',
  'answer_applied',
  'limit_reached',
  'run_finished',
]);

export function isDecided(type: FactType): boolean {
  return DECIDED.has(type);
}

type Proof = { readonly wrong: readonly string[] } | { readonly unproved: string };

/** The problems with the fact. Empty if it is correct. */
export async function prove(event: Event, proving: Proving): Promise<Proof> {
  try {
    const wrong = [...timeProblems(event, proving), ...verdictProblems(event, proving)];
    return { wrong: [...wrong, ...(await problems(event, proving))] };
  } catch (error) {
    if (!(error instanceof DandoriError && error.code === 'blob-damaged')) throw error;
    return { unproved: error.message };
  }
}

function timeProblems({ at, type }: Event, { state }: Proving): string[] {
  const isEarly = at < state.lastAt && type !== 'run_started';
  return isEarly ? [`its time is ${state.lastAt - at} ms before that of what stands before it`] : [];
}

/** The journaled verdict of a fact, without its sentences. Version 1 left verdicts to the fold. */
function verdictProblems(event: Event, { state }: Proving): string[] {
  if (event.v !== EVENT_VERSION) return [];
  const { data } = withVerdict(event, { state, at: event.at, word: () => '' });
  return verdictFields(event.type).flatMap((name) =>
    same(name, withoutWords(fieldOf(event.data, name)), withoutWords(fieldOf(data, name))),
  );
}

function fieldOf(data: object, name: string): unknown {
  return Object.entries(data).find(([key]) => key === name)?.[1];
}

function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'message');
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutWords(item)]));
}

function appliedProblems({ data }: Event & { type: 'answer_applied' }, { state }: Proving): string[] {
  const derived = appliedAnswer(state, data.task, () => '') ?? {};
  return same('what the answer leads to', withoutWords(data), withoutWords(derived));
}

async function problems(event: Event, proving: Proving): Promise<string[]> {
  switch (event.type) {
    case 'decision_started':
      return thoughtProblems(event, proving);
    case 'decision_made':
    case 'decision_failed':
      return decisionProblems(event, proving);
    case 'reflection_made':
      return reflectionProblems(event, proving);
    case 'plan_proposed':
    case 'plan_revised':
      return draftProblems(event, proving);
    case 'plan_approved':
      return planApprovalProblems(event, proving);
    case 'plan_rejected':
      return versionProblems(event.data.version, proving);
    case 'task_started':
      return startProblems(event, proving);
    case 'task_succeeded':
      return resultProblems(event, proving);
    case 'probe_started':
      return probeProblems(event, proving);
    case 'preview_started':
      return previewProblems(event, proving);
    case 'call_approved':
      return standingProblems(event, proving);
    case 'question_asked':
      return questionProblems(event, proving);
    case 'question_answered':
      return answerProblems(event, proving);
    case 'question_expired':
      return expiryProblems(event, proving);
    case 'answer_applied':
      return appliedProblems(event, proving);
    case 'limit_reached':
      return limitProblems(event, proving);
    case 'run_finished':
      return endProblems(event, proving);
    case 'run_rated':
      return same('outcome', event.data.outcome, proving.state.end?.outcome);
    case 'run_started':
    case 'run_resumed':
    case 'task_failed':
    case 'task_in_doubt':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_ended':
    case 'preview_ended':
    case 'hold_ended':
    case 'note_added':
    case 'run_paused':
    case 'run_continued':
    case 'budget_added':
    case 'cancel_requested':
      return [];
    default:
      return assertNever(event);
  }
}

function thoughtProblems(event: Event & { type: 'decision_started' }, proving: Proving): string[] {
  const { decision, purpose, brief } = event.data;
  const wanted = [...intentions(proving.state, event.at)].filter((one) => one.type === 'think');
  if (wanted.length === 0) return ['the model was asked although it should not have been'];
  const number = same('decision', decision, proving.state.decisions.length + 1);
  const wantedBriefs = wanted.filter((one) => one.purpose === purpose).map((one) => one.brief);
  if (
    wantedBriefs.some(
      (one) => isSameButRedacted(one, brief) || isSameButRedacted(asToldBefore(one, event, proving), brief),
    )
  )
    return number;
  const [first] = wanted;
  return [...number, ...same('purpose', purpose, first?.purpose), ...same('brief', brief, first?.brief)];
}

/** A journal of 0.1.0 reports any loop in any turn, and does not name it. */
function asToldBefore(
  brief: Brief | undefined,
  { data }: Event & { type: 'decision_started' },
  { state }: Proving,
): Brief | undefined {
  const { loop } = data.brief ?? {};
  return loop === undefined || loop.circle !== undefined ? brief : { ...brief, loop: firstLoop(state) };
}

function decisionProblems(
  { type, data }: Event & { type: 'decision_made' | 'decision_failed' },
  { state: { thinking }, next }: Proving,
): string[] {
  const wrong = same('decision', data.decision, thinking?.decision);
  const isClosing = thinking?.purpose === 'answer' || thinking?.purpose === 'conclude';
  const hasReflected =
    type === 'decision_made' && data.operations?.some(({ operation }) => operation === 'reflect') === true;
  const looksBack = hasReflected && thinking?.brief?.reflect !== undefined && !isClosing;
  // A crash during a write may have left only a part of the group.
  const isCutOff = next === undefined || next.type === 'run_resumed' || isCommand(next.type);
  const isMissing = looksBack && !isCutOff && next.type !== 'reflection_made';
  return isMissing ? [...wrong, 'a reflection should follow it, and there is none'] : wrong;
}

function reflectionProblems({ data }: Event & { type: 'reflection_made' }, { state }: Proving): string[] {
  const isTwice = state.reflections.at(-1)?.decision === data.decision;
  return [
    ...same('decision', data.decision, state.decisions.at(-1)?.number),
    ...(isTwice ? ['the decision already has a reflection'] : []),
  ];
}

async function startProblems(event: Event & { type: 'task_started' }, proving: Proving): Promise<string[]> {
  const { task: id, attempt, key, args } = event.data;
  const { state } = proving;
  const task = state.tasks.get(id);
  if (task === undefined) return [];
  const isUncalled = wasNotCalled(event, proving);
  const intended = isIntended(
    event,
    proving,
    (one) => (one.type === 'start_task' || (isUncalled && one.type === 'ask_approval')) && one.task === id,
  );
  const wrong = [
    ...(intended === undefined && !hasEnded(task.status) ? [`${id} should not have started then`] : []),
    ...same('attempt', attempt, task.attempts + 1),
    ...keyProblems(key, task, state),
  ];
  if (isUncalled) return wrong;
  const filled = await fill(task, proving);
  if (typeof filled === 'string') return [...wrong, `its arguments cannot be filled in: ${filled}`];
  const sent = args ?? task.override ?? task.task.args;
  const approved = task.approved !== undefined && task.approved !== callDigest(task.task.operation, sent);
  return [...wrong, ...same('args', sent, filled), ...(approved ? ['the user approved another call'] : [])];
}

/** If the arguments could not be filled in or were invalid, only the start and the failure are journaled. */
function wasNotCalled({ data }: Event & { type: 'task_started' }, { next }: Proving): boolean {
  return (
    next?.type === 'task_failed' &&
    next.data.task === data.task &&
    next.data.attempt === data.attempt &&
    next.data.failure.kind === 'invalid_args'
  );
}

function keyProblems(key: string, { task, key: known }: TaskState, { run, forkedFrom }: RunState): string[] {
  if (known !== undefined) return same('key', key, known);
  // A task that started before the fork has the key of its original run, which may be a fork itself.
  const isInherited = forkedFrom !== undefined && key.endsWith(`/${task.id}`);
  return isInherited ? [] : same('key', key, `${run}/${task.id}`);
}

async function resultProblems(
  { data }: Event & { type: 'task_succeeded' },
  { state, check, results }: Proving,
): Promise<string[]> {
  const expect = state.tasks.get(data.task)?.task.expect;
  const value = data.blob === undefined ? (data.result ?? null) : await results.read(data.blob);
  const failure = unexpected(value, expect, { check, word: wordFor(state) });
  return failure === undefined ? [] : [failure.message];
}

function probeProblems(event: Event & { type: 'probe_started' }, proving: Proving): string[] {
  const { task: id, attempt } = event.data;
  const intended = isIntended(event, proving, (one) => one.type === 'settle' && one.task === id);
  return [
    ...(intended === undefined ? [`${id} is not in doubt`] : []),
    ...same('attempt', attempt, proving.state.tasks.get(id)?.attempts),
  ];
}

function answerProblems({ data }: Event & { type: 'question_answered' }, { state }: Proving): string[] {
  const options = state.questions.get(data.question)?.question.options ?? [];
  // A plan may be answered with another plan.
  const isPlan = typeof data.answer === 'object' && data.answer !== null;
  const isFree = data.declined === true || isPlan || options.length === 0;
  const isOne = isFree || options.some(({ value }) => isSameButRedacted(value, data.answer));
  return isOne ? [] : [`${stringifyJson(data.answer)} is not an option of ${data.question}`];
}

/** Questions that expire together are written together, even if the first one cancels the run. */
function expiryProblems(event: Event & { type: 'question_expired' }, proving: Proving): string[] {
  const { question, as } = event.data;
  const { state } = proving;
  const isIt = (one: Intention) =>
    one.type === 'expire_question' && one.question === question && one.as === as;
  const isCancelledToo = as === 'cancelled' && state.cancel !== undefined && state.end === undefined;
  const isTogether =
    (isCancelledToo || state.indexes.answered.size > 0) && expiredAt(state, event.at).some(isIt);
  const isMeant = isTogether || isIntended(event, proving, isIt) !== undefined;
  return isMeant ? [] : [`${question} should not have expired then`];
}

function limitProblems(event: Event & { type: 'limit_reached' }, proving: Proving): string[] {
  const { limit, needed, left } = event.data;
  const { settings } = proving.state;
  const used = limit === 'tokens' ? tokensUsed(proving.state) : costUsed(proving.state);
  const intended = isIntended(event, proving, (one) => one.type === 'think');
  return [
    ...(intended === undefined ? ['the model should not have been asked then'] : []),
    ...same('left', left, (settings.limits[limit] ?? Number.POSITIVE_INFINITY) - used),
    ...(needed > left ? [] : [`${needed} ${limit} are needed and ${left} are left`]),
  ];
}

async function endProblems(event: Event & { type: 'run_finished' }, proving: Proving): Promise<string[]> {
  let nearest: string[] | undefined;
  for (const intention of intentions(proving.state, event.at)) {
    if (intention.type !== 'finish') continue;
    const wrong = await endingProblems(event, intention.ending, proving);
    if (wrong.length === 0) return [];
    nearest ??= wrong;
  }
  return nearest ?? ['the run should not have ended then'];
}

/**
 * Sentences are not compared, because other versions and languages word them differently. The mind's answer
 * is compared.
 */
async function endingProblems(
  { v, data: written }: Event & { type: 'run_finished' },
  intended: Ending,
  proving: Proving,
): Promise<string[]> {
  const ending = await withOutput(intended, proving);
  const answer = ending.answer === undefined ? undefined : await answerText(ending.answer, proving);
  // Version 1 had only sentences.
  const isCoded = v === EVENT_VERSION;
  return [
    ...same('outcome', written.outcome, ending.outcome),
    ...(answer === undefined ? [] : same('answer', written.answer, answer)),
    ...same('output', written.output, ending.output),
    ...same('failure.kind', written.failure?.kind, ending.failure?.kind),
    ...(isCoded ? same('failure.code', codeOf(written.failure), codeOf(ending.failure)) : []),
    ...(isCoded ? same('undone', written.undone ?? [], ending.missing ?? []) : []),
    ...same('the number of missing', written.missing?.length ?? 0, ending.missing?.length ?? 0),
    ...same('limit', written.limit, ending.limit),
  ];
}

function codeOf(failure: Failure | Cause | undefined): unknown {
  return failure && { code: failure.code, params: failure.params };
}
