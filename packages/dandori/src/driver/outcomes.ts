import { assertNever } from '../model/error.ts';
import type { Fact, FactOf } from '../model/event.ts';
import { type Failure, messageIn, type Said, toFailure, toMessage, type Word } from '../model/failure.ts';
import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import type { Sealing } from '../model/redact.ts';
import type { Task } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { isRepeatable, type SchemaCheck } from '../model/tool.ts';
import { headOf } from '../plan/fill-refs.ts';
import { queryOrProblem } from '../plan/query.ts';
import { workTimeLeft } from '../run/limits.ts';
import { type InputResponse, MOST_ROUNDS } from '../run/state/held-calls.ts';
import { finishedInnerCalls } from '../run/state/inner-calls.ts';
import { nextQuestion } from '../run/state/questions.ts';
import type { RunState } from '../run/state/state.ts';
import { type CallOutcome, isOwnCall, type Toolbox } from '../tools/index.ts';
import { driverTexts } from '../views/texts/of-run.ts';
import { wordFor } from '../views/texts/said.ts';
import { previewEnded } from './approvals.ts';
import type { Mail } from './mailbox.ts';
import type { Driver } from './perform.ts';
import { choiceQuestion, formProblem, inputQuestion } from './questions.ts';
import type { StoredResult } from './results.ts';
import { probeEnded } from './settle.ts';
import { thoughtEnded } from './thoughts.ts';

/** Turns mail into facts. */
export function handleMail(arrived: Mail, driver: Driver): Promise<void> | void {
  const mail = sealed(arrived, driver);
  switch (mail.type) {
    case 'journal_changed':
      return driver.ledger.catchUp();
    case 'leave_asked':
      // The driver loop reads the signal itself.
      return;
    case 'thought_ended':
      return thoughtEnded(mail, driver);
    case 'call_ended':
      return callEnded(mail, driver);
    case 'probe_ended':
      return probeEnded(mail, driver);
    case 'preview_ended':
      return previewEnded(mail, driver);
    case 'input_asked':
      return driver.holds.ask(mail);
    case 'inner_call_asked':
      return driver.innerCalls.ask(mail);
    case 'inner_call_ended':
      return driver.innerCalls.end(mail);
    case 'action_written':
      return driver.readAhead.see(mail);
    case 'read_ended':
      return driver.readAhead.goOn(mail);
    default:
      return assertNever(mail);
  }
}

/**
 * Seals text from the mind and the tools, so that it cannot pass for one of our secret marks. Results are
 * sealed in `sealedResult`.
 */
function sealed(mail: Mail, { parts, sealing }: Driver): Mail {
  // The built-in planner is trusted: it copies text from the state, including our marks.
  const said = parts.mind.name === BUILT_IN ? sealing.conceal : sealing.seal;
  switch (mail.type) {
    case 'thought_ended':
      return { ...mail, thinking: said(mail.thinking) };
    case 'preview_ended':
      return { ...mail, outcome: sealing.seal(mail.outcome) };
    case 'call_ended':
    case 'probe_ended': {
      const { outcome } = mail;
      // The questions of a sub-goal are sealed already.
      if (outcome.kind === 'input_wanted' && outcome.questions !== undefined)
        return { ...mail, outcome: sealing.conceal(outcome) };
      if (outcome.kind !== 'succeeded') return { ...mail, outcome: sealing.seal(outcome) };
      const { note } = outcome;
      return note === undefined ? mail : { ...mail, outcome: { ...outcome, note: sealing.seal(note) } };
    }
    case 'input_asked': {
      const { request, reply } = mail;
      return {
        ...mail,
        request: sealing.seal(request),
        reply: (response: InputResponse) => reply(sealing.open(response) ?? { action: 'cancel' }),
      };
    }
    case 'action_written':
      return { ...mail, action: said(mail.action) };
    case 'journal_changed':
    case 'leave_asked':
    case 'read_ended':
    // The service gets unsealed values. `inner-calls` seals what is journaled.
    case 'inner_call_asked':
    case 'inner_call_ended':
      return mail;
    default:
      return assertNever(mail);
  }
}

const BUILT_IN = 'built-in';

function callEnded(mail: Mail & { type: 'call_ended' }, driver: Driver): Promise<void> | void {
  const { task, outcome } = mail;
  const { ledger } = driver;
  if (outcome.kind === 'succeeded') return callSucceeded(mail, outcome, driver);
  if (ledger.state.indexes.held.has(task)) ledger.record(unheld(mail, outcome, wordFor(ledger.state)));
  else if (outcome.kind === 'input_wanted' && outcome.questions !== undefined)
    goalAsks(mail, outcome, driver);
  else if (outcome.kind === 'input_wanted') inputWanted(mail, outcome, driver);
  else ledger.record(asFact(mail, outcome, driver));
}

