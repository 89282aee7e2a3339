import type { Decision, RunState } from '../../core/state.ts';
import type { Task } from '../../domain/task.ts';
import type { Thought } from '../../ports/mind.ts';
import { writeBrief } from './briefing.ts';
import { type Conversation, TextConversation, type TextMessage, writeAction } from './conversation.ts';
import { writeInstructions } from './instructions.ts';
import { tellOutcome } from './outcome.ts';

export interface Prompt {
  readonly instructions: string;
  readonly messages: TextMessage[];
}

/** What the dialects say differently. */
export interface Wording<Message> {
  readonly open: (thought: Thought) => Conversation<Message>;
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

export function writePrompt(thought: Thought, custom?: string): Prompt {
  return { instructions: writeInstructions(thought, custom), messages: converse(thought, TEXT) };
}

/**
 * The conversation so far, made anew from the state for each call.
 *
 * P1  Append-only: the messages of a call are those of the call before, in the same words, and new ones after them.
 *     (After a call that never reached the model the last message may get one more paragraph.) Caches live on that.
 * P2  User and assistant take turns, as the chat templates of some local models demand.
 * P3  What a tool said stands inside <result>, and nothing in it can end that.
 */
export function converse<Message>(thought: Thought, wording: Wording<Message>): Message[] {
  const { state } = thought;
  const conversation = wording.open(thought);
  conversation.hear(`Goal:\n${state.goal}`, ...givenPlan(thought));
  const answers = questionsOfMind(state);
  for (const decision of state.decisions) {
    conversation.hear(...request(decision, conversation));
    // The model was not reached, or did not say anything: for it, this call never was.
    if (decision.failure !== undefined && decision.failure.kind !== 'unusable_output') continue;
    conversation.say(decision);
    react(decision, { thought, answers, wording, conversation });
  }
  conversation.hear(...request(thought, conversation));
  return conversation.messages();
}

/** After a call that never reached the model, the same words need not be said again. */
function request(
  { purpose, brief }: Pick<Decision, 'purpose' | 'brief'> | Thought,
  conversation: Pick<Conversation<unknown>, 'lastHeard'>,
): string[] {
  return writeBrief(purpose, brief).filter((text) => conversation.lastHeard() !== text);
}

/** A plan that the user wrote belongs to no decision; the mind gets to see it together with the goal. */
function givenPlan(thought: Thought): string[] {
  const given = givenTasks(thought.state);
  if (given.length === 0) return [];
  const plan = JSON.stringify({ actions: given.map(writeAction) });
  return [
    `The user gave this plan, and it was carried out:\n${plan}`,
    ...given.map(({ id }) => tellOutcome(id, thought)),
  ];
}

export function givenTasks(state: RunState): Task[] {
  const decided = new Set(state.decisions.flatMap(({ proposed }) => proposed.map(({ id }) => id)));
  return [...state.tasks.values()].filter(({ task }) => !decided.has(task.id)).map(({ task }) => task);
}

interface Surroundings<Message> {
  readonly thought: Thought;
  /** What the user answered to the mind's own questions, in the order of asking. Taken from as they are told. */
  readonly answers: string[];
  readonly wording: Wording<Message>;
  readonly conversation: Conversation<Message>;
}

function react<Message>(
  { failure, diagnostics, proposed, operations }: Decision,
  { thought, answers, wording, conversation }: Surroundings<Message>,
): void {
  if (failure !== undefined) {
    conversation.hear(`Your last output is left out here. ${failure.message}.\n${wording.again}`);
    return;
  }
  const outcomes = diagnostics === undefined ? proposed : [];
  for (const task of outcomes) conversation.hearOf(task, tellOutcome(task.id, thought));
  const questions = operations.filter(({ operation }) => operation === 'ask').slice(0, answers.length);
  for (const question of questions) conversation.hearOf(question, answers.shift() ?? '');
  if (diagnostics !== undefined) conversation.hear(`${rejection(diagnostics)}\n${wording.correction}`);
  const early = outcomes.length > 0 ? operations.find(({ operation }) => operation === 'answer') : undefined;
  const remark = 'Your answer was written before these results were known and was not given to the user.';
  if (early !== undefined) conversation.hearOf(early, remark);
  const isSilent = outcomes.length + questions.length === 0 && diagnostics === undefined;
  if (isSilent) conversation.hear('Go on.');
}

function rejection(diagnostics: NonNullable<Decision['diagnostics']>): string {
  const lines = diagnostics.map(({ task, path, message, hint }) => {
    const place = [task, path?.join('.')].filter((part) => part !== undefined && part !== '').join(' ');
    return `- ${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
  return `Your actions were checked before the first call and have mistakes. None of them was run:\n${lines.join('\n')}`;
}

function questionsOfMind({ questions }: RunState): string[] {
  return [...questions.values()]
    .filter(({ question }) => question.kind === 'missing_input' && question.task === undefined)
    .map(({ question, answer }) => {
      const said = answer === undefined ? 'No answer yet.' : `The user answered: ${asText(answer.value)}`;
      return `You asked: ${question.text}\n${said}`;
    });
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
