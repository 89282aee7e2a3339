import { assertNever } from '../../../model/error.ts';
import { EVENT_VERSION, type Event, type FactOf, type FactType } from '../../../model/event.ts';
import type { Cause, Failure } from '../../../model/failure.ts';
import { isObject, type Json, stringifyJson } from '../../../model/json.ts';
import type { Question } from '../../../model/question.ts';
import type { OpenQuestion } from '../questions.ts';
import type { RunState } from '../state.ts';
import type { TaskState } from '../task-state.ts';
import {
  endsStep,
  heldBackBy,
  innerCallsInDoubt,
  isInDoubtAfter,
  isJapanese,
  laneOf,
  placeOf,
  staleCalls,
  withChoice,
} from './rules.ts';

/**
 * Reads an event of version 1 as events of version 2.
 *
 * In version 1 the fold itself decided when a task is retried, what an answer leads to and so on, and wrote
 * the texts. This file keeps those rules as they were in 0.1 and 0.2. They are frozen: changing a rule would
 * change the meaning of old journals. The current rules are in `run/verdicts` and `run/answers`.
 */
export function upgrade(state: RunState, event: Event): readonly Event[] {
  // The key of a reading is the type that it takes. TypeScript cannot relate the two.
  const read = READINGS[event.type] as ((state: RunState, event: Event) => readonly Event[]) | undefined;
  return read?.(state, event) ?? [event];
}

type Reading<T extends FactType> = (state: RunState, event: Event & { type: T }) => readonly Event[];

/** No later fact can be of version 1, so a missing one is read as it is written. */
const READINGS: { readonly [T in FactType]?: Reading<T> } = {
  run_resumed: (state, event) => [
    isForgiven(state) ? { ...event, data: { ...event.data, forgiven: true } } : event,
  ],
  decision_started: (state, event) => [
    state.mind === 'built-in' ? { ...event, data: { ...event.data, free: true } } : event,
  ],
  decision_made: (state, event) => [
    { ...event, data: { ...event.data, endedSteps: endedSteps(state, event.data) } },
  ],
  decision_failed: (state, event) => [
    { ...event, data: { ...event.data, ...decisionVerdict(state, event) } },
  ],
  plan_approved: (state, event) => [
    { ...event, data: { ...event.data, tasks: withLanes(state, event.data) } },
  ],
  plan_rejected: (state, event) => [
    { ...event, data: { ...event.data, ...rejectionVerdict(state, event.data) } },
  ],
  task_started: (state, event) => [withCallsAgain(state, event)],
  task_failed: (state, event) => [{ ...event, data: { ...event.data, ...failureVerdict(state, event) } }],
  task_in_doubt: inDoubt,
  probe_ended: (state, event) => [{ ...event, data: { ...event.data, ...probeVerdict(state, event.data) } }],
  question_asked: (state, event) => [
    { ...event, data: { ...event.data, holdsBack: heldBack(state, event.data) } },
  ],
  question_answered: (state, event) => [
    event,
    ...applied(state, event, { ...event.data, declined: event.data.declined === true }),
  ],
  question_expired: expired,
};

/** A shortcut: most tasks are not services, and a long journal has many of these events. */
function withCallsAgain(state: RunState, event: Event & { type: 'task_started' }): Event {
  const task = state.tasks.get(event.data.task);
  if (task?.innerCalls === undefined) return event;
  return { ...event, data: { ...event.data, ...staleCalls(task) } };
}

function isForgiven({ thinking, mind, forgivenCalls, settings }: RunState): boolean {
  return thinking !== undefined && mind !== 'built-in' && forgivenCalls < (settings.task.restarts ?? 0);
}

function endedSteps(
  state: RunState,
  { operations = [] }: FactOf<'decision_made'>['data'],
): FactOf<'decision_made'>['data']['endedSteps'] {
  const updates = operations.filter(({ operation }) => operation === 'plan.update_step');
  const real = updates.filter(({ args }) => endsStep(state, args));
  return real.map(({ args }) => {
    const note = typeof args.note === 'string' ? args.note : undefined;
    const step = String(args.step);
    if (args.status === 'completed') return { step, result: note ?? null };
    const message = note ?? 'The mind gave this step up.';
    return { step, failure: { kind: 'not_possible' as const, message, code: 'step_given_up' } };
  });
}

