import type { Clock } from '../model/clock.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Effect, Tool, ToolPolicy } from '../model/tool.ts';
import type { Call, CallOutcome, Toolbox } from '../tools/index.ts';
import { pause } from './pause.ts';

/** A fault that replaces a call. `lost_after` does the work first and then loses the answer. */
export type Fault =
  | { readonly kind: 'fail'; readonly message?: string; readonly retryable?: boolean }
  | { readonly kind: 'hang' }
  | { readonly kind: 'lost_before' }
  | { readonly kind: 'lost_after' };

export interface FunctionTool extends Pick<ToolPolicy, 'resource' | 'independent' | 'cost' | 'probe'> {
  readonly effect?: Effect;
  /** True if its results contain no stranger's words. Default: false, as for every tool. */
  readonly trusted?: boolean;
  /** Whether a read reaches out of the house. */
  readonly openWorld?: boolean;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Milliseconds of the clock that a call takes. */
  readonly takes?: number;
  readonly run?: (args: JsonObject, call: Call) => Json | CallOutcome | Promise<Json | CallOutcome>;
  /** What a call with `preview` answers. Without it the tool has no preview. */
  readonly preview?: (args: JsonObject, call: Call) => Json | CallOutcome | Promise<Json | CallOutcome>;
  /** One fault per call, in order. `undefined` means a normal call. */
  readonly faults?: readonly (Fault | undefined)[];
}

export interface FunctionToolbox extends Toolbox {
  /** Every call, in order, with its start and end time. */
  readonly calls: readonly { readonly call: Call; readonly startedAt: number; endedAt: number | undefined }[];
  /** How often the work of a tool was actually done. */
  effects(operation: string): number;
}

/** Tools made from plain functions. They take time by the given clock and fail on request. */
export function createFunctionToolbox(
  clock: Clock,
  definitions: Record<string, FunctionTool>,
): FunctionToolbox {
  const tools = new Map(
    Object.entries(definitions).map(([name, definition]) => [name, toTool(name, definition)]),
  );
  const calls: { call: Call; startedAt: number; endedAt: number | undefined }[] = [];
  const begun = new Map<string, number>();
  const done = new Map<string, number>();

  async function work(call: Call, definition: FunctionTool): Promise<CallOutcome> {
    if (call.preview !== undefined) return asOutcome((await definition.preview?.(call.args, call)) ?? null);
    const number = begun.get(call.operation) ?? 0;
    begun.set(call.operation, number + 1);
    const fault = definition.faults?.[number];
    if (fault?.kind === 'hang') return untilAborted(call.signal);
    const isAborted = await pause(clock, definition.takes ?? 0, call.signal);
    if (isAborted) return { kind: 'lost', cause: 'cancelled', message: 'aborted' };
    if (fault?.kind === 'lost_before')
      return { kind: 'lost', cause: 'connection_lost', message: 'connection lost' };
    if (fault?.kind === 'fail') {
      const { message = 'it failed', retryable } = fault;
      return { kind: 'failed', failure: { kind: 'tool_error', message, retryable } };
    }
    done.set(call.operation, (done.get(call.operation) ?? 0) + 1);
    const outcome = asOutcome((await definition.run?.(call.args, call)) ?? null);
    return fault?.kind === 'lost_after'
      ? { kind: 'lost', cause: 'connection_lost', message: 'connection lost' }
      : outcome;
  }

  return {
    calls,
    effects: (operation) => done.get(operation) ?? 0,
    tools: () => tools,
    missing: () => [],
    async call(call) {
      const definition = definitions[call.operation];
      if (definition === undefined)
        return { kind: 'failed', failure: { kind: 'unavailable', message: `no ${call.operation}` } };
      const entry = { call, startedAt: clock.now(), endedAt: undefined as number | undefined };
      calls.push(entry);
      const outcome = await work(call, definition);
      entry.endedAt = clock.now();
      return outcome;
    },
    async close() {},
  };
}

function toTool(
  name: string,
  {
    effect = 'read',
    trusted = false,
    openWorld,
    description = name,
    inputSchema,
    outputSchema,
    resource,
    independent,
    cost,
    probe,
    preview,
  }: FunctionTool,
): Tool {
  return {
    name,
    server: name.split('.')[0] ?? name,
    description,
    inputSchema: inputSchema ?? { type: 'object' },
    ...(outputSchema && { outputSchema }),
    ...(resource !== undefined && { resource }),
    ...(independent !== undefined && { independent }),
    ...(cost !== undefined && { cost }),
    ...(probe !== undefined && { probe }),
    ...(preview !== undefined && { preview: true }),
    effect,
    trusted,
    ...(openWorld !== undefined && { openWorld }),
  };
}

function asOutcome(value: Json | CallOutcome): CallOutcome {
  const kinds = ['succeeded', 'failed', 'lost', 'ambiguous', 'input_wanted'];
  const isOutcome =
    typeof value === 'object' && value !== null && 'kind' in value && kinds.includes(String(value.kind));
  return isOutcome ? (value as CallOutcome) : { kind: 'succeeded', result: value as Json };
}

function untilAborted(signal: AbortSignal): Promise<CallOutcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'lost', cause: 'cancelled', message: 'aborted' }));
  });
}
