import { createHash } from 'node:crypto';
import type { Mind, Thought } from '../mind/index.ts';
import { assertNever } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import { type Said, toFailure } from '../model/failure.ts';
import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import type { Sealing } from '../model/redact.ts';
import { isSubGoal } from '../model/sub-goal.ts';
import type { Action } from '../model/task.ts';
import { languageOf } from '../model/text.ts';
import type { CheckedTasks } from '../plan/checked-tasks.ts';
import type { Compiled } from '../plan/compile.ts';
import { mayAnswerAgain } from '../run/actions/output.ts';
import { appliedAnswer } from '../run/answers.ts';
import { isNeverAsked } from '../run/approval-policy.ts';
import { replacementFor } from '../run/drafts/replacement.ts';
import type { Ending, Intention } from '../run/intention.ts';
import { costUsed, tokensUsed } from '../run/limits.ts';
import { doneBefore } from '../run/repeats.ts';
import { inputsOf } from '../run/state/held-calls.ts';
import { type RunState, type TaskState, writesIn } from '../run/state/state.ts';
import { shareFor, timeFor } from '../run/sub-goal.ts';
import { isCleanCall } from '../run/trust/lineage.ts';
import { waitsForAnswer } from '../run/trust/similar.ts';
import type { Verdict } from '../run/trust/verdict.ts';
import { hasOtherTools, nextOffer } from '../tools/index.ts';
import { withoutMedia } from '../views/media.ts';
import { partialAnswer } from '../views/report.ts';
import { runTexts } from '../views/texts/of-run.ts';
import { wordFor } from '../views/texts/said.ts';
import {
  askApproval,
  asksAbout,
  effectNow,
  judgeTrust,
  keepApproval,
  mustAskAgain,
  trustReasonFor,
} from './approvals.ts';
import type { Calls } from './calls/calls.ts';
import { compilePlan } from './compile-plan.ts';
import type { Holds } from './holds.ts';
import type { InnerCalls } from './inner-calls.ts';
import type { Ledger } from './ledger.ts';
import type { Mailbox } from './mailbox.ts';
import type { Parts } from './parts.ts';
import type { ReadAhead } from './prefetch.ts';
import { type Filled, filesFor, fillArgs, fillIn, type Results, withOutput } from './results.ts';
import { settle } from './settle.ts';

/** What the functions of one drive share. */
export interface Driver {
  readonly run: string;
  readonly parts: Parts;
  readonly ledger: Ledger;
  readonly mailbox: Mailbox;
  readonly calls: Calls;
  readonly results: Results;
  readonly sealing: Sealing;
  readonly holds: Holds;
  readonly innerCalls: InnerCalls;
  readonly readAhead: ReadAhead;
  /** Tasks already checked in this drive, so that no task is checked twice. */
  readonly checked: CheckedTasks;
  /** The plan compiled at the start of the run. Undefined if there is none or the tools have changed. */
  readonly compiledAtStart: () => Compiled | undefined;
}

type Carried = Exclude<Intention, { type: 'wake_at' }>;

/**
 * Performs one intention: records its facts, and plans the calls to make once they are durable. Not async: most tasks
 * start at once, and a plan may have thousands.
 */
export function perform(intention: Carried, driver: Driver): Promise<void> | void {
  switch (intention.type) {
    case 'compile_plan':
      return compilePlan(driver);
    case 'think':
      return think(intention, driver);
    case 'start_task':
      return startTask(intention.task, driver);
    case 'ask_approval':
      return askFirst(intention.task, driver);
    case 'settle':
      return settle(intention.task, driver);
    case 'end_hold':
      return endHold(intention.task, driver);
    case 'expire_question': {
      const { question, as } = intention;
      return driver.ledger.record({ type: 'question_expired', data: { question, as } });
    }
    case 'apply_answer':
      return applyAnswer(intention.task, driver);
    case 'replace_task':
      return replaceTask(intention.task, driver);
    case 'abort_calls':
      return driver.calls.planAbort(intention.reason);
    case 'finish':
      return finish(intention.ending, driver);
    default:
      return assertNever(intention);
  }
}

