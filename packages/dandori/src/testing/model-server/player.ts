import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { stringifyJson } from '../../model/json.ts';
import { type AnswerReply, splitAnswer, writeAnswer } from './answer.ts';
import type { Dialect, StreamEvent } from './dialects.ts';
import type { ModelReply, StatusReply } from './reply.ts';
import type { RecordedRequest } from './request.ts';

export interface Pace {
  readonly chunkSize: number;
  readonly chunkDelayMs: number;
}

/** Sends one reply to its client. Rejects only if the connection ends meanwhile. */
export async function playReply(
  reply: ModelReply,
  exchange: Exchange,
  dialect: Dialect,
  pace: Pace,
  number: number,
): Promise<void> {
  if (reply.latencyMs !== undefined) await exchange.wait(reply.latencyMs);
  if ('hang' in reply) return;
  if ('status' in reply) return playStatus(reply, exchange);
  const streams = exchange.request.body.stream === true;
  const usualType = streams ? 'text/event-stream' : 'application/json';
  if ('raw' in reply) {
    const headers = { 'content-type': reply.contentType ?? usualType, ...reply.headers };
    return exchange.send(200, headers, reply.raw);
  }
  exchange.open(200, { 'content-type': usualType, ...reply.headers });
  return streams
    ? playStream(reply, exchange, dialect, pace, number)
    : playBody(reply, exchange, dialect, number);
}

/** Answers with an error in the shape that OpenAI clients read. */
export function playError(exchange: Exchange, status: number, code: string, message: string): void {
  exchange.send(status, { 'content-type': 'application/json' }, errorBody(code, message));
}

function playStatus(reply: StatusReply, exchange: Exchange): void {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...reply.headers };
  if (reply.retryAfter !== undefined) headers['retry-after'] = retryAfterText(reply.retryAfter);
  exchange.send(reply.status, headers, statusBody(reply));
}

function retryAfterText(retryAfter: number | string | Date): string {
  return retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
}

function statusBody({ status, body }: StatusReply): string {
  if (typeof body === 'string') return body;
  if (body !== undefined) return stringifyJson(body);
  return errorBody(`scripted_${status}`, `The scripted model answered with status ${status}.`);
}

function errorBody(code: string, message: string): string {
  return stringifyJson({ error: { message, type: 'scripted_model', param: null, code } });
}

async function playStream(
  reply: AnswerReply,
  exchange: Exchange,
  dialect: Dialect,
  pace: Pace,
  number: number,
): Promise<void> {
  const answer = writeAnswer(reply, exchange.request, number);
  const chunkSize = reply.chunkSize ?? pace.chunkSize;
  const chunkDelayMs = reply.chunkDelayMs ?? pace.chunkDelayMs;
  const limit = reply.cut ?? reply.stall ?? Number.POSITIVE_INFINITY;
  await exchange.write(frames(dialect.opening(answer)));
  let written = '';
  for (const piece of splitAnswer(answer, chunkSize, limit)) {
    await exchange.write(frames(dialect.piece(answer, piece)));
    if (chunkDelayMs > 0) await exchange.wait(chunkDelayMs);
    written += piece.text;
    if (reply.hold !== undefined) await exchange.until(reply.hold(written));
  }
  if (reply.cut !== undefined) return exchange.cut();
  if (reply.stall !== undefined) return;
  await exchange.write(frames(dialect.closing(answer)));
  exchange.end();
}

function frames(events: readonly StreamEvent[]): string {
  return events.map((event) => `data: ${event === '[DONE]' ? event : stringifyJson(event)}\n\n`).join('');
}

async function playBody(
  reply: AnswerReply,
  exchange: Exchange,
  dialect: Dialect,
  number: number,
): Promise<void> {
  const body = stringifyJson(dialect.body(writeAnswer(reply, exchange.request, number)));
  // A JSON body is sent as a whole, so a cut counts the characters of the body.
  await exchange.write(body.slice(0, reply.cut ?? reply.stall ?? body.length));
  if (reply.cut !== undefined) return exchange.cut();
  if (reply.stall === undefined) exchange.end();
}

/** Made once: an error for each request costs more than the request. */
const GONE = new Error('the connection has ended');

/** One request with its response. Every wait ends when the connection ends. */
export class Exchange {
  readonly request: RecordedRequest;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  #brokenHere = false;

  constructor(request: RecordedRequest, response: ServerResponse) {
    this.request = request;
    this.#response = response;
    // A write after the client left reports an error here. The record below already says that the client
    // left.
    response.on('error', () => {});
    response.on('close', () => this.#end());
    // The client may have left while its request was being read.
    if (response.destroyed) this.#end();
  }

  send(status: number, headers: Readonly<Record<string, string>>, body: string): void {
    this.open(status, headers);
    this.#response.end(body);
  }

  open(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.#response.destroyed) this.#response.writeHead(status, headers);
  }

  /** Resolves when the text has left this process, so that a later cut cannot take it back. */
  async write(text: string): Promise<void> {
    const { signal } = this.#gone;
    await new Promise<void>((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      // Text that is buffered when a connection breaks may never be reported as written.
      signal.addEventListener('abort', done);
      this.#response.write(text, done);
    });
    signal.throwIfAborted();
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the connection. The client did not abort, so the request does not count as aborted. */
  cut(): void {
    this.#brokenHere = true;
    this.#response.destroy();
  }

  async wait(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#gone.signal });
  }

  /** Waits for an external promise while the client is connected. */
  async until(something: unknown): Promise<void> {
    const { signal } = this.#gone;
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    if (!signal.aborted) await Promise.race([something, gone]);
    signal.throwIfAborted();
  }

  /** Nothing was sent yet, so another answer is still possible. */
  get isUnanswered(): boolean {
    return !this.#response.headersSent && !this.#response.destroyed;
  }

  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  #end(): void {
    this.request.endedAt ??= Date.now();
    if (!this.#response.writableFinished && !this.#brokenHere) this.request.aborted = true;
    this.#gone.abort(GONE);
  }
}
