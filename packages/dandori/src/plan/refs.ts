import type { Json, JsonObject } from '../model/json.ts';
import { type Action, type Ref, type Task, writeText } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { plainPath } from './plain-path.ts';
import { LONGEST_EXPRESSION, queryProblem, TOO_LONG } from './query.ts';

/** A string split into literal texts and Refs. Two texts are never adjacent. */
export type Template = readonly (string | Ref)[];

type TemplateResult = { ok: true; template: Template } | { ok: false; message: string };

/** Most strings contain no Ref. This check saves parsing them. */
export function mayHoldRef(text: string): boolean {
  return text.includes('${');
}

/** Whether a string in the value may hold a Ref. Most arguments hold none and need not be filled. */
export function mayHoldRefs(value: Json): boolean {
  return someString(value, mayHoldRef);
}

/** Whether a string in the value passes the test. Cheaper than `eachString`, because it makes no paths. */
export function someString(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== 'number' && someString(item, test)) return true;
    return false;
  }
  for (const key in value) {
    const item = value[key] ?? null;
    if (typeof item !== 'number' && someString(item, test)) return true;
  }
  return false;
}

/**
 * Dollars directly before `{`: each pair stands for one dollar, and a remaining single one starts a Ref. So
 * `${` starts a Ref, `$${` is the text `${`, and `$$${` is a dollar and a Ref. Other dollars stand for
 * themselves.
 */
export function parseTemplate(text: string): TemplateResult {
  const parts: (string | Ref)[] = [];
  let literal = '';
  let position = 0;
  while (position < text.length) {
    const last = text.indexOf('${', position);
    if (last === -1) break;
    let first = last;
    while (first > position && text[first - 1] === '$') first--;
    const dollars = last - first + 1;
    literal += text.slice(position, first) + '$'.repeat(Math.floor(dollars / 2));
    if (dollars % 2 === 0) {
      literal += '{';
      position = last + 2;
      continue;
    }
    const end = closingBrace(text, last + 2);
    if (end === -1) return { ok: false, message: 'a Ref that begins with ${ is not closed with }' };
    const ref = parseRef(text.slice(last + 2, end));
    if (typeof ref === 'string') return { ok: false, message: ref };
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push(ref);
    position = end + 1;
  }
  literal += text.slice(position);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return { ok: true, template: parts };
}

/** The Ref, if it is the whole string. The value then keeps its type. */
export function wholeRef(template: Template): Ref | undefined {
  const first = template[0];
  return template.length === 1 && typeof first === 'object' ? first : undefined;
}

/** Writes a template for a plan. `parseTemplate` reads it back. */
export function writeTemplate(template: Template): string {
  const written = template.map((part, index) => {
    if (typeof part === 'object') return writeRef(part);
    return typeof template[index + 1] === 'object' ? writeText(`${part}{`).slice(0, -1) : writeText(part);
  });
  return written.join('');
}

/** Writes a Ref for a plan. */
export function writeRef({ task, path }: Ref): string {
  if (path === '' || path.startsWith('[')) return `\${${task}${path}}`;
  return path.startsWith('@ |') ? `\${${task}${path.slice(1)}}` : `\${${task}.${path}}`;
}

/** The end of the Ref. JMESPath itself has braces and three kinds of quotes. */
function closingBrace(text: string, from: number): number {
  let depth = 0;
  let quote: string | undefined;
  for (let index = from; index < text.length; index++) {
    const character = text[index];
    if (quote !== undefined) {
      if (character === '\\') index++;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'" || character === '`') quote = character;
    else if (character === '{') depth++;
    else if (character === '}') {
      if (depth === 0) return index;
      depth--;
    }
  }
  return -1;
}

/** The most characters of a Ref shown in a message. */
const LONGEST_SHOWN = 200;

function parseRef(content: string): Ref | string {
  const match = /^\s*([A-Za-z_][A-Za-z0-9_-]*)\s*([\s\S]*)$/.exec(content);
  const shown = `\${${clip(content, LONGEST_SHOWN)}}`;
  if (match === null) return `${shown} does not begin with a task's id`;
  const [, task = '', rest = ''] = match;
  const path = toExpression(rest.trim());
  if (path === undefined) return `${shown}: after the id comes .field, [index] or | expression`;
  const problem = expressionProblem(path);
  return problem === undefined ? { task, path } : `${shown}: ${problem}`;
}

function toExpression(rest: string): string | undefined {
  if (rest === '') return '';
  if (rest.startsWith('.')) return rest.slice(1);
  if (rest.startsWith('[')) return rest;
  if (rest.startsWith('|')) return `@ ${rest}`;
  return undefined;
}

/** Why this is not a JMESPath expression; undefined if it is. */
export function expressionProblem(expression: string): string | undefined {
  if (expression.length > LONGEST_EXPRESSION) return TOO_LONG;
  // The library takes 5 µs, even for a simple path.
  if (plainPath(expression) !== undefined) return undefined;
  if (/^\s*&/.test(expression)) return 'an expression that begins with & stands for no value';
  return queryProblem(expression);
}

/** The new id of a task, or its present one. */
type Rename = (task: string) => string;

/** Renames a task, and every reference in it to other renamed tasks. */
export function renamed(action: Action, id: string, rename: Rename): Task {
  // A task can't refer to itself: "t1" within the new t1 is the t1 of an earlier plan.
  const others: Rename = (task) => (task === action.id ? task : rename(task));
  return {
    ...action,
    id,
    args: renameIn(action.args, others) as JsonObject,
    ...(action.after !== undefined && { after: action.after.map(others) }),
    ...(action.step !== undefined && { step: others(action.step) }),
  };
}

/** The same object if there is no Ref in it. */
export function renameIn(value: Json, rename: Rename): Json {
  return mayHoldRefs(value) ? renameInParts(value, rename) : value;
}

function renameInParts(value: Json, rename: Rename): Json {
  if (typeof value === 'string') return mayHoldRef(value) ? renameInText(value, rename) : value;
  if (Array.isArray(value)) return value.map((item) => renameInParts(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameInParts(item, rename)]));
}

function renameInText(text: string, rename: Rename): string {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return text;
  return writeTemplate(
    parsed.template.map((part) => (typeof part === 'string' ? part : { ...part, task: rename(part.task) })),
  );
}
