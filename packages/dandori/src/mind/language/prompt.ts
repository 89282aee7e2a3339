import type { Decision, RunState } from '../../core/state.ts';
import type { Action } from '../../domain/task.ts';
import type { Thought } from '../../ports/mind.ts';
import { writeBrief } from './briefing.ts';
import { writeInstructions } from './instructions.ts';
import { tellOutcome } from './outcome.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface Prompt {
  readonly instructions: string;
  readonly messages: Message[];
}

/**
 * The conversation so far, made anew from the state for each call.
 *
 * P1  Append-only: the messages of a call are those of the call before, in the same words, and new ones after them.
 *     (After a call that never reached the model the last message may get one more paragraph.) Caches live on that.
 * P2  User and assistant take turns, as the chat templates of some local models demand.
 * P3  What a tool said stands inside <result>, and nothing in it can end that.
 */
export function writePrompt(thought: Thought, custom?: string): Prompt {
  const { state } = thought;
  const conversation = new Conversation();
  conversation.hear(`Goal:\n${state.goal}`, ...givenPlan(thought));
  const answers = questionsOfMind(state);
  for (const decision of state.decisions) {
    conversation.hear(...request(decision, conversation));
    // The model was not reached, or did not say anything: for it, this call never was.
    if (decision.failure !== undefined && decision.failure.kind !== 'unusable_output') continue;
    conversation.say(writeActions(decision));
    conversation.hear(...reactions(decision, { thought, answers }));
  }
  conversation.hear(...request(thought, conversation));
  return { instructions: writeInstructions(thought, custom), messages: conversation.messages() };
}

/** Paragraphs are collected into the turn of whoever speaks. */
class Conversation {
  readonly #turns: { role: Message['role']; paragraphs: string[] }[] = [];

  hear(...paragraphs: string[]): void {
    const last = this.#turns.at(-1);
    if (last?.role === 'user') last.paragraphs.push(...paragraphs);
    else if (paragraphs.length > 0) this.#turns.push({ role: 'user', paragraphs });
  }

  say(text: string): void {
    this.#turns.push({ role: 'assistant', paragraphs: [text] });
  }

  lastHeard(): string | undefined {
    const last = this.#turns.at(-1);
    return last?.role === 'user' ? last.paragraphs.at(-1) : undefined;
  }

  messages(): Message[] {
    return this.#turns.map(({ role, paragraphs }) => ({ role, content: paragraphs.join('\n\n') }));
  }
}

/** After a call that never reached the model, the same words need not be said again. */
function request(
  { purpose, brief }: Pick<Decision, 'purpose' | 'brief'> | Thought,
  conversation: Conversation,
): string[] {
  return writeBrief(purpose, brief).filter((text) => conversation.lastHeard() !== text);
}

/** A plan that the user wrote belongs to no decision; the mind gets to see it together with the goal. */
function givenPlan(thought: Thought): string[] {
  const { state } = thought;
  const decided = new Set(state.decisions.flatMap(({ proposed }) => proposed.map(({ id }) => id)));
  const given = [...state.tasks.values()].filter(({ task }) => !decided.has(task.id)).map(({ task }) => task);
  if (given.length === 0) return [];
  const plan = JSON.stringify({ actions: given.map(writeAction) });
  return [
    `The user gave this plan, and it was carried out:\n${plan}`,
    ...given.map(({ id }) => tellOutcome(id, thought)),
  ];
}

/** What was said, in the form that was asked for. Of an output that could not be used nothing is kept. */
function writeActions({ reasoning, proposed, operations }: Decision): string {
  const actions = [...proposed, ...operations].map(writeAction);
  return JSON.stringify({ ...(reasoning !== undefined && { reasoning }), actions });
}

function writeAction({
  id,
  operation,
  args,
  after,
  expect,
  timeout,
  description,
  reasoning,
}: Action): object {
  const seconds = timeout === undefined ? undefined : timeout / 1000;
  return { id, operation, args, after, expect, timeout: seconds, description, reasoning };
}

interface Surroundings {
  readonly thought: Thought;
  /** What the user answered to the mind's own questions, in the order of asking. Taken from as they are told. */
  readonly answers: string[];
}

function reactions(decision: Decision, { thought, answers }: Surroundings): string[] {
  const { failure, diagnostics, proposed, operations } = decision;
  if (failure !== undefined) {
    return [
      `Your last output is left out here. ${failure.message}.\nWrite it again, as one JSON object in the form of the instructions.`,
    ];
  }
  const asked = operations.filter(({ operation }) => operation === 'ask').flatMap(() => answers.splice(0, 1));
  if (diagnostics !== undefined) return [...asked, rejection(diagnostics)];
  const outcomes = proposed.map(({ id }) => tellOutcome(id, thought));
  const isEarly = proposed.length > 0 && operations.some(({ operation }) => operation === 'answer');
  const remark = 'Your answer was written before these results were known and was not given to the user.';
  return [
    ...outcomes,
    ...asked,
    ...(isEarly ? [remark] : []),
    ...(outcomes.length + asked.length === 0 ? ['Go on.'] : []),
  ];
}

function rejection(diagnostics: NonNullable<Decision['diagnostics']>): string {
  const lines = diagnostics.map(({ task, path, message, hint }) => {
    const place = [task, path?.join('.')].filter((part) => part !== undefined && part !== '').join(' ');
    return `- ${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
  return `Your actions were checked before the first call and have mistakes. None of them was run:\n${lines.join('\n')}\nReturn the whole corrected list, or only what changes, as one action: {"operation": "plan.revise", "args": {"replace": [actions], "remove": [ids], "add": [actions]}}.`;
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
