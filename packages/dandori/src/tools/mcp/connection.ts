import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  SdkHttpError,
  withInputRequired,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { JsonObject } from '../../model/json.ts';
import { isHttp, type McpServerConfig, type Redact } from './config.ts';
import { isGone, isStale, reasonOf } from './errors.ts';
import { createStdioTransport } from './stdio.ts';
import { type ListedTool, listedTool, type ToolResult, toolResult } from './tools.ts';
import { type ServerTransport, TransportProblem } from './transport.ts';

/** A server that has started and listed its tools. */
export interface Connection {
  readonly tools: readonly ListedTool[];
  /** Resolves with the reason, in words, when the server is gone. Never rejects. */
  readonly closed: Promise<string>;
  list(): Promise<readonly ListedTool[]>;
  call(params: CallParams, options: RequestOptions): Promise<ToolResult | InputRequiredResult>;
  close(): Promise<void>;
  kill(): void;
}

interface CallParams {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly _meta: JsonObject;
  readonly inputResponses?: JsonObject;
  readonly requestState?: string;
}

interface ConnectionOptions {
  readonly timeout: number;
  readonly maxResultBytes: number;
  readonly onListChanged: () => void;
  readonly redact: Redact;
  /** Answers the server's requests during a call. */
  readonly onElicitation: (params: unknown) => Promise<JsonObject>;
  /** Aborts a connection attempt. */
  readonly signal: AbortSignal;
}

/** Limits how much a server can make us read. The SDK's own loop has the same limit. */
const MAX_PAGES = 200;
/** The SDK must never end a call. The engine does that, because it knows how long a call may take. */
const FOREVER = 2 ** 31 - 1;
const UNSUPPORTED_PROTOCOL = -32_022;
const PING = 5_000;
const LAST_WORDS_DELAY = 300;

/** The message explains why there is no connection. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  /**
   * Resolves when no process or connection of the attempt is left. A caller that needs the server need not
   * wait for it.
   */
  readonly ended: Promise<void>;

  constructor(reason: string, details: { cause: unknown; ended: Promise<void> }) {
    super(reason, { cause: details.cause });
    this.ended = details.ended;
  }
}

/** Rejects with a `ConnectFailure` and nothing else. */
export async function connect(config: McpServerConfig, options: ConnectionOptions): Promise<Connection> {
  try {
    return await open(config, { ...options, mode: 'legacy' });
  } catch (error) {
    // Only now: probing for the protocol first would cost every other server a round trip or a process.
    if (!(error instanceof ConnectFailure)) throw error;
    const isNewer = isUnsupportedProtocol(error.cause);
    const isOlder = isHttp(config) && config.isLegacy !== true && isWithoutStreamableHttp(error.cause);
    if (!isOlder && !isNewer) throw error;
    await error.ended;
    // A server that speaks only a newer protocol answers with 400 too.
    if (isNewer) return await open(config, { ...options, mode: 'auto' });
    // If it does not speak the older transport either, the first answer says more.
    return await open({ ...config, isLegacy: true }, { ...options, mode: 'legacy' }).catch(() => {
      throw error;
    });
  }
}

/** How a server of 2024 answers a POST to the address of its stream, as MCP says. */
function isWithoutStreamableHttp(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.data.status ?? 0);
}

async function open(
  config: McpServerConfig,
  {
    mode,
    timeout,
    maxResultBytes,
    onListChanged,
    redact,
    onElicitation,
    signal,
  }: ConnectionOptions & { mode: 'legacy' | 'auto' },
): Promise<Connection> {
  if (isHttp(config) && !URL.canParse(config.url)) {
    throw new ConnectFailure('its url is not a URL', { cause: undefined, ended: Promise.resolve() });
  }
  const transport = await createTransport(config, maxResultBytes);
  const client = new Client(
    { name: 'dandori', version: '0.3.0' },
    {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {}, url: {} } },
      // An answer may take days, so the SDK does not wait for it.
      inputRequired: { autoFulfill: false },
      // We check results ourselves: the SDK refuses to call a tool whose output schema it cannot read.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChanged } },
    },
  );
  // Replaces the SDK's own handler, which refuses every form that is not flat.
  client.fallbackRequestHandler = async ({ method, params }) => {
    if (method === 'elicitation/create') return onElicitation(params);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `${method} is not supported`);
  };
  const about = { config, transport, redact };
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => resolve(reasonOf(undefined, about));
    if (isHttp(config)) client.onerror = watchdog(client, (error) => resolve(reasonOf(error, about)));
  });
  const request = { timeout, signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]) };
  try {
    await untilAborted(client.connect(transport, request), request.signal);
    const tools = await listTools(client, request);
    return {
      tools,
      closed,
      list: () => listTools(client, { timeout }),
      call: (params, callOptions) =>
        client.request({ method: 'tools/call', params: { ...params } }, withInputRequired(toolResult), {
          ...callOptions,
          allowInputRequired: true,
          timeout: FOREVER,
          resetTimeoutOnProgress: true,
        }),
      close: () => client.close(),
      kill: () => transport.kill(),
    };
  } catch (error) {
    const late = request.signal.aborted && !signal.aborted ? timeout : undefined;
    const ended = transport.close().catch(() => {});
    if (late === undefined) await heardOut(ended, error);
    throw new ConnectFailure(reasonOf(error, { ...about, late }), { cause: error, ended });
  }
}

async function createTransport(config: McpServerConfig, limit: number): Promise<ServerTransport> {
  if (!isHttp(config)) return createStdioTransport(config, limit);
  if (config.isLegacy !== true) return (await import('./http.ts')).createHttpTransport(config, limit);
  return (await import('./sse.ts')).createSseTransport(config, limit);
}

/**
 * A child that died may have output that is not read yet. If its input is closed, it is about to report how
 * it ended.
 */
async function heardOut(ended: Promise<void>, error: unknown): Promise<void> {
  const isClosed = error instanceof TransportProblem && error.kind === 'not_sent';
  await (isClosed ? ended : Promise.race([ended, delay(LAST_WORDS_DELAY, undefined, { ref: false })]));
}

/** Starting a process or opening a connection takes no signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

const toolList = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

async function listTools(client: Client, options: RequestOptions): Promise<ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  let listed: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, toolList, options);
    listed = listed.concat(tools);
    if (nextCursor === undefined || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  // One tool with an invalid description must not hide all the others.
  return listed.flatMap((tool) => listedTool.safeParse(tool).data ?? []);
}

/**
 * HTTP has no connection that could close. After an error, a ping tells whether the server is still there. A
 * server that is slow to answer, or that gives any answer at all, counts as there.
 */
function watchdog(client: Client, onGone: (error: unknown) => void): () => void {
  // Prevents a loop: a failed ping is an error too.
  let isLooking = false;
  const look = async () => {
    const error = await client.ping({ timeout: PING }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (isGone(error)) onGone(error);
    return isStale(error);
  };
  return () => {
    if (isLooking) return;
    isLooking = true;
    // A connection from before the server went away may still look open. The next ping opens another one.
    void look()
      .then((again) => again && look())
      .finally(() => {
        isLooking = false;
      });
  };
}

/** Over HTTP, a server answers an unknown protocol with a bad request that has the reason in its body. */
function isUnsupportedProtocol(error: unknown): boolean {
  if (error instanceof SdkHttpError)
    return new RegExp(`"code"\\s*:\\s*${UNSUPPORTED_PROTOCOL}\\b`).test(String(error.data.text));
  return error instanceof ProtocolError && error.code === UNSUPPORTED_PROTOCOL;
}
