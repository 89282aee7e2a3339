import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { RecordedCall, RecordedTool, Recording } from './recording.ts';

/** A call that somebody made of a replay, in the order of its start. */
export interface ReplayedCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** Where the caller said for which task it is. */
  readonly task: string | undefined;
  readonly startedAt: number;
  endedAt: number | undefined;
  /** False where nothing like it was recorded. */
  readonly isKnown: boolean;
}

export interface ReplayAnswer {
  readonly result: Json;
  readonly isError: boolean;
  /** How long it took when it was recorded. */
  readonly ms: number;
  /** To be called when the answer is given. */
  end(at: number): void;
}

/**
 * Answers by tool and arguments, whatever the order of their keys. The second of two equal calls gets the second of
 * two recorded results, as long as there is one. What was never recorded is an error that says so: a wrong argument
 * cannot pass for a right one.
 */
export interface Replay {
  readonly tools: readonly RecordedTool[];
  readonly calls: readonly ReplayedCall[];
  begin(tool: string, args: JsonObject, by: { readonly at: number; readonly task?: string }): ReplayAnswer;
}

export function createReplay({ tools, calls: recorded }: Recording): Replay {
  const table = new Map<string, RecordedCall[]>();
  for (const call of recorded) {
    const key = keyOf(call.tool, call.args);
    table.set(key, [...(table.get(key) ?? []), call]);
  }
  const given = new Map<string, number>();
  const calls: ReplayedCall[] = [];

  function find(key: string, task: string | undefined): RecordedCall | undefined {
    const known = table.get(key) ?? [];
    const number = given.get(key) ?? 0;
    given.set(key, number + 1);
    return known.find((call) => call.task === task) ?? known[number] ?? known.at(-1);
  }

  return {
    tools,
    calls,
    begin(tool, args, { at, task }) {
      const found = find(keyOf(tool, args), task);
      const isKnown = found !== undefined;
      const call: ReplayedCall = { tool, args, task, startedAt: at, endedAt: undefined, isKnown };
      calls.push(call);
      const end = (time: number) => {
        call.endedAt = time;
      };
      if (found !== undefined) return { result: found.result, isError: found.isError, ms: found.ms, end };
      const message = `There is no record of ${tool} with these arguments: ${stringifyJson(args)}`;
      return { result: message, isError: true, ms: 0, end };
    },
  };
}

function keyOf(tool: string, args: JsonObject): string {
  return stringifyJson([tool, canonical(args)]);
}

/** Objects as sorted lists of pairs: JavaScript would put keys that look like numbers first, whatever is sorted. */
function canonical(value: Json): Json {
  if (Array.isArray(value)) return ['list', ...value.map(canonical)];
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['object', ...pairs.map(([key, item]) => [key, canonical(item)])];
}
