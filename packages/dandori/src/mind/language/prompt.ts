import { contextOf } from '../../core/context.ts';
import { cut } from '../../core/digest.ts';
import { type Decision, hasEnded, type RunState } from '../../core/state.ts';
import type { Action } from '../../domain/task.ts';
import type { Thought } from '../../ports/mind.ts';
import { writeBrief } from './briefing.ts';
import { writeInstructions } from './instructions.ts';
import { writeMemory } from './memory.ts';
import { announce } from './offered.ts';
import { tellOutcomes } from './outcome.ts';
import { WHOLE, type Window, windowFor } from './window.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface Prompt {
  readonly instructions: string;
  readonly messages: Message[];
}

/** A prompt is the same whoever may stop the thought. */
type Asked = Omit<Thought, 'signal'>;

/** The prompt, with old turns told in short where it would be longer than the run's settings allow. */
export async function fitPrompt(thought: Asked, custom?: string): Promise<Prompt> {
  const { state } = thought;
  const answers = answersByDecision(state);
  const window = await windowFor({
    decisions: state.decisions,
    base: [writeInstructions(thought, custom), ...opening(thought)].join('\n\n'),
    tell: (decision) => {
      const { before, said, after } = turnOf(decision, { thought, answers });
      return [...before, said ?? '', ...after].join('\n\n');
    },
    isSettled: ({ proposed }) =>
      proposed.every(({ id }) => hasEnded(state.tasks.get(id)?.status ?? 'succeeded')),
    budget: contextOf(state.settings).tokens,
  });
  return writePrompt(thought, custom, window);
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
export function writePrompt(thought: Asked, custom?: string, window: Window = WHOLE): Prompt {
  const { state } = thought;
  const conversation = new Conversation();
  const answers = answersByDecision(state);
  const early = state.decisions.slice(0, window.from).flatMap((decision) => answers.get(decision) ?? []);
  conversation.hear(...opening(thought), ...writeMemory(thought, window, early));
  for (const decision of state.decisions.slice(window.from)) {
    const { before, said, after } = turnOf(decision, { thought, answers });
    conversation.hear(...before.filter((text) => text !== conversation.lastHeard()));
    if (said === undefined) continue;
    conversation.say(said);
    conversation.hear(...after);
  }
  const next = [...announce(thought.offer, thought), ...writeBrief(thought.purpose, thought.brief)];
  conversation.hear(...next.filter((text) => text !== conversation.lastHeard()));
  return { instructions: writeInstructions(thought, custom), messages: conversation.messages() };
}

function opening(thought: Asked): string[] {
  return [`Goal:\n${thought.state.goal}`, ...givenPlan(thought)];
}

/** What is heard before a decision, what the model said, and what came of it. */
interface Turn {
  readonly before: readonly string[];
  /** Undefined where the model was not reached, or did not say anything: for it, this call never was. */
  readonly said: string | undefined;
  readonly after: readonly string[];
}

function turnOf(decision: Decision, surroundings: Surroundings): Turn {
  const before = [
    ...announce(decision.offer, surroundings.thought),
    ...writeBrief(decision.purpose, decision.brief),
  ];
  if (decision.failure !== undefined && decision.failure.kind !== 'unusable_output')
    return { before, said: undefined, after: [] };
  return { before, said: writeActions(decision), after: reactions(decision, surroundings) };
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

/** A plan that the user wrote belongs to no decision; the mind gets to see it together with the goal. */
function givenPlan(thought: Asked): string[] {
  const { state } = thought;
  const decided = new Set(state.decisions.flatMap(({ proposed }) => proposed.map(({ id }) => id)));
  const given = [...state.tasks.values()].filter(({ task }) => !decided.has(task.id)).map(({ task }) => task);
  if (given.length === 0) return [];
  const plan = cut(JSON.stringify({ actions: given.map(writeAction) }), contextOf(state.settings).tokens);
  return [
    `The user gave this plan, and it was carried out:\n${plan}`,
    ...tellOutcomes(
      given.map(({ id }) => id),
      thought,
    ),
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
  readonly thought: Asked;
  /** What the user answered to the mind's own questions. */
  readonly answers: ReadonlyMap<Decision, readonly string[]>;
}

function reactions(decision: Decision, { thought, answers }: Surroundings): string[] {
  const { failure, diagnostics, proposed, operations } = decision;
  if (failure !== undefined) {
    return [
      `Your last output is left out here. ${failure.message}.\nWrite it again, as one JSON object in the form of the instructions.`,
    ];
  }
  const asked = answers.get(decision) ?? [];
  if (diagnostics !== undefined) return [...asked, rejection(diagnostics)];
  const outcomes = tellOutcomes(
    proposed.map(({ id }) => id),
    thought,
  );
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

/** Questions are told in the order of asking, with the decision that asked. */
function answersByDecision({ decisions, questions }: RunState): Map<Decision, string[]> {
  const told = [...questions.values()]
    .filter(({ question }) => question.kind === 'missing_input' && question.task === undefined)
    .map(({ question, answer }) => {
      const said = answer === undefined ? 'No answer yet.' : `The user answered: ${asText(answer.value)}`;
      return `You asked: ${question.text}\n${said}`;
    });
  const byDecision = new Map<Decision, string[]>();
  for (const decision of decisions) {
    const count = decision.operations.filter(({ operation }) => operation === 'ask').length;
    if (count > 0 && decision.failure === undefined) byDecision.set(decision, told.splice(0, count));
  }
  return byDecision;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
