import { type JSONValue, search } from '@jmespath-community/jmespath';
import type { Json } from '../domain/json.ts';
import { isNormal, normalise, parseJson, roundedIn, stringifyJson } from '../domain/json-text.ts';
import { plainPath } from './plain-path.ts';
import { BASE, hugeIn, type StandIns, standIns, withoutStandIns, withStandIns } from './stand-in.ts';

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/**
 * JMESPath into a value; undefined where nothing is found. Throws what the expression itself makes go wrong.
 * JMESPath does not tell a null that is there from nothing, so keys and indexes are followed here. Of any other
 * expression null means nothing.
 */
export function query(value: Json, expression: string): Json | undefined {
  const steps = plainPath(expression);
  if (steps !== undefined) return walk(value, steps);
  const found = searchExactly(mayNameInherited(expression) ? bare(value) : value, expression);
  if (found === undefined || found === null) return undefined;
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
/** Far from those of the first try. */
const OTHER_BASE = 2 ** 200;

/**
 * The library knows no bigint. Those that are only passed on come through as they are, and its functions refuse them. Only
 * comparisons would quietly come to nothing, and literals would be rounded: for these, numbers stand in for them. What
 * is the same with other numbers is what the integers themselves would give.
 */
function searchExactly(value: Json, expression: string): Json | undefined {
  const found = COMPARES.test(expression) ? hugeIn([value, literalsIn(expression)]) : new Set<never>();
  if (found.size === 0) return search(value as JSONValue, expression) as Json | undefined;
  const [one, other] = [BASE, OTHER_BASE].map((base) => {
    const numbers = standIns(found, undefined, base);
    const written = expression.replaceAll(PARTS, (part) =>
      part.startsWith('`') ? literal(part, numbers) : part,
    );
    const result = search(withStandIns(value, numbers) as JSONValue, written) as Json | undefined;
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

function walk(value: Json, steps: readonly (string | number)[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of steps) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here.at(step) : undefined;
    else if (typeof here !== 'object' || here === null || typeof step === 'number') return undefined;
    else here = Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}

/** The library reads fields without asking whether they are own: `constructor` would give a function, not nothing. */
function mayNameInherited(expression: string): boolean {
  return INHERITED.some((name) => expression.includes(name));
}

function bare(value: Json): Json {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const copy: { [key: string]: Json } = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = bare(item);
  return copy;
}
