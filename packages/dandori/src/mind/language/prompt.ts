import type { Failure } from '../../model/failure.ts';
import { stringifyJson } from '../../model/json.ts';
import { OWN_TOOLS } from '../../model/own-tools.ts';
import { contextOf, type Mode, type Settings } from '../../model/settings.ts';
import type { Action } from '../../model/task.ts';
import { bytesText, clip, withoutTag } from '../../model/text.ts';
import { type Decision, hasEnded, type RunState, type TaskState } from '../../run/state/state.ts';
import { attachmentNames, attachmentType } from '../../run/trust/attachment-names.ts';
import { shownIn } from '../../views/media.ts';
import { hasDigest } from '../../views/result-digest.ts';
import type { Thought } from '../mind.ts';
import { type PromptName, readPrompt } from '../prompts/read.ts';
import { isShownFiles, shownTasks } from './files.ts';
import { explainedBy, hasPlans, writeBrief, writeInstructions } from './instructions.ts';
import { hasCriteria, writeMemory } from './memory.ts';
import { type Answers, answersByDecision, tellOutcomes } from './result-text.ts';
import { announce, describeTool } from './tool-text.ts';
import {
  type TextAnswer,
  type TextMessage,
  TextTranscript,
  type Transcript,
  type Written,
  writeAction,
} from './transcript.ts';
import { atMostTokens, OF_A_PICTURE } from './usage.ts';
import { endedAfter, notesAfter, WHOLE, type Window, windowFor } from './window.ts';
import type { ModelMessage, UserMessage } from './wire/wire.ts';

export interface Prompt extends Written<TextMessage> {
  readonly instructions: string;
}

/** What a prompt depends on. */
export type PromptInput = Omit<Thought, 'signal'>;

/** The parts of the messages that differ between dialects. */
export interface Wording<Answer extends ModelMessage> {
  /** The turns of each run in this dialect. */
  readonly kept: WeakMap<RunState, KeptTurns<Answer>>;
  /** Everything else that the kept turns depend on, besides the state. */
  readonly key: string;
  /** `told`: the actions that are known before the first turn. */
  readonly open: (told: readonly Action[]) => Transcript<Answer>;
  /** After an unusable output. */
  readonly again: string;
  /** After a rejected plan. */
  readonly correction: string;
  /** After an accepted plan. Missing if the tools say it. */
  readonly planMade?: PromptName;
  /** With the first result that is not shown in full. Missing if the tools say it. */
  readonly readMore?: string;
  /** With the first failure. Missing if the instructions say it. */
  readonly callFailed?: PromptName;
}

const TEXT: Wording<TextAnswer> = {
  kept: new WeakMap(),
  key: '',
  open: () => new TextTranscript(),
  again: 'Write one JSON object in the form of the example in the instructions, and nothing else.',
  callFailed: 'call-failed',
  correction:
    'Return the whole corrected list, or only what changes, as one action: {"operation": "plan.revise", "args": {"replace": [actions], "remove": [ids], "add": [actions]}}.',
};

const wordings = new Map<string, Wording<TextAnswer>>();

function wordingFor({ state }: PromptInput): Wording<TextAnswer> {
  const { mode } = state.settings;
  const name = `${mode} ${hasPlans(state)}`;
  const wording = wordings.get(name) ?? makeWording(mode, hasPlans(state));
  wordings.set(name, wording);
  return wording;
}

function makeWording(mode: Mode, hasPlans: boolean): Wording<TextAnswer> {
  const readMore = `A tool for such results:\n${describeTool(OWN_TOOLS['result.read'], mode)}`;
  if (!hasPlans) return { ...TEXT, correction: 'Return the whole corrected list.', readMore };
  return { ...TEXT, planMade: mode === 'auto' ? 'plan-made-auto' : 'plan-made', readMore };
}

export function writePrompt(thought: PromptInput, custom?: string, window: Window = WHOLE): Prompt {
  const { messages, atMost } = writeTurns(thought, wordingFor(thought), window);
  const instructions = writeInstructions(thought, custom);
  return { instructions, messages, atMost: atMost + atMostTokens(instructions) };
}

/** The turns that are written in full so that the prompt fits. The same for every dialect. */
export function fittingWindow(thought: PromptInput, custom?: string): Promise<Window> {
  const { state } = thought;
  const wording = wordingFor(thought);
  const answers = answersByDecision(state);
  return windowFor({
    decisions: state.decisions,
    base: [writeInstructions(thought, custom), ...opening(thought)].join('\n\n'),
    tell(_, index) {
      const transcript = wording.open([]);
      tellTurn(index, { thought, answers, wording, transcript });
      const { messages } = transcript.write([]);
      return messages.map(({ content }) => content).join('\n\n');
    },
    shown: (_, index) =>
      endedAfter(state, index).reduce((sum, task) => sum + shownIn(task).length, 0) * OF_A_PICTURE,
    isSettled: ({ proposed }) =>
      proposed.every(({ id }) => hasEnded(state.tasks.get(id)?.status ?? 'succeeded')),
    budget: contextOf(state.settings).tokens,
  });
}

