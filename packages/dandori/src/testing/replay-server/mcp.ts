import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import type { Effect } from '../../domain/effect.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import type { RecordedTool } from './recording.ts';
import type { Replay } from './replay.ts';

/** A replay as an MCP server. Connect it to any transport; many connections may share one replay. */
export function createReplayServer(replay: Replay): Server {
  const server = new Server({ name: 'replay', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: replay.tools.map(toTool) }));
  server.setRequestHandler('tools/call', ({ params }): CallToolResult => {
    const args = (params.arguments ?? {}) as JsonObject;
    const answer = replay.begin(params.name, args, { at: performance.now(), task: taskOf(params._meta) });
    answer.end(performance.now());
    return { ...toContent(answer.result), ...(answer.isError && { isError: true }) };
  });
  return server;
}

function toTool({ name, description, inputSchema, outputSchema, effect }: RecordedTool): Tool {
  return {
    name,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema !== undefined && { outputSchema: outputSchema as Tool['outputSchema'] }),
    annotations: hints(effect),
  };
}

function hints(effect: Effect): Tool['annotations'] {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect === 'read' || effect === 'idempotent',
  };
}

/** The key that Dandori sends with a call is `run/task`. */
function taskOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const key = meta?.['dandori/idempotencyKey'];
  return typeof key === 'string' ? key.slice(key.lastIndexOf('/') + 1) : undefined;
}

/** Structured content must be an object; whatever else a tool gave goes as text, and nothing as nothing. */
function toContent(result: Json): CallToolResult {
  if (result === null) return { content: [] };
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  const text = stringifyJson(result);
  if (typeof result !== 'object' || Array.isArray(result)) return { content: [{ type: 'text', text }] };
  return { content: [{ type: 'text', text }], structuredContent: result };
}
