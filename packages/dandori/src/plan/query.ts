import { compile, TreeInterpreter } from '@jmespath-community/jmespath';
import { messageOf } from '../model/error.ts';
import {
  BASE,
  hugeIn,
  type StandIns,
  standIns,
  withoutStandIns,
  withStandIns,
} from '../model/json/huge-ints.ts';
import { roundedIn } from '../model/json/numbers.ts';
import { isNormal, isObject, type Json, normalise, parsedJson, stringifyJson } from '../model/json.ts';
import { ofText, spend, TooMuchWork, type Work, weigh } from '../model/work-budget.ts';
import { plainPath, valueOnPath } from './plain-path.ts';
import {
  areBothLarge,
  comparerFor,
  isNumeric,
  kindOf,
  lengthOf,
  manyAlike,
  mayStandIn,
  NAME,
  OWN,
  PRICES,
  ROUND,
  shallow,
  sortPrice,
  VISIT,
} from './query-functions.ts';

/**
 * The work limit of one expression over a result. It allows filtering a million rows, and never blocks the
 * event loop for long.
 */
export const QUERY_WORK = 24_000_000;
/** The limit of values that an expression creates: new ones, or copies of values in the result. */
const MOST_MADE = 4_000_000;
/**
 * The work limit without a result. An expression above it would fail with any result, so it is a mistake in
 * the plan.
 */
const DRY_WORK = 40_000;
/** This many characters of JSON cost as much as one value. */
const LETTERS_TO_WRITE = 2;
/** No expression written by hand is longer. */
export const LONGEST_EXPRESSION = 4_000;
export const TOO_LONG = `it is longer than ${LONGEST_EXPRESSION} characters, which is the limit`;
/** The most levels of an expression. Deeper recursion is not safe on every stack. */
const DEEPEST = 200;
/** Sample values of each type, to find work that grows with the expression itself. */
const SAMPLES: readonly Json[] = [null, [0], { a: 0 }, 'a'];

/**
 * Evaluates JMESPath on a value. Undefined if nothing is found. Throws errors of the expression itself, and
 * `TooMuchWork` if the expression exceeds its limits.
 * JMESPath does not distinguish an existing null from a missing value, so plain keys and indexes are followed
 * here. For any other expression, null means nothing found.
 */
export function query(value: Json, expression: string, work: Work = { left: QUERY_WORK }): Json | undefined {
  const steps = plainPath(expression);
  if (steps !== undefined) return valueOnPath(value, steps);
  const found = searchExactly(value, expression, work);
  if (found === undefined || found === null) return undefined;
  weigh(found, { left: Math.min(work.left, MOST_MADE) }, tooLarge);
  if (isNormal(found)) return found;
  const wrong = roundedIn(found);
  if (wrong !== undefined)
    throw new Error(
      `it gives ${wrong}, which is beyond what can be calculated exactly: take the value itself`,
    );
  return normalise(found) ?? undefined;
}

