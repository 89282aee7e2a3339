import { asText, stringifyJson } from '../../model/json.ts';
import { contextOf } from '../../model/settings.ts';
import { languageOf, withoutTag } from '../../model/text.ts';
import { chosenLabel } from '../../run/state/questions.ts';
import type { Decision, OpenQuestion, RunState, TaskState } from '../../run/state/state.ts';
import type { Thought } from '../mind.ts';
import { groupIds } from './memory.ts';

type ResultInput = Pick<Thought, 'state' | 'resultText'>;

/** Characters. Less of a result is useless to the model. */
const LEAST_SHOWN = 200;

/**
 * How the tasks of one decision ended. If they don't fit into a prompt, large results get equal shares of the
 * room. If there are too many even for that, the last ones are only named (`rest`). A token has about one
 * character or more, so the limit in tokens is used as a limit in characters.
 */
export function tellOutcomes(
  tasks: readonly TaskState[],
  thought: ResultInput,
): { readonly told: readonly string[]; readonly rest: readonly string[] } {
  const { tokens, result } = contextOf(thought.state.settings);
  const most = Math.max(1, Math.floor(tokens / LEAST_SHOWN));
  const shown = tasks.slice(0, most);
  const told = shown.map((task) => tellOutcome(task, thought, result));
  const limit = fairShare(
    told.map(({ length }) => length),
    tokens,
  );
  const fitting =
    limit === undefined
      ? told
      : shown.map((task, index) => {
          const text = told[index] ?? '';
          return text.length <= limit ? text : tellOutcome(task, thought, Math.max(LEAST_SHOWN, limit));
        });
  return { told: fitting, rest: nameOthers(tasks.slice(most), thought) };
}

/** The length to which the longest must be cut so that all fit; undefined if they do. */
function fairShare(lengths: readonly number[], room: number): number | undefined {
  if (lengths.reduce((sum, length) => sum + length, 0) <= room) return undefined;
  let left = room;
  const sorted = lengths.toSorted((one, other) => one - other);
  for (const [index, length] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return undefined;
}

function nameOthers(tasks: readonly TaskState[], { state }: ResultInput): string[] {
  if (tasks.length === 0) return [];
  const lines = [...Map.groupBy(tasks, ({ status }) => status)].flatMap(([status, own]) =>
    groupIds(own, state).map((group) => `- ${status}: ${group}`),
  );
  return [`There are more results; read them with \`result.read\`:\n${lines.join('\n')}`];
}

/**
 * How a task ended. Everything from the tool is inside the tags, including failures and questions to the
 * user.
 */
function tellOutcome(task: TaskState, { state, resultText }: ResultInput, limit: number): string {
  const { id } = task.task;
  const note = task.note === undefined ? '' : `\n(${task.note})`;
  const content = task.status === 'succeeded' ? `${resultText(id, limit)}${note}` : failureReason(task);
  return inTags(task, [...choices(id, state), content].join('\n'));
}

/** Named by id only: the call stands in the actions above. Success needs no word. */
export function inTags({ task: { id }, status }: TaskState, content: string): string {
  return `<result ${id}${endText(status)}>${withoutTag('result', content)}</result>`;
}

function endText(status: TaskState['status']): string {
  if (status === 'succeeded') return '';
  return status === 'failed' ? ' failed' : ' not run';
}

/** Why a task has no result, for the model. */
export function failureReason({ failure, status }: TaskState): string {
  if (failure !== undefined) return `${failure.kind}: ${failure.message}`;
  return status === 'blocked' ? 'An action that it needs did not succeed.' : `It is ${status}.`;
}

/** The user's choice changed the arguments of the task, so the model must know it. */
function choices(id: string, state: RunState): string[] {
  return [...state.questions.values()]
    .filter(
      ({ question, answer }) => question.task === id && question.kind === 'ambiguity' && answer !== undefined,
    )
    .map(
      (asked) => `(The user was asked: ${asked.question.text} ${choiceIn(asked)}${languageIn(asked, state)})`,
    );
}

/** The user may go on in another language than that of the goal. */
function languageIn({ answer }: OpenQuestion, { goal, settings }: RunState): string {
  const language = answer?.language;
  if (language === undefined || language === languageOf({ goal, settings })) return '';
  return ` Write to the user in ${language === 'ja' ? 'Japanese' : 'English'} from now on.`;
}

/** The label first, because it is what the user read. */
function choiceIn(asked: OpenQuestion): string {
  if (asked.answer?.declined === true) return 'The user did not choose.';
  const value = stringifyJson(asked.answer?.value);
  const label = stringifyJson(chosenLabel(asked) ?? asked.answer?.value);
  return `The user chose: ${label}${label === value ? '' : ` (value ${value})`}`;
}

/** Answers to the model's own questions. */
export type Answers = ReadonlyMap<Decision, readonly string[]>;

const NO_ANSWERS: Answers = new Map();

/** Answers in the order of asking, by the decision that asked. */
export function answersByDecision(state: RunState): Answers {
  const { decisions, questions } = state;
  if (questions.size === 0) return NO_ANSWERS;
  const told = [...questions.values()]
    .filter(({ question }) => question.kind === 'missing_input' && question.task === undefined)
    .map((asked) => `You asked: ${asked.question.text}\n${tellAnswer(asked)}${languageIn(asked, state)}`);
  const byDecision = new Map<Decision, string[]>();
  const asking = decisions.filter(({ purpose }) => purpose === 'act' || purpose === 'generate');
  for (const decision of asking) {
    const count = decision.operations.filter(({ operation }) => operation === 'ask').length;
    if (count > 0 && decision.failure === undefined) byDecision.set(decision, told.splice(0, count));
  }
  return byDecision;
}

function tellAnswer(asked: OpenQuestion): string {
  const { answer } = asked;
  if (answer === undefined) return 'No answer yet.';
  const { value, declined, comment, isExpired } = answer;
  if (isExpired === true) {
    return declined === true
      ? 'The user did not answer in time. Go on without it as well as you can, or say that it cannot be done.'
      : `The user did not answer in time, so your default counts: ${asText(value)}`;
  }
  const why = comment === undefined ? '' : `\nThe user added: ${comment}`;
  if (declined === true) return `The user declined to answer.${why}`;
  const label = chosenLabel(asked) ?? asText(value);
  return `The user answered: ${label}${label === asText(value) ? '' : ` (value ${asText(value)})`}${why}`;
}
