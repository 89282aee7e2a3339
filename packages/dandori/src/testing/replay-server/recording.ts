import { readFileSync } from 'node:fs';
import { asText, type Json, type JsonObject, parseJson } from '../../model/json.ts';
import type { Effect } from '../../model/tool.ts';

/** The tools of a server, and its recorded calls. */
export interface Recording {
  readonly tools: readonly RecordedTool[];
  readonly calls: readonly RecordedCall[];
}

export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
}

export interface RecordedCall {
  readonly tool: string;
  /** The final arguments, without references. */
  readonly args: JsonObject;
  readonly result: Json;
  readonly isError: boolean;
  readonly ms: number;
  /** The task that made the call. It distinguishes equal calls with different durations. */
  readonly task: string;
}

export function toRecording({ tools, plan, toolResults }: RunRecord): Recording {
  const writers = new Set(plan.filter(({ mutates }) => mutates === true).map(({ tool }) => tool));
  return {
    tools: tools.map((tool) => ({
      ...tool,
      description: tool.description ?? '',
      effect: writers.has(tool.name) ? 'write' : 'read',
    })),
    calls: plan.flatMap((task) => toCall(task, toolResults ?? {}) ?? []),
  };
}

/** If an argument refers to something that was never recorded, the call was never made. */
function toCall(task: TaskRecord, results: Readonly<Record<string, Json>>): RecordedCall | undefined {
  const { id, tool, args, isError = false, durationMs = 0 } = task;
  const result = results[id];
  const resolved = resolve(args, results);
  if (result === undefined || resolved === undefined) return undefined;
  return { tool, args: resolved as JsonObject, result, isError, ms: durationMs, task: id };
}

/** Undefined if something it refers to is missing. */
function resolve(value: Json, results: Readonly<Record<string, Json>>): Json | undefined {
  if (isRefRecord(value)) return lookUp(value, results);
  const parts = templateParts(value);
  if (parts !== undefined) {
    const values = everyOne(parts.map((part) => (typeof part === 'string' ? part : lookUp(part, results))));
    return values?.map(asText).join('');
  }
  if (Array.isArray(value)) return everyOne(value.map((item) => resolve(item, results)));
  if (typeof value !== 'object' || value === null) return value;
  const items = everyOne(Object.values(value).map((item) => resolve(item, results)));
  return items && Object.fromEntries(Object.keys(value).map((key, index) => [key, items[index] ?? null]));
}

function lookUp({ $ref, path }: RefRecord, results: Readonly<Record<string, Json>>): Json | undefined {
  let value = results[$ref];
  for (const step of parsePath(path)) {
    if (Array.isArray(value)) value = typeof step === 'number' ? value.at(step) : undefined;
    else if (typeof value === 'object' && value !== null)
      value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
  }
  return value;
}

function everyOne(values: readonly (Json | undefined)[]): Json[] | undefined {
  return values.every((value) => value !== undefined) ? (values as Json[]) : undefined;
}

/**
 * A plan that was run, with its tools and the result of each call. In a file, each record is one line of
 * JSON. An argument is a literal, `{"$ref": task, "path": "a.b[0]"}`, or
 * `{"$tpl": ["text", {"$ref": …}, …]}`.
 */
export interface RunRecord {
  readonly id: string;
  readonly goal: string;
  readonly tools: readonly ToolRecord[];
  readonly plan: readonly TaskRecord[];
  /** Results by task. Null if the plan could not be run. */
  readonly toolResults: Readonly<Record<string, Json>> | null;
  readonly expected?: Json;
  readonly meta: JsonObject;
}

export interface ToolRecord {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

export interface TaskRecord {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly dependsOn: readonly string[];
  readonly durationMs?: number;
  readonly mutates?: boolean;
  readonly isError?: boolean;
}

export interface RefRecord {
  readonly $ref: string;
  readonly path: string;
}

export function isRefRecord(value: unknown): value is RefRecord {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string';
}

/** The parts of a text that contains results. Undefined for any other value. */
export function templateParts(value: unknown): readonly (string | RefRecord)[] | undefined {
  if (typeof value !== 'object' || value === null || !('$tpl' in value)) return undefined;
  return Array.isArray(value.$tpl) ? value.$tpl : undefined;
}

export function readRecords(file: string | URL): RunRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => parseJson(line) as Json & RunRecord);
}

export function readRecord(file: string | URL, id: string): RunRecord {
  const record = readRecords(file).find((one) => one.id === id);
  if (record === undefined) throw new Error(`There is no record "${id}" in ${file}.`);
  return record;
}

/** The keys and indexes of a path in a record: `a.b[0]["odd key"]`. */
export type PathStep = string | number;

const STEP = /\.?([^.[\]"]+)|\[(-?\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(path);
    if (match === null)
      throw new Error(`"${path}" is no path: it cannot be read from "${path.slice(at)}" on.`);
    const [, key, index, quoted] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? String(key) : (parseJson(quoted) as string));
  }
  return steps;
}
