import { createRequire } from 'node:module';
import type { BigNumber, ConfigOptions, MathNode } from 'mathjs';
import { SaidError } from '../said.ts';

type Library = typeof import('mathjs');

/** An integer in the range of a double has at most 309 digits, so none is rounded. */
const PRECISION = 320;
/** More digits than this can only be the tail of a rounded division or root. */
const EXACT_DIGITS = 310;
const ROUNDED_DIGITS = 32;
const MAX_NODES = 300;
const MAX_EXPONENT = 3000;
const MAX_REPETITIONS = 1000;
const TIME_LIMIT_MS = 1000;

const OPERATORS = new Set('add subtract multiply divide pow mod unaryMinus unaryPlus factorial'.split(' '));
const FUNCTIONS = new Set(
  (
    'abs acos acosh add asin asinh atan atan2 atanh cbrt ceil combinations cos cosh divide exp factorial fix floor ' +
    'gcd hypot lcm ln log log10 log2 max mean median min mod multiply nthRoot permutations pow round sign sin sinh ' +
    'sqrt std subtract sum tan tanh variance'
  ).split(' '),
);
/** decimal.js needs as many digits of pi as the argument has, and has about a thousand. */
const PERIODIC = new Set(['sin', 'cos', 'tan']);
const CONSTANTS = new Set(['pi', 'e', 'tau', 'phi']);

class RefusedExpression extends SaidError {}

const require = createRequire(import.meta.url);
// The one-file build loads ten times faster than the package entry with its thousand modules.
const LIBRARY_FILE = require.resolve('mathjs/lib/browser/math.js');
let loaded: Library | undefined;

export function evaluate(expression: string): { result: number; text: string } {
  loaded ??= load();
  try {
    const tree = parse(loaded, expression);
    const text = digits(new Evaluation(loaded, expression).value(tree));
    const result = Number(text);
    if (!Number.isFinite(result)) {
      throw new RefusedExpression({
        en: `The result, about ${shortened(text)}, is too large for a number.`,
        ja: `計算結果（約 ${shortened(text)}）が大きすぎます。`,
      });
    }
    return { result, text };
  } catch (error) {
    if (error instanceof RefusedExpression) throw error;
    // decimal.js keeps a broken precision setting after it throws, and every later answer would be wrong.
    loaded = undefined;
    delete require.cache[LIBRARY_FILE];
    const reason = error instanceof Error ? error.message : String(error);
    throw new SaidError({
      en: `"${expression}" cannot be calculated: ${reason}. Use smaller numbers or a simpler expression.`,
      ja: `「${expression}」を計算できません：${reason}。数を小さくするか、式を簡単にしてください。`,
    });
  }
}

function load(): Library {
  // The one-file build holds all functions already: unlike the package entry, its create() takes only a configuration.
  const { create } = require(LIBRARY_FILE) as { create: (config: ConfigOptions) => Library };
  return create({ number: 'BigNumber', precision: PRECISION });
}

function parse(math: Library, expression: string): MathNode {
  try {
    return math.parse(expression);
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
    throw new RefusedExpression({
      en: `"${expression}" is not a valid expression: ${reason}. Check brackets and operators.`,
      ja: `「${expression}」は正しい計算式ではありません（${reason}）。括弧と演算子を確認してください。`,
    });
  }
}

/** Walks the syntax tree itself, so that only the listed arithmetic can run. */
class Evaluation {
  readonly #math: Library;
  readonly #expression: string;
  readonly #deadline = performance.now() + TIME_LIMIT_MS;
  #nodes = 0;

  constructor(math: Library, expression: string) {
    this.#math = math;
    this.#expression = expression;
  }

