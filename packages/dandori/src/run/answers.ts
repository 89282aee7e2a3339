import { assertNever } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import { type Cause, toFailure, type Word } from '../model/failure.ts';
import { asObject, isObject, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { callAbout } from '../model/question.ts';
import { isStep } from '../model/task.ts';
import { effect, isRepeatable } from '../model/tool.ts';
import { questionsOf } from './state/held-calls.ts';
import { innerCallInDoubt, isInDoubtAfter } from './state/inner-calls.ts';
import { placeOf } from './state/placement.ts';
import type { Answer, OpenQuestion, RunState, TaskState } from './state/state.ts';
import { withChoice } from './state/task-state.ts';
import { waitingWith } from './trust/similar.ts';

type Applied = FactOf<'answer_applied'>['data'];
type Consequence = Omit<Applied, 'task' | 'question'>;

/**
 * What the answers to a waiting task lead to. Undefined if the task is not waiting or an answer is missing.
 */
export function appliedAnswer(state: RunState, id: string, word: Word): Applied | undefined {
  const task = state.indexes.answered.has(id) ? state.tasks.get(id) : undefined;
  const asked = questionsOf(state, task?.waitsFor ?? []);
  const last = asked.at(-1);
  if (task === undefined || last?.answer === undefined) return undefined;
  const { question } = last;
  // The sub-goal gets the answer, a refusal too.
  if (question.subGoal !== undefined) return { task: id, question: question.id, to: 'ready' };
  const how =
    question.kind === 'elicitation'
      ? afterInput(task, asked, word)
      : afterAnswer(state, task, { asked: last, answer: last.answer, word });
  return { task: id, question: question.id, ...how };
}

/** A refusal is passed to the server if the server can receive it. Otherwise the task fails. */
function afterInput(task: TaskState, asked: readonly OpenQuestion[], word: Word): Consequence {
  const refused = asked.find(
    ({ isHeld, input, answer }) => !isHeld && input?.name === undefined && answer?.declined === true,
  );
  if (refused?.answer !== undefined) return declined(task, { asked: refused, answer: refused.answer, word });
  const call = task.asking?.call;
  switch (call) {
    case 'held':
      return { to: 'running' };
    case 'lost':
      return { to: isRepeatable(task.effect) ? 'ready' : 'in_doubt' };
    case 'ended':
    case 'ending':
    case 'over':
    case undefined:
      return { to: 'ready' };
    default:
      return assertNever(call);
  }
}

interface Answered {
  readonly asked: OpenQuestion;
  readonly answer: Answer;
  readonly word: Word;
}

function afterAnswer(state: RunState, task: TaskState, answered: Answered): Consequence {
  const { asked, answer, word } = answered;
  const { kind } = asked.question;
  if (answer.declined === true) return { ...declined(task, answered), ...refusedWith(state, task, answered) };
  switch (kind) {
    case 'approval':
      return approved(task, answered);
    case 'in_doubt':
      return settled(state, task, answer, word);
    case 'ambiguity':
      return chosen(state, task, answered);
    case 'missing_input':
    case 'plan_approval':
    case 'elicitation':
      return { to: 'ready' };
    default:
      return assertNever(kind);
  }
}

/** Only these answers approve a call. Every other one rejects it. */
const APPROVING: readonly Json[] = [
  'approve',
  'approve_for_run',
  'approve_pattern',
  'approve_listed',
  'approve_call_always',
  'approve_tool_always',
];

function approved(task: TaskState, answered: Answered): Consequence {
  const { question } = answered.asked;
  const { value } = answered.answer;
  if (!APPROVING.includes(value)) {
    const isAll = value === 'reject_similar';
    return { ...declined(task, answered), ...(isAll && { refuses: { operation: task.task.operation } }) };
  }
  const shown = effect.safeParse(isObject(question.context) ? question.context.effect : undefined);
  const allows = { operation: task.task.operation, effect: shown.data ?? task.effect };
  return {
    to: 'ready',
    ...(question.digest !== undefined && { approved: question.digest }),
    ...(value === 'approve_for_run' && { allows }),
    ...(value === 'approve_listed' && { allows: { ...allows, digests: listedIn(question.context) } }),
    ...(value === 'approve_pattern' && { allows: { ...allows, args: patternIn(question.context) } }),
  };
}

/** The arguments that calls of the pattern share, as the question showed them. */
function patternIn(context: Json | undefined): JsonObject {
  const { pattern } = asObject(context);
  return asObject(pattern);
}

/** The other calls that the question showed. */
function listedIn(context: Json | undefined): string[] {
  const { also = [] } = callAbout.safeParse(context).data ?? {};
  return also.map(({ digest }) => digest);
}

/** If the user did not answer in time whether to trust a call, the calls that waited with it are not asked about. */
function refusedWith(
  state: RunState,
  task: TaskState,
  { asked, answer }: Answered,
): Pick<Consequence, 'refuses'> {
  const { trust } = callAbout.safeParse(asked.question.context).data ?? {};
  if (answer.isExpired !== true || trust === undefined) return {};
  const tasks = waitingWith(task, state).map(({ task: { id } }) => id);
  return tasks.length === 0 ? {} : { refuses: { operation: task.task.operation, tasks } };
}

function failed(cause: Cause, word: Word): Consequence {
  return { to: 'failed', failure: toFailure(cause, word) };
}

/** If a person declines to check a call whose outcome is unknown, the task is given up. */
function declined({ task }: TaskState, { asked, answer, word }: Answered): Consequence {
  const operation = isStep(task) ? (task.description ?? task.id) : task.operation;
  const { kind, text } = asked.question;
  if (kind === 'in_doubt') return givenUp(operation, word);
  // An expired question is not a refusal.
  if (answer.isExpired === true)
    return failed({ kind: 'rejected', code: 'unanswered', params: { question: text } }, word);
  const { comment } = answer;
  const params = { operation, ...(comment !== undefined && { reason: comment }) };
  return failed({ kind: 'rejected', code: kind === 'approval' ? 'not_approved' : 'declined', params }, word);
}

function givenUp(operation: string, word: Word): Consequence {
  return failed({ kind: 'timeout', code: 'given_up', params: { operation } }, word);
}

/**
 * A person has checked the call: it happened, it did not happen (so it is called again), or the task is given
 * up. For a service that was interrupted in an inner call, `again_after` means that the inner call took
 * effect. `again` means that it did not.
 */
function settled(state: RunState, task: TaskState, { value: answer }: Answer, word: Word): Consequence {
  if (answer === 'happened') return { to: 'succeeded' };
  if (answer !== 'again' && answer !== 'again_after') return givenUp(task.task.operation, word);
  // A service may have made several calls at once. A person is asked about them one at a time.
  const open = innerCallInDoubt(task);
  if (open === undefined) return { to: 'ready' };
  const inner = { key: open.key, took: answer === 'again' ? ('no_effect' as const) : ('effect' as const) };
  return { to: isInDoubtAfter(task, inner, state.seq + 1) ? 'in_doubt' : 'ready', inner };
}

/**
 * The choice may change which resources the task touches. Another task may be using them, or a later task may
 * have used them.
 */
function chosen(state: RunState, task: TaskState, { asked, answer, word }: Answered): Consequence {
  const { options, form } = asked.question;
  const { value } = answer;
  const option = options?.find((one) => stringifyJson(one.value) === stringifyJson(value));
  if (option?.tasks !== undefined) return { to: 'replacing', tasks: option.tasks };
  const choice = option ?? (form !== undefined && isObject(value) ? { args: value } : undefined);
  const args = choice && withChoice(task, choice);
  const place = placeOf(state, task, args ?? task.override ?? task.task.args);
  if ('overtaker' in place) {
    const { id, operation: by } = place.overtaker.task;
    const params = { operation: task.task.operation, task: id, by };
    return { ...failed({ kind: 'plan_error', code: 'overtaken', params }, word), ...(args && { args }) };
  }
  const { waits } = place;
  return { to: 'ready', ...(args && { args }), ...(waits.length > 0 && { waits }) };
}
