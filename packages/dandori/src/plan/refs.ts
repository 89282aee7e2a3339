import type { Json, JsonObject } from '../model/json.ts';
import type { Action, Ref, Task } from '../model/task.ts';
import { writeText } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { LONGEST_EXPRESSION, plainPath, queryProblem, TOO_LONG } from './query.ts';

/** A string cut into literal text and Refs, no two texts side by side. */
export type Template = readonly (string | Ref)[];

type TemplateResult = { ok: true; template: Template } | { ok: false; message: string };

/** Most strings hold no Ref at all; this spares them the parse. */
export function mayHoldRef(text: string): boolean {
  return text.includes('${');
}

/**
 * Of dollars right before `{` each two stand for one, and one that is left over begins a Ref: `${` is a Ref, `$${` the
 * text `${`, `$$${` a dollar and a Ref. All other dollars are themselves.
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

/** The Ref where the whole string is one, so that the value's type is kept. */
export function wholeRef(template: Template): Ref | undefined {
  const first = template[0];
  return template.length === 1 && typeof first === 'object' ? first : undefined;
}

/** A template as it is written in a plan; `parseTemplate` gives it back. */
export function writeTemplate(template: Template): string {
  const written = template.map((part, index) => {
    if (typeof part === 'object') return writeRef(part);
    return typeof template[index + 1] === 'object' ? writeText(`${part}{`).slice(0, -1) : writeText(part);
  });
  return written.join('');
}

/** A Ref as it is written in a plan. */
export function writeRef({ task, path }: Ref): string {
  if (path === '' || path.startsWith('[')) return `\${${task}${path}}`;
  return path.startsWith('@ |') ? `\${${task}${path.slice(1)}}` : `\${${task}.${path}}`;
}

/** Where the Ref ends. JMESPath has braces and three kinds of quotes of its own. */
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

/** Of a Ref, in what is said of it. */
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

/** Why this is no JMESPath expression; undefined where it is one. */
export function expressionProblem(expression: string): string | undefined {
  if (expression.length > LONGEST_EXPRESSION) return TOO_LONG;
  // The library takes 5 µs for what can be seen at a glance.
  if (plainPath(expression) !== undefined) return undefined;
  if (/^\s*&/.test(expression)) return 'an expression that begins with & stands for no value';
  return queryProblem(expression);
}

/** The new id of a task, or the one that it has. */
type Rename = (task: string) => string;

/** A task under this id, with everything in it that names others following them. */
export function renamed(action: Action, id: string, rename: Rename): Task {
  // No task can mean itself: "t1" within the new t1 is the t1 of an earlier plan.
  const others: Rename = (task) => (task === action.id ? task : rename(task));
  return {
    ...action,
    id,
    args: renameIn(action.args, others) as JsonObject,
    ...(action.after !== undefined && { after: action.after.map(others) }),
    ...(action.step !== undefined && { step: others(action.step) }),
  };
}

export function renameIn(value: Json, rename: Rename): Json {
  if (typeof value === 'string') return mayHoldRef(value) ? renameInText(value, rename) : value;
  if (Array.isArray(value)) return value.map((item) => renameIn(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameIn(item, rename)]));
}

function renameInText(text: string, rename: Rename): string {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return text;
  return writeTemplate(
    parsed.template.map((part) => (typeof part === 'string' ? part : { ...part, task: rename(part.task) })),
  );
}
