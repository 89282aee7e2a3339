import {
  asObject,
  isObject,
  type Json,
  type JsonObject,
  parsedJson,
  stringifyJson,
} from '../../model/json.ts';
import type { Tool } from '../../model/tool.ts';
import type { Need } from './arguments.ts';
import { agreement, isSaid, isSoft, spaced, type Word, wordsOf } from './goal.ts';

/** A value in a tool's result, or one that its output schema promises. */
export interface Property {
  /** JMESPath: `city`, `tables[0].name`. */
  readonly path: string;
  readonly leaf: readonly Word[];
  /** Words of the whole path. */
  readonly words: readonly Word[];
  /** One of many values. Only the result shows which one is meant. */
  readonly isMany: boolean;
  readonly value: string | number | bigint | boolean;
  /** The texts of the same object, because an id is chosen by the name beside it. */
  readonly beside: readonly string[];
}

const DEEPEST = 6;
const MOST = 2_000;
/** Generic words that name something without saying what it is. */
const NAMING = new Set([
  'name',
  'id',
  'titl',
  'code',
  'key',
  'valu',
  'result',
  'item',
  'data',
  'row',
  'text',
]);

/** What a tool promises to return. Without an output schema, its name says it: `list_tables`. */
export function promisedBy({ outputSchema }: Tool, nameWords: readonly Word[]): Property[] {
  if (outputSchema === undefined) return propertiesIn([''], nameWords);
  return propertiesIn(sampleOf(plainSchema(outputSchema, outputSchema), outputSchema), nameWords);
}

/** The values in a result. If no field name describes a value, the name of the tool does. */
export function propertiesIn(result: Json, nameWords: readonly Word[]): Property[] {
  const found: Property[] = [];
  const walk = (value: Json, at: Omit<Property, 'value'>, depth: number): void => {
    if (depth > DEEPEST || found.length >= MOST || value === null) return;
    if (Array.isArray(value))
      for (const [index, item] of value.slice(0, 500).entries())
        walk(item, { ...at, path: `${at.path}[${index}]`, isMany: true, beside: [] }, depth + 1);
    else if (isObject(value)) {
      const beside = Object.values(value).filter((item) => typeof item === 'string');
      for (const [key, item] of Object.entries(value)) {
        const leaf = wordsOf(spaced(key), 8);
        const step = /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : stringifyJson(key);
        const path = at.path === '' ? step : `${at.path}.${step}`;
        walk(item, { ...at, path, leaf, words: [...at.words, ...leaf], beside }, depth + 1);
      }
    } else {
      const isUntold = at.words.every(({ stem }) => NAMING.has(stem));
      found.push({ ...at, words: isUntold ? [...nameWords, ...at.words] : at.words, value });
    }
  };
  walk(readable(result), { path: '', leaf: [], words: [], isMany: false, beside: [] }, 0);
  return found;
}

/** Tools without structured output send JSON as text, or plain text in which each word may be a name. */
function readable(result: Json): Json {
  if (typeof result !== 'string') return result;
  return jsonIn(result) ?? [...new Set(result.slice(0, 20_000).match(/[\p{L}_][\p{L}\p{N}_-]*/gu))];
}

/** The object or list in a text, if it is JSON. */
export function jsonIn(text: string): Json | undefined {
  return /^\s*[[{]/.test(text) && text.length <= 1_000_000 ? parsedJson(text) : undefined;
}

/** The properties that fit a parameter best. */
export function fitting(properties: readonly Property[], need: Need): Property[] {
  const scores = properties.map((property) => fit(property, need));
  const best = Math.max(0, ...scores);
  return properties.filter((_, index) => best > 0 && scores[index] === best);
}

/** 0 if it does not fit. `table` fits `tables[0].name` but not `tables[0].size`. */
function fit({ value, words, leaf, isMany }: Property, { card, parameter }: Need): number {
  const type = typeOfSchema(parameter.schema).replace('integer', 'number');
  if (type !== '' && type !== (typeof value === 'bigint' ? 'number' : typeof value)) return 0;
  const isTold = (word: Word) => isSaid(word, words);
  const wanted = parameter.words.filter(({ stem }) => !NAMING.has(stem));
  // `get_user(id)` takes `users[0].id`: if the parameter's name is too general, the tool's own words must
  // match.
  const isMeant =
    wanted.length > 0 ? wanted.every(isTold) : card.nameWords.some((word) => !isSoft(word) && isTold(word));
  if (!isMeant) return 0;
  if (leaf.length > 0 && leaf.every((word) => isSaid(word, parameter.words))) return isMany ? 2 : 3;
  return wanted.length > 0 && leaf.every(({ stem }) => NAMING.has(stem)) ? 1 : 0;
}

/** The properties that match the goal best: `products` for 商品. Empty if the goal mentions none. */
export function mostAlike(properties: readonly Property[], words: readonly Word[]): Property[] {
  const scores = properties.map(({ value, beside }) => {
    const texts = [...new Set([String(value), ...beside])];
    return texts.reduce((sum, text) => sum + likeness(wordsOf(spaced(text), 12), words), 0);
  });
  const best = Math.max(0, ...scores);
  return properties.filter((_, index) => best > 0 && (scores[index] ?? 0) > best - 0.01);
}

/**
 * `products` is closer to "products" than `product_prices` is: words that are not in the goal count against
 * it.
 */
function likeness(own: readonly Word[], words: readonly Word[]): number {
  const best = own.map((word) => Math.max(0, ...words.map((other) => agreement(word, other))));
  const said = best.filter((score) => score > 0).length;
  return best.reduce((sum, score) => sum + score, 0) * (0.5 + (0.5 * said) / Math.max(1, own.length));
}

/**
 * A schema with local `$ref`s followed and without the null of an optional value. Empty if it is not a
 * schema.
 */
export function plainSchema(schema: Json | undefined, root: JsonObject): JsonObject {
  const own = asObject(schema);
  const target = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String(own.$ref))?.[1] ?? '';
  const followed = {
    ...asObject({ ...asObject(root.definitions), ...asObject(root.$defs) }[target]),
    ...own,
  };
  const choices: Json[] | undefined = [followed.anyOf, followed.oneOf].find(Array.isArray);
  return { ...followed, ...asObject(choices?.find((one) => isObject(one) && one.type !== 'null')) };
}

/** The first type other than null. Empty if the schema has none. */
export function typeOfSchema({ type, properties, items }: JsonObject): string {
  const first = Array.isArray(type) ? type.find((item) => item !== 'null') : type;
  if (typeof first === 'string') return first;
  return properties !== undefined ? 'object' : items !== undefined ? 'array' : '';
}

export function propertiesOfSchema(schema: JsonObject, root: JsonObject): [string, JsonObject][] {
  const properties = Object.entries(asObject(schema.properties)).slice(0, 100);
  return properties.map(([name, property]) => [name, plainSchema(property, root)]);
}

/**
 * A sample value of the schema, to be read like a result. `room` limits it, because schemas may be recursive.
 */
function sampleOf(schema: JsonObject, root: JsonObject, room = { left: 300 }): Json {
  const type = typeOfSchema(schema);
  if (room.left-- <= 0) return null;
  if (type === 'array') return [sampleOf(plainSchema(schema.items, root), root, room)];
  if (type !== 'object') return type === 'number' || type === 'integer' ? 0 : type === 'boolean' ? false : '';
  return Object.fromEntries(
    propertiesOfSchema(schema, root).map(([name, own]) => [name, sampleOf(own, root, room)]),
  );
}

/** Schemas may be invalid: anything that is not an object counts as an empty schema. */
