import type { Effect } from '../../domain/effect.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import { parsePath } from './path.ts';
import { isRefRecord, type RefRecord, type RunRecord, type TaskRecord, templateParts } from './record.ts';

/** What a server offered and what it once said. */
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
  /** As the tool saw them: no reference is left. */
  readonly args: JsonObject;
  readonly result: Json;
  readonly isError: boolean;
  readonly ms: number;
  /** The task that made it; tells calls apart that are equal but took different times. */
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

/** A call whose arguments cannot be had, because what they refer to was never recorded, was never made. */
function toCall(task: TaskRecord, results: Readonly<Record<string, Json>>): RecordedCall | undefined {
  const { id, tool, args, isError = false, durationMs = 0 } = task;
  const result = results[id];
  const resolved = resolve(args, results);
  if (result === undefined || resolved === undefined) return undefined;
  return { tool, args: resolved as JsonObject, result, isError, ms: durationMs, task: id };
}

/** Undefined where something in it is not there. */
function resolve(value: Json, results: Readonly<Record<string, Json>>): Json | undefined {
  if (isRefRecord(value)) return lookUp(value, results);
  const parts = templateParts(value);
  if (parts !== undefined) {
    const texts = parts.map((part) => (typeof part === 'string' ? part : asText(lookUp(part, results))));
    return texts.includes(undefined) ? undefined : texts.join('');
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

function asText(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : stringifyJson(value);
}

function everyOne(values: readonly (Json | undefined)[]): Json[] | undefined {
  return values.every((value) => value !== undefined) ? (values as Json[]) : undefined;
}
