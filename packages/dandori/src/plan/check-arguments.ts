import { isObject, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import type { Diagnostic } from '../model/plan.ts';
import { looksRedacted, REDACTED } from '../model/redact.ts';
import type { Mode } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import { clip, nearest } from '../model/text.ts';
import type { SchemaCheck, SchemaIssue, Tool } from '../model/tool.ts';
import { eachString, type FoundRef } from './fill-refs.ts';
import type { Need } from './graph.ts';
import type { KnownTasks } from './known-tasks.ts';
import { mayHoldRef, parseTemplate, someString, wholeRef, writeRef } from './refs.ts';
import { clash } from './schema/fit.ts';
import { pathTarget } from './schema/path.ts';
import { alternatives, itemAt, promisesAny, propertiesOf, type SchemaView, viewOf } from './schema/view.ts';

interface Checking {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly check: SchemaCheck;
  readonly mode: Mode;
  /** Every task that may be referred to, with its operation. */
  readonly operations: KnownTasks;
  readonly warnings: Diagnostic[];
}

/** The most mistakes reported for one task. For each, the name that was meant may have to be searched. */
const MOST = 50;

/** A Ref in the arguments. Its value is known only in the run. */
type Hole = FoundRef;

/**
 * Checks literal arguments against the tool's schema. Refs are holes, which are checked again when they are
 * filled.
 */
export function checkArguments(task: Task, checking: Checking, needs: Map<string, Need>): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const holes: Hole[] = [];
  if (someString(task.args, mayHoldPlaceholder))
    eachString(task.args, [], (text, path) => {
      if (diagnostics.length < MOST && mayHoldPlaceholder(text))
        diagnostics.push(...checkText(task.id, { text, path, holes, needs }, checking));
    });
  const tool = checking.tools.get(task.operation);
  if (tool === undefined) return diagnostics;
  const issues = checking.check(tool.inputSchema, task.args);
  if (issues.length > 0) {
    const unknown = byPlace(holes);
    for (const issue of issues) {
      if (diagnostics.length >= MOST) break;
      if (!isUnknownYet(issue, unknown)) diagnostics.push(toDiagnostic(task, issue, tool));
    }
  }
  for (const hole of holes)
    diagnostics.push(...checkHole(task, hole, { checking, wanted: tool.inputSchema }));
  return diagnostics;
}

/** Most texts hold neither a Ref nor a placeholder. This check saves a closer look at them. */
function mayHoldPlaceholder(text: string): boolean {
  return text.includes('{');
}

/** `[secret]`, copied by a model or a user. It is shown instead of a secret and is not a value. */
export function copiedSecrets({ id, args }: Task): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (!someString(args, looksRedacted)) return found;
  eachString(args, [], (text, path) => {
    if (found.length < MOST && looksRedacted(text))
      found.push({
        code: 'placeholder',
        task: id,
        path: ['args', ...path],
        message: `"${REDACTED}" only stands for a secret and is not a value`,
        hint: 'use a Ref to the result that has the value, or write the value in a plan file',
      });
  });
  return found;
}

interface Found {
  readonly text: string;
  readonly path: (string | number)[];
  readonly holes: Hole[];
  /** Collects every task that a Ref names. */
  readonly needs: Map<string, Need>;
}

function checkText(
  id: string,
  { text, path, holes, needs }: Found,
  { mode, operations }: Checking,
): Diagnostic[] {
  const at = { task: id, path: ['args', ...path] };
  if (mode === 'adaptive' && isPlaceholder(text)) {
    const message = `"${clip(text, 60)}" is a placeholder; in adaptive mode arguments need real values`;
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
    holes.push({ path, ref: part, whole: wholeRef(parsed.template) !== undefined });
    // Also if there is no such task: otherwise an `after` with the same name would be reported again.
    if (part.task !== id) needs.set(part.task, { why: 'ref', path, ref: part });
    if (part.task === id) {
      diagnostics.push({ code: 'self-reference', ...at, message: `"${id}" refers to its own result` });
    } else if (!operations.has(part.task)) diagnostics.push(dangling(part.task, at, operations));
  }
  return diagnostics;
}

function dangling(
  target: string,
  at: { task: string; path: (string | number)[] },
  operations: KnownTasks,
): Diagnostic {
  const suggestion = nearest(target, operations.keys());
  const hint =
    suggestion === undefined ? 'write $${ where ${ is meant as text' : `did you mean "${suggestion}"?`;
  return { code: 'dangling-ref', ...at, message: `it refers to "${target}", which is not in the plan`, hint };
}