/** Not async: most results are recorded at once, and a plan may have thousands. */
function callSucceeded(
  { task, attempt, ms }: Mail & { type: 'call_ended' },
  outcome: CallOutcome & { kind: 'succeeded' },
  { ledger, parts, results, sealing }: Driver,
): Promise<void> | void {
  const { state } = ledger;
  const { operation, expect } = state.tasks.get(task)?.task ?? {};
  const isOurs = isMadeHere(operation, parts.toolbox);
  const result = sealedResult(outcome.result, sealing, isOurs);
  const failure = unexpected(result, expect, { check: parts.check, word: wordFor(state) });
  if (failure !== undefined) {
    ledger.record({ type: 'task_failed', data: { task, attempt, failure, ...usedBy(outcome), ms } });
    return;
  }
  const record = (stored: StoredResult) => {
    const data: FactOf<'task_succeeded'>['data'] = { task, attempt, ...stored, ms };
    const unanswered = state.indexes.held.has(task) ? [driverTexts(state).unanswered] : [];
    const notes = outcome.note === undefined ? unanswered : [outcome.note, ...unanswered];
    if (notes.length > 0) data.note = notes.join(' ');
    ledger.record({ type: 'task_succeeded', data: Object.assign(data, usedBy(outcome)) });
  };
  const stored = results.store(result);
  return stored instanceof Promise ? stored.then(record) : record(stored);
}

/**
 * The call ended before the user answered: it failed without the answer or was lost. The question stays open.
 */
function unheld(
  { task, attempt }: Mail & { type: 'call_ended' },
  outcome: Exclude<CallOutcome, { kind: 'succeeded' }>,
  word: Word,
): Fact {
  const data = { task, attempt, ...heardIn(outcome) };
  if (outcome.kind === 'lost')
    return { type: 'task_in_doubt', data: { ...data, cause: outcome.cause, ...messageIn(outcome) } };
  const message =
    outcome.kind === 'failed' ? messageIn(outcome.failure) : toMessage({ code: 'asks_otherwise' }, word);
  return { type: 'task_in_doubt', data: { ...data, cause: 'unanswered', ...message } };
}

type Used = Pick<FactOf<'task_succeeded'>['data'], 'usage' | 'calls' | 'hasHeardStrangers'>;

/** Undefined for most calls. */
function usedBy(outcome: CallOutcome & { kind: 'succeeded' | 'failed' }): Used | undefined {
  const { usage, calls, hasHeardStrangers } = outcome;
  if (usage === undefined && calls === undefined && hasHeardStrangers === undefined) return undefined;
  return {
    ...(usage !== undefined && { usage }),
    ...(calls !== undefined && { calls }),
    ...heardIn(outcome),
  };
}

function heardIn(outcome: CallOutcome): Pick<Used, 'hasHeardStrangers'> {
  return 'hasHeardStrangers' in outcome && outcome.hasHeardStrangers ? { hasHeardStrangers: true } : {};
}

/** Asks the questions of a sub-goal in this run. When its task starts again, the sub-goal gets the answers. */
function goalAsks(
  { task, attempt }: Mail & { type: 'call_ended' },
  outcome: CallOutcome & { kind: 'input_wanted' },
  { ledger }: Driver,
): void {
  const { questions = [] } = outcome;
  for (const { plan: _, ...asked } of questions) {
    const question = { ...asked, id: nextQuestion(ledger.state), task };
    ledger.record({
      type: 'question_asked',
      data: { question, attempt, ...heardIn(outcome) },
    });
  }
}

/** The call has ended and wants input. The task starts again when all answers have arrived. */
function inputWanted(
  { task: id, attempt, ms }: Mail & { type: 'call_ended' },
  { requests, state: kept }: CallOutcome & { kind: 'input_wanted' },
  { ledger }: Driver,
): void {
  const task = ledger.state.tasks.get(id);
  if (task === undefined || task.rounds >= MOST_ROUNDS || requests.length === 0) {
    const said: Said =
      requests.length === 0
        ? { code: 'asks_for_nothing' }
        : { code: 'asks_for_ever', params: { rounds: MOST_ROUNDS } };
    const failure = toFailure({ kind: 'tool_error', ...said }, wordFor(ledger.state));
    ledger.record({ type: 'task_failed', data: { task: id, attempt, failure, ms } });
    return;
  }
  for (const [index, { name, ...request }] of requests.entries()) {
    const input = {
      ...(name !== undefined && { name }),
      // All requests share this state, so only the first question stores it.
      ...(index === 0 && kept !== undefined && { state: kept }),
    };
    const question = inputQuestion(task, request, ledger.state);
    ledger.record({ type: 'question_asked', data: { question, attempt, input } });
  }
}