  value(node: MathNode): BigNumber {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || performance.now() > this.#deadline) {
      throw new RefusedExpression({
        en: 'The expression takes too long to calculate. Split it into smaller parts.',
        ja: '計算に時間がかかりすぎます。式を分けてください。',
      });
    }
    const math = this.#math;
    if (math.isParenthesisNode(node)) return this.value(node.content);
    if (math.isConstantNode(node)) {
      // The parser writes 8% as 8 / 100 with a plain number for the 100.
      const value: unknown = node.value;
      return this.#checked(typeof value === 'number' ? math.bignumber(value) : value);
    }
    if (math.isSymbolNode(node) && CONSTANTS.has(node.name)) return this.#checked(math.evaluate(node.name));
    if (math.isSymbolNode(node)) {
      throw new RefusedExpression({
        en: `"${node.name}" is unknown. Write numbers instead of names; known names: ${[...CONSTANTS].join(', ')}.`,
        ja: `「${node.name}」は使えません。名前の代わりに数値を書いてください。使える名前：${[...CONSTANTS].join(', ')}。`,
      });
    }
    if (math.isOperatorNode(node)) {
      const name: string = node.fn;
      if (OPERATORS.has(name))
        return this.#apply(
          name,
          node.args.map((part) => this.value(part)),
        );
      throw new RefusedExpression({
        en: `The operator "${node.op}" is not supported. Use + - * / ^ % mod !.`,
        ja: `演算子「${node.op}」は使えません。使える演算子：+ - * / ^ % mod !`,
      });
    }
    if (math.isFunctionNode(node) && math.isSymbolNode(node.fn)) {
      const name = node.fn.name;
      if (FUNCTIONS.has(name))
        return this.#apply(
          name,
          node.args.map((part) => this.value(part)),
        );
      throw new RefusedExpression({
        en: `The function "${name}" is not supported. Use one of: ${[...FUNCTIONS].join(', ')}.`,
        ja: `関数「${name}」は使えません。使える関数：${[...FUNCTIONS].join(', ')}。`,
      });
    }
    throw new RefusedExpression({
      en:
        `"${this.#expression}" holds something other than arithmetic. Assignments, lists, texts, units and function ` +
        'definitions are not supported.',
      ja: `「${this.#expression}」に計算式以外のものがあります。代入・配列・文字列・単位・関数定義は使えません。`,
    });
  }

  #apply(name: string, operands: BigNumber[]): BigNumber {
    refuseCostly(name, operands);
    const operation: unknown = Reflect.get(this.#math, name === 'ln' ? 'log' : name);
    if (typeof operation !== 'function')
      throw new RefusedExpression({
        en: `The function "${name}" is not supported.`,
        ja: `関数「${name}」は使えません。`,
      });
    let result: unknown;
    try {
      result = operation(...operands);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!/argument|expected|integer|must be/i.test(reason)) throw error;
      throw new RefusedExpression({
        en: `"${name}" cannot be calculated with these numbers: ${reason}.`,
        ja: `この数値では「${name}」を計算できません：${reason}。`,
      });
    }
    return this.#checked(result);
  }

  #checked(value: unknown): BigNumber {
    if (!this.#math.isBigNumber(value) || value.isNaN()) {
      throw new RefusedExpression({
        en: `"${this.#expression}" has no real number as its result.`,
        ja: `「${this.#expression}」の結果は実数になりません。`,
      });
    }
    if (!value.isFinite() || Math.abs(value.e) > MAX_EXPONENT) {
      throw new RefusedExpression({
        en: `A number in "${this.#expression}" is too large or too small to calculate with.`,
        ja: `「${this.#expression}」に、大きすぎるか小さすぎる数があります。`,
      });
    }
    return value;
  }
}

function refuseCostly(name: string, operands: BigNumber[]): void {
  const [first, second] = operands;
  if ((name === 'divide' || name === 'mod') && second?.isZero()) {
    throw new RefusedExpression({
      en: 'Division by zero. Change the divisor.',
      ja: '0 で割ることはできません。割る数を変えてください。',
    });
  }
  if (PERIODIC.has(name) && first && Math.abs(first.e) > 300) {
    throw new RefusedExpression({
      en: `The number given to ${name} is too large or too small. Use a smaller one.`,
      ja: `${name} の数が大きすぎるか小さすぎます。`,
    });
  }
  if (repetitions(name, first, second) > MAX_REPETITIONS) {
    throw new RefusedExpression({
      en: `The numbers given to ${name} are too large. The limit is ${MAX_REPETITIONS}.`,
      ja: `${name} の数が大きすぎます。上限は ${MAX_REPETITIONS} です。`,
    });
  }
}

function repetitions(name: string, first: BigNumber | undefined, second: BigNumber | undefined): number {
  if (!first) return 0;
  if (name === 'factorial' || name === 'permutations' || name === 'combinations') return first.toNumber();
  if (name === 'nthRoot' && second) return second.abs().toNumber();
  return 0;
}

function digits(value: BigNumber): string {
  if (value.isZero()) return '0';
  const isExact = value.precision() <= EXACT_DIGITS;
  const shown = isExact ? value : value.toSignificantDigits(ROUNDED_DIGITS);
  return shown.e < (isExact ? EXACT_DIGITS : ROUNDED_DIGITS) && shown.e > -10
    ? shown.toFixed()
    : shown.toExponential();
}

function shortened(text: string): string {
  const [mantissa = '', exponent] = text.split('e');
  return exponent ? `${mantissa.slice(0, 8)}e${exponent}` : `${text.slice(0, 8)}…`;
}
