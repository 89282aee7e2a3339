import { compile, TreeInterpreter } from '@jmespath-community/jmespath';
import {
  isNormal,
  isObject,
  type Json,
  normalise,
  parseJson,
  roundedIn,
  stringifyJson,
} from '../model/json.ts';
import { BASE, hugeIn, type StandIns, standIns, withoutStandIns, withStandIns } from '../model/stand-in.ts';
import { lettersOf, ofText, spend, TooMuchWork, type Work, weigh } from '../model/work.ts';

/** What one expression may cost over a result: a million rows can be filtered, and no loop is stopped for long. */
export const QUERY_WORK = 32_000_000;
/** What it may make: values that were not in the result, or stand in the new value more than once. */
const MOST_MADE = 4_000_000;
/** What it may cost over nothing. More does not depend on the result, and is a mistake of the plan. */
const DRY_WORK = 40_000;
const VISIT = 4;
/** Of a text that is written out as JSON, so many characters cost as much as one value. */
const LETTERS_TO_WRITE = 2;
/** An item of a list that is made, or a round of a function that has rounds. */
const ROUND = 16;
/** Longer than what anyone writes by hand. */
export const LONGEST_EXPRESSION = 4_000;
export const TOO_LONG = `it is longer than ${LONGEST_EXPRESSION} characters, which is the limit`;
/** Levels of an expression: more cannot be followed safely on every stack. */
const DEEPEST = 200;
/** What every kind of value makes an expression do that grows with its own length. */
const SAMPLES: readonly Json[] = [null, [0], { a: 0 }, 'a'];

/**
 * JMESPath into a value; undefined where nothing is found. Throws what the expression itself makes go wrong, and
 * `TooMuchWork` where it does not end within its limits.
 * JMESPath does not tell a null that is there from nothing, so keys and indexes are followed here. Of any other
 * expression null means nothing.
 */
export function query(value: Json, expression: string, work: Work = { left: QUERY_WORK }): Json | undefined {
  const steps = plainPath(expression);
  if (steps !== undefined) return walk(value, steps);
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

/** Where numbers are compared, or one may be read as another one. */
const COMPARES = /[<>]|`[^`]*\d{16}/;
/** To put an integer in order and a number in its place, twice. */
const STAND_IN = 128;
/** Far from those of the first try. */
const OTHER_BASE = 2 ** 200;

/**
 * The library knows no bigint. Those that are only passed on come through as they are, and its functions refuse them. Only
 * comparisons would quietly come to nothing, and literals would be rounded: for these, numbers stand in for them. What
 * is the same with other numbers is what the integers themselves would give.
 */
function searchExactly(value: Json, expression: string, work: Work): Json | undefined {
  const found = COMPARES.test(expression) ? hugeIn([value, literalsIn(expression)]) : new Set<never>();
  if (found.size === 0) return evaluated(parsed(expression), value, work);
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
  throw new Error(
    'it calculates with integers beyond 2^53, which cannot be done exactly: take the value itself',
  );
}

/** Literals, and what is in quotes of another kind. */
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

/** A literal that is no JSON is a text. */
function literalValue(part: string): Json {
  try {
    return parseJson(part.slice(1, -1).replaceAll('\\`', '`'));
  } catch {
    return null;
  }
}

/**
 * Why no result can be read by this expression; undefined where one can. It is tried on next to nothing: one that grows
 * by itself is found before any result is there.
 */
