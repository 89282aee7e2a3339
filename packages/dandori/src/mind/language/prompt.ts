import type { Failure } from '../../model/failure.ts';
import { asText, stringifyJson } from '../../model/json.ts';
import { OWN_TOOLS } from '../../model/own-tools.ts';
import { contextOf, type Settings } from '../../model/settings.ts';
import type { Action } from '../../model/task.ts';
import { bytesText, clip, withoutTag } from '../../model/text.ts';
import { chosenLabel } from '../../run/state/questions.ts';
import { type Decision, hasEnded, type OpenQuestion, type RunState } from '../../run/state/state.ts';
import { attachmentNames, attachmentType } from '../../run/trust/attachment-names.ts';
import { shownIn } from '../../views/media.ts';
import { hasDigest } from '../../views/result-digest.ts';
import type { Thought } from '../mind.ts';
import { type PromptName, readPrompt } from '../prompts/read.ts';
import { isShownFiles, shownTasks } from './files.ts';
import { hasPlans, writeBrief, writeInstructions } from './instructions.ts';
import { hasCriteria, writeMemory } from './memory.ts';
import { languageIn, tellOutcomes } from './result-text.ts';
import { announce, describeTool } from './tool-text.ts';
import { type TextMessage, TextTranscript, type Transcript, writeAction } from './transcript.ts';
import { OF_A_PICTURE } from './usage.ts';
import {
  type EndedTasks,
  endedTasks,
  type NotesByDecision,
  notesByDecision,
  WHOLE,
  type Window,
  windowFor,
} from './window.ts';

export interface Prompt {
  readonly instructions: string;
  readonly messages: TextMessage[];
}

/** What a prompt depends on. */
export type PromptInput = Omit<Thought, 'signal'>;

/** The parts of the messages that differ between dialects. */
export interface Wording<Message> {
  /** A cache key: everything besides the state that the messages depend on. */
  readonly key: string;
  /** `told`: the actions that are known before the first turn. */
  readonly open: (told: readonly Action[]) => Transcript<Message>;
  /** After an unusable output. */
  readonly again: string;
  /** After a rejected plan. */
  readonly correction: string;
  /** After an accepted plan. Missing if the tools say it. */
  readonly planMade?: PromptName;
  /** With the first result that is not shown in full. Missing if the tools say it. */
  readonly readMore?: string;
}

const TEXT: Wording<TextMessage> = {
  key: 'json',
  open: () => new TextTranscript(),
  again: 'Write one JSON object in the form of the example in the instructions, and nothing else.',
  correction:
    'Return the whole corrected list, or only what changes, as one action: {"operation": "plan.revise", "args": {"replace": [actions], "remove": [ids], "add": [actions]}}.',
};

function wordingFor({ state }: PromptInput): Wording<TextMessage> {
  const { mode } = state.settings;
  const readMore = `A tool for such results:\n${describeTool(OWN_TOOLS['result.read'], mode)}`;
  if (!hasPlans(state)) return { ...TEXT, correction: 'Return the whole corrected list.', readMore };
  return { ...TEXT, planMade: mode === 'auto' ? 'plan-made-auto' : 'plan-made', readMore };
}

export function writePrompt(thought: PromptInput, custom?: string, window: Window = WHOLE): Prompt {
  const messages = writeTurns(thought, wordingFor(thought), window);
  return { instructions: writeInstructions(thought, custom), messages };
}

/** The turns that are written in full so that the prompt fits. The same for every dialect. */
export function fittingWindow(thought: PromptInput, custom?: string): Promise<Window> {
  const { state } = thought;
  const wording = wordingFor(thought);
  const answers = answersByDecision(state);
  const said = notesByDecision(state).after;
  let ended: EndedTasks['after'] | undefined;
  return windowFor({
    decisions: state.decisions,
    base: [writeInstructions(thought, custom), ...opening(thought)].join('\n\n'),
    tell(decision) {
      const transcript = wording.open([]);
      // Decisions are told in their order, and only those that have not been counted yet.
      ended ??= endedTasks(state, state.decisions.lastIndexOf(decision)).after;
      tellTurn(decision, {
        thought,
        answers,
        ended,
        said,
        wording,
        transcript,
        from: Number.POSITIVE_INFINITY,
      });
      return transcript
        .messages()
        .map(({ content }) => content)
        .join('\n\n');
    },
    shown: (decision) => {
      const tasks = ended?.get(decision) ?? [];
      return tasks.reduce((sum, task) => sum + shownIn(task).length, 0) * OF_A_PICTURE;
    },
    isSettled: ({ proposed }) =>
      proposed.every(({ id }) => hasEnded(state.tasks.get(id)?.status ?? 'succeeded')),
    budget: contextOf(state.settings).tokens,
  });
}