/** The value that a condition finds. Null if there is none, and a text if the condition cannot be evaluated. */
export function queryOrProblem(value: Json, expression: string): Json {
  try {
    return query(value, expression) ?? null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Operators that compare numbers, and literals, which may be read as another number. */
const COMPARES = /[<>]|`[^`]*\d{16}/;
/** The cost per integer: sorting it and replacing it by a number, in two evaluations. */
const STAND_IN = 400;
/** Far from the numbers of the first evaluation. */
const OTHER_BASE = 2 ** 200;

/**
 * The library does not know bigints. It passes them through unchanged, and its functions refuse them. But its
 * comparisons silently fail on them, and it rounds literals.
 */
function searchExactly(value: Json, expression: string, work: Work): Json | undefined {
  const found = COMPARES.test(expression) ? hugeIn([value, literalsIn(expression)]) : new Set<never>();
  if (found.size > 0) return searchWithStandIns(value, expression, found, work);
  try {
    return evaluated(parsed(expression), value, work);
  } catch (error) {
    const refused = error instanceof TooMuchWork ? new Set<never>() : hugeIn(value);
    if (refused.size === 0) throw error;
    return searchWithStandIns(value, expression, refused, work);
  }
}

/**
 * Other numbers stand in for the integers, twice. If both evaluations agree, the result is what the integers would
 * give.
 */
function searchWithStandIns(
  value: Json,
  expression: string,
  found: ReturnType<typeof hugeIn>,
  work: Work,
): Json | undefined {
  spend(work, STAND_IN * found.size, () => 'it compares too many integers beyond 2^53');
  const [one, other] = [BASE, OTHER_BASE].map((base) => {
    const numbers = standIns(found, undefined, base);
    const written = expression.replaceAll(PARTS, (part) =>
      part.startsWith('`') ? literal(part, numbers) : part,
    );
    const result = evaluated(parsed(written), withStandIns(value, numbers), work);
    weigh(result ?? null, { left: Math.min(work.left, MOST_MADE) }, tooLarge);
    return result === undefined ? null : withoutStandIns(result, numbers);
  });
  if (stringifyJson(one) === stringifyJson(other)) return one;
  return notExact();
}

function notExact(): never {
  throw new Error(
    'it calculates with integers beyond 2^53, which cannot be done exactly: take the value itself',
  );
}

/** Literals, and strings in other quotes. */
const PARTS = /`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs;

function literalsIn(expression: string): Json[] {
  return (expression.match(PARTS) ?? []).flatMap((part) =>
    part.startsWith('`') ? [literalValue(part)] : [],
  );
}

function literal(part: string, numbers: StandIns): string {
  const value = literalValue(part);
  if (hugeIn(value).size === 0) return part;
  return `\`${stringifyJson(withStandIns(value, numbers)).replaceAll('`', '\\`')}\``;
}

/** A literal that is not JSON is a string, which holds no number. */
function literalValue(part: string): Json {
  return parsedJson(part.slice(1, -1).replaceAll('\\`', '`')) ?? null;
}

/**
 * Why this expression can't read any result; undefined if it can. The expression is tried on tiny values, so
 * that one that grows by itself is found before the run.
 */
export function queryProblem(expression: string): string | undefined {
  try {
    const tree = parsed(expression);
    const work = { left: DRY_WORK };
    return SAMPLES.map((sample) => growthOn(tree, sample, work)).find((problem) => problem !== undefined);
  } catch (error) {
    return messageOf(error);
  }
}

function growthOn(tree: Tree, sample: Json, work: Work): string | undefined {
  try {
    weigh(evaluated(tree, sample, work) ?? null, work, tooLarge);
  } catch (error) {
    // Any other error may not occur with a real value.
    if (error instanceof TooMuchWork) return error.message;
  }
  return undefined;
}

function tooLarge(): string {
  return 'its result is too large: it repeats the same value many times';
}

/** Cached, because thousands of tasks use the same few expressions. */
const KEPT = 1_000;
const trees = new Map<string, Tree>();

/** The syntax tree of an expression. Throws if the expression is invalid or too deep. */
export function parsed(expression: string): Tree {
  const known = trees.get(expression);
  if (known !== undefined) return known;
  const tree = readTree(expression);
  if (trees.size >= KEPT) trees.clear();
  trees.set(expression, tree);
  return tree;
}

function readTree(expression: string): Tree {
  if (expression.length > LONGEST_EXPRESSION) throw new Error(TOO_LONG);
  const tooDeep = `it is nested more than ${DEEPEST} deep`;
  let level: object[];
  let tree: Tree;
  try {
    tree = compile(expression) as Tree;
    level = [tree];
  } catch (error) {
    throw error instanceof RangeError ? new Error(tooDeep) : error;
  }
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new Error(tooDeep);
    level = level.flatMap((node) =>
      Object.values(node).filter((part) => typeof part === 'object' && part !== null),
    );
  }
  return tree;
}