async function think(
  { purpose, brief }: Intention & { type: 'think' },
  { run, ledger, parts, calls, results, readAhead }: Driver,
): Promise<void> {
  const { state } = ledger;
  const decision = state.decisions.length + 1;
  const readOn = readAhead.listen(decision, purpose);
  const tools = parts.toolbox.tools();
  const offer = nextOffer(state, tools);
  const thought = {
    purpose,
    brief,
    offer,
    state,
    tools,
    missing: parts.toolbox.missing(),
    files: await filesFor(state, results),
    result: (task: string) => textual(results.get(state, task)),
    resultText: (task: string, limit?: number) => results.text(state, task, limit),
    onText: (text: string) => parts.onLive?.({ type: 'answer_text', run, text }),
    onAction: (action: Action) => {
      parts.onLive?.({ type: 'action_written', run, action });
      readOn(action);
    },
  };
  const shortage = await tooDear(thought, parts.mind);
  if (shortage !== undefined) {
    ledger.record({ type: 'limit_reached', data: shortage });
    return;
  }
  const started: FactOf<'decision_started'>['data'] = { decision, purpose };
  if (brief !== undefined) started.brief = brief;
  if (offer !== undefined) started.offer = offer;
  if (hasOtherTools(state, tools)) started.toolsChanged = true;
  ledger.record({ type: 'decision_started', data: started });
  calls.planThought(decision, thought);
}

function startTask(id: string, driver: Driver): Promise<void> | void {
  const { state } = driver.ledger;
  const task = state.tasks.get(id);
  if (task === undefined || waitsForAnswer(task, state)) return;
  const filled = fillIn(task, driver);
  if (!(filled instanceof Promise)) return startFilled(task, filled, driver);
  return filled.then((later) => startFilled(task, later, driver));
}

function startFilled(task: TaskState, filled: Filled, driver: Driver): Promise<void> | void {
  const { run, ledger, calls, parts } = driver;
  const { id } = task.task;
  const attempt = task.attempts + 1;
  // After a fork, a task that had already started keeps the key that was sent then.
  const key = task.key ?? `${run}/${id}`;
  const written = task.override ?? task.task.args;
  const sentArgs = filled.ok && filled.args !== written ? filled.args : undefined;
  const done = sentArgs === undefined ? undefined : doneNow(task, sentArgs, ledger.state);
  const isRepeated = done !== undefined && !isNeverAsked(task.task.operation, ledger.state.settings);
  const verdict = filled.ok ? judgeTrust(task, filled.args, driver) : { kind: 'free' as const };
  const isRefused = verdict.kind === 'denied' || verdict.kind === 'refused';
  const isAsked = !isRefused && (isRepeated || asksAbout(verdict, ledger.state));
  const tools = parts.toolbox.tools();
  const effect = effectNow(task, tools);
  if (
    filled.ok &&
    (isAsked || (!isRefused && mustAskAgain(task, { args: filled.args, effect }, ledger.state)))
  )
    return askApproval(task, filled.args, driver);
  const isGoal = isSubGoal(task.task.operation, tools);
  const started: FactOf<'task_started'>['data'] = { task: id, attempt, key };
  if (sentArgs !== undefined) started.args = sentArgs;
  const trust = trustReasonFor(verdict, task.effect);
  if (trust !== undefined) started.trust = trust;
  if (isGoal) started.share = shareFor(task, ledger.state, goalRun(run, id));
  ledger.record({ type: 'task_started', data: started });
  const word = wordFor(ledger.state);
  if (isRefused) {
    const failure = toFailure({ kind: 'rejected', ...refusalOf(task, verdict, ledger.state) }, word);
    ledger.record({ type: 'task_failed', data: { task: id, attempt, failure, unsent: true, ms: 0 } });
    return;
  }
  if (done !== undefined) {
    const params = { operation: task.task.operation, task: done.task.id };
    const failure = toFailure({ kind: 'plan_error', code: 'not_again', params }, word);
    ledger.record({ type: 'task_failed', data: { task: id, attempt, failure, ms: 0 } });
    return;
  }
  const inputs = inputsOf(ledger.state, task);
  // The tool gets the real values. Only what is journaled is sealed.
  const sent = filled.ok ? driver.sealing.open(filled.args) : undefined;
  const sentInputs = inputs && driver.sealing.open(inputs);
  if (!filled.ok || sent === undefined || (inputs !== undefined && sentInputs === undefined)) {
    const why: Said = filled.ok ? { code: 'secret_gone' } : filled.why;
    const failure = toFailure({ kind: 'invalid_args', ...why }, word);
    ledger.record({ type: 'task_failed', data: { task: id, attempt, failure, ms: 0 } });
    return;
  }
  const isChanging = effect !== 'read';
  calls.plan({
    operation: task.task.operation,
    args: sent,
    key,
    task: id,
    attempt,
    userId: ledger.state.userId,
    language: languageOf(ledger.state),
    timeoutMs:
      task.task.timeoutMs ??
      (isGoal ? timeFor(task, ledger.state, parts.clock.now()) : ledger.state.settings.task.timeoutMs),
    word,
    inputs: sentInputs,
    isClean: ledger.state.settings.trust && isCleanCall(task, ledger.state),
    isFollowed: isChanging,
    isFree: !isChanging && !isGoal && isFree(task),
  });
}

