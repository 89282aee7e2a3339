import type { Json, JsonObject } from '../../domain/json.ts';
import type { OrderRule } from '../../domain/settings.ts';
import type { Goal, Span } from './goal.ts';
import type { Parameter } from './parameter.ts';
import type { ToolCard, ToolIndex } from './ranking.ts';

/** A task of this run that has succeeded. */
export interface DoneTask {
  readonly id: string;
  readonly operation: string;
  readonly args: JsonObject;
  /** Undefined where it is too large to be at hand. */
  readonly result: Json | undefined;
}

/** What a plan is made from; the same through one decision. */
export interface Situation {
  readonly index: ToolIndex;
  readonly order: readonly OrderRule[];
  /** In adaptive mode arguments hold real values and never Refs. */
  readonly isAdaptive: boolean;
  readonly done: readonly DoneTask[];
  /** What a person answered to this question; undefined where it was not answered. */
  readonly answerTo: (question: string) => Json | undefined;
  readonly takenIds: ReadonlySet<string>;
  /** The goal orders something; without that nothing is changed. */
  readonly mayChange: boolean;
}

export interface Step {
  readonly id: string;
  readonly card: ToolCard;
  readonly args: JsonObject;
  readonly after: readonly string[];
  /** The finished task that this step is, where it has been done already. */
  readonly done: DoneTask | undefined;
}

/** Why a tool cannot be called: nothing found for a parameter, or no way to choose among several values. */
export interface Problem {
  readonly card: ToolCard;
  readonly parameter: Parameter;
  readonly reason: 'missing' | 'no_match' | 'several_match';
  readonly choices: readonly string[];
}

export interface UsedSpan extends Span {
  readonly isGuess?: boolean;
}

/** A plan while it is being made. */
export interface Draft {
  steps: Step[];
  /** Places of the goal that have become arguments. */
  used: UsedSpan[];
  /** Steps that take the first of a list for want of a better reason. */
  guesses: number;
  /** Tools that take part, also those that wait for a result before they can be written. */
  cards: ToolCard[];
  /** True where a later step depends on a choice that only a result makes possible. */
  isOpen: boolean;
  /** Bounds the search, whatever the tools look like. */
  effort: { left: number };
}

export interface Chaining extends Situation {
  readonly goal: Goal;
  readonly draft: Draft;
  /** Guesses are left out, to see first whether something better can be found. */
  readonly isStrict: boolean;
}

export function emptyDraft(): Draft {
  return { steps: [], used: [], guesses: 0, cards: [], isOpen: false, effort: { left: 300 } };
}

export function copyOf({ steps, used, cards, guesses, isOpen, effort }: Draft): Draft {
  return { steps: [...steps], used: [...used], cards: [...cards], guesses, isOpen, effort };
}

/** What a failed attempt left behind is taken away again. */
export function restore(draft: Draft, saved: Draft): void {
  draft.steps = [...saved.steps];
  draft.used = [...saved.used];
  draft.cards = [...saved.cards];
  draft.guesses = saved.guesses;
  draft.isOpen = saved.isOpen;
}

/** A step that is the same as one of this draft or as a finished task is that one. */
export function addStep(
  chaining: Chaining,
  card: ToolCard,
  call: { args: JsonObject; after: readonly string[] },
): Step {
  const { draft, done, takenIds } = chaining;
  const operation = card.tool.name;
  const written = canonical(call.args);
  const present = draft.steps.find((step) => step.card === card && canonical(step.args) === written);
  if (present !== undefined) return present;
  const finished = done.find((task) => task.operation === operation && canonical(task.args) === written);
  const id = finished?.id ?? freshId(takenIds, draft.steps);
  const step = { id, card, args: call.args, after: [...new Set(call.after)], done: finished };
  draft.steps.push(step);
  return step;
}

function freshId(taken: ReadonlySet<string>, steps: readonly Step[]): string {
  let number = taken.size + 1;
  while (taken.has(`t${number}`) || steps.some(({ id }) => id === `t${number}`)) number++;
  return `t${number}`;
}

function canonical(args: JsonObject): string {
  return JSON.stringify(Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1)));
}
