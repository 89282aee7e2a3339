import { DandoriError } from '../model/error.ts';
import type { Fact } from '../model/event.ts';
import { asText, type Json, type JsonObject, normalise, stringifyJson } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import { shown, withHidden } from '../model/redact.ts';
import type { Task } from '../model/task.ts';
import type { Language } from '../model/text.ts';
import { issueText } from '../model/tool.ts';
import type { CompileParts } from '../run/drafts/draft.ts';
import { asHidden, checkEdit } from '../run/drafts/edit.ts';
import { foldRun } from '../run/state/apply.ts';
import { editedTasks } from '../run/state/plan.ts';
import type { Answer, OpenQuestion, RunState } from '../run/state/state.ts';
import { checkOpened, type Secrets, sealingOf, withOpenedCheck } from '../secrets/index.ts';
import type { Unanswered } from './answer-options.ts';
import { isApproval, readAnswer, takesWords } from './answer-words.ts';
import { asJournaled, type CommandParts, checkLength, refuseEnded, send, tasksAsJournaled } from './send.ts';

/** Length of the JSON. Larger data belongs in a file or a tool's result. */
const LONGEST_ANSWER = 100_000;
/** An answer with a thousand wrong rows is described by the first few. */
const MOST_ISSUES = 10;

/** The answer may be a plan, which must be compiled. */
type Checking = CommandParts & Pick<CompileParts, 'check' | 'toolbox' | 'durations'>;

export interface Answering {
  readonly run: string;
  readonly question: string;
  readonly answer: Json;
  /** The user declines. `answer` is then ignored. */
  readonly declined?: boolean | undefined;
  readonly comment?: string | undefined;
  readonly by?: string | undefined;
  /** The message of the conversation that is the answer. */
  readonly message?: string | undefined;
  /** The run whose model read the answer in that message. */
  readonly readBy?: { readonly run: string } | undefined;
  /** The language of the user's words, if it can be detected. */
  readonly language?: Language | undefined;
}

/**
 * Answers a question, whether or not a process drives the run. If two answers arrive at the same time, one is
 * written and the other is refused.
 */
export async function answerQuestion({ question, ...answering }: Answering, parts: Checking): Promise<void> {
  await answerChosen(answering, () => question, parts);
}

/** Answers the question that `choose` finds in the state. Returns its id. */
async function answerChosen(
  { run, answer: said, declined: isRefused = false, comment, by, ...from }: Omit<Answering, 'question'>,
  choose: (state: RunState) => string,
  parts: Checking,
): Promise<string> {
  checkLength(comment, 'comment');
  const sealing = sealingOf(parts);
  const told = sealing.seal({ comment, by });
  const isEdit = typeof said === 'object' && said !== null;
  let id = '';
  await send(run, parts, async (state, at) => {
    id = choose(state);
    refuseEnded(state);
    refuseSubGoal(state, id);
    const { question } = stillOpen(id, state, at);
    requireAnswerer(question, by);
    const read = isRefused ? { answer: null, declined: true } : inWords(said, question, state.goal);
    const { declined = false } = read;
    const answer = asJournaled(read.answer, `The answer to ${id}`, 'answer-invalid');
    const asked = isEdit ? await askedIn(question, state, parts) : state;
    const meant = withSecretsRestored(sealing.seal(answer), question, asked);
    if (!declined) refuseForOthers(meant, state, by);
    const isPlan = question.kind === 'plan_approval' && typeof answer === 'object';
    if (!declined && isPlan) checkEdit(question, { answer: meant, state: asked }, withOpenedCheck(parts));
    else if (!declined) checkAnswer(question, meant, parts);
    const label = declined ? undefined : labelOf(meant, question);
    const given = declined ? { answer: null, declined } : { answer: meant, ...(label && { label }) };
    const { message, readBy, language } = from;
    const answered: Fact = {
      type: 'question_answered',
      data: { question: id, ...given, ...told, message, readBy, language },
    };
    if (declined || meant !== 'stop' || question.kind !== 'approval') return answered;
    return [answered, { type: 'cancel_requested', data: { reason: comment ?? question.text, by } }];
  });
  return id;
}

interface Passed {
  readonly run: string;
  readonly question: string;
  readonly answer: Answer;
}

/** Writes the answer that the run of a sub-goal got for it. Does nothing if the question is closed already. */
export async function passAnswer({ run, question, answer }: Passed, parts: CommandParts): Promise<void> {
  const { value, declined, comment, by, language } = answer;
  await send(run, parts, ({ questions, end }) => {
    const open = questions.get(question);
    if (end !== undefined || open === undefined || open.answer !== undefined) return undefined;
    const data = { question, answer: value, declined, comment, by, language };
    return { type: 'question_answered', data };
  });
}

