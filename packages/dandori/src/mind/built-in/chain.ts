import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { OrderRule } from '../../model/settings.ts';
import type { Task } from '../../model/task.ts';
import { escaped } from '../../plan/fill-refs.ts';
import { writeRef } from '../../plan/refs.ts';
import { coerced, type Need, TABLE, take } from './arguments.ts';
import { type Goal, isSaid, isSoft, type Span, spaced, wordsOf } from './goal.ts';
import { fitting, mostAlike, propertiesIn } from './properties.ts';
import { speaksOf, type ToolCard, type ToolIndex } from './ranking.ts';

/** A task of this run that has succeeded; its result is undefined where it is too large to be at hand. */
type DoneTask = Pick<Task, 'id' | 'operation' | 'args'> & { readonly result: Json | undefined };

/** What a plan is made from; the same through one decision. */
export interface Situation {
  readonly goal: Goal;
  readonly index: ToolIndex;
  readonly order: readonly OrderRule[];
  /** In adaptive mode arguments hold real values and never Refs. */
  readonly isAdaptive: boolean;
  readonly done: readonly DoneTask[];
  /** What a person answered to this question; undefined where it was not answered. */
  readonly answerTo: (need: Need) => Json | undefined;
}

interface Step {
  readonly id: string;
  readonly card: ToolCard;
  readonly args: JsonObject;
  /** The finished task that this step is, where it has been done already. */
  readonly done: DoneTask | undefined;
}

/** A plan while it is being made. */
interface Draft {
  readonly steps: readonly Step[];
  /** Places of the goal that have become arguments. */
  readonly used: readonly Span[];
  /** Tools that take part, also those that wait for a result before they can be written. */
  readonly cards: readonly ToolCard[];
}

/** Why a tool cannot be called: nothing found for a parameter, or no way to choose among several values. */
export interface Problem extends Need {
  readonly choices: readonly string[];
}

export interface Chained {
  readonly draft: Draft;
  /** `later`: earlier steps must be done before this one can be written. `undefined`: something is missing. */
  readonly outcome: Step | 'later' | undefined;
  readonly problems: readonly Problem[];
}

interface At extends Situation {
  readonly draft: Draft;
  /** The tools on the way from the goal to here. */
  readonly way: readonly ToolCard[];
  /** Bounds the search, whatever the tools look like. */
  readonly effort: { left: number };
}

const DEEPEST = 4;

/**
 * Makes the step that calls a tool and, backwards, the steps that give what it needs.
 *
 * C1  No tool is needed to make its own input: a tool on the way is not tried again, and the way has a bound.
 * C2  Tools that an order rule puts before this one come before it.
 * C3  Only reads are added on the way, and what a write is given stands in the goal: no result orders a change.
 * C4  The same goal and the same finished tasks give the same plan, so each turn goes on where the last ended.
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

/** A call that is already in the plan, or that has been made before, is not made again. */
function stepFor(card: ToolCard, args: JsonObject, { done, draft: { steps } }: At): Step {
  const isSame = (operation: string, others: JsonObject) =>
    operation === card.tool.name && stringifyJson(others) === stringifyJson(args);
  const present = steps.find((step) => isSame(step.card.tool.name, step.args));
  const finished = done.find((task) => isSame(task.operation, task.args));
  const number = done.length + steps.filter((step) => step.done === undefined).length + 1;
  return present ?? { id: finished?.id ?? `t${number}`, card, args, done: finished };
}

/** Where a parameter's value comes from. */
type Sourced =
  /** `known` is what a Ref stands for, where its task is done. */
  | { readonly kind: 'value'; readonly value: Json; readonly known?: Json; readonly draft: Draft }
  /** Another task must be done first, and then a choice can be made. */
  | { readonly kind: 'later'; readonly draft: Draft }
  | { readonly kind: 'nothing'; readonly choices: readonly string[] };

const NOTHING: Sourced = { kind: 'nothing', choices: [] };

/**
 * From the surest to the least sure: what a person answered, what stands clearly in the goal, one of a list that a
 * tool of the same server gives, what looks like a name, what another tool gives.
 */
function source(need: Need, at: At): Sourced {
  const { card, parameter } = need;
  const { goal, draft } = at;
  const answer = at.answerTo(need);
  // Null where the person declined.
  const value = answer === undefined || answer === null ? undefined : coerced(parameter, answer);
  const taken = value === undefined ? take(need, goal, draft.used) : { value, spans: [] };
  const used = [...draft.used, ...(taken?.spans ?? [])];
  const given: Sourced =
    taken === undefined
      ? NOTHING
      : { kind: 'value', value: literal(taken.value), known: taken.value, draft: { ...draft, used } };
  const isClear = taken !== undefined && taken.isName !== true;
  if (isClear || !parameter.isRequired || card.tool.effect !== 'read') return given;
  if (parameter.kind === 'sql') return statement(source({ card, parameter: TABLE }, at));
  const givers = giversOf(need, at);
  const lists = givers.filter((other) => other.requiresNothing && other.tool.server === card.tool.server);
  const listed = fromOneOf(lists, need, at);
  // A list is the whole truth: what is not in it is not taken from the goal either.
  if (listed.kind !== 'nothing' || listed.choices.length > 0) return listed;
  return given.kind === 'value' ? given : fromOneOf(givers, need, at);
}

/** Reads a whole table. A name that is no plain identifier is quoted, so that it cannot become a statement of its own. */
function statement(table: Sourced): Sourced {
  if (table.kind !== 'value') return table;
  if (typeof table.known !== 'string') return { kind: 'later', draft: table.draft };
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(table.known);
  const name = isPlain ? table.value : literal(`"${table.known.replaceAll('"', '""')}"`);
  return { ...table, value: `SELECT * FROM ${String(name)}` };
}

/**
 * Tools whose output fits, those first that the plan has already or that the goal speaks of. What a tool gives that
 * promises nothing can only be told from its name, and so only by its neighbours.
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

/** Takes the value from what a step gives or, by its output schema, will give. */
function fromStep({ id, card, done }: Step, need: Need, { goal, isAdaptive, draft }: At): Sourced {
  const result = done?.result;
  // Also where it is done, but its result is too large to be at hand.
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
  // What came as text has no fields to refer to.
  const isLiteral = isAdaptive || typeof result === 'string';
  const value = isLiteral ? literal(chosen.value) : writeRef({ task: id, path: chosen.path });
  const spans = words.filter((word) => isSaid(word, told));
  return { kind: 'value', value, known: chosen.value, draft: { ...draft, used: [...draft.used, ...spans] } };
}

/** `${` in a value is text and never a Ref: neither a goal nor a result can point at another task's output. */
export function literal<Value extends Json>(value: Value): Value {
  return escaped(value) as Value;
}
