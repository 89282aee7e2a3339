import type * as z from 'zod';
import { nearest } from '../core/nearest.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { pathText, valueAt } from './place.ts';
import type { Problem } from './problem.ts';
import { redact } from './secrets.ts';
import { keyHint, type Vocabulary } from './vocabulary.ts';

export interface ShapeWords {
  readonly vocabulary: Vocabulary;
  /** Keys that are known from other programs, with what to write instead. */
  readonly foreign: ReadonlyMap<string, string>;
  /** The value as the person wrote it, before environment variables were filled in: they may be secrets. */
  readonly written: unknown;
  readonly secrets?: readonly string[];
}

/** What zod found, in words for the person who wrote the file. */
export function shapeProblems(error: z.ZodError, words: ShapeWords): Problem[] {
  const problems = error.issues.flatMap((issue) => toProblems(issue, words));
  // One wrong value can break several rules of one field, which all say the same sentence.
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
  // A list that is too short is a list: what it should be says enough.
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
  // Before it is cut short: half a secret would not be found again.
  const text = redact(stringifyJson(value) ?? String(value), secrets);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

/** Keys without a value (`model:` and nothing after it) count as absent. */
export function withoutEmptyKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutEmptyKeys(item));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutEmptyKeys(item)]])),
  );
}
