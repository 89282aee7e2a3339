import type { Json } from '../../domain/json.ts';
import { choose } from './choice.ts';
import type { Step } from './draft.ts';
import { overlaps } from './goal.ts';
import { literal } from './literal.ts';
import { fit, type OutputProperty, type ResultValue, valuesOf } from './output.ts';
import { choiceQuestion } from './question.ts';
import { explains } from './ranking.ts';
import type { Need, Sourced } from './source.ts';
import type { Word } from './words.ts';

/** Takes a parameter's value from what another step gives or will give. */
export function fromStep(step: Step, need: Need): Sourced {
  const result = step.done?.result;
  if (step.done === undefined) return fromPromise(step, need);
  if (result === undefined) return need.chaining.isAdaptive ? nothing() : fromPromise(step, need, true);
  const structured = typeof result === 'string' ? parsed(result) : result;
  const isText = typeof result === 'string';
  const values = structured === undefined ? namesIn(String(result)) : fitting(structured, step, need);
  const [only, ...others] = values;
  if (only === undefined) return nothing();
  if (others.length === 0 && !only.isInArray) return give(step, only, { need, isText });
  return fromMany(values, { step, need, isText });
}

/** What a Ref to a finished step stands for. */
export function valueAt(step: Step, written: string): Json | undefined {
  const result = step.done?.result;
  if (result === undefined) return undefined;
  return valuesOf(result, step.card.nameWords).find(({ path }) => written === refTo(step, path))?.value;
}

/** By the output schema alone: one value can be referred to, one of many must be seen first. */
function fromPromise(step: Step, { card, parameter, chaining }: Need, mayTakeFirst = false): Sourced {
  const fits = step.card.outputs
    .map((output) => ({ output, score: fit(parameter, output, card.nameWords) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  const best = fits[0]?.output;
  const isUnknown = best === undefined || (best.isInArray && !mayTakeFirst);
  if (isUnknown || chaining.isAdaptive) {
    chaining.draft.isOpen ||= isUnknown;
    return { kind: 'later' };
  }
  return { kind: 'value', value: refTo(step, best.path), known: undefined };
}

interface Giving {
  readonly need: Need;
  readonly isText: boolean;
}

function give(step: Step, { path, value }: ResultValue, { need, isText }: Giving): Sourced {
  const isLiteral = isText || need.chaining.isAdaptive;
  return { kind: 'value', value: isLiteral ? literal(value) : refTo(step, path), known: value };
}

function fromMany(values: readonly ResultValue[], { step, need, isText }: Giving & { step: Step }): Sourced {
  const { chaining, parameter, card } = need;
  const texts = values.map(({ value }) => String(value));
  const asked = chaining.answerTo(choiceQuestion(need, chaining.goal.language));
  const answered =
    asked === undefined ? undefined : values.find(({ value }) => String(value) === String(asked));
  if (answered !== undefined) return give(step, answered, { need, isText });
  const byValue = choose(texts, unusedWords(need));
  const open = openWords(step, need);
  const besides = values.map(({ beside }) => beside);
  const choice = byValue.kind === 'none' ? choose(besides, open) : byValue;
  if (choice.kind === 'one') {
    const chosen = values[choice.index];
    if (chosen === undefined) return nothing();
    chaining.draft.used.push(...choice.spans);
    return give(step, chosen, { need, isText });
  }
  const [first] = values;
  if (choice.kind === 'none' && first !== undefined && open.length === 0) {
    chaining.draft.guesses++;
    return give(step, first, { need, isText });
  }
  const indexes = choice.kind === 'several' ? choice.indexes : texts.map((_, index) => index);
  const choices = [...new Set(indexes.map((index) => texts[index] ?? ''))].slice(0, 10);
  const reason = choice.kind === 'several' ? 'several_match' : 'no_match';
  return { kind: 'nothing', problem: { card, parameter, reason, choices } };
}

function unusedWords({ chaining: { goal, draft } }: Need): Word[] {
  return goal.words.filter((word) => !word.isSoft && !draft.used.some((span) => overlaps(span, word)));
}

/** Words that nothing accounts for. Where there are none, nothing speaks against the first of a list. */
function openWords(step: Step, need: Need): Word[] {
  const cards = [step.card, need.card, ...need.chaining.draft.cards];
  return unusedWords(need).filter((word) => cards.every((other) => explains(other, word) < 0.4));
}

function fitting(result: Json, step: Step, { parameter, card }: Need): ResultValue[] {
  const scored = valuesOf(result, step.card.nameWords)
    .map((value) => ({ value, score: fit(parameter, value, card.nameWords) }))
    .filter(({ score }) => score > 0);
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return scored.filter(({ score }) => score === best).map(({ value }) => value);
}

/** A tool that answers in plain text: every word of it that could be an identifier. */
function namesIn(text: string): ResultValue[] {
  const names = new Set(text.slice(0, 20_000).match(/[\p{L}_][\p{L}\p{N}_-]*/gu) ?? []);
  const none: Omit<OutputProperty, 'type'> = { path: '', leaf: [], words: [], isInArray: true };
  return [...names].slice(0, 500).map((value) => ({ ...none, type: 'string', value, beside: '' }));
}

function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > 1_000_000) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function refTo({ id }: Step, path: string): string {
  return `\${${id}${path}}`;
}

function nothing(): Sourced {
  return { kind: 'nothing', problem: undefined };
}
