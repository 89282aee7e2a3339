import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CallToolResult,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Effect } from '../../model/tool.ts';
import type { RecordedTool, Replay } from './replay.ts';

/** A replay as an MCP server. It works with any transport, and many connections can share one replay. */
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

/** The idempotency key of a call by Dandori is `run/task`. */
function taskOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const key = meta?.['dandori/idempotencyKey'];
  return typeof key === 'string' ? key.slice(key.lastIndexOf('/') + 1) : undefined;
}

/** Structured content must be an object. Other results are sent as text, and a missing result as nothing. */
function toContent(result: Json): CallToolResult {
  if (result === null) return { content: [] };
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  const text = stringifyJson(result);
  if (!isObject(result)) return { content: [{ type: 'text', text }] };
  return { content: [{ type: 'text', text }], structuredContent: result };
}

/** Many replays behind one port. Each is an MCP server with its own path. */
export interface ReplayHost extends AsyncDisposable {
  /** Serves a replay. Returns the URL for an MCP client. */
  serve(replay: Replay): string;
  /** Removes a replay and its sessions. */
  withdraw(url: string): Promise<void>;
  close(): Promise<void>;
}

type Transport = WebStandardStreamableHTTPServerTransport;

interface Served {
  readonly replay: Replay;
  readonly sessions: Map<string, Transport>;
}

/** Streamable HTTP on the loopback interface. */
export async function startReplayHost(): Promise<ReplayHost> {
  const served = new Map<string, Served>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  // With the default of five seconds, the server can close a connection just as a client reuses it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let count = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The server sends only responses, so clients need no listening stream.
    if (request.method === 'GET') return void response.writeHead(405, { allow: 'POST, DELETE' }).end();
    const offer = served.get(request.url ?? '');
    if (offer === undefined) return void response.writeHead(404).end('no such replay');
    const body = await readAll(request);
    const session = request.headers['mcp-session-id'];
    const transport = typeof session === 'string' ? offer.sessions.get(session) : await open(offer);
    if (transport === undefined) return void response.writeHead(404).end('no such session');
    const answer = await transport.handleRequest(toRequest(request, body));
    const text = await answer.text();
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  }

  const close = async () => {
    await Promise.all([...served.values()].map(closeSessions));
    served.clear();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    serve(replay) {
      count += 1;
      served.set(`/${count}`, { replay, sessions: new Map() });
      return `${origin}/${count}`;
    },
    async withdraw(url) {
      const path = new URL(url).pathname;
      const offer = served.get(path);
      served.delete(path);
      if (offer !== undefined) await closeSessions(offer);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function open({ replay, sessions }: Served): Promise<Transport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await createReplayServer(replay).connect(transport);
  return transport;
}

async function closeSessions({ sessions }: Served): Promise<void> {
  await Promise.all([...sessions.values()].map((transport) => transport.close()));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function toRequest(request: IncomingMessage, body: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string') headers.set(name, value);
  const method = request.method ?? 'POST';
  const url = `http://${request.headers.host}${request.url}`;
  return new Request(url, { method, headers, ...(method === 'POST' && { body }) });
}