/** In 0.1 and 0.2 this text marked an answer without judged criteria. */
const UNJUDGED =
  'The plan has success criteria. Give the answer again with "criteria": for each of them, in their order, {"met": true or false, "because": "…"}';

function decisionVerdict(
  { settings, failuresInARow }: RunState,
  { data, at }: Event & { type: 'decision_failed' },
): Partial<FactOf<'decision_failed'>['data']> {
  const { failure, next } = data;
  const coded = failure.message === UNJUDGED && { failure: { ...failure, code: 'judge_criteria' } };
  if (next !== undefined) return { ...coded };
  const isHopeless = failure.kind === 'model_error' && failure.retryable === false;
  const wait = Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, failuresInARow + 1));
  return {
    ...coded,
    ...(isHopeless && { final: true }),
    ...(failure.retryable === true && { retryAt: at + wait }),
  };
}

/** The delay doubles with each attempt, up to a minute. */
function backoff(first: number, attempts: number): number {
  return Math.min(first * 2 ** Math.min(attempts - 1, 30), 60_000);
}

function withLanes(
  { draft, settings }: RunState,
  { tasks }: FactOf<'plan_approved'>['data'],
): FactOf<'plan_approved'>['data']['tasks'] {
  if (settings.servers === undefined) return tasks;
  const operations = new Map(draft?.tasks.map(({ id, operation }) => [id, operation]));
  return tasks.map((task) => {
    const operation = operations.get(task.id) ?? '';
    const lane = laneOf(operation, settings.servers);
    return lane === laneOf(operation) ? task : { ...task, lane };
  });
}

function rejectionVerdict(
  state: RunState,
  { diagnostics, reason }: FactOf<'plan_rejected'>['data'],
): Partial<FactOf<'plan_rejected'>['data']> {
  const replaced = state.tasks.get(state.draft?.revision?.replaces ?? '');
  if (replaced === undefined) return state.planGiven ? { final: true } : {};
  if (reason !== undefined)
    return { failure: worded(state, { kind: 'rejected', code: 'plan_not_approved', params: { reason } }) };
  const problems = diagnostics.map(({ task, message }) =>
    task === undefined ? message : `${task}: ${message}`,
  );
  const params = { operation: replaced.task.operation, problems: problems.join('; ') };
  return { failure: worded(state, { kind: 'plan_error', code: 'cannot_replace', params }) };
}

function isRepeatable({ effect }: TaskState): boolean {
  return effect === 'read' || effect === 'idempotent';
}

function failureVerdict(
  { tasks, settings }: RunState,
  { data, at }: Event & { type: 'task_failed' },
): Partial<FactOf<'task_failed'>['data']> {
  const { failure } = data;
  const task = tasks.get(data.task);
  const isUnsent = ['unavailable', 'invalid_args', 'plan_error'].includes(failure.kind);
  const unsent = isUnsent ? { unsent: true as const } : {};
  if (task === undefined) return unsent;
  const attempts = task.attempts - task.rounds - task.crashes;
  const isSafe = failure.kind === 'unavailable' || isRepeatable(task);
  if (!isSafe || failure.retryable !== true || attempts >= settings.task.attempts) return unsent;
  const delay = Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, attempts));
  return { ...unsent, retryAt: at + delay };
}

function inDoubt(state: RunState, event: Event & { type: 'task_in_doubt' }): Event[] {
  const { data } = event;
  const task = state.tasks.get(data.task);
  if (task === undefined) return [event];
  const isForgivenCrash = data.cause === 'driver_lost' && state.settings.task.restarts !== undefined;
  const read: Event = {
    ...event,
    data: {
      ...data,
      next: isRepeatable(task) ? 'again' : 'settle',
      ...(isForgivenCrash && { forgiven: true }),
    },
  };
  const isOver = task.status === 'waiting' && state.indexes.held.has(task.task.id);
  const asked = questionsOf(state, task.asking?.questions ?? []);
  if (!isOver || asked.some(({ answer }) => answer === undefined)) return [read];
  return [read, toApplied(event, task, asked.at(-1)?.question.id ?? '', afterLoss(task))];
}

function questionsOf({ questions }: RunState, ids: readonly string[]): OpenQuestion[] {
  return ids.flatMap((id) => questions.get(id) ?? []);
}

function afterLoss(task: TaskState): Consequence {
  return { to: isRepeatable(task) ? 'ready' : 'in_doubt' };
}