/** The turns of a run that can't change any more, as they were written for its last call. */
interface Kept<Message> {
  readonly key: string;
  readonly window: Window;
  readonly context: Settings['context'];
  /** How many decisions, and the last of them. */
  readonly count: number;
  readonly last: Decision | undefined;
  readonly transcript: Transcript<Message>;
}

const kept = new WeakMap<RunState, Kept<unknown>>();

/**
 * The messages so far. A call writes only the turns since the last call, so that a step of a long run costs as much
 * as one of a short run.
 *
 * P1  Append-only: a call repeats the messages of the previous call word for word and adds new ones, so that
 *     caches hit. (After a call that never reached the model, the last message may get another paragraph.)
 *     Only when the window moves, the memory replaces older turns.
 * P2  User and assistant alternate, as the chat templates of some local models require.
 * P3  Tool output is inside <result> and cannot close that tag.
 */
export function writeTurns<Message>(
  thought: PromptInput,
  wording: Wording<Message>,
  window: Window = WHOLE,
): Message[] {
  const { state } = thought;
  const key = isShownFiles(state) ? wording.key : `${wording.key} without files`;
  const known = keptFor(state, key, window) as Kept<Message> | undefined;
  const from = known?.count ?? window.from;
  const answers = answersByDecision(state);
  const ended = endedTasks(state, from).after;
  const said = notesByDecision(state).after;
  let transcript: Transcript<Message> =
    known?.transcript.fork() ?? begin(thought, wording, window, { answers, said });
  const context = { thought, answers, ended, said, wording, from: window.from };
  const unchanging = from + countUnchanging(state.decisions.slice(from), context);
  for (const decision of state.decisions.slice(from, unchanging))
    tellTurn(decision, { ...context, transcript });
  if (unchanging > from && state.userPlan.length === 0) {
    const last = state.decisions[unchanging - 1];
    const { context: room } = state.settings;
    kept.set(state, { key, window, context: room, count: unchanging, last, transcript });
    transcript = transcript.fork();
  }
  for (const decision of state.decisions.slice(unchanging)) tellTurn(decision, { ...context, transcript });
  request(thought, { ...context, transcript });
  return transcript.messages();
}

function begin<Message>(
  thought: PromptInput,
  wording: Wording<Message>,
  window: Window,
  { answers, said }: Pick<TurnContext<Message>, 'answers' | 'said'>,
): Transcript<Message> {
  const { state } = thought;
  const past = state.decisions.slice(0, window.from);
  const transcript = wording.open([...state.userPlan, ...past.flatMap(countedActions)]);
  const early = past.flatMap((decision) => [
    ...(answers.get(decision) ?? []),
    ...(decision.veto === undefined ? [] : [`You proposed a plan. ${vetoed(decision.veto)}`]),
    ...(said.get(decision) ?? []),
  ]);
  const words = [...opening(thought), ...writeMemory(thought, window, early)];
  transcript.addUserText(...words);
  if (wording.readMore !== undefined && (window.from > 0 || words.some(hasDigest)))
    transcript.addOnce(wording.readMore);
  // The turn that told it is not shown any more.
  if (wording.planMade !== undefined && past.some(planIn)) transcript.addOnce(readPrompt(wording.planMade));
  if (state.userPlan.length > 0) transcript.show(shownTasks(endedTasks(state).first, state));
  return transcript;
}

function keptFor(state: RunState, key: string, { from, asOf }: Window): Kept<unknown> | undefined {
  const known = kept.get(state);
  const isSame =
    known?.key === key &&
    known.window.from === from &&
    known.window.asOf === asOf &&
    known.context === state.settings.context &&
    known.last === state.decisions[known.count - 1];
  return isSame ? known : undefined;
}

/**
 * How many of these decisions have a final text. Nothing more can end or be said before a decision that exists
 * already, and what ended will not end again.
 */
function countUnchanging(
  decisions: readonly Decision[],
  { thought, ended, answers }: Pick<TurnContext<unknown>, 'thought' | 'ended' | 'answers'>,
): number {
  const isAsking = [...thought.state.questions.values()].some(
    ({ question, answer }) => question.kind === 'missing_input' && answer === undefined,
  );
  const isOpen = (decision: Decision) =>
    (isAsking && answers.has(decision)) ||
    (ended.get(decision) ?? []).some(({ status }) => status !== 'succeeded' && status !== 'failed') ||
    decision.proposed.some(({ id }) => !hasEnded(thought.state.tasks.get(id)?.status ?? 'succeeded'));
  const first = decisions.findIndex(isOpen);
  return Math.min(first === -1 ? decisions.length : first, Math.max(0, decisions.length - 1));
}