/** What this file uses of the library's syntax tree. A type, because the library passes trees among JSON values. */
export type Tree = {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly left?: Tree;
  readonly right?: Tree;
  readonly child?: Tree;
  readonly condition?: Tree;
  readonly children?: readonly Tree[];
  /** The library marks expressions (`&name`) that a function evaluates itself. */
  readonly expref?: boolean;
};

interface Scopes {
  withScope(scope: object): Scopes;
}

interface Runtime {
  callFunction(name: string, args: Json[]): Json;
  validateArgs(name: string, args: Json[], signature: unknown): void;
  _functionTable: Readonly<Record<string, { readonly _signature: unknown }>>;
}

interface Interpreter {
  runtime: Runtime;
  _scope: Scopes;
  search(tree: Tree, value: Json): Json | undefined;
  visit(tree: Tree, value: Json): Json;
  withScope(scope: object): Interpreter;
}

/**
 * The library exports one interpreter instead of its class. Functions are registered per interpreter, so this
 * one is separate.
 */
const Library = TreeInterpreter.constructor as new () => Interpreter;

/**
 * The library's interpreter, with a charge for every step before the step runs. The library has no limits: n
 * steps of `[@,@] | [@,@]` create 2^n values, and `pad_left(@, 1e9)` a text that exceeds the memory.
 */
class Metered extends Library {
  work: Work = { left: 0 };

  constructor() {
    super();
    const { runtime } = this;
    const call = runtime.callFunction.bind(runtime);
    runtime.callFunction = (name, args) => {
      for (const arg of args) this.pay(shallow(arg));
      const [first = null] = args;
      // Serializing can double the characters of a text, and doing it again can double them again.
      if (name === 'to_string' && typeof first === 'object')
        weigh(first, this.work, tooLarge, LETTERS_TO_WRITE);
      if (Object.hasOwn(PRICES, name)) this.pay(PRICES[name]?.(args) ?? 0);
      const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
      const isByKey = name === 'sort_by' || name === 'group_by';
      if (own === undefined && !isByKey) return call(name, args);
      runtime.validateArgs(name, args, runtime._functionTable[name]?._signature);
      if (own !== undefined) return own(args, (units) => this.pay(units));
      const [list, by] = args as [Json[], Tree];
      return name === 'sort_by' ? this.sortBy(list, by) : this.groupBy(list, by);
    };
  }

  pay(units: number): void {
    spend(this.work, units, () => 'it takes too many steps');
  }

  override visit(tree: Tree, value: Json): Json {
    if (tree.type !== 'Condition') this.pay(VISIT);
    const found = this.step(tree, value);
    // Functions compare such keys, character by character.
    if (tree.expref === true && typeof found === 'string') this.pay(found.length / 4);
    return found;
  }

  private step(tree: Tree, value: Json): Json {
    switch (tree.type) {
      case 'Field':
        // The library also reads inherited fields: `constructor` would give a function.
        return this.field(value, tree.name ?? '');
      case 'Flatten':
        return this.flatten(this.visit(tree.child as Tree, value));
      case 'Slice':
        // Slicing splits a text into characters.
        this.pay(VISIT * (1 + lengthOf(value)));
        return super.visit(tree, value);
      case 'Comparator':
        return this.compare(tree, value);
      case 'ValueProjection': {
        const base = this.listed(this.visit(tree.left as Tree, value));
        return super.visit({ ...tree, left: { type: 'Literal', value: base } } as Tree, value);
      }
      case 'Condition':
        return this.listed(this.visit(tree.child as Tree, value));
      default: {
        const part = CONDITIONS[tree.type];
        if (part === undefined) return super.visit(tree, value);
        return super.visit({ ...tree, [part]: { type: 'Condition', child: tree[part] } } as Tree, value);
      }
    }
  }