function probeVerdict(
  { tasks }: RunState,
  { task: id, found }: FactOf<'probe_ended'>['data'],
): Partial<FactOf<'probe_ended'>['data']> {
  const task = tasks.get(id);
  if (found !== 'not_happened' || task === undefined) return {};
  // For a service, the probe may have checked only the overall result. Only a person can tell about an inner
  // call.
  return { next: innerCallsInDoubt(task).length === 0 ? 'again' : 'settle' };
}

function heldBack(state: RunState, { question }: FactOf<'question_asked'>['data']): string[] {
  const task = state.tasks.get(question.task ?? '');
  if (task === undefined || question.kind !== 'ambiguity') return [];
  return heldBackBy(
    state,
    task,
    (question.options ?? []).map((option) => withChoice(task, option)),
  );
}

function expired(state: RunState, event: Event & { type: 'question_expired' }): Event[] {
  const { question: id, as } = event.data;
  const question = state.questions.get(id)?.question;
  if (question === undefined) return [];
  const message = sentence(state, { code: 'unanswered', params: { question: question.text } });
  const isDeclined = as !== 'default';
  const given = {
    question: id,
    answer: isDeclined ? null : (question.default ?? null),
    declined: isDeclined,
    ...(isDeclined && { comment: message }),
    isExpired: true,
  };
  return [{ ...event, data: { ...event.data, message } }, ...applied(state, event, given)];
}

interface AnswerOfVersion1 {
  readonly question: string;
  readonly answer: Json;
  readonly declined: boolean;
  readonly comment?: string | undefined;
  readonly isExpired?: boolean;
}

type Consequence = Omit<FactOf<'answer_applied'>['data'], 'task' | 'question'>;

/** What an answer led to. In version 1 the fold decided this immediately. */
function applied(state: RunState, event: Event, given: AnswerOfVersion1): Event[] {
  const open = state.questions.get(given.question);
  const task = state.tasks.get(open?.question.task ?? '');
  if (open === undefined || open.answer !== undefined || task?.status !== 'waiting') return [];
  const found = consequence(state, task, { question: open.question, given });
  return found === undefined ? [] : [toApplied(event, task, given.question, found)];
}

function toApplied({ run, seq, at }: Event, { task }: TaskState, question: string, how: Consequence): Event {
  return {
    v: EVENT_VERSION,
    run,
    seq,
    at,
    type: 'answer_applied',
    data: { task: task.id, question, ...how },
  };
}

interface Answered {
  readonly question: Question;
  readonly given: AnswerOfVersion1;
}

function consequence(state: RunState, task: TaskState, answered: Answered): Consequence | undefined {
  const { question, given } = answered;
  // A refusal is passed to the server if the server can receive it.
  if (question.kind === 'elicitation')
    return isRefused(state, task, given) ? declined(state, task, answered) : withInput(state, task, given);
  if (given.declined) return declined(state, task, answered);
  switch (question.kind) {
    case 'approval':
      if (given.answer !== 'approve') return declined(state, task, answered);
      return { to: 'ready', ...(question.digest !== undefined && { approved: question.digest }) };
    case 'in_doubt':
      return settled(state, task, given.answer);
    case 'ambiguity':
      return chosen(state, task, answered);
    case 'missing_input':
    case 'plan_approval':
      return { to: 'ready' };
    default:
      return assertNever(question.kind);
  }
}

function isRefused(state: RunState, task: TaskState, given: AnswerOfVersion1): boolean {
  const asked = questionsOf(state, task.asking?.questions ?? []);
  const isNow = ({ question }: OpenQuestion) => question.id === given.question;
  const isPrecondition = ({ isHeld, input }: OpenQuestion) => !isHeld && input?.name === undefined;
  const isDeclined = (one: OpenQuestion) => (isNow(one) ? given.declined : one.answer?.declined === true);
  return (
    asked.every((one) => isNow(one) || one.answer !== undefined) &&
    asked.some((one) => isPrecondition(one) && isDeclined(one))
  );
}

/** Nothing happens until the last answer has arrived. */
function withInput(state: RunState, task: TaskState, given: AnswerOfVersion1): Consequence | undefined {
  const asked = questionsOf(state, task.asking?.questions ?? []);
  if (asked.some(({ question, answer }) => answer === undefined && question.id !== given.question))
    return undefined;
  switch (task.asking?.call) {
    case 'held':
      return { to: 'running' };
    case 'ended':
      return { to: 'ready' };
    case 'lost':
      return afterLoss(task);
    default:
      return undefined;
  }
}

