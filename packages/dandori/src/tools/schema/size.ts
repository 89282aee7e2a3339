import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { pointed } from '../../plan/schema/view.ts';

/** ajv generates code for every part, at some hundred microseconds each. Real tools have a few dozen. */
const MOST_PARTS = 3_000;
/** With `unevaluatedProperties`, each part depends on all others. */
const MOST_UNEVALUATED = 400;
/** Values in lists, which cost only memory. So many characters of a name or a text count as one value. */
const MOST_VALUES = 20_000;
const CHARACTERS = 64;
/** Texts that ajv does not read. */
const PROSE = new Set(['description', 'title', '$comment']);
/** ajv resolves each address against those above it. */
const ADDRESSES = new Set(['$id', 'id', '$ref', '$dynamicRef', '$recursiveRef', '$anchor', '$dynamicAnchor']);
const LONGEST_ADDRESS = 2_000;
const DEEPEST = 100;
/** Parts that one value is checked against, with every `$ref` expanded. */
const MOST_EXPANDED = 20_000;

/**
 * Why a schema is not compiled; undefined if it can be. A few lines of `$defs` that refer to each other twice
 * expand to billions of parts. Generating code for a large schema blocks the process for seconds.
 */
export function sizeProblem(schema: JsonObject): string | undefined {
  const found = survey(schema);
  if (found === undefined) return 'it is too large or too deep to be checked';
  if (expanded(schema, found) > MOST_EXPANDED)
    return `its references stand for more than ${MOST_EXPANDED.toLocaleString('en')} parts, too many to be checked`;
  return undefined;
}

/** The names that a `$ref` may use, besides pointers. */
type Names = ReadonlyMap<string, JsonObject>;

function survey(schema: JsonObject): Names | undefined {
  const names = new Map<string, JsonObject>();
  let parts = 0;
  let values = 0;
  let most = MOST_PARTS;
  const walk = (value: Json, depth: number): boolean => {
    if (parts > most || values > MOST_VALUES || depth > DEEPEST) return false;
    if (Array.isArray(value)) return value.every((item) => isCounted() && walk(item, depth + 1));
    if (!isObject(value)) return true;
    for (const [key, item] of Object.entries(value)) {
      if ((key === 'enum' || key === 'examples' || key === 'required') && Array.isArray(item)) {
        values += countValues(item, MOST_VALUES - values, CHARACTERS);
        continue;
      }
      if (key === 'unevaluatedProperties' || key === 'unevaluatedItems') most = MOST_UNEVALUATED;
      values += Math.floor(key.length / CHARACTERS);
      if (typeof item === 'string') {
        if (ADDRESSES.has(key) && item.length > LONGEST_ADDRESS) return false;
        if (!PROSE.has(key)) values += Math.floor(item.length / CHARACTERS);
        name(key, item, value);
      }
      if (!isCounted() || !walk(item, depth + 1)) return false;
    }
    return true;
  };
  const isCounted = () => {
    parts += 1;
    return parts <= most;
  };
  const name = (key: string, text: string, value: JsonObject) => {
    if (key === '$anchor' || key === '$dynamicAnchor') names.set(`#${text}`, value);
    if (key === '$id') names.set(text, value);
  };
  return walk(schema, 0) && parts <= most && values <= MOST_VALUES ? names : undefined;
}

/** Counts the values within a value, and if asked, so many characters as a value each. Stops at `most`. */
export function countValues(value: Json, most: number, characters = Number.POSITIVE_INFINITY): number {
  let left = most;
  const walk = (one: Json): void => {
    left -= 1;
    if (typeof one === 'string') left -= Math.floor(one.length / characters);
    if (left < 0 || typeof one !== 'object' || one === null) return;
    if (Array.isArray(one)) {
      for (const item of one) {
        if (left < 0) return;
        walk(item);
      }
      return;
    }
    for (const key in one) {
      if (left < 0) return;
      left -= Math.floor(key.length / characters);
      walk(one[key] as Json);
    }
  };
  walk(value);
  return most - left;
}

/** Keywords whose content counts only if a `$ref` points to it. */
const DEFINITIONS = new Set(['$defs', 'definitions', 'enum', 'const', 'default', 'examples']);

function expanded(root: JsonObject, names: Names): number {
  const known = new Map<object, number>();
  const count = (value: Json): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    // The cost of a recursive schema depends on the value, and is counted during the check.
    known.set(value, 1);
    let sum = 1;
    for (const [key, item] of Object.entries(value)) {
      if (DEFINITIONS.has(key) && !Array.isArray(value)) continue;
      if ((key === '$ref' || key === '$dynamicRef') && typeof item === 'string')
        sum += count(names.get(item) ?? pointed(item, root) ?? null);
      else sum += count(item);
      if (sum > MOST_EXPANDED) break;
    }
    known.set(value, sum);
    return sum;
  };
  return count(root);
}
