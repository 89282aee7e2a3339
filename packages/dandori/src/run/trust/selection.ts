import { isObject, type Json } from '../../model/json.ts';
import type { Ref } from '../../model/task.ts';

/** Functions of JMESPath that choose among values and make no new ones. */
const CHOOSING = new Set([
  'sort',
  'sort_by',
  'max',
  'max_by',
  'min',
  'min_by',
  'reverse',
  'values',
  'not_null',
  'map',
  'to_array',
]);
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g;

const PLAIN_PATH = /^[A-Za-z_][\w.]*$/;

/** Whether the expression only selects values of the result, so that nothing is put together from parts. */
export function selects({ path }: Pick<Ref, 'path'>): boolean {
  if (PLAIN_PATH.test(path)) return true;
  const bare = withoutTexts(path);
  const functions = [...outsideFilters(bare).matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name = '']) => name);
  return functions.every((name) => CHOOSING.has(name)) && !isArithmetic(bare);
}

/** Without literals, quoted names and wildcards, whose signs mean nothing else. */
function withoutTexts(path: string): string {
  return path.replaceAll(QUOTED, '""').replaceAll(/\[\*\]|\.\*/g, '');
}

function isArithmetic(bare: string): boolean {
  return /[+*/%×÷−]|(?<![\w\]])-/.test(bare);
}

/**
 * Whether the expression can only give a number. It may aim a call as a field may: a stranger who controls the fields
 * could choose the number with a field, too.
 */
export function computesNumber({ path }: Pick<Ref, 'path'>): boolean {
  const bare = withoutTexts(path).trim();
  return /^(?:sum|avg|abs|ceil|floor|length|to_number)\s*\(/.test(bare) || isArithmetic(bare);
}

/** What stands in `[?…]` decides which value is selected. It is no part of the value. */
function outsideFilters(bare: string): string {
  let left = '';
  let depth = 0;
  for (let at = 0; at < bare.length; at++) {
    if (bare[at] === '[' && (depth > 0 || bare[at + 1] === '?')) depth++;
    if (depth === 0) left += bare[at];
    if (bare[at] === ']' && depth > 0) depth--;
  }
  return left;
}

/** A field of this length is prose. It names nothing that a call could be aimed at. */
const LONGEST_AIM = 500;

export function isLongText(value: Json): boolean {
  if (typeof value === 'string') return value.length > LONGEST_AIM || /\n\s*\S/.test(value);
  if (Array.isArray(value)) return value.some(isLongText);
  return isObject(value) && Object.values(value).some(isLongText);
}