function declined(state: RunState, task: TaskState, { question, given }: Answered): Consequence {
  const { operation } = task.task;
  const { comment } = given;
  if (question.kind === 'in_doubt') return givenUp(state, task);
  const code = question.kind === 'approval' ? 'not_approved' : 'declined';
  const isLate = given.isExpired === true && comment !== undefined;
  const cause: Cause = isLate
    ? { kind: 'rejected', code: 'unanswered', params: { question: question.text } }
    : { kind: 'rejected', code, params: { operation, ...(comment !== undefined && { reason: comment }) } };
  return { to: 'failed', failure: worded(state, cause) };
}

function givenUp(state: RunState, { task: { operation } }: TaskState): Consequence {
  return {
    to: 'failed',
    failure: worded(state, { kind: 'timeout', code: 'given_up', params: { operation } }),
  };
}

function settled(state: RunState, task: TaskState, answer: Json): Consequence {
  if (answer === 'happened') return { to: 'succeeded' };
  if (answer !== 'again' && answer !== 'again_after') return givenUp(state, task);
  const [open] = innerCallsInDoubt(task);
  if (open === undefined) return { to: 'ready' };
  const inner = { key: open.key, took: answer === 'again' ? ('no_effect' as const) : ('effect' as const) };
  return { to: isInDoubtAfter(task, inner, state.seq) ? 'in_doubt' : 'ready', inner };
}

function chosen(state: RunState, task: TaskState, { question, given }: Answered): Consequence {
  const { answer } = given;
  const option = question.options?.find(({ value }) => stringifyJson(value) === stringifyJson(answer));
  if (option?.tasks !== undefined) return { to: 'replacing', tasks: option.tasks };
  const fields = question.form !== undefined && isObject(answer) ? answer : undefined;
  const args =
    option !== undefined
      ? withChoice(task, option)
      : fields === undefined
        ? undefined
        : withChoice(task, { args: fields });
  const changed = args === undefined ? {} : { args };
  const place = placeOf(state, task, args ?? task.override ?? task.task.args);
  if (!('overtaker' in place)) return { to: 'ready', ...changed, waits: place.waits };
  const { id, operation: by } = place.overtaker.task;
  const params = { operation: task.task.operation, task: id, by };
  return {
    to: 'failed',
    ...changed,
    failure: worded(state, { kind: 'plan_error', code: 'overtaken', params }),
  };
}

function worded(state: RunState, cause: Cause): Failure {
  return { ...cause, message: sentence(state, cause) };
}

/** The texts of 0.1 and 0.2. */
function sentence(
  run: Pick<RunState, 'goal' | 'settings'>,
  { code, params = {} }: Pick<Cause, 'code' | 'params'>,
): string {
  const { operation, reason, question, problems, task, by } = params;
  const isInJapanese = isJapanese(run);
  const because =
    reason === undefined || reason === '' ? '' : isInJapanese ? `理由: ${reason}` : ` ${reason}`;
  switch (code) {
    case 'not_approved':
      return `${isInJapanese ? `${operation} の実行は承認されませんでした。` : `A person did not approve ${operation}.`}${because}`;
    case 'declined':
      return `${isInJapanese ? `${operation} についての質問は断られました。` : `A person was asked about ${operation} and declined.`}${because}`;
    case 'plan_not_approved':
      return `${isInJapanese ? '計画は承認されませんでした。' : 'A person did not approve the plan.'}${because}`;
    case 'unanswered':
      return `${isInJapanese ? '期限までに回答がありませんでした' : 'Nobody answered in time'}: ${question}`;
    case 'given_up':
      return isInJapanese
        ? `${operation} が実行されたかどうか分からないまま、取りやめました。`
        : `Nobody knows whether ${operation} took effect; it was given up.`;
    case 'cannot_replace':
      return isInJapanese
        ? `${operation} の代わりに選ばれたことは実行できません: ${problems}`
        : `What was chosen in place of ${operation} cannot be done: ${problems}`;
    case 'overtaken':
      return `The answer makes ${operation} touch what ${task} (${by}) has touched already, although it is written later. It was not called, so that nothing happens out of order.`;
    default:
      return code;
  }
}