/** A sub-goal is asked through its run. If both could be answered, one answer would be lost. */
function refuseSubGoal({ run, parent }: RunState, id: string): void {
  if (parent === undefined) return;
  throw new DandoriError('usage', `${id} is asked by a sub-goal, ${run}, through the run ${parent.run}.`, {
    fix: `Answer it there: \`dandori questions ${parent.run}\` lists it.`,
  });
}

/** The state in which the question was asked: that of the sub-goal, if one asks. */
async function askedIn(
  { subGoal }: Pick<Question, 'subGoal'>,
  state: RunState,
  { journal }: Pick<CommandParts, 'journal'>,
): Promise<RunState> {
  if (subGoal === undefined) return state;
  const inner = foldRun(subGoal.run, await journal.read(subGoal.run));
  return askedIn(inner.questions.get(subGoal.question)?.question ?? {}, inner, { journal });
}

/** The label of the chosen option. Approvals need none: their values (`approve`, `reject`) are clear. */
function labelOf(answer: Json, question: Question): string | undefined {
  if (isApproval(question)) return undefined;
  const given = stringifyJson(answer);
  return question.options?.find(({ value }) => stringifyJson(value) === given)?.label;
}

/** Reads an answer in words, such as "the low-fat one". The value of an option stays as it is. */
function inWords(
  answer: Json,
  asked: Question,
  goal: string,
): { readonly answer: Json; readonly declined?: boolean } {
  if (typeof answer === 'boolean' && isApproval(asked)) return { answer: answer ? 'approve' : 'reject' };
  if (typeof answer !== 'string') return { answer };
  const read = readAnswer(answer, shown(asked), { goal });
  if (read?.kind === 'answer') return { answer: read.value };
  if (read?.kind === 'declined' && !takesWords(asked)) return { answer: null, declined: true };
  if (read?.kind !== 'open') return { answer };
  throw new DandoriError('answer-invalid', `${STILL_OPEN[read.why]} ${asked.id} stays open.`, {
    fix: `Answer one of: ${shown(asked.options ?? [])
      .map(({ label }) => label)
      .join(', ')}.`,
  });
}

const STILL_OPEN: Readonly<Record<Unanswered, string>> = {
  only_one: 'Only one option can be chosen.',
  which: 'The answer does not say which option.',
  clear_yes: 'The answer is neither a clear yes nor a clear no.',
};

/**
 * The user saw `[secret]` instead of each secret. Values that the user left unchanged or chose become the
 * secret again.
 */
export function withSecretsRestored(
  answer: Json,
  { kind, options = [], default: fallback }: Question,
  state: Pick<RunState, 'tasks' | 'draft'>,
): Json {
  const edited = kind === 'plan_approval' ? editedTasks(answer) : undefined;
  if (edited !== undefined) return { ...(answer as JsonObject), tasks: asHidden(edited, state) as Json[] };
  const looks = stringifyJson(shown(answer));
  const alike = options.filter(({ value }) => stringifyJson(shown(value)) === looks);
  const [only] = alike;
  if (only !== undefined && alike.length === 1) return only.value;
  return options.length > 0 ? answer : withHidden(answer, fallback);
}

function stillOpen(id: string, { run, questions }: RunState, at: number): OpenQuestion {
  const open = questions.get(id);
  if (open === undefined) {
    const ids = [...questions.values()]
      .filter(({ answer }) => answer === undefined)
      .map(({ question }) => question.id);
    const fix = ids.length > 0 ? `Open questions: ${ids.join(', ')}.` : 'The run has no open question.';
    throw new DandoriError('question-not-found', `The run ${run} has no question "${id}".`, { fix });
  }
  const { answer, question } = open;
  if (
    answer?.isExpired === true ||
    (answer === undefined && at >= (question.expiresAt ?? Number.POSITIVE_INFINITY))
  ) {
    const when = question.expiresAt === undefined ? '' : ` at ${new Date(question.expiresAt).toISOString()}`;
    throw new DandoriError('question-expired', `The question ${id} expired${when}.`, {
      fix: `See the run: \`dandori show ${run}\`. questions.expire_after gives more time to the next runs.`,
    });
  }
  if (answer === undefined) return open;
  const given = answer.declined === true ? 'it was declined' : stringifyJson(shown(answer.value));
  const by = answer.by === undefined ? '' : ` by ${answer.by}`;
  throw new DandoriError('question-answered', `The question ${id} was already answered${by}: ${given}.`);
}