/** The turns of a run that can't change any more, as they were written for its last call. */
interface KeptTurns<Answer extends ModelMessage> {
  readonly key: string;
  readonly window: Window;
  readonly context: Settings['context'];
  readonly transcript: Transcript<Answer>;
  /** How many decisions, and the last of them. */
  count: number;
  last: Decision | undefined;
  /** The start of the next decision. What happened before it has been told. */
  until: number;
  /** False while turns are added: if one of them cannot be told, the transcript must not be used again. */
  isWhole: boolean;
}

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
export function writeTurns<Answer extends ModelMessage>(
  thought: PromptInput,
  wording: Wording<Answer>,
  window: Window = WHOLE,
): Written<UserMessage | Answer> {
  const { state } = thought;
  const { decisions } = state;
  const key = isShownFiles(state) ? wording.key : `${wording.key} without files`;
  const known = keptTurns(state, { kept: wording.kept, key, window });
  const answers = answersByDecision(state);
  const transcript = known?.transcript ?? begin(thought, wording, window, answers);
  const context = { thought, answers, wording, transcript };
  const from = known?.count ?? window.from;
  const count = countFinal(from, context);
  if (known !== undefined && count > from) known.isWhole = false;
  for (let index = from; index < count; index++) tellTurn(index, context);
  const until = startOfNext(count, state);
  if (until !== undefined && state.userPlan.length === 0) {
    const reached = { count, last: decisions[count - 1], until, isWhole: true };
    if (known !== undefined) Object.assign(known, reached);
    else wording.kept.set(state, { key, window, context: state.settings.context, transcript, ...reached });
  }
  if (count === decisions.length) return transcript.write(request(thought, context));
  const open = { ...context, transcript: transcript.fork() };
  for (let index = count; index < decisions.length; index++) tellTurn(index, open);
  return open.transcript.write(request(thought, open));
}

function begin<Answer extends ModelMessage>(
  thought: PromptInput,
  wording: Wording<Answer>,
  window: Window,
  answers: Answers,
): Transcript<Answer> {
  const { state } = thought;
  const past = state.decisions.slice(0, window.from);
  const transcript = wording.open([...state.userPlan, ...past.flatMap(countedActions)]);
  const early = past.flatMap((decision, index) => [
    ...(answers.get(decision) ?? []),
    ...(decision.veto === undefined ? [] : [`You proposed a plan. ${vetoed(decision.veto)}`]),
    ...notesAfter(state, index),
  ]);
  const words = [...opening(thought), ...writeMemory(thought, window, early)];
  transcript.addUserText(...words);
  if (wording.readMore !== undefined && (window.from > 0 || words.some(hasDigest)))
    transcript.addOnce(wording.readMore);
  // The turn that told it is not shown any more.
  if (wording.planMade !== undefined && past.some(planIn)) transcript.addOnce(readPrompt(wording.planMade));
  const planned = endedAfter(state, -1);
  if (state.userPlan.length > 0) transcript.show(shownTasks(planned, state));
  tellAboutFailures([...planned, ...past.flatMap((_, index) => endedAfter(state, index))], {
    wording,
    transcript,
  });
  return transcript;
}

interface Keeping<Answer extends ModelMessage> extends Pick<Wording<Answer>, 'kept' | 'key'> {
  readonly window: Window;
}

/** Undefined if there are none, or if they are not those of the prompt to write. */
function keptTurns<Answer extends ModelMessage>(
  state: RunState,
  { kept, key, window: { from, asOf } }: Keeping<Answer>,
): KeptTurns<Answer> | undefined {
  const known = kept.get(state);
  const isSame =
    known?.isWhole === true &&
    known.key === key &&
    known.window.from === from &&
    known.window.asOf === asOf &&
    known.context === state.settings.context &&
    known.last === state.decisions[known.count - 1] &&
    known.until === startOfNext(known.count, state);
  return isSame ? known : undefined;
}

/** The start of the decision after the first `count`. Undefined if it has not started. */
function startOfNext(count: number, { decisions, thinking }: RunState): number | undefined {
  return (decisions[count] ?? thinking)?.startedSeq;
}

/**
 * How many decisions have a final text, counted from the first. The text of a decision is final when its tasks have
 * ended, its questions are answered and the next decision has started. What happens later is told after that one.
 */
function countFinal(
  from: number,
  { thought, answers }: Pick<TurnContext<ModelMessage>, 'thought' | 'answers'>,
): number {
  const { decisions, tasks, questions, ends, thinking } = thought.state;
  const isAsking = questions
    .values()
    .some(({ question, answer }) => question.kind === 'missing_input' && answer === undefined);
  const isOpen = (decision: Decision, index: number) =>
    (isAsking && answers.has(decision)) ||
    endedAfter(thought.state, index).some(({ status }) => status !== 'succeeded' && status !== 'failed') ||
    decision.proposed.some(({ id }) => !hasEnded(tasks.get(id)?.status ?? 'succeeded'));
  const isLastOver = thinking !== undefined && (ends.at(-1)?.seq ?? 0) < thinking.startedSeq;
  const most = isLastOver ? decisions.length : decisions.length - 1;
  let count = from;
  while (count < most && !isOpen(decisions[count] as Decision, count)) count++;
  return count;
}