/** If the referenced tool has an output schema: whether the field exists, and whether its type can fit. */
function checkHole(
  task: Task,
  { path, ref, whole }: Hole,
  { checking, wanted: inputs }: { checking: Checking; wanted: JsonObject },
): Diagnostic[] {
  const operation = checking.operations.get(ref.task) ?? '';
  const schema = checking.tools.get(operation)?.outputSchema;
  if (schema === undefined) return [];
  const at = { task: task.id, path: ['args', ...path] };
  const found = pathTarget(schema, ref.path);
  if (found.kind === 'missing' || found.kind === 'unlisted') {
    const hint = found.suggestion === undefined ? {} : { hint: `did you mean "${found.suggestion}"?` };
    const message = `${writeRef(ref)}: in the result of ${operation}, ${found.message}`;
    const diagnostic: Diagnostic = { code: 'unknown-field', ...at, message, ...hint };
    // A schema that allows other fields does not prove that the field is missing. The value will show it.
    if (found.kind === 'missing') return [diagnostic];
    checking.warnings.push(diagnostic);
  }
  if (found.kind !== 'found' || !whole) return [];
  const wanted = inputAt(inputs, path);
  const reason = wanted === undefined ? undefined : clash(found.views, wanted);
  if (reason === undefined) return [];
  const message = `${writeRef(ref)} does not fit ${task.operation}: ${reason}`;
  const diagnostic: Diagnostic = { code: 'type-clash', ...at, message };
  if (promisesAny(schema)) return [diagnostic];
  checking.warnings.push(diagnostic);
  return [];
}

/** The schema of a place in the arguments, if it does not depend on the other arguments. */
function inputAt(schema: JsonObject, path: readonly (string | number)[]): SchemaView | undefined {
  let view = viewOf(schema);
  for (const part of path) {
    if (alternatives(view).length > 1) return undefined;
    const next = typeof part === 'number' ? itemAt(view, part) : propertyAt(view, part);
    if (next === undefined) return undefined;
    view = next;
  }
  return view;
}

function propertyAt(view: SchemaView, name: string): SchemaView | undefined {
  const found = propertiesOf(view)[name];
  return isObject(found) || found === false ? viewOf(found, view.root) : undefined;
}

/** Finds `{{city}}` and `${t1.x}`, because both would reach the tool unchanged. */
function isPlaceholder(text: string): boolean {
  // A page or template that is written to a file may contain placeholders for its own readers.
  const isDocument = text.length > 200 || /[<\n]/.test(text);
  const isLeftover =
    /\{\{[^{}]{1,60}\}\}/u.test(text) && (!isDocument || /^\s*\{\{[^{}]*\}\}\s*$/u.test(text));
  return isLeftover || /(^|[^$])(\$\$)*\$\{\s*[A-Za-z_]/.test(text);
}

/** The holes by their path, and every path above one. In maps, because a list may have thousands of holes. */
interface Unknown {
  readonly at: ReadonlyMap<string, Hole>;
  readonly above: ReadonlySet<string>;
}

function byPlace(holes: readonly Hole[]): Unknown {
  const at = new Map<string, Hole>();
  const above = new Set<string>();
  for (const hole of holes) {
    const places = placesOn(hole.path);
    const own = places.at(-1) ?? '';
    if (at.get(own)?.whole !== true) at.set(own, hole);
    for (const place of places) above.add(place);
  }
  return { at, above };
}

/** Every path from the root to the end of a path. */
function placesOn(path: readonly (string | number)[]): string[] {
  const places = [''];
  for (const part of path) places.push(`${places.at(-1)}/${stringifyJson(String(part))}`);
  return places;
}

/**
 * Whether only the run can tell if this is an issue. Then it is about a value that a Ref will fill, or about a choice
 * that depends on such a value.
 */
function isUnknownYet({ path, keyword, isConditional }: SchemaIssue, { at, above }: Unknown): boolean {
  // If no value is allowed here, a later value is not allowed either.
  if ((keyword === 'false schema' && isConditional !== true) || keyword === 'unchecked') return false;
  if (at.size === 0) return false;
  const choices = ['anyOf', 'oneOf', 'not', 'if', 'contains', 'uniqueItems', 'enum', 'const'];
  const places = placesOn(path);
  const isOfHole = places.some((place) => {
    const hole = at.get(place);
    return hole !== undefined && (hole.whole || keyword !== 'type');
  });
  if (isOfHole) return true;
  const mayDepend = choices.includes(keyword) || isConditional === true;
  return mayDepend && above.has(places.at(-1) ?? '');
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
    path: ['args', ...path, ...(property === undefined ? [] : [property])],
    ...(keyword === 'additionalProperties' && { at: 'key' as const }),
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
