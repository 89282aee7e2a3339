import { messageOf } from '../model/error.ts';
import { asText, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { type Ref, writeText } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { type Work, weigh } from '../model/work-budget.ts';
import { QUERY_WORK, query } from './query.ts';
import { mayHoldRef, mayHoldRefs, parseTemplate, type Template, wholeRef, writeRef } from './refs.ts';

/**
 * The most values that are filled into the arguments of one task. Some characters count as one value, so that a result
 * of 50 MB can be passed on once, and a text that each task doubles does not fill the memory.
 */
const MOST_FILLED = 32_000_000;
const CHARACTERS = 2;

interface InjectProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

export type FilledRefs = { ok: true; args: JsonObject } | { ok: false; problems: InjectProblem[] };

/**
 * Fills Refs with results. A string that is exactly one Ref takes the value with its type, including null.
 * Inside a longer string the value becomes text, and null is a problem. Arguments without Refs are returned
 * as the same object, so that the caller can tell that nothing was filled.
 */
export function fillRefs(
  args: JsonObject,
  resultOf: (task: string) => Json | undefined,
  work: Work = { left: QUERY_WORK },
): FilledRefs {
  const problems: InjectProblem[] = [];
  const filling = { resultOf, problems, work, room: { left: MOST_FILLED } };
  const filled = fill(args, [], filling) as JsonObject;
  return problems.length === 0 ? { ok: true, args: filled } : { ok: false, problems };
}

export interface FoundRef {
  readonly ref: Ref;
  /** Where in the value it stands. */
  readonly path: (string | number)[];
  /** It is the whole string. In a longer string, its value becomes text. */
  readonly whole: boolean;
}

/** All Refs in a value. The compiler reports broken Refs separately. */
export function refsIn(value: Json): FoundRef[] {
  const found: FoundRef[] = [];
  if (!mayHoldRefs(value)) return found;
  eachString(value, [], (text, path) => {
    if (!mayHoldRef(text)) return;
    const parsed = parseTemplate(text);
    if (!parsed.ok) return;
    const whole = wholeRef(parsed.template) !== undefined;
    for (const part of parsed.template) {
      if (typeof part === 'object') found.push({ ref: part, path, whole });
    }
  });
  return found;
}

/** Writes a value for a plan, so that filling it gives the same value again. */
export function escaped(value: Json): Json {
  if (typeof value === 'string') return writeText(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escaped(item)]));
}

export function eachString(
  value: Json,
  path: (string | number)[],
  visit: (text: string, path: (string | number)[]) => void,
): void {
  if (typeof value === 'string') visit(value, path);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) eachString(item, [...path, index], visit);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) eachString(item, [...path, key], visit);
  }
}

const PLACEHOLDER = /\{([^{}]+)\}/g;
const WHOLE_PLACEHOLDER = /^\{([^{}]+)\}$/;

/**
 * Fills `{name}` in the texts of a value. A placeholder that is the whole text keeps the type of its value.
 */
export function fillPlaceholders(value: Json, lookUp: (name: string) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, lookUp));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, fillPlaceholders(item, lookUp)]),
    );
  if (typeof value !== 'string') return value;
  const [, whole] = WHOLE_PLACEHOLDER.exec(value) ?? [];
  if (whole !== undefined) return lookUp(whole);
  return replacePlaceholders(value, (name) => asText(lookUp(name)));
}

export function replacePlaceholders(text: string, toText: (name: string) => string): string {
  return text.replaceAll(PLACEHOLDER, (_, name: string) => toText(name));
}

interface Filling {
  readonly resultOf: (task: string) => Json | undefined;
  readonly problems: InjectProblem[];
  /**
   * The limits that all expressions of the arguments share: their cost, and the size of what they fill in.
   */
  readonly work: Work;
  readonly room: Work;
}

/** The most places reported. If thousands of Refs find nothing, the first ones are enough. */
const MOST_PROBLEMS = 20;

function fill(value: Json, path: (string | number)[], filling: Filling): Json {
  if (typeof value === 'string') return mayHoldRef(value) ? fillText(value, path, filling) : value;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => fill(item, [...path, index], filling));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => [key, fill(item, [...path, key], filling)] as const,
    );
    return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
  }
  return value;
}

function fillText(text: string, path: (string | number)[], filling: Filling): Json {
  const parsed = parseTemplate(text);
  if (!parsed.ok) {
    filling.problems.push({ path, message: parsed.message });
    return text;
  }
  const whole = wholeRef(parsed.template);
  return whole === undefined
    ? joined(parsed.template, path, filling)
    : (resolved(whole, path, filling) ?? null);
}

function joined(template: Template, path: (string | number)[], filling: Filling): string {
  return template.map((part) => (typeof part === 'string' ? part : textIn(part, path, filling))).join('');
}

function textIn(ref: Ref, path: (string | number)[], filling: Filling): string {
  const value = resolved(ref, path, filling);
  if (value === null) {
    filling.problems.push({
      path,
      message: `${writeRef(ref)} is null, which can't be part of a longer text`,
    });
  }
  return typeof value === 'string' ? value : (stringifyJson(value) ?? '');
}

/** Undefined if there is a problem. */
function resolved(ref: Ref, path: (string | number)[], filling: Filling): Json | undefined {
  if (filling.problems.length >= MOST_PROBLEMS) return undefined;
  const result = filling.resultOf(ref.task);
  const written = writeRef(ref);
  if (result === undefined) {
    filling.problems.push({ path, message: `${written}: ${ref.task} has no result` });
    return undefined;
  }
  try {
    const value = ref.path === '' ? result : query(result, ref.path, filling.work);
    if (value !== undefined) {
      weigh(value, filling.room, () => 'together with the other Refs it becomes too large', CHARACTERS);
      return value;
    }
    filling.problems.push({
      path,
      message: `${written} found nothing in the result of ${ref.task}: ${headOf(result, 200)}`,
    });
  } catch (error) {
    filling.problems.push({
      path,
      message: `${written}: ${messageOf(error)}`,
    });
  }
  return undefined;
}

/** The beginning of a value as JSON, without serialising all of a large value. */
export function headOf(value: Json, length: number): string {
  let text = '';
  const write = (one: Json): void => {
    if (text.length > length) return;
    if (typeof one === 'string') text += stringifyJson(one.slice(0, length + 1));
    else if (typeof one !== 'object' || one === null) text += stringifyJson(one);
    else if (Array.isArray(one)) {
      text += '[';
      for (const [index, item] of one.entries()) {
        if (text.length > length) break;
        if (index > 0) text += ',';
        write(item);
      }
      text += ']';
    } else {
      text += '{';
      let isFirst = true;
      for (const key in one) {
        if (text.length > length) break;
        if (!isFirst) text += ',';
        isFirst = false;
        text += `${stringifyJson(key)}:`;
        write(one[key] as Json);
      }
      text += '}';
    }
  };
  write(value);
  return clip(text, length);
}