function opening(thought: PromptInput): string[] {
  const { context, goal, memory } = thought.state;
  return [
    ...(memory === undefined ? [] : [`<memory>\n${withoutTag('memory', memory)}\n</memory>`]),
    ...(context === undefined ? [] : [context]),
    `Goal:\n${goal}`,
    ...attached(thought.state),
    ...givenPlan(thought),
    ...notesByDecision(thought.state).first,
  ];
}

function attached(state: RunState): string[] {
  const { attachments } = state;
  if (attachments.length === 0) return [];
  const names = attachmentNames(state);
  const lines = attachments.map(
    (file, index) =>
      `- ${names[index]} (${attachmentType(file)}, ${bytesText(file.bytes)}${file.earlier === true ? ', with an earlier message' : ''})`,
  );
  return [`The user attached these files:\n${lines.join('\n')}`];
}

/** A rejected list does not count, because its correction repeats it. */
function countedActions({ diagnostics, proposed, operations }: Decision): readonly Action[] {
  return diagnostics === undefined ? [...proposed, ...operations] : [];
}

function tellTurn<Message>(decision: Decision, context: TurnContext<Message>): void {
  const { said, transcript } = context;
  request(decision, context);
  if (!isUnsaid(decision)) {
    transcript.addDecision(decision);
    react(decision, context);
  }
  transcript.addUserText(...(said.get(decision) ?? []));
}

/** The model was not reached or wrote nothing, so it has never seen this call. */
function isUnsaid({ failure }: Decision): boolean {
  return failure !== undefined && failure.kind !== 'unusable_output';
}

/** Does not repeat the request after a call that never reached the model. */
function request(
  asked: Decision | PromptInput,
  { thought, from, transcript }: Pick<TurnContext<unknown>, 'thought' | 'from' | 'transcript'>,
): void {
  const { purpose, brief, offer } = asked;
  const wasTold = (isAlike: (decision: Decision) => boolean) => isTaught(isAlike, { asked, thought, from });
  const isKnown = {
    reflect: brief?.reflect === 'interval' && wasTold((decision) => decision.brief?.reflect === 'interval'),
    generate: purpose === 'generate' && wasTold((decision) => decision.purpose === 'generate'),
  };
  const canRevise = hasPlans(thought.state);
  const words = [...announce(offer, thought), ...writeBrief(purpose, brief, { isKnown, canRevise })];
  transcript.addUserText(...words.filter((text) => transcript.lastUserText() !== text));
}

/** Whether the prompt has a request before this one that is alike, and so says in full what is wanted. */
function isTaught(
  isAlike: (decision: Decision) => boolean,
  {
    asked,
    thought,
    from,
  }: Pick<TurnContext<unknown>, 'thought' | 'from'> & { asked: Decision | PromptInput },
): boolean {
  const { decisions } = thought.state;
  const first = decisions.findIndex(
    (decision, index) => index >= from && isAlike(decision) && !isUnsaid(decision),
  );
  const place = decisions.indexOf(asked as Decision);
  return first !== -1 && (place === -1 || first < place);
}

/** A plan that the user gave belongs to no decision, so it is shown with the goal. */
function givenPlan(thought: PromptInput): string[] {
  const { userPlan } = thought.state;
  if (userPlan.length === 0) return [];
  const plan = clip(
    stringifyJson({ actions: userPlan.map(writeAction) }),
    contextOf(thought.state.settings).tokens,
  );
  const { told, rest } = tellOutcomes(endedTasks(thought.state).first, thought);
  return [`The user gave this plan, which runs as it is:\n${plan}`, ...told, ...rest];
}

interface TurnContext<Message> {
  readonly thought: PromptInput;
  /** The first decision that the prompt has in full. */
  readonly from: number;
  /** Answers to the model's own questions. */
  readonly answers: ReadonlyMap<Decision, readonly string[]>;
  /** Tasks that ended after each decision and before the next. */
  readonly ended: EndedTasks['after'];
  /** Notes after each decision and before the next. */
  readonly said: NotesByDecision['after'];
  readonly wording: Wording<Message>;
  readonly transcript: Transcript<Message>;
}

