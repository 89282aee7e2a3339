import type { Json, JsonObject } from '../../domain/json.ts';
import type { Tool } from '../../domain/tool.ts';
import type { Parameter } from './parameter.ts';
import { isObject, plainSchema, propertiesOf, typeOf } from './schema.ts';
import { spaced, type Word, wordsOf } from './words.ts';

/** A value that a tool's result has, or will have by its output schema. */
export interface OutputProperty {
  /** JMESPath after the task's id: `.city`, `.tables[0].name`. */
  readonly path: string;
  readonly leaf: readonly Word[];
  /** Words of the whole path. */
  readonly words: readonly Word[];
  readonly type: string;
  /** One of many: which one is meant shows only in the result. */
  readonly isInArray: boolean;
}

export interface ResultValue extends OutputProperty {
  readonly value: string | number | boolean;
  /** The texts of the same object: an id is chosen by the name that stands beside it. */
  readonly beside: string;
}

const DEEPEST = 6;
const MOST = 2_000;

/** Words that only say that something is called so, and never what it is. */
const NAMING = new Set([
  'name',
  'id',
  'titl',
  'code',
  'key',
  'valu',
  'identifier',
  'result',
  'item',
  'data',
  'row',
  'text',
]);

/** What a tool promises to give. */
export function outputsOf({ outputSchema }: Tool): OutputProperty[] {
  const found: OutputProperty[] = [];
  const walk = (schema: JsonObject, at: Place): void => {
    if (at.depth > DEEPEST || found.length >= 200) return;
    const type = typeOf(schema);
    if (type === 'array') walk(plainSchema(schema.items, outputSchema ?? {}), into(at, '[0]', []));
    else if (type === 'object' || schema.properties !== undefined) {
      for (const [key, property] of propertiesOf(schema))
        walk(plainSchema(property, outputSchema ?? {}), field(at, key));
    } else if (at.path !== '') found.push({ ...at, type });
  };
  if (outputSchema !== undefined) walk(plainSchema(outputSchema, outputSchema), ROOT);
  return found;
}

/** What a result has. Where it has no field names, the tool's name says what it is: `list_tables` gives tables. */
export function valuesOf(result: Json, nameWords: readonly Word[]): ResultValue[] {
  const found: ResultValue[] = [];
  const walk = (value: Json, at: Place, beside: string): void => {
    if (at.depth > DEEPEST || found.length >= MOST) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.slice(0, 500).entries()) walk(item, into(at, `[${index}]`, []), '');
    } else if (isObject(value)) {
      const texts = Object.values(value).filter((item) => typeof item === 'string');
      for (const [key, item] of Object.entries(value))
        walk(item, field(at, key), texts.join(' ').slice(0, 200));
    } else if (value !== null) {
      const words = at.words.some(({ stem }) => !NAMING.has(stem)) ? at.words : [...nameWords, ...at.words];
      found.push({ ...at, words, type: typeof value, value, beside });
    }
  };
  walk(result, ROOT, '');
  return found;
}

/** How well an output fits a parameter, 0 where it does not. `table` fits `tables[0].name` but not `tables[0].size`. */
export function fit(parameter: Parameter, output: OutputProperty, context: readonly Word[]): number {
  if (!typesAgree(parameter, output.type)) return 0;
  const wanted = parameter.words.filter(({ stem }) => !NAMING.has(stem));
  if (wanted.length === 0) return fitByContext(parameter, output, context);
  if (!wanted.every((word) => output.words.some((other) => isSame(word, other)))) return 0;
  const isExact =
    output.leaf.length > 0 &&
    output.leaf.every((word) => parameter.words.some((other) => isSame(word, other)));
  if (isExact) return output.isInArray ? 0.9 : 1;
  return output.leaf.every(({ stem }) => NAMING.has(stem)) ? 0.8 : 0;
}

/** `get_user(id)` takes `users[0].id`: the parameter's name is too general, so the tool's own words must agree. */
function fitByContext(parameter: Parameter, output: OutputProperty, context: readonly Word[]): number {
  const isLeaf =
    parameter.words.length > 0 &&
    parameter.words.every((word) => output.leaf.some(({ stem }) => stem === word.stem));
  const nouns = context.filter(({ isSoft }) => !isSoft);
  return isLeaf && nouns.some((word) => output.words.some((other) => isSame(word, other))) ? 0.7 : 0;
}

function isSame(one: Word, other: Word): boolean {
  return one.stem === other.stem || (one.meaning !== undefined && one.meaning === other.meaning);
}

function typesAgree({ schema }: Parameter, type: string): boolean {
  const wanted = typeOf(schema);
  if (wanted === '' || type === '' || wanted === type) return true;
  return wanted === 'number' && type === 'integer' ? true : wanted === 'integer' && type === 'number';
}

interface Place {
  readonly path: string;
  readonly leaf: readonly Word[];
  readonly words: readonly Word[];
  readonly isInArray: boolean;
  readonly depth: number;
}

const ROOT: Place = { path: '', leaf: [], words: [], isInArray: false, depth: 0 };

function field(at: Place, key: string): Place {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : JSON.stringify(key);
  return into(at, `.${name}`, wordsOf(spaced(key), 8));
}

function into(at: Place, step: string, leaf: readonly Word[]): Place {
  const isIndex = step.startsWith('[');
  return {
    path: at.path + step,
    leaf: isIndex ? at.leaf : leaf,
    words: [...at.words, ...leaf],
    isInArray: at.isInArray || isIndex,
    depth: at.depth + 1,
  };
}