  /** Pays for the names of an object. The library lists them all, even to see whether there is one. */
  private listed(value: Json): Json {
    if (isObject(value)) this.pay(shallow(value));
    return value;
  }

  /** The library computes both keys for every comparison. */
  private sortBy(list: readonly Json[], by: Tree): Json[] {
    const keyed = list.map((item) => ({ item, key: this.visit(by, item) }));
    const keys = keyed.map(({ key }) => key);
    const type = kindOf(keys[0] ?? null);
    if (keys.length > 0 && type !== 'number' && type !== 'string')
      throw new Error(`Invalid type: unexpected type (${type})`);
    const wrong = keys.find((key) => kindOf(key) !== type);
    if (wrong !== undefined) throw new Error(`Invalid type: expected (${type}), received ${kindOf(wrong)}`);
    this.pay(sortPrice(keys));
    const compare = comparerFor(keys);
    return keyed.sort((one, other) => compare(one.key, other.key)).map(({ item }) => item);
  }

  private groupBy(list: readonly Json[], by: Tree): Json {
    const groups = new Map<string, Json[]>();
    for (const item of list) {
      const key = this.visit(by, item ?? {});
      if (typeof key !== 'string')
        throw new Error(`Invalid type: expected one of (string), received ${kindOf(key)}`);
      const group = groups.get(key);
      if (group === undefined) this.pay(NAME + manyAlike(key, groups.size));
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
    return Object.fromEntries(groups);
  }

  /** Like the library, but without a new runtime for each call. */
  override withScope(scope: object): Interpreter {
    const inner = Object.create(this) as Interpreter;
    inner._scope = this._scope.withScope(scope);
    return inner;
  }

  private field(value: Json, name: string): Json {
    return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
  }

  private flatten(list: Json): Json {
    if (!Array.isArray(list)) return null;
    for (const item of list) this.pay(Array.isArray(item) ? ROUND * (1 + item.length) : ROUND);
    return list.flat() as Json;
  }

  private payToCompare(value: Json): void {
    this.pay(COMPARED * shallow(value));
    if (typeof value !== 'object' || value === null) return;
    for (const part of Array.isArray(value) ? value : Object.values(value)) this.payToCompare(part);
  }

  /** Comparing equal values reads them to the end. */
  private compare(tree: Tree, value: Json): Json {
    const first = this.visit(tree.left as Tree, value);
    const second = this.visit(tree.right as Tree, value);
    if (typeof first === 'string' && typeof second === 'string' && first.length === second.length)
      this.pay(ofText(first.length));
    if (areBothLarge(first, second)) {
      this.payToCompare(first);
      const literal = (of: Json) => ({ type: 'Literal', value: of });
      return super.visit({ ...tree, left: literal(first), right: literal(second) } as Tree, value);
    }
    if (mayStandIn(first, second) || mayStandIn(second, first)) return notExact();
    if (tree.name === 'EQ' || tree.name === 'NE') return (first === second) === (tree.name === 'EQ');
    if (!isNumeric(first) || !isNumeric(second)) return null;
    switch (tree.name) {
      case 'GT':
        return first > second;
      case 'GTE':
        return first >= second;
      case 'LT':
        return first < second;
      default:
        return first <= second;
    }
  }
}

/** The parts of the tree that are only tested. */
const CONDITIONS: Readonly<Record<string, keyof Tree>> = {
  FilterProjection: 'condition',
  Ternary: 'condition',
  OrExpression: 'left',
  AndExpression: 'left',
  NotExpression: 'child',
};

/** The cost of a value that is compared with another, in units of a value that is walked through. */
const COMPARED = 3;

let interpreter: Metered | undefined;

function evaluated(tree: Tree, value: Json, work: Work): Json | undefined {
  interpreter ??= new Metered();
  interpreter.work = work;
  return interpreter.search(tree, value);
}
