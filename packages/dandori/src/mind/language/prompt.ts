import { stringifyJson } from '../../model/json.ts';
import { contextOf } from '../../model/settings.ts';
import type { Action } from '../../model/task.ts';
import { clip } from '../../model/text.ts';
import { type Decision, type Given, hasEnded, type RunState } from '../../run/state/state.ts';
import type { Thought } from '../mind.ts';
import { writeBrief, writeInstructions } from './instructions.ts';
import { writeMemory } from './memory.ts';
import { tellOutcomes } from './result-text.ts';
import { announce } from './tool-text.ts';
import { type Conversation, TextConversation, type TextMessage, writeAction } from './transcript.ts';
import { type Said, saidIn, type Told, toldIn, WHOLE, type Window, windowFor } from './window.ts';

export interface Prompt {
  readonly instructions: string;
  readonly messages: TextMessage[];
}

/** A prompt is the same whoever may stop the thought. */
export type Asked = Omit<Thought, 'signal'>;

/** What the dialects say differently. */
export interface Wording<Message> {
  /** `told` are the actions that are known before the first turn. */
  readonly open: (told: readonly Action[]) => Conversation<Message>;
  /** After an output that could not be used. */
  readonly again: string;
  /** After a plan that was refused. */
  readonly correction: string;
}

const TEXT: Wording<TextMessage> = {
  open: () => new TextConversation(),
  again: 'Write it again, as one JSON object in the form of the instructions.',
  correction:
    'Return the whole corrected list, or only what changes, as one action: {"operation": "plan.revise", "args": {"replace": [actions], "remove": [ids], "add": [actions]}}.',
};

export function writePrompt(thought: Asked, custom?: string, window: Window = WHOLE): Prompt {
  return { instructions: writeInstructions(thought, custom), messages: converse(thought, TEXT, window) };
}

/** Which turns are told in full, so that the prompt fits the run's settings. The same for every dialect. */
export function fittingWindow(thought: Asked, custom?: string): Promise<Window> {
  const { state } = thought;
  const answers = answersByDecision(state);
  const ended = toldIn(state).after;
  const said = saidIn(state).after;
  return windowFor({
    decisions: state.decisions,
    base: [writeInstructions(thought, custom), ...opening(thought)].join('\n\n'),
    tell(decision) {
      const conversation = TEXT.open([]);
      tellTurn(decision, { thought, answers, ended, said, wording: TEXT, conversation });
      return conversation
        .messages()
        .map(({ content }) => content)
        .join('\n\n');
    },
    isSettled: ({ proposed }) =>
      proposed.every(({ id }) => hasEnded(state.tasks.get(id)?.status ?? 'succeeded')),
    budget: contextOf(state.settings).tokens,
  });
}

/**
 * The conversation so far, made anew from the state for each call.
 *
 * P1  Append-only: the messages of a call are those of the call before, in the same words, and new ones after them.
 *     (After a call that never reached the model the last message may get one more paragraph.) Caches live on that.
 *     Only where the window moves, the turns before it are replaced by the memory of them.
 * P2  User and assistant take turns, as the chat templates of some local models demand.
 * P3  What a tool said stands inside <result>, and nothing in it can end that.
 */
export function converse<Message>(
  thought: Asked,
  wording: Wording<Message>,
  window: Window = WHOLE,
): Message[] {
  const { state } = thought;
  const past = state.decisions.slice(0, window.from);
  const answers = answersByDecision(state);
  const ended = toldIn(state).after;
  const said = saidIn(state).after;
  const conversation = wording.open([...state.given, ...past.flatMap(countedActions)]);
  const early = past.flatMap((decision) => [
    ...(answers.get(decision) ?? []),
    ...(decision.veto === undefined ? [] : [`You proposed a plan. ${vetoed(decision.veto)}`]),
    ...(said.get(decision) ?? []),
  ]);
  conversation.hear(...opening(thought), ...writeMemory(thought, window, early));
  for (const decision of state.decisions.slice(window.from))
    tellTurn(decision, { thought, answers, ended, said, wording, conversation });
  request(thought, thought, conversation);
  return conversation.messages();
}

function opening(thought: Asked): string[] {
  const { context, goal } = thought.state;
  return [
    ...(context === undefined ? [] : [context]),
    `Goal:\n${goal}`,
    ...givenPlan(thought),
    ...saidIn(thought.state).first,
  ];
}

/** A list that was refused does not count: its correction repeats it. */
function countedActions({ diagnostics, proposed, operations }: Decision): readonly Action[] {
  return diagnostics === undefined ? [...proposed, ...operations] : [];
}

function tellTurn<Message>(decision: Decision, surroundings: Surroundings<Message>): void {
  const { thought, said, conversation } = surroundings;
  request(decision, thought, conversation);
  // The model was not reached, or did not say anything: for it, this call never was.
  const isUnsaid = decision.failure !== undefined && decision.failure.kind !== 'unusable_output';
  if (!isUnsaid) {
    conversation.say(decision);
    react(decision, surroundings);
  }
  conversation.hear(...(said.get(decision) ?? []));
}

/** After a call that never reached the model, the same words need not be said again. */
function request(
  { purpose, brief, offer }: Pick<Decision, 'purpose' | 'brief' | 'offer'> | Asked,
  thought: Asked,
  conversation: Pick<Conversation<unknown>, 'hear' | 'lastHeard'>,
): void {
  const words = [...announce(offer, thought), ...writeBrief(purpose, brief)];
  conversation.hear(...words.filter((text) => conversation.lastHeard() !== text));
}

