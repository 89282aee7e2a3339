import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
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

/** A call made to a replay. Calls are in the order of their start. */
export interface ReplayedCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** The task, if the caller named it. */
  readonly task: string | undefined;
  readonly startedAt: number;
  endedAt: number | undefined;
  /** False if no such call was recorded. */
  readonly isKnown: boolean;
}

export interface ReplayAnswer {
  readonly result: Json;
  readonly isError: boolean;
  /** The recorded duration. */
  readonly ms: number;
  /** Call this when the answer is sent. */
  end(at: number): void;
}

/**
 * Answers by tool and arguments. The order of keys does not matter. The second of two equal calls gets the
 * second recorded result, if there is one. A call that was never recorded fails with an error that says so,
 * so a wrong argument can't pass for a right one.
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

/**
 * Objects as sorted lists of pairs. In an object, JavaScript would put keys that look like numbers first.
 */
function canonical(value: Json): Json {
  if (Array.isArray(value)) return ['list', ...value.map(canonical)];
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['object', ...pairs.map(([key, item]) => [key, canonical(item)])];
}
