import type { Json } from '../../domain/json.ts';
import { take } from './arguments.ts';
import { coerced } from './coercion.ts';
import { type Chaining, copyOf, type Problem, restore, type Step } from './draft.ts';
import { literal } from './literal.ts';
import { fit } from './output.ts';
import type { Parameter } from './parameter.ts';
import { questionAbout } from './question.ts';
import { explains, type ToolCard } from './ranking.ts';
import { fromStep, valueAt } from './reference.ts';
import type { Taken } from './taken.ts';

/** Where a parameter's value comes from. */
export type Sourced =
  /** `known` is what a Ref stands for, where its task is done. */
  | { readonly kind: 'value'; readonly value: Json; readonly known: Json | undefined }
  /** Another task must be done first, and then a choice can be made. */
  | { readonly kind: 'later' }
  | { readonly kind: 'nothing'; readonly problem: Problem | undefined };

export type Resolve = (
  card: ToolCard,
  chaining: Chaining,
  stack: readonly string[],
) => Step | 'later' | undefined;

export interface Need {
  readonly card: ToolCard;
  readonly parameter: Parameter;
  readonly chaining: Chaining;
  readonly stack: readonly string[];
  /** Makes another tool's step; handed in because steps need sources and sources need steps. */
  readonly resolve: Resolve;
}

const NOTHING: Sourced = { kind: 'nothing', problem: undefined };

/**
 * From the surest to the least sure: what a person answered, what stands clearly in the goal, a choice from a list
 * that a sister tool gives, what looks like a name, another tool's output, a guess.
 */
export function source(need: Need): Sourced {
  const { card, parameter, chaining } = need;
  const answered = fromAnswer(need);
  if (answered !== undefined) return answered;
  const taken = take(parameter, {
    goal: chaining.goal,
    used: chaining.draft.used,
    isExplained: (word) => explains(card, word) >= 0.4,
    requiresNothing: card.parameters.every(({ isRequired }) => !isRequired),
  });
  if (taken?.certainty === 'sure') return accept(taken, chaining);
  if (!parameter.isRequired) return taken === undefined ? NOTHING : accept(taken, chaining);
  if (parameter.kind === 'sql') return NOTHING;
  // What a write is given must be in the goal itself: another tool's output is no order to change something.
  if (card.tool.effect !== 'read')
    return taken === undefined || chaining.isStrict ? NOTHING : accept(taken, chaining);
  const listed = firstOf([() => fromSameArgument(need), () => fromList(need)]);
  // A list is the whole truth: what is not in it is not taken from the goal either.
  if (listed.kind !== 'nothing' || listed.problem !== undefined) return listed;
  const attempts = [
    () => (taken?.certainty === 'likely' ? accept(taken, chaining) : NOTHING),
    () => fromProducers({ ...need, chaining: { ...chaining, isStrict: true } }),
    () => (taken === undefined || chaining.isStrict ? NOTHING : accept(taken, chaining)),
    () => (chaining.isStrict ? NOTHING : fromProducers(need)),
  ];
  return firstOf(attempts);
}

function firstOf(attempts: readonly (() => Sourced)[]): Sourced {
  let problem: Problem | undefined;
  for (const attempt of attempts) {
    const sourced = attempt();
    if (sourced.kind !== 'nothing') return sourced;
    problem ??= sourced.problem;
  }
  return { kind: 'nothing', problem };
}

function accept(taken: Taken, { draft }: Chaining): Sourced {
  const isGuess = taken.certainty === 'guess';
  draft.used.push(...taken.spans.map(({ start, end }) => ({ start, end, isGuess })));
  return { kind: 'value', value: literal(taken.value), known: taken.value };
}

function fromAnswer({ card, parameter, chaining }: Need): Sourced | undefined {
  const answer = chaining.answerTo(questionAbout({ card, parameter }, chaining.goal.language));
  const value = answer === undefined ? undefined : coerced(parameter, answer);
  return value === undefined ? undefined : { kind: 'value', value: literal(value), known: value };
}

/** Two tools of one plan that both want a `table` want the same one. */
function fromSameArgument({ card, parameter, chaining }: Need): Sourced {
  for (const step of chaining.draft.steps) {
    const isSister = step.card.tool.server === card.tool.server;
    const twin = step.card.parameters.find(
      ({ words, kind }) => kind === parameter.kind && sameWords(words, parameter.words),
    );
    const value = twin === undefined ? undefined : step.args[twin.name];
    if (!isSister || value === undefined) continue;
    return { kind: 'value', value, known: knownValue(value, chaining) };
  }
  return NOTHING;
}

function sameWords(one: Parameter['words'], other: Parameter['words']): boolean {
  const nouns = (words: Parameter['words']) =>
    words
      .filter(({ stem }) => stem !== 'name')
      .map(({ stem }) => stem)
      .join(' ');
  return nouns(one) !== '' && nouns(one) === nouns(other);
}

function knownValue(value: Json, { draft }: Chaining): Json | undefined {
  if (typeof value !== 'string' || !value.includes('${')) return value;
  return draft.steps.map((step) => valueAt(step, value)).find((found) => found !== undefined);
}

/** A tool of the same server that needs nothing and lists what may be chosen. */
function fromList(need: Need): Sourced {
  const { card, parameter, chaining } = need;
  const lists = chaining.index.cards.filter((other) => {
    if (other === card || other.tool.server !== card.tool.server || other.tool.effect !== 'read')
      return false;
    if (other.parameters.some(({ isRequired }) => isRequired)) return false;
    if (other.outputs.length > 0)
      return other.outputs.some((output) => output.isInArray && fit(parameter, output, card.nameWords) > 0);
    const nouns = parameter.words.filter(({ stem }) => stem !== 'name');
    return nouns.length > 0 && nouns.every((word) => other.nameWords.some(({ stem }) => stem === word.stem));
  });
  return tryEach(need, lists.slice(0, 2));
}

function fromProducers(need: Need): Sourced {
  const { card, parameter, chaining } = need;
  const present = chaining.draft.steps.map((step) => step.card);
  const producers = chaining.index.cards
    .filter((other) => other !== card && other.tool.effect === 'read')
    .map((other) => ({
      other,
      best: Math.max(0, ...other.outputs.map((output) => fit(parameter, output, card.nameWords))),
    }))
    .filter(({ best }) => best > 0)
    .map(({ other, best }) => {
      const evidence = chaining.goal.words.filter(
        (word) => explains(other, word) > 0.4 && explains(card, word) < 0.4,
      );
      return { other, score: best + 0.2 * Math.min(evidence.length, 4) + (present.includes(other) ? 1 : 0) };
    })
    .sort((one, two) => two.score - one.score);
  return tryEach(
    need,
    producers.slice(0, 4).map(({ other }) => other),
  );
}

function tryEach(need: Need, producers: readonly ToolCard[]): Sourced {
  const { chaining, stack, resolve } = need;
  let problem: Problem | undefined;
  for (const producer of producers) {
    const saved = copyOf(chaining.draft);
    const step = resolve(producer, chaining, [...stack, need.card.tool.name]);
    if (step === 'later') return { kind: 'later' };
    const sourced = step === undefined ? NOTHING : fromStep(step, need);
    if (sourced.kind !== 'nothing') return sourced;
    problem ??= sourced.problem;
    restore(chaining.draft, saved);
  }
  return { kind: 'nothing', problem };
}
