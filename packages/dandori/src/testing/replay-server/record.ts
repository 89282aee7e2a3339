import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-text.ts';

/**
 * A plan that somebody carried out, with the tools it had and what each call gave. In a file one record is one line of
 * JSON. An argument is a literal, `{"$ref": task, "path": "a.b[0]"}`, or `{"$tpl": ["text", {"$ref": …}, …]}`.
 */
export interface RunRecord {
  readonly id: string;
  readonly goal: string;
  readonly tools: readonly ToolRecord[];
  readonly plan: readonly TaskRecord[];
  /** By task; null where the plan could not be carried out. */
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

/** The parts of a text with results in it; undefined for any other value. */
export function templateParts(value: unknown): readonly (string | RefRecord)[] | undefined {
  if (typeof value !== 'object' || value === null || !('$tpl' in value)) return undefined;
  return Array.isArray(value.$tpl) ? value.$tpl : undefined;
}

export function readRecords(file: string | URL): RunRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => parseJson(line) as unknown as RunRecord);
}

export function readRecord(file: string | URL, id: string): RunRecord {
  const record = readRecords(file).find((one) => one.id === id);
  if (record === undefined) throw new Error(`There is no record "${id}" in ${file}.`);
  return record;
}