export function requireAnswerer({ id, answerers }: Question, by: string | undefined): void {
  if (answerers === undefined || (by !== undefined && answerers.includes(by))) return;
  const who = by === undefined ? 'The answer names no user' : `${by} may not answer`;
  throw new DandoriError(
    'answer-not-allowed',
    `${who}. Users who may answer ${id}: ${answerers.join(', ')}.`,
    {
      fix: 'Let one of them answer (`--user ID`), or add the user to questions.answerers for the next runs.',
    },
  );
}

/** A standing approval is kept in the settings of the run's user, and only that user may change them. */
function refuseForOthers(answer: Json, { userId }: RunState, by: string | undefined): void {
  const isStanding = answer === 'approve_tool_always' || answer === 'approve_call_always';
  if (!isStanding || userId === undefined || by === undefined || by === userId) return;
  throw new DandoriError(
    'answer-not-allowed',
    `${by} may approve this call, and only ${userId} may approve it for good.`,
    { fix: 'Answer `approve` or `approve_for_run`.' },
  );
}

export function checkAnswer(
  question: Question,
  answer: Json,
  parts: Secrets & Pick<CompileParts, 'check'>,
): void {
  const given = stringifyJson(answer) ?? 'undefined';
  const seen = shown(given);
  const { id, options = [], form } = question;
  const refused = (message: string, fix: string) => new DandoriError('answer-invalid', message, { fix });
  if (given.length > LONGEST_ANSWER) {
    const most = `${LONGEST_ANSWER} are the most`;
    throw refused(`The answer to ${id} has ${given.length} characters; ${most}.`, 'Write a shorter text.');
  }
  if (form !== undefined) {
    const issues = checkOpened(parts.check, sealingOf(parts))(form, answer);
    if (issues.length === 0) return;
    const what = shown(issues.slice(0, MOST_ISSUES).map(issueText).join('; '));
    throw refused(
      `The answer to ${id} does not fit its form: ${what}.`,
      'Correct these fields and answer again.',
    );
  }
  if (options.length === 0 || options.some(({ value }) => stringifyJson(value) === given)) return;
  const values = options.map(({ value }) => asText(value));
  throw refused(`${seen} is not an answer to ${id}.`, `Answer one of: ${shown(values).join(', ')}.`);
}

export interface Approval {
  readonly run: string;
  /** By default the only call or plan that waits for approval. */
  readonly question?: string | undefined;
  /** For a plan: the tasks to run instead of the proposed ones. */
  readonly tasks?: readonly Task[] | undefined;
  readonly by?: string | undefined;
}

/** Approves a call or a plan. Returns the question that it answers. */
export async function approve({ run, question, tasks, by }: Approval, parts: Checking): Promise<string> {
  const answer = tasks === undefined ? 'approve' : { tasks: normalise(tasksAsJournaled(tasks)) };
  const choose = (state: RunState) => {
    const { id, kind } = approvalAsked(state, question);
    if (tasks === undefined || kind === 'plan_approval') return id;
    throw new DandoriError('usage', `${id} asks about a call, and only a plan can be edited.`, {
      fix: 'Approve or reject the call as it is.',
    });
  };
  return answerChosen({ run, answer, by }, choose, parts);
}

export interface Rejection extends Omit<Approval, 'tasks'> {
  readonly reason?: string | undefined;
}

/** Rejects a call or a plan. The mind gets the reason. Returns the question that it answers. */
export async function reject({ run, question, reason, by }: Rejection, parts: Checking): Promise<string> {
  const choose = (state: RunState) => approvalAsked(state, question).id;
  return answerChosen({ run, answer: 'reject', comment: reason, by }, choose, parts);
}

/** `answerChosen` checks whether the question is still open. */
function approvalAsked(state: RunState, id: string | undefined): Pick<Question, 'id' | 'kind'> {
  const { run } = state;
  const questions = [...state.questions.values()];
  if (id !== undefined) {
    const named = questions.find(({ question }) => question.id === id)?.question;
    if (named === undefined || isApproval(named)) return named ?? { id, kind: 'approval' };
    throw new DandoriError('answer-invalid', `${id} does not ask for an approval: ${named.text}`, {
      fix: `Answer it with \`dandori answer ${run} ${id} <answer>\`.`,
    });
  }
  const open = questions.filter(({ question, answer }) => answer === undefined && isApproval(question));
  const [only] = open;
  if (only !== undefined && open.length === 1) return only.question;
  const ids = open.map(({ question }) => question.id).join(', ');
  throw new DandoriError(
    'question-not-found',
    open.length === 0
      ? `Nothing in the run ${run} waits for an approval.`
      : `${open.length} questions of the run ${run} wait for an approval.`,
    { fix: open.length === 0 ? `See it with \`dandori show ${run}\`.` : `Say which: ${ids}.` },
  );
}