/** A plan that the user wrote belongs to no decision; the mind gets to see it together with the goal. */
function givenPlan(thought: Asked): string[] {
  const { given } = thought.state;
  if (given.length === 0) return [];
  const plan = clip(
    stringifyJson({ actions: given.map(writeAction) }),
    contextOf(thought.state.settings).tokens,
  );
  const { told, rest } = tellOutcomes(toldIn(thought.state).first, thought);
  return [`The user gave this plan, which is carried out as it stands:\n${plan}`, ...told, ...rest];
}

interface Surroundings<Message> {
  readonly thought: Asked;
  /** What the user answered to the mind's own questions. */
  readonly answers: ReadonlyMap<Decision, readonly string[]>;
  /** What ended after each decision and before the next. */
  readonly ended: Told['after'];
  /** What people said after each decision and before the next. */
  readonly said: Said['after'];
  readonly wording: Wording<Message>;
  readonly conversation: Conversation<Message>;
}

function react<Message>(
  decision: Decision,
  { thought, answers, ended, said, wording, conversation }: Surroundings<Message>,
): void {
  const { failure, diagnostics, proposed, operations, veto, isEdited } = decision;
  if (failure !== undefined) {
    conversation.hear(`Your last output is left out here. ${failure.message}.\n${wording.again}`);
    return;
  }
  const outcomes = ended.get(decision) ?? [];
  const { told, rest } = tellOutcomes(outcomes, thought);
  const own = new Set(proposed);
  for (const [index, { task }] of outcomes.entries()) {
    if (own.has(task)) conversation.hearOf(task, told[index] ?? '');
    else conversation.hear(told[index] ?? '');
  }
  const asked = answers.get(decision) ?? [];
  const questions = operations.filter(({ operation }) => operation === 'ask').slice(0, asked.length);
  for (const [index, question] of questions.entries()) conversation.hearOf(question, asked[index] ?? '');
  if (veto !== undefined)
    conversation.hear(`${vetoed(veto)}\nPlan anew so that it is as they want it. ${wording.correction}`);
  else if (diagnostics !== undefined) conversation.hear(`${rejection(diagnostics)}\n${wording.correction}`);
  if (isEdited === true) conversation.hear(EDITED);
  const answer = operations.find(({ operation }) => operation === 'answer');
  const isSpokenTo = said.has(decision);
  if (answer !== undefined && proposed.length > 0) conversation.hearOf(answer, BEFORE_RESULTS);
  else if (answer !== undefined && isSpokenTo) conversation.hearOf(answer, BEFORE_WORDS);
  conversation.hear(...rest);
  const isSilent = outcomes.length + questions.length === 0 && diagnostics === undefined && !isSpokenTo;
  if (isSilent) conversation.hear('Go on.');
}

const EDITED =
  'The user changed this plan before it was carried out. It is shown here as it was carried out.';

function vetoed(reason: string): string {
  const why = reason === '' ? 'They did not say why.' : `They said: ${reason}`;
  return `The user was asked about this plan and did not approve it. None of it was run. ${why}`;
}
const BEFORE_RESULTS =
  'Your answer was written before these results were known and was not given to the user.';
const BEFORE_WORDS = 'Your answer was not given to the user, who has said something more in the meantime.';

function rejection(diagnostics: NonNullable<Decision['diagnostics']>): string {
  const lines = diagnostics.map(({ task, path, message, hint }) => {
    const place = [task, path?.join('.')].filter((part) => part !== undefined && part !== '').join(' ');
    const text = `${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
    // It may quote a server. What it says stays in its line, and in nobody else's voice.
    return `- ${text.replaceAll(/\s+/g, ' ')}`;
  });
  const isRight = diagnostics.every(({ code }) => code === 'already-done');
  const why = isRight
    ? 'Your actions repeat what has been done already'
    : 'Your actions were checked before the first call and have mistakes';
  return `${why}. None of them was run:\n${lines.join('\n')}`;
}

/** Questions are told in the order of asking, with the decision that asked. At the end nobody is asked any more. */
function answersByDecision({ decisions, questions }: RunState): Map<Decision, string[]> {
  const told = [...questions.values()]
    .filter(({ question }) => question.kind === 'missing_input' && question.task === undefined)
    .map(({ question, answer }) => `You asked: ${question.text}\n${tellAnswer(answer)}`);
  const byDecision = new Map<Decision, string[]>();
  const asking = decisions.filter(({ purpose }) => purpose === 'act' || purpose === 'generate');
  for (const decision of asking) {
    const count = decision.operations.filter(({ operation }) => operation === 'ask').length;
    if (count > 0 && decision.failure === undefined) byDecision.set(decision, told.splice(0, count));
  }
  return byDecision;
}

function tellAnswer(answer: Given | undefined): string {
  if (answer === undefined) return 'No answer yet.';
  const { value, declined, comment, isExpired } = answer;
  if (isExpired === true) {
    return declined === true
      ? 'Nobody answered in time. Go on without it as well as you can, or say that it cannot be done.'
      : `Nobody answered in time, so your default counts: ${asText(value)}`;
  }
  const why = comment === undefined ? '' : `\nThe user added: ${comment}`;
  return declined === true
    ? `The user declined to answer.${why}`
    : `The user answered: ${asText(value)}${why}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