export function queryProblem(expression: string): string | undefined {
  try {
    const tree = parsed(expression);
    const work = { left: DRY_WORK };
    return SAMPLES.map((sample) => growthOn(tree, sample, work)).find((problem) => problem !== undefined);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function growthOn(tree: Tree, sample: Json, work: Work): string | undefined {
  try {
    weigh(evaluated(tree, sample, work) ?? null, work, tooLarge);
  } catch (error) {
    // Everything else that goes wrong may be right with a real value.
    if (error instanceof TooMuchWork) return error.message;
  }
  return undefined;
}

function tooLarge(): string {
  return 'what it makes is too large: it repeats the same value again and again';
}

function walk(value: Json, steps: readonly (string | number)[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of steps) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here.at(step) : undefined;
    else if (typeof here !== 'object' || here === null || typeof step === 'number') return undefined;
    else here = Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}

/** A plan of thousands of tasks asks the same few things. */
const KEPT = 1_000;
const trees = new Map<string, Tree>();

/** The syntax tree of an expression. Throws where it is none, or where it is too deep to be followed. */
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

/** The parts of the library's tree that are looked at. */
export interface Tree {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly left?: Tree;
  readonly right?: Tree;
  readonly child?: Tree;
  readonly children?: readonly Tree[];
  /** The library marks so what a function is given to evaluate by itself. */
  readonly expref?: boolean;
}

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

/** The library exports one interpreter and not its class. It keeps what is registered with it; this one has its own. */
const Library = TreeInterpreter.constructor as unknown as new () => Interpreter;

/**
 * The library's interpreter, which pays for every step before it is made. The library itself cannot be stopped:
 * `[@,@] | [@,@]` and so on makes 2^n values of n steps, and `pad_left(@, 1e9)` a text that no memory holds.
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
      // Written out, a letter may become two, and the next time four.
      if (name === 'to_string' && typeof first === 'object')
        weigh(first, this.work, tooLarge, LETTERS_TO_WRITE);
      if (Object.hasOwn(PRICES, name)) this.pay(PRICES[name]?.(args) ?? 0);
      const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
      if (own === undefined) return call(name, args);
      runtime.validateArgs(name, args, runtime._functionTable[name]?._signature);
      return own(args, (units) => this.pay(units));
    };
  }

  pay(units: number): void {
    spend(this.work, units, () => 'it takes more steps than an expression may');
  }

  override visit(tree: Tree, value: Json): Json {
    this.pay(VISIT);
    switch (tree.type) {
      case 'Field':
        // The library reads fields without asking whether they are own: `constructor` would give a function.
        return this.field(value, tree.name ?? '');
      case 'Flatten':
        return this.flatten(this.visit(tree.child as Tree, value));
      case 'Slice':
        // A text is taken apart into its letters.
        this.pay(VISIT * (1 + lengthOf(value)));
        return super.visit(tree, value);
      case 'Comparator':
        return this.compare(tree, value);
      default: {
        const found = super.visit(tree, value);
        // Sorting compares such keys again and again, letter by letter.
        if (tree.expref === true && typeof found === 'string') this.pay(found.length / 4);
        return found;
      }
    }
  }

  /** As the library does it, but for a new runtime each time. */
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

  /** Equal values are looked through to their end. */
  private compare(tree: Tree, value: Json): Json {
    const first = this.visit(tree.left as Tree, value);
    const second = this.visit(tree.right as Tree, value);
    if (areBothLarge(first, second)) weigh(first, this.work, () => 'it compares values that are too large');
    const literal = (of: Json) => ({ type: 'Literal', value: of });
    return super.visit({ ...tree, left: literal(first), right: literal(second) } as Tree, value);
  }
}

function areBothLarge(first: Json, second: Json): boolean {
  if (first === second || typeof first !== 'object' || typeof second !== 'object') return false;
  if (first === null || second === null) return false;
  if (Array.isArray(first)) return Array.isArray(second) && first.length === second.length;
  return !Array.isArray(second);
}

let interpreter: Metered | undefined;

function evaluated(tree: Tree, value: Json, work: Work): Json | undefined {
  interpreter ??= new Metered();
  interpreter.work = work;
  return interpreter.search(tree, value);
}

/** What a function reads of an argument at least once. */
function shallow(value: Json): number {
  if (typeof value === 'string') return ofText(value.length);
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + (Array.isArray(value) ? value.length : Object.keys(value).length);
}

/** Texts in a list, which is all that functions over lists of texts are given. */
function lettersIn(list: Json | undefined): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0);
}

function lengthOf(value: Json | undefined): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}

/** A search may compare the whole needle at every place. */
function searched(subject: Json | undefined, needle: Json | undefined): number {
  return typeof subject === 'string' ? ofText(subject.length * Math.ceil(1 + lengthOf(needle) / 64)) : 0;
}