function asFact(
  { task, attempt, ms }: Mail & { type: 'call_ended' },
  outcome: Exclude<CallOutcome, { kind: 'succeeded' | 'input_wanted' }>,
  { ledger, parts }: Driver,
): Fact {
  switch (outcome.kind) {
    case 'failed': {
      const failure = withCallsDone(outcome.failure, ledger.state, task);
      return { type: 'task_failed', data: { task, attempt, failure, ...usedBy(outcome), ms } };
    }
    case 'ambiguous': {
      const problem = outcome.form && formProblem(outcome.form, parts.check);
      if (problem !== undefined) {
        const cause = { kind: 'invalid_result', code: 'form_unusable', params: { problem } } as const;
        const failure = toFailure(cause, wordFor(ledger.state));
        return { type: 'task_failed', data: { task, attempt, failure, ms } };
      }
      const question = choiceQuestion(task, outcome, { state: ledger.state, check: parts.check });
      return { type: 'question_asked', data: { attempt, question } };
    }
    case 'lost': {
      const effect = ledger.state.tasks.get(task)?.effect ?? 'write';
      const { cause, unstopped } = outcome;
      const data = { task, attempt, ...(unstopped === true && { unstopped }), ...heardIn(outcome) };
      // If the time limit stopped the call, it is in doubt. With more time, the run continues as after a
      // crash.
      const isTimeUp = cause === 'cancelled' && workTimeLeft(ledger.state, parts.clock.now()) <= 0;
      if (!isRepeatable(effect) || (isTimeUp && ledger.state.cancel === undefined))
        return { type: 'task_in_doubt', data: { ...data, cause, ...messageIn(outcome) } };
      return { type: 'task_failed', data: { ...data, failure: lostFailure(outcome), ms } };
    }
    default:
      return assertNever(outcome);
  }
}

/**
 * Adds the inner calls that finished before the failure, because calling the service again would repeat them.
 */
function withCallsDone(failure: Failure, state: RunState, id: string): Failure {
  const task = state.tasks.get(id);
  const done = task === undefined ? [] : finishedInnerCalls(task);
  if (done.length === 0) return failure;
  const calls = done.map(({ operation, args }) => `${operation} ${stringifyJson(args)}`).join('; ');
  const params = { message: failure.message, done: done.length, calls: clip(calls, 200) };
  return { ...failure, ...toFailure({ kind: failure.kind, code: 'failed_after', params }, wordFor(state)) };
}

/** A lost read or idempotent call counts as failed, because it can be made again safely. */
function lostFailure({ cause, ...lost }: CallOutcome & { kind: 'lost' }): Failure {
  const message = messageIn(lost);
  if (cause === 'timeout') return { kind: 'timeout', ...message, retryable: true };
  if (cause === 'cancelled') return { kind: 'cancelled', ...message };
  return { kind: 'tool_error', ...message, retryable: true };
}

/** Own tools that return what a model, a server or an earlier run wrote. */
const FROM_OUTSIDE: readonly (string | undefined)[] = [
  'extract',
  'tool.search',
  'conversation.read',
  'plan.list',
];

function isMadeHere(operation: string | undefined, toolbox: Pick<Toolbox, 'tools'>): boolean {
  return isOwnCall(operation, toolbox) && !FROM_OUTSIDE.includes(operation);
}

/**
 * A result as the journal stores it, also in blobs: with secrets sealed. The results of most own tools are
 * made from values that are sealed already.
 */
export function sealedResult(result: Json, sealing: Sealing, isOurs = false): Json {
  return isOurs ? sealing.conceal(result ?? null) : sealing.seal(result ?? null);
}

interface Judging {
  readonly check: SchemaCheck;
  readonly word: Word;
}

export function unexpected(
  result: Json,
  expect: Task['expect'],
  { check, word }: Judging,
): Failure | undefined {
  if (expect === undefined) return undefined;
  if (typeof expect !== 'string') return misfit(result, expect, { check, word });
  const found = queryOrProblem(result, expect);
  if (found === true) return undefined;
  const params = { expect, found: headOf(found, 200), result: headOf(result, 200) };
  return toFailure({ kind: 'unexpected', code: 'unexpected', params }, word);
}

function misfit(result: Json, schema: JsonObject, { check, word }: Judging): Failure | undefined {
  const [issue] = check(schema, result);
  if (issue === undefined) return undefined;
  const params = { place: issue.path.join('.'), problem: issue.message };
  return toFailure({ kind: 'unexpected', code: 'misfit', params }, word);
}