function opening(thought: PromptInput): string[] {
  const { context, goal, memory } = thought.state;
  return [
    ...(memory === undefined ? [] : [`<memory>\n${withoutTag('memory', memory)}\n</memory>`]),
    ...(context === undefined ? [] : [context]),
    `Goal:\n${goal}`,
    ...attached(thought.state),
    ...givenPlan(thought),
    ...notesAfter(thought.state, -1),
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

function tellTurn<Answer extends ModelMessage>(index: number, context: TurnContext<Answer>): void {
  const { thought, transcript } = context;
  const decision = thought.state.decisions[index] as Decision;
  const said = notesAfter(thought.state, index);
  transcript.addUserText(...request(decision, context));
  if (!isUnsaid(decision)) {
    for (const part of explainedBy(decision)) transcript.explained.add(part);
    transcript.addDecision(decision);
    react(decision, { ...context, outcomes: endedAfter(thought.state, index), isSpokenTo: said.length > 0 });
  }
  transcript.addUserText(...said);
}

/** The model was not reached or wrote nothing, so it has never seen this call. */
function isUnsaid({ failure }: Decision): boolean {
  return failure !== undefined && failure.kind !== 'unusable_output';
}

/** The words of a request. Leaves out what was already said to a call that never reached the model. */
function request(
  { purpose, brief, offer }: Decision | PromptInput,
  { thought, transcript }: Pick<TurnContext<ModelMessage>, 'thought' | 'transcript'>,
): string[] {
  const { explained } = transcript;
  const canRevise = hasPlans(thought.state);
  const words = [...announce(offer, thought), ...writeBrief(purpose, brief, { explained, canRevise })];
  return words.filter((text) => transcript.lastUserText() !== text);
}

/** A plan that the user gave belongs to no decision, so it is shown with the goal. */
function givenPlan(thought: PromptInput): string[] {
  const { userPlan } = thought.state;
  if (userPlan.length === 0) return [];
  const plan = clip(
    stringifyJson({ actions: userPlan.map(writeAction) }),
    contextOf(thought.state.settings).tokens,
  );
  const { told, rest } = tellOutcomes(endedAfter(thought.state, -1), thought);
  return [`The user gave this plan, which runs as it is:\n${plan}`, ...told, ...rest];
}

interface TurnContext<Answer extends ModelMessage> {
  readonly thought: PromptInput;
  readonly answers: Answers;
  readonly wording: Wording<Answer>;
  readonly transcript: Transcript<Answer>;
}

/** What happened between a decision and the next. */
interface Reaction {
  /** Tasks that ended. */
  readonly outcomes: readonly TaskState[];
  /** Notes were added. */
  readonly isSpokenTo: boolean;
}

function react<Answer extends ModelMessage>(
  decision: Decision,
  { thought, answers, wording, transcript, outcomes, isSpokenTo }: TurnContext<Answer> & Reaction,
): void {
  const { failure, diagnostics, proposed, operations, veto, isEdited } = decision;
  if (failure !== undefined) {
    transcript.addUserText(`Your last output could not be used: ${reasonOf(failure)}.\n${wording.again}`);
    return;
  }
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
  if (answer !== undefined && proposed.length > 0) transcript.addResult(answer, BEFORE_RESULTS);
  else if (answer !== undefined && isSpokenTo) transcript.addResult(answer, BEFORE_WORDS);
  transcript.addUserText(...rest);
  if (wording.readMore !== undefined && (rest.length > 0 || told.some(hasDigest)))
    transcript.addOnce(wording.readMore);
  tellAboutFailures(outcomes, { wording, transcript });
  const isSilent = outcomes.length + questions.length === 0 && diagnostics === undefined && !isSpokenTo;
  if (isSilent) transcript.addUserText('Go on.');
}

/** What to do after a failure is told with the first one. */
function tellAboutFailures<Answer extends ModelMessage>(
  outcomes: readonly TaskState[],
  { wording: { callFailed }, transcript }: Pick<TurnContext<Answer>, 'wording' | 'transcript'>,
): void {
  if (callFailed !== undefined && outcomes.some(({ status }) => status === 'failed'))
    transcript.addOnce(readPrompt(callFailed));
}

function planIn({ operations }: Pick<Decision, 'operations'>): Action | undefined {
  return operations.find(({ operation }) => operation === 'plan.propose');
}

/** What can be done with a plan is told once there is one. */
function aboutPlan(
  operations: readonly Action[],
  { planMade }: Pick<Wording<ModelMessage>, 'planMade'>,
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
