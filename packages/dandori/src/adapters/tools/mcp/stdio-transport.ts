import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { parseJson, stringifyJson } from '../../../domain/json-text.ts';
import { type Child, startChild } from './child.ts';
import type { StdioServerConfig } from './config.ts';
import { createLineReader, type OversizeLine } from './lines.ts';
import { answerProblem, asResponse, idInBrokenAnswer, TransportProblem, tooLarge } from './problem.ts';
import { cancelledRequest, type ServerTransport } from './transport.ts';

const LAST_WORDS = 4_096;
/** Of what is no message, between two messages. Reading a flood would take the time of everybody else. */
const MOST_GARBAGE = 256 * 1_024;

/**
 * MCP over a child's stdin and stdout. Our own and not the SDK's, because that one takes time quadratic in the size of
 * a message, breaks the connection at a message of 10 MB, and leaves grandchildren behind.
 */
export function createStdioTransport(config: StdioServerConfig, limit: number): ServerTransport {
  let child: Child | undefined;
  let ended = false;
  let how: string | undefined;
  let stderr = '';
  let garbage: string | undefined;
  let garbageBytes = 0;
  let isGivenUp = false;
  let delivered: Promise<unknown> = Promise.resolve();
  /** Requests of ours that have no answer yet. */
  const pending = new Set<string | number>();

  // One after the other: the SDK hands a notification on in a microtask, and would drop the progress of a call whose
  // answer came in the same chunk.
  const deliver = (message: JSONRPCMessage) => {
    delivered = delivered
      .then(() => transport.onmessage?.(message))
      .catch((error) => transport.onerror?.(error));
  };
  const giveUp = (reason: string) => {
    if (isGivenUp) return;
    isGivenUp = true;
    how = reason;
    child?.kill();
    void delivered.then(end);
  };
  // Many servers greet on stdout. It does no harm as long as an answer follows; if none does, it is the reason.
  const discard = (text: string, bytes: number) => {
    garbage ??= text.slice(0, LAST_WORDS);
    garbageBytes += bytes;
    if (garbageBytes > MOST_GARBAGE) giveUp(flooded(garbageBytes));
  };
  const receive = (line: string) => {
    if (isGivenUp) return;
    const messages = parse(line);
    if (messages === undefined) {
      const id = idInBrokenAnswer(line);
      if (id !== undefined && pending.delete(id))
        return deliver(asResponse(id, new TransportProblem('malformed', 'its answer is no JSON')));
      return discard(line, line.length + 1);
    }
    if (messages.some(isEcho)) return giveUp(ECHOED);
    garbageBytes = 0;
    for (const message of messages) deliver(answered(message));
  };
  /** The answer to a request of ours, or what is wrong with it. Without an id it is that of the only request. */
  const answered = (message: JSONRPCMessage): JSONRPCMessage => {
    if ('method' in message) return message;
    const [first] = pending;
    const written: unknown = (message as { id?: unknown }).id;
    const id = (written ?? null) === null && pending.size === 1 ? first : Number(written);
    if (id === undefined || !pending.delete(id)) return message;
    const problem = answerProblem(message as Readonly<Record<string, unknown>>);
    return problem === undefined ? ({ ...message, id } as JSONRPCMessage) : asResponse(id, problem);
  };
  const refuse = (line: OversizeLine) => {
    const id = answeredId(line);
    if (id !== undefined) pending.delete(id);
    if (id !== undefined) return deliver(asResponse(id, tooLarge(limit)));
    transport.onerror?.(new Error(`a line of ${line.bytes} bytes was not read`));
    if (!mayBeMessage(line.head)) discard(line.head, line.bytes);
  };
  const lines = createLineReader(limit, { line: receive, oversize: refuse });

  const transport: ServerTransport = {
    async start() {
      child = await startChild(config, {
        stdout: (chunk) => {
          if (isGivenUp) return;
          lines.push(chunk);
          const { head, bytes } = lines.unfinished();
          if (!mayBeMessage(head) && garbageBytes + bytes > MOST_GARBAGE) discard(head, bytes);
        },
        stderr: (chunk) => {
          stderr = lastPart(stderr + chunk);
        },
        gone: (reason) => {
          how ??= reason;
          void delivered.then(end);
        },
      });
    },
    async send(message) {
      const problem = (cause?: unknown) =>
        new TransportProblem('not_sent', 'the server is not running', { cause });
      if (child === undefined || ended) throw problem();
      if ('id' in message && 'method' in message && message.id !== undefined) pending.add(message.id);
      const cancelled = cancelledRequest(message);
      if (cancelled !== undefined) pending.delete(cancelled);
      try {
        await child.write(`${stringifyJson(message)}\n`);
      } catch (error) {
        // A line that was not written to its end is never acted on.
        throw problem(error);
      }
    },
    async close() {
      await child?.end();
      end();
    },
    kill: () => child?.kill(),
    lastWords() {
      return {
        ...(how !== undefined && { ended: how }),
        ...(garbage !== undefined && { garbage }),
        ...(stderr.trim() !== '' && { stderr }),
      };
    },
    // The SDK takes a transport with these two for stdio when it finds out which protocol the server speaks.
    get pid() {
      return child?.pid ?? null;
    },
    stderr: null,
  };

  const end = () => {
    if (ended) return;
    ended = true;
    transport.onclose?.();
  };
  return transport;
}

/** Cut at a line: what is left must not begin in the middle of a secret. */
function lastPart(text: string): string {
  if (text.length <= LAST_WORDS) return text;
  return text.slice(text.indexOf('\n', text.length - LAST_WORDS) + 1 || -LAST_WORDS);
}

function flooded(bytes: number): string {
  return `it printed ${Math.round(bytes / 1_024)} KB that is no JSON-RPC, and was ended; stdout of a stdio server must hold only MCP messages`;
}

const ECHOED = 'it sends back what it is sent, and so is no MCP server';

/** No server initializes a client; `cat` and a terminal do. */
function isEcho(message: JSONRPCMessage): boolean {
  return 'method' in message && message.method === 'initialize';
}

/** The messages in a line: one, or a list of them. Undefined where it holds none. */
function parse(line: string): JSONRPCMessage[] | undefined {
  // A parser that throws takes its time.
  if (!/^\s*[{[]/.test(line)) return undefined;
  try {
    const value: unknown = parseJson(line);
    const messages = Array.isArray(value) ? value : [value];
    return messages.length > 0 && messages.every(isMessage) ? messages : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && ('jsonrpc' in value || 'result' in value);
}

function mayBeMessage(line: string): boolean {
  return /^\s*\{/.test(line);
}

/** Servers write the id first or last. Ours are numbers. A request or a notification of the server answers nothing. */
function answeredId({ head, tail }: OversizeLine): number | undefined {
  const first = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,\s*"(?:result|error)"/.exec(head);
  const isAnswer = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/.test(head);
  const last = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const found = (first ?? (isAnswer ? last : undefined))?.[1];
  return found === undefined ? undefined : Number(found);
}
