import * as z from 'zod';
import { stringifyJson, valueAt } from '../model/json.ts';
import { redact } from '../model/redact.ts';
import { clip, nearest, oneOf } from '../model/text.ts';
import { type Path, pathText } from './place.ts';
import type { Problem } from './problem.ts';

interface ShapeWords {
  readonly vocabulary: Vocabulary;
  /** Keys known from other programs, with the right key. */
  readonly foreign: ReadonlyMap<string, string>;
  /** The value as written, before environment variables are filled in, because those may be secrets. */
  readonly written: unknown;
  readonly secrets?: readonly string[];
}

/** Turns zod issues into messages for the author of the file. */
export function shapeProblems(error: z.ZodError, words: ShapeWords): Problem[] {
  const problems = error.issues.flatMap((issue) => toProblems(issue, words));
  // One wrong value can break several rules of a field, which all have the same message.
  const unique = new Map(
    problems.map((problem) => [`${pathText(problem.path)} ${problem.message}`, problem]),
  );
  return [...unique.values()];
}

function toProblems(issue: z.core.$ZodIssue, words: ShapeWords): Problem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      at: 'key',
      message: `unknown key ${stringifyJson(key)}${path.length === 0 ? '' : ` in ${pathText(path)}`}`,
      hint: keyHint(key, path, words),
    }));
  }
  if (issue.code === 'invalid_key') {
    const name = stringifyJson(String(path.at(-1) ?? ''));
    return [{ path, at: 'key', message: `${name} ${issue.issues[0]?.message ?? issue.message}` }];
  }
  const value = valueAt(words.written, path);
  const subject = path.length === 0 ? 'the file' : pathText(path);
  if (value === undefined) {
    return [{ path, at: 'key', message: `${subject} is missing`, hint: `it ${issue.message}` }];
  }
  const hint = valueHint(issue, value);
  // A list that is too short is still a list, so the expected value is enough.
  const isRightType = issue.code === 'too_small' && Array.isArray(value);
  const message = `${subject} ${issue.message}${isRightType ? '' : `, not ${describe(value, words.secrets)}`}`;
  return [{ path, at: 'value', message, ...(hint !== undefined && { hint }) }];
}

function valueHint(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const near = nearest(value, issue.values.map(String));
    return near === undefined ? undefined : `did you mean ${near}?`;
  }
  const wantsText = issue.code === 'invalid_type' && issue.expected === 'string';
  return wantsText && (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    ? 'put it in quotes'
    : undefined;
}

function describe(value: unknown, secrets: readonly string[] = []): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a group of keys';
  // Redacted before it is cut, because half a secret would not be recognized.
  const text = redact(stringifyJson(value) ?? String(value), secrets);
  return clip(text, 60);
}

/** Keys without a value (`model:` with nothing after it) count as absent. */
export function withoutEmptyKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutEmptyKeys(item));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutEmptyKeys(item)]])),
  );
}

/** All keys of a shape, by group. Names that the user chooses are `<name>`. */
type Vocabulary = ReadonlyMap<string, readonly string[]>;

const NAME = '<name>';

export function vocabularyOf(schema: z.ZodType): Vocabulary {
  const groups = new Map<string, string[]>();
  collect(schema, [], groups);
  return groups;
}

/** The most likely intended key for an unknown one. `foreign` contains keys of other programs. */
function keyHint(
  key: string,
  path: Path,
  { vocabulary, foreign }: { vocabulary: Vocabulary; foreign: ReadonlyMap<string, string> },
): string {
  const here = groupOf(path, vocabulary);
  const known = vocabulary.get(here) ?? [];
  const told = foreign.get(here === '' ? key : `${here}.${key}`) ?? foreign.get(`*.${key}`);
  if (told !== undefined) return told;
  const elsewhere = [...vocabulary].filter(([group, keys]) => group !== here && keys.includes(key));
  const near = nearest(key, known);
  // A key that is valid in exactly one other place is more likely misplaced than misspelt. `name` and
  // `enabled` are valid in many.
  if (elsewhere.length === 1 || (elsewhere.length > 0 && near === undefined)) {
    return `${key} belongs ${oneOf(elsewhere.slice(0, 3).map(([group]) => placeOf(group)))}`;
  }
  if (near !== undefined) return `did you mean "${near}"?`;
  const match = nearest(key, [...vocabulary.values()].flat());
  const home = [...vocabulary].find(([, keys]) => match !== undefined && keys.includes(match))?.[0];
  if (home !== undefined) return `did you mean "${match}", which belongs ${placeOf(home)}?`;
  return `known here: ${known.join(', ')}`;
}

function placeOf(group: string): string {
  return group === '' ? 'at the top' : `under ${group}`;
}

function collect(schema: z.ZodType, path: string[], groups: Map<string, string[]>): void {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) {
    groups.set(path.join('.'), Object.keys(inner.shape));
    for (const [key, child] of Object.entries(inner.shape))
      collect(child as z.ZodType, [...path, key], groups);
  } else if (inner instanceof z.ZodRecord) collect(inner.valueType as z.ZodType, [...path, NAME], groups);
  else if (inner instanceof z.ZodArray) collect(inner.element as z.ZodType, path, groups);
  else if (inner instanceof z.ZodUnion)
    for (const option of inner.options) collect(option as z.ZodType, path, groups);
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}

function groupOf(path: Path, vocabulary: Vocabulary): string {
  const keys = path.filter((part) => typeof part === 'string');
  const group = pathText(keys);
  if (vocabulary.has(group)) return group;
  return keys.length < 2 ? group : pathText([...keys.slice(0, -1), NAME]);
}
