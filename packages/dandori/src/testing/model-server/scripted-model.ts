import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringifyJson } from '../../domain/json-text.ts';
import { dialectOf } from './dialect.ts';
import { Exchange } from './exchange.ts';
import type { ModelServerOptions } from './model-server.ts';
import { type Pace, playError, playReply } from './player.ts';
import { type RecordedRequest, readRequest } from './request.ts';
import type { Script } from './script.ts';

/** Answers requests with what the script says, and records them. */
export class ScriptedModel {
  readonly script: Script;
  readonly requests: RecordedRequest[] = [];
  readonly #pace: Pace;
  readonly #models: readonly string[];
  readonly #open = new Set<Exchange>();

  constructor(script: Script, options: ModelServerOptions) {
    this.script = script;
    this.#pace = { chunkSize: options.chunkSize ?? 16, chunkDelayMs: options.chunkDelayMs ?? 0 };
    this.#models = options.models ?? ['scripted'];
  }

  /** Never rejects: a client that leaves in the middle is part of what tests do. */
  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').replace(/[?#].*/, '');
    if (incoming.method === 'GET' && path === '/v1/models') return this.#listModels(response);
    const read = await readRequest(incoming, path).catch(() => undefined);
    // The client left before it had said what it wants.
    if (read === undefined) return void response.destroy();
    const exchange = new Exchange(read.request, response);
    this.requests.push(read.request);
    this.#open.add(exchange);
    response.once('close', () => this.#open.delete(exchange));
    try {
      await this.#play(exchange, read.unreadable);
    } catch (error) {
      if (!exchange.isGone) this.#giveUp(exchange, error);
    }
  }

  /** The reply itself is at fault, for instance content that JSON cannot hold. */
  #giveUp(exchange: Exchange, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const { failure } = this.script.fail(
      `request ${this.requests.indexOf(exchange.request) + 1} could not be answered: ${reason}`,
    );
    if (exchange.isUnanswered) playError(exchange, 500, 'unusable_reply', failure);
    else exchange.cut();
  }

  cutAll(): void {
    for (const exchange of this.#open) exchange.cut();
  }

  async #play(exchange: Exchange, unreadable: string | undefined): Promise<void> {
    const { method, path } = exchange.request;
    const number = this.requests.length;
    const dialect = method === 'POST' ? dialectOf(path) : undefined;
    if (dialect === undefined) {
      const { failure } = this.script.fail(`${method} ${path} is not a path of the scripted model`);
      return playError(exchange, 404, 'unknown_path', failure);
    }
    if (unreadable !== undefined) {
      const { failure } = this.script.fail(`${method} ${path} could not be read: ${unreadable}`);
      return playError(exchange, 400, 'unreadable_request', failure);
    }
    const next = await this.script.next(exchange.request);
    if ('failure' in next) return playError(exchange, 500, 'unexpected_request', next.failure);
    await playReply(next.reply, exchange, dialect, this.#pace, number);
  }

  #listModels(response: ServerResponse): void {
    const data = this.#models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'dandori' }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(stringifyJson({ object: 'list', data }));
  }
}