/** What functions cost whose result or work is larger than what they are given. */
const PRICES: Readonly<Record<string, (args: readonly Json[]) => number>> = {
  contains: ([subject, needle]) => searched(subject, needle),
  find_first: ([subject, needle]) => searched(subject, needle),
  find_last: ([subject, needle]) => searched(subject, needle),
  split: ([subject, needle]) => searched(subject, needle) + lengthOf(subject),
  length: ([subject]) => lengthOf(subject) / 4,
  reverse: ([subject]) => (typeof subject === 'string' ? VISIT : 1) * lengthOf(subject),
  join: ([glue, list]) => ofText(lettersIn(list) + lengthOf(glue) * lengthOf(list)),
  max: ([list]) => ofText(lettersIn(list)),
  min: ([list]) => ofText(lettersIn(list)),
  sort: ([list]) => (lengthOf(list) + lettersIn(list) / 4) * Math.ceil(Math.log2(lengthOf(list) + 1)),
  sort_by: ([list]) => lengthOf(list),
  pad_left: ([, width]) => ofText(Number(width)),
  pad_right: ([, width]) => ofText(Number(width)),
  zip: (lists) => lists.length * Math.min(...lists.map(lengthOf)),
};

type Pay = (units: number) => void;

/** Functions whose way of working in the library takes time or memory out of proportion. They give the same. */
const OWN: Readonly<Record<string, (args: readonly Json[], pay: Pay) => Json>> = {
  length: ([subject = null]) => (typeof subject === 'string' ? lettersOf(subject) : shallow(subject) - 1),
  // The library's cannot write a bigint.
  to_string: ([subject = null]) => (typeof subject === 'string' ? subject : stringifyJson(subject)),
  replace: ([subject, needle, by, count], pay) =>
    replaced({ subject: String(subject), needle: String(needle), by: String(by), count }, pay),
  trim: ([subject, set]) => trimmed(String(subject), set, { left: true, right: true }),
  trim_left: ([subject, set]) => trimmed(String(subject), set, { left: true, right: false }),
  trim_right: ([subject, set]) => trimmed(String(subject), set, { left: false, right: true }),
};

interface Replacement {
  readonly subject: string;
  readonly needle: string;
  readonly by: string;
  readonly count: Json | undefined;
}

function replaced({ subject, needle, by, count }: Replacement, pay: Pay): string {
  if (count === 0) return subject;
  pay(searched(subject, needle));
  if (count === undefined || count === null) {
    const places = subject.split(needle);
    pay(places.length + ofText(places.length * by.length));
    return places.join(by);
  }
  if (typeof count !== 'number' || count < 0 || !Number.isInteger(count))
    throw new Error('invalid-value: expecting a non-negative integer.');
  let text = subject;
  for (let round = 0; round < count; round++) {
    // `$'` in the replacement stands for the rest of the text.
    const grown = by.includes('$') ? text.length * (1 + by.length) : text.length + by.length;
    pay(ROUND + searched(text, needle) + ofText(grown));
    const next = text.replace(needle, by);
    if (next === text) return text;
    text = next;
  }
  return text;
}

/** The library does it by a pattern that takes the square of a run of blanks. */
function trimmed(text: string, set: Json | undefined, sides: { left: boolean; right: boolean }): string {
  const isIn =
    typeof set === 'string' && set !== ''
      ? (unit: string) => set.includes(unit)
      : (unit: string) => /[\s\x85]/.test(unit);
  let from = 0;
  let to = text.length;
  if (sides.right) while (to > from && isIn(text.charAt(to - 1))) to--;
  if (sides.left) while (from < to && isIn(text.charAt(from))) from++;
  return text.slice(from, to);
}

/** A step of a path; at the beginning a key stands without its dot. Quoted keys with escapes are left to JMESPath. */
const STEP = /\[(-?\d+)\]|(?:^|(?!^)\.)(?:([A-Za-z_]\w*)|"([^"\\\p{Cc}]*)")/uy;

/**
 * The keys and indexes of a JMESPath expression that holds nothing else, as nearly every Ref: `rows[0]."odd key"`.
 * Undefined for all others.
 */
export function plainPath(expression: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < expression.length) {
    const step = STEP.exec(expression);
    if (step === null) return undefined;
    const [, index, key, quoted = ''] = step;
    steps.push(index === undefined ? (key ?? quoted) : Number(index));
  }
  return steps;
}
