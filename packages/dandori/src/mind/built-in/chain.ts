import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { OrderRule } from '../../model/settings.ts';
import type { Task } from '../../model/task.ts';
import { escaped } from '../../plan/fill-refs.ts';
import { writeRef } from '../../plan/refs.ts';
import { argumentInGoal, coerced, type Need, tableParameter } from './arguments.ts';
import { type Goal, isSaid, isSoft, type Span, spaced, wordsOf } from './goal.ts';
import { fitting, mostAlike, propertiesIn } from './properties.ts';
import { speaksOf, type ToolCard, type ToolIndex } from './ranking.ts';

/** A succeeded task of this run. Its result is undefined if it is too large to be in memory. */
type DoneTask = Pick<Task, 'id' | 'operation' | 'args'> & { readonly result: Json | undefined };

/** The input of planning, constant during one decision. */
export interface Situation {
  readonly goal: Goal;
  readonly index: ToolIndex;
  readonly order: readonly OrderRule[];
  /** In adaptive mode arguments contain real values and no Refs. */
  readonly isAdaptive: boolean;
  readonly done: readonly DoneTask[];
  /** The user's answer to this question. Undefined if there is none. */
  readonly answerTo: (need: Need) => Json | undefined;
}

interface Step {
  readonly id: string;
  readonly card: ToolCard;
  readonly args: JsonObject;
  /** The finished task of this step, if the step is already done. */
  readonly done: DoneTask | undefined;
}

/** A plan in progress. */
interface Draft {
  readonly steps: readonly Step[];
  /** Parts of the goal that are already arguments. */
  readonly used: readonly Span[];
  /** All tools of the plan, including those that must wait for a result before their call can be written. */
  readonly cards: readonly ToolCard[];
}

/** Why a tool can't be called: a parameter has no value, or several values and no way to choose. */
export interface Problem extends Need {
  readonly choices: readonly string[];
}

export interface Chained {
  readonly draft: Draft;
  /**
   * `later`: earlier steps must finish before this one can be written. `undefined`: something is missing.
   */
  readonly outcome: Step | 'later' | undefined;
  readonly problems: readonly Problem[];
}

interface At extends Situation {
  readonly draft: Draft;
  /** The tools between the goal and this step. */
  readonly way: readonly ToolCard[];
  /** Limits the search for any set of tools. */
  readonly effort: { left: number };
}

const DEEPEST = 4;

/**
 * Makes the step that calls a tool and, backwards, the steps that provide its inputs.
 *
 * C1  No tool is needed to make its own input: a tool on the path is not tried again, and the path has a
 *     maximum length.
 * C2  Tools that an order rule puts before this one come before it.
 * C3  Only reads are added on the path, and the arguments of a write come from the goal. So no result can
 *     cause a change.
 * C4  The same goal and the same finished tasks give the same plan, so each turn continues where the last one
 *     ended.
 */
export function chain(card: ToolCard, start: At): Chained {
  const { order, index, way, effort } = start;
  let draft: Draft = { ...start.draft, cards: [...start.draft.cards, card] };
  const here = () => ({ ...start, draft, way: [...way, card] });
  const problems: Problem[] = [];
  const args: JsonObject = {};
  let isLater = false;
  if (way.length >= DEEPEST || way.includes(card) || effort.left-- <= 0)
    return { draft, outcome: undefined, problems };
  for (const { before } of order.filter(({ after }) => after === card.tool.name)) {
    const earlier = index.cards.find(({ tool }) => tool.name === before);
    if (earlier?.tool.effect !== 'read') return { draft, outcome: undefined, problems };
    const chained = chain(earlier, here());
    if (chained.outcome === undefined) return chained;
    draft = chained.draft;
    isLater ||= chained.outcome === 'later';
  }
  for (const parameter of card.parameters) {
    const sourced = source({ card, parameter }, here());
    if (sourced.kind === 'nothing') {
      if (parameter.isRequired) problems.push({ card, parameter, choices: sourced.choices });
      continue;
    }
    draft = sourced.draft;
    if (sourced.kind === 'value') args[parameter.name] = sourced.value;
    else isLater = true;
  }
  if (problems.length > 0 || isLater)
    return { draft, outcome: problems.length > 0 ? undefined : 'later', problems };
  const step = stepFor(card, args, here());
  const steps = draft.steps.includes(step) ? draft.steps : [...draft.steps, step];
  return { draft: { ...draft, steps }, outcome: step, problems };
}

/** A call that is in the plan or was made before is not repeated. */
function stepFor(card: ToolCard, args: JsonObject, { done, draft: { steps } }: At): Step {
  const isSame = (operation: string, others: JsonObject) =>
    operation === card.tool.name && stringifyJson(others) === stringifyJson(args);
  const present = steps.find((step) => isSame(step.card.tool.name, step.args));
  const finished = done.find((task) => isSame(task.operation, task.args));
  const number = done.length + steps.filter((step) => step.done === undefined).length + 1;
  return present ?? { id: finished?.id ?? `t${number}`, card, args, done: finished };
}

/** The source of a parameter's value. */
type Sourced =
  /** `known` is the value of a Ref whose task is done. */
  | { readonly kind: 'value'; readonly value: Json; readonly known?: Json; readonly draft: Draft }
  /** Another task must finish before a value can be chosen. */
  | { readonly kind: 'later'; readonly draft: Draft }
  | { readonly kind: 'nothing'; readonly choices: readonly string[] };