/** Why a call is not made: a rule forbids it, or the user refused it or did not answer in time. */
function refusalOf(
  { task: { operation }, unanswered }: TaskState,
  verdict: Verdict,
  { questions }: RunState,
): Said {
  if (verdict.kind === 'denied')
    return { code: 'not_allowed', params: { operation, rule: verdict.rule + 1 } };
  if (unanswered === undefined) return { code: 'not_approved', params: { operation } };
  const question = questions.get(unanswered)?.question.text ?? '';
  return { code: 'unanswered', params: { question } };
}

const LONGEST_RUN = 100;

/** The run of a sub-goal. The same task always has the same one, so that a crash never makes a second. */
function goalRun(run: string, task: string): string {
  const isPlain = /^[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*$/.test(task);
  const name = `${run}--${task}`;
  if (isPlain && name.length <= LONGEST_RUN) return name;
  return `${run.slice(0, LONGEST_RUN - 20)}--${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/** A model call costs money, and so does a sub-goal. */
function isFree({ cost, task: { operation } }: TaskState): boolean {
  return cost === 0 && operation !== 'extract';
}

/** The user is not asked about a call that cannot be made. Starting the task records why, once there is room. */
async function askFirst(id: string, driver: Driver): Promise<void> {
  const { state } = driver.ledger;
  const task = state.tasks.get(id);
  if (task === undefined || waitsForAnswer(task, state)) return;
  const filled = await fillIn(task, driver);
  if (filled.ok) await askApproval(task, filled.args, driver);
  else if (hasRoomFor(task, state)) await startTask(id, driver);
}

function hasRoomFor({ effect }: TaskState, state: RunState): boolean {
  const { concurrency, writes = concurrency } = state.settings;
  return state.indexes.running.size < concurrency && (effect === 'read' || writesIn(state) < writes);
}

/**
 * The finished task that already made this exact call. Literal arguments were checked when the plan was
 * compiled. Arguments with Refs are known only now. Retries and approved calls are exempt.
 */
function doneNow(task: TaskState, args: JsonObject, state: RunState): TaskState | undefined {
  const isExempt = task.attempts > 0 || task.approved !== undefined || task.coveredBy !== undefined;
  return isExempt ? undefined : doneBefore(task, args, state);
}

function endHold(id: string, { ledger }: Driver): void {
  const attempt = ledger.state.tasks.get(id)?.attempts ?? 1;
  ledger.record({ type: 'hold_ended', data: { task: id, attempt } });
}

async function finish(intended: Ending, { run, ledger, parts, results }: Driver): Promise<void> {
  const { state } = ledger;
  const ending = await withOutput(intended, { state, check: parts.check, results });
  if (ending.misfit !== undefined && mayAnswerAgain(state, parts.clock.now())) {
    // A note makes the mind answer again. It is marked as passed on, because the user did not write it.
    ledger.record({ type: 'note_added', data: { text: ending.misfit, passedOnBy: { run } } });
    return;
  }
  const goals = [...state.tasks.values()].flatMap(({ share, status }) =>
    share === undefined || status === 'succeeded' ? [] : [share.run],
  );
  // Cancel the sub-goals before the end is written. After a crash in between, they are cancelled again.
  if (goals.length > 0) await parts.goals?.cancel(goals, run);
  ledger.record({ type: 'run_finished', data: await finished(ending, { state, results }) });
}

interface Found {
  readonly state: RunState;
  readonly results: Results;
}

async function finished(
  { outcome, answer, output, failure, missing, limit }: Ending,
  { state, results }: Found,
): Promise<FactOf<'run_finished'>['data']> {
  const text = answer === undefined ? undefined : await answerText(answer, { state, results });
  const word = wordFor(state);
  return {
    outcome,
    answer: text ?? partialAnswer(state, (task) => results.text(state, task)),
    ...(output !== undefined && { output }),
    ...(failure && { failure: 'message' in failure ? failure : toFailure(failure, word) }),
    ...(missing && missing.length > 0 && { missing: missing.map(word), undone: [...missing] }),
    ...(limit && { limit }),
  };
}

/** Undefined if a Ref in the answer cannot be filled. The user must never see a raw Ref. */
export async function answerText(answer: JsonObject, { state, results }: Found): Promise<string | undefined> {
  const readable: Results = { ...results, get: (of, task) => textual(results.get(of, task)) };
  const injected = await fillArgs(answer, { state, results: readable });
  if (!injected.ok && namesTask(answer, state)) return undefined;
  const { text } = injected.ok ? injected.args : answer;
  return typeof text === 'string' ? text : stringifyJson(text ?? null);
}

function textual(result: Json | undefined): Json | undefined {
  return result === undefined ? undefined : withoutMedia(result);
}

/** A text such as ${HOME} names no task of the run, so it stays as written. */
function namesTask(answer: JsonObject, { tasks }: RunState): boolean {
  const names = stringifyJson(answer).matchAll(/\$\{\s*([A-Za-z_][\w-]*)/g);
  return names.some(([, name = '']) => tasks.has(name));
}

async function applyAnswer(id: string, driver: Driver): Promise<void> {
  const { ledger } = driver;
  const data = appliedAnswer(ledger.state, id, wordFor(ledger.state));
  if (data === undefined) return;
  await keepApproval(data.question, driver);
  ledger.record({ type: 'answer_applied', data });
}

/** Proposes the replacement that the user chose for a task. It is compiled like any other plan. */
function replaceTask(id: string, { ledger }: Driver): void {
  const { state } = ledger;
  const task = state.tasks.get(id);
  if (task === undefined) return;
  const change = replacementFor(state, task);
  const choice = change.tasks.map(({ operation }) => operation).join(', ');
  const reason = runTexts(state).replaced(task.task.operation, choice);
  ledger.record({ type: 'plan_revised', data: { version: state.planVersion + 1, ...change, reason } });
}

/**
 * Estimates the most that a model call can use before making it, so that the call cannot exceed a limit.
 * Undefined if the call fits.
 */
async function tooDear(
  thought: Omit<Thought, 'signal'>,
  mind: Mind,
): Promise<FactOf<'limit_reached'>['data'] | undefined> {
  const { limits } = thought.state.settings;
  if (mind.weigh === undefined || (limits.tokens === undefined && limits.cost === undefined))
    return undefined;
  const { tokens, cost = 0, closing } = await mind.weigh(thought);
  const reserve = { tokens: closing?.tokens ?? 0, cost: closing?.cost ?? 0 };
  const tokensLeft = (limits.tokens ?? Number.POSITIVE_INFINITY) - tokensUsed(thought.state);
  const costLeft = (limits.cost ?? Number.POSITIVE_INFINITY) - costUsed(thought.state);
  const isReserved = closing !== undefined && reserve.tokens <= tokensLeft && reserve.cost <= costLeft;
  const reserved = isReserved ? { reserved: true as const } : {};
  if (tokens + reserve.tokens > tokensLeft)
    return { limit: 'tokens', needed: tokens + reserve.tokens, left: tokensLeft, ...reserved };
  if (cost + reserve.cost > costLeft)
    return { limit: 'cost', needed: cost + reserve.cost, left: costLeft, ...reserved };
  return undefined;
}
