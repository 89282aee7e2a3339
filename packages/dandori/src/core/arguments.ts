import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Json } from '../domain/json.ts';
import type { Mode } from '../domain/mode.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { eachString } from './inject.ts';
import { nearest } from './nearest.ts';
import { mayHoldRef, parseTemplate, wholeRef } from './reference.ts';
import type { SchemaCheck, SchemaIssue } from './schema.ts';

interface Checking {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly check: SchemaCheck;
  readonly mode: Mode;
  readonly known: ReadonlySet<string>;
  /** Every task that a Ref names is added here. */
  readonly needs: Set<string>;
}

/** A place in the arguments whose value is not known yet. Inside a longer text at least its type is. */
interface Hole {
  readonly path: (string | number)[];
  readonly whole: boolean;
}

/** Literal arguments are checked by the tool's schema; Refs are holes in it and are checked again when filled. */
export function checkArguments(task: Task, checking: Checking): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const holes: Hole[] = [];
  eachString(task.args, [], (text, path) => {
    diagnostics.push(...checkText(task.id, { text, path, holes }, checking));
  });
  const tool = checking.tools.get(task.operation);
  if (tool === undefined) return diagnostics;
  for (const issue of checking.check(tool.inputSchema, task.args)) {
    if (!isUnknownYet(issue, holes)) diagnostics.push(toDiagnostic(task, issue, tool));
  }
  return diagnostics;
}

function checkText(
  id: string,
  { text, path, holes }: { text: string; path: (string | number)[]; holes: Hole[] },
  { mode, known, needs }: Checking,
): Diagnostic[] {
  const at = { task: id, path: ['args', ...path] };
  if (mode === 'adaptive' && isPlaceholder(text)) {
    const message = `"${clip(text)}" is a placeholder, and in adaptive mode arguments hold real values`;
    return [
      {
        code: 'placeholder',
        ...at,
        message,
        hint: 'take the value from an earlier result, or call the tool that gives it first',
      },
    ];
  }
  if (!mayHoldRef(text)) return [];
  const parsed = parseTemplate(text);
  if (!parsed.ok) {
    const isForeign = /[^\x20-\x7e]/.test(text);
    const hint = isForeign
      ? 'put a key with other letters in quotes: ${t1."名前"}'
      : 'write $${ where ${ is meant as text';
    return [{ code: 'invalid-ref', ...at, message: parsed.message, hint }];
  }
  const diagnostics: Diagnostic[] = [];
  for (const part of parsed.template) {
    if (typeof part === 'string') continue;
    holes.push({ path, whole: wholeRef(parsed.template) !== undefined });
    if (part.task === id) {
      diagnostics.push({ code: 'self-reference', ...at, message: `"${id}" refers to its own result` });
    } else if (known.has(part.task)) needs.add(part.task);
    else diagnostics.push(dangling(part.task, at, known));
  }
  return diagnostics;
}

function dangling(
  target: string,
  at: { task: string; path: (string | number)[] },
  known: ReadonlySet<string>,
): Diagnostic {
  const suggestion = nearest(target, known);
  const hint =
    suggestion === undefined ? 'write $${ where ${ is meant as text' : `did you mean "${suggestion}"?`;
  return { code: 'dangling-ref', ...at, message: `it refers to "${target}", which is not in the plan`, hint };
}

/** `{{city}}` and `${t1.x}` alike: both would reach the tool as they are. */
function isPlaceholder(text: string): boolean {
  return /\{\{\s*[\w.-]+\s*\}\}/.test(text) || /(^|[^$])\$\{\s*[A-Za-z_]/.test(text);
}

/** Issues about a value that a Ref will fill, or about a choice that depends on it, cannot be judged before the run. */
function isUnknownYet({ path, keyword }: SchemaIssue, holes: readonly Hole[]): boolean {
  const choices = ['anyOf', 'oneOf', 'not', 'if', 'contains', 'uniqueItems', 'enum', 'const'];
  return holes.some((hole) => {
    if (startsWith(path, hole.path)) return hole.whole || keyword !== 'type';
    return choices.includes(keyword) && startsWith(hole.path, path);
  });
}

function startsWith(path: readonly (string | number)[], prefix: readonly (string | number)[]): boolean {
  return prefix.every((part, index) => String(path[index]) === String(part));
}

function toDiagnostic(task: Task, { path, message, keyword, property }: SchemaIssue, tool: Tool): Diagnostic {
  const properties = Object.keys((tool.inputSchema.properties as Record<string, Json> | undefined) ?? {});
  const suggestion =
    keyword === 'additionalProperties' && property !== undefined ? nearest(property, properties) : undefined;
  const hint =
    suggestion === undefined ? requiredHint(keyword, property, tool) : `did you mean "${suggestion}"?`;
  return {
    code: 'invalid-args',
    task: task.id,
    path: ['args', ...path],
    message: `${task.operation}: ${message}`,
    ...(hint !== undefined && { hint }),
  };
}

function requiredHint(keyword: string, property: string | undefined, tool: Tool): string | undefined {
  if (keyword !== 'required' || property === undefined) return undefined;
  const schema = (
    tool.inputSchema.properties as Record<string, { type?: Json; description?: Json }> | undefined
  )?.[property];
  const type = typeof schema?.type === 'string' ? ` (${schema.type})` : '';
  const description = typeof schema?.description === 'string' ? `: ${schema.description}` : '';
  return `give "${property}"${type}${description}`;
}

function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