function react<Message>(
  decision: Decision,
  { thought, answers, ended, said, wording, transcript }: TurnContext<Message>,
): void {
  const { failure, diagnostics, proposed, operations, veto, isEdited } = decision;
  if (failure !== undefined) {
    transcript.addUserText(`Your last output could not be used: ${reasonOf(failure)}.\n${wording.again}`);
    return;
  }
  const outcomes = ended.get(decision) ?? [];
  const { told, rest } = tellOutcomes(outcomes, thought);
  const own = new Set(proposed);
  for (const [index, { task }] of outcomes.entries()) {
    if (own.has(task)) transcript.addResult(task, told[index] ?? '');
    else transcript.addUserText(told[index] ?? '');
  }
  transcript.show(shownTasks(outcomes.slice(0, told.length), thought.state));
  const asked = answers.get(decision) ?? [];
  const questions = operations.filter(({ operation }) => operation === 'ask').slice(0, asked.length);
  for (const [index, question] of questions.entries()) transcript.addResult(question, asked[index] ?? '');
  if (veto !== undefined)
    transcript.addUserText(`${vetoed(veto)}\nPlan again, as they want it. ${wording.correction}`);
  else if (diagnostics !== undefined)
    transcript.addUserText(`${rejection(diagnostics)}\n${wording.correction}`);
  else transcript.addUserText(...aboutPlan(operations, wording));
  if (isEdited === true) transcript.addUserText(EDITED);
  const answer = operations.find(({ operation }) => operation === 'answer');
  const isSpokenTo = said.has(decision);
  if (answer !== undefined && proposed.length > 0) transcript.addResult(answer, BEFORE_RESULTS);
  else if (answer !== undefined && isSpokenTo) transcript.addResult(answer, BEFORE_WORDS);
  transcript.addUserText(...rest);
  if (wording.readMore !== undefined && (rest.length > 0 || told.some(hasDigest)))
    transcript.addOnce(wording.readMore);
  const isSilent = outcomes.length + questions.length === 0 && diagnostics === undefined && !isSpokenTo;
  if (isSilent) transcript.addUserText('Go on.');
}

function planIn({ operations }: Pick<Decision, 'operations'>): Action | undefined {
  return operations.find(({ operation }) => operation === 'plan.propose');
}

/** What can be done with a plan is told once there is one. */
function aboutPlan(
  operations: readonly Action[],
  { planMade }: Pick<Wording<unknown>, 'planMade'>,
): string[] {
  const plan = planIn({ operations });
  if (plan === undefined) return [];
  const names = [planMade, hasCriteria(plan.args) ? ('criteria' as const) : undefined];
  return names.flatMap((name) => (name === undefined ? [] : [readPrompt(name)]));
}

/** Why an output was refused, in words for the model. `message` is for people. */
function reasonOf({ code = '', params, message }: Failure): string {
  if (typeof params?.reason === 'string') return params.reason;
  return FOR_THE_MODEL[code] ?? message.replace(/^The model's output could not be used: /, '');
}

/** By the codes of the driver. */
const FOR_THE_MODEL: Readonly<Record<string, string>> = {
  no_answer: 'only an answer was asked for. Return one action: `answer`',
  no_action: 'it holds no action. Call a tool, or use `answer` or `ask`',
  no_next: 'it does not say what to do next. Call a tool, or use `answer` or `ask`',
};

const EDITED = 'The user changed this plan before it ran. It is shown here as it ran.';

function vetoed(reason: string): string {
  const why = reason === '' ? 'They did not say why.' : `They said: ${reason}`;
  return `The user was asked about this plan and did not approve it. None of it was run. ${why}`;
}
const BEFORE_RESULTS =
  'Your answer was written before these results were known and was not given to the user.';
const BEFORE_WORDS = 'Your answer was not given to the user, who has said something more in the meantime.';

function rejection(diagnostics: NonNullable<Decision['diagnostics']>): string {
  const lines = diagnostics.map(({ task, path, message, hint: given }) => {
    const place = [task, path?.join('.')].filter((part) => part !== undefined && part !== '').join(' ');
    const hint = given && hintForModel(given);
    const text = `${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
    // It may quote a server, so it must stay on its line.
    return `- ${text.replaceAll(/\s+/g, ' ')}`;
  });
  const isRight = diagnostics.every(({ code }) => code === 'already-done');
  const why = isRight
    ? 'Your actions repeat what has been done already'
    : 'Your actions were checked before the first call and have mistakes';
  return `${why}. None of them was run:\n${lines.join('\n')}`;
}

/** Hints are also for people, who can look at the tools and raise limits. */
function hintForModel(hint: string): string {
  if (hint.includes('`dandori ')) return 'use a name from the list of tools';
  return hint.replace(/, or (?:raise [\w.]+|write it out in a plan file)$/, '');
}

/** Answers in the order of asking, by the decision that asked. */
function answersByDecision(state: RunState): Map<Decision, string[]> {
  const { decisions, questions } = state;
  if (questions.size === 0) return new Map();
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