const NOTHING: Sourced = { kind: 'nothing', choices: [] };

/**
 * From the most to the least certain source: the user's answer, a clear value in the goal, an entry of a list
 * from a tool of the same server, a word that looks like a name, the result of another tool.
 */
function source(need: Need, at: At): Sourced {
  const { card, parameter } = need;
  const { goal, draft } = at;
  const answer = at.answerTo(need);
  // Null if the user declined.
  const value = answer === undefined || answer === null ? undefined : coerced(parameter, answer);
  const taken = value === undefined ? argumentInGoal(need, goal, draft.used) : { value, spans: [] };
  const used = [...draft.used, ...(taken?.spans ?? [])];
  const given: Sourced =
    taken === undefined
      ? NOTHING
      : { kind: 'value', value: literal(taken.value), known: taken.value, draft: { ...draft, used } };
  const isClear = taken !== undefined && taken.isName !== true;
  if (isClear || !parameter.isRequired || card.tool.effect !== 'read') return given;
  if (parameter.kind === 'sql') return statement(source({ card, parameter: tableParameter() }, at));
  const givers = giversOf(need, at);
  const lists = givers.filter((other) => other.requiresNothing && other.tool.server === card.tool.server);
  const listed = fromOneOf(lists, need, at);
  // A list is complete: a value that is not in it is not taken from the goal either.
  if (listed.kind !== 'nothing' || listed.choices.length > 0) return listed;
  return given.kind === 'value' ? given : fromOneOf(givers, need, at);
}

/** Reads a whole table. A name that is not a plain identifier is quoted, so that it cannot inject SQL. */
function statement(table: Sourced): Sourced {
  if (table.kind !== 'value') return table;
  if (typeof table.known !== 'string') return { kind: 'later', draft: table.draft };
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(table.known);
  const name = isPlain ? table.value : literal(`"${table.known.replaceAll('"', '""')}"`);
  return { ...table, value: `SELECT * FROM ${String(name)}` };
}

/**
 * Tools whose output fits. Tools that are in the plan or match the goal come first. Without an output schema,
 * only the name of a tool suggests its output, so such a tool must be on the same server.
 */
function giversOf(need: Need, { goal, index, draft }: At): ToolCard[] {
  const { card } = need;
  const words = goal.words.filter((word) => !isSoft(word) && !speaksOf(card, word));
  const scoreOf = (other: ToolCard): number => {
    const { effect, outputSchema, server } = other.tool;
    const isKnown = outputSchema !== undefined || (server === card.tool.server && other.requiresNothing);
    if (other === card || effect !== 'read' || !isKnown || fitting(other.outputs, need).length === 0)
      return 0;
    const spoken = words.filter((word) => speaksOf(other, word)).length;
    return 1 + 0.2 * Math.min(spoken, 4) + (draft.cards.includes(other) ? 1 : 0);
  };
  return index.cards
    .map((other) => ({ other, score: scoreOf(other) }))
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score)
    .slice(0, 4)
    .map(({ other }) => other);
}

function fromOneOf(givers: readonly ToolCard[], need: Need, at: At): Sourced {
  let choices: readonly string[] = [];
  for (const giver of givers) {
    const present = at.draft.steps.find(({ card }) => card === giver);
    const { outcome, draft } = present === undefined ? chain(giver, at) : { ...at, outcome: present };
    if (outcome === 'later') return { kind: 'later', draft };
    const sourced = outcome === undefined ? NOTHING : fromStep(outcome, need, { ...at, draft });
    if (sourced.kind !== 'nothing') return sourced;
    if (choices.length === 0) choices = sourced.choices;
  }
  return { kind: 'nothing', choices };
}

/** Takes the value from the result of a step, or makes a Ref from its output schema. */
function fromStep({ id, card, done }: Step, need: Need, { goal, isAdaptive, draft }: At): Sourced {
  const result = done?.result;
  // The result is also undefined if it is too large to be in memory.
  if (result === undefined) {
    const [promised] = fitting(card.outputs, need);
    if (promised === undefined || promised.isMany || isAdaptive) return { kind: 'later', draft };
    return { kind: 'value', value: writeRef({ task: id, path: promised.path }), draft };
  }
  const found = fitting(propertiesIn(result, card.nameWords), need);
  const words = goal.words.filter((word) => !isSoft(word));
  const alike = found.length === 1 && found[0]?.isMany === false ? found : mostAlike(found, words);
  const [chosen, ...others] = alike;
  if (chosen === undefined || others.some(({ value }) => value !== chosen.value)) {
    const texts = (alike.length > 0 ? alike : found).map(({ value }) => String(value));
    return { kind: 'nothing', choices: [...new Set(texts)].slice(0, 10) };
  }
  const told = wordsOf(spaced([chosen.value, ...chosen.beside].join(' ')));
  // A text result has no fields that a Ref could name.
  const isLiteral = isAdaptive || typeof result === 'string';
  const value = isLiteral ? literal(chosen.value) : writeRef({ task: id, path: chosen.path });
  const spans = words.filter((word) => isSaid(word, told));
  return { kind: 'value', value, known: chosen.value, draft: { ...draft, used: [...draft.used, ...spans] } };
}

/**
 * Escapes `${` in a value, so that neither a goal nor a result can create a Ref to another task's output.
 */
export function literal<Value extends Json>(value: Value): Value {
  return escaped(value) as Value;
}
