import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { dialectOf } from './dialects.ts';
import { Exchange, type Pace, playError, playReply } from './player.ts';
import type { ModelScript } from './reply.ts';
import { type RecordedRequest, readRequest } from './request.ts';
import { Script } from './script.ts';

/** A scripted model behind real HTTP. */
export interface ModelServer extends AsyncDisposable {
  /** The `base_url` for a client of the OpenAI API; it ends in `/v1`. */
  readonly url: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Throws a `ModelScriptError` if a request was unexpected or a reply is still unused. */
  verify(): void;
  /** Closes every connection at once, then calls `verify`. A second call only waits. */
  close(): Promise<void>;
}

export interface ModelServerOptions {
  /** Characters in one event of a stream. The default is 16. */
  chunkSize?: number;
  /** Time after each event of a stream. The default is 0. */
  chunkDelayMs?: number;
  /** What `/v1/models` lists. The default is `scripted`. */
  models?: readonly string[];
}

export async function startModelServer(
  script: ModelScript,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const scripted = new ScriptedModel(new Script(script), options);
  const server = createServer((incoming, response) => void scripted.answer(incoming, response));
  // With the default of five seconds, the server can close a connection just as a client reuses it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  let stopped: Promise<void> | undefined;
  const close = async () => {
    const isFirst = stopped === undefined;
    stopped ??= stop(server, scripted);
    await stopped;
    if (isFirst) scripted.script.verify();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: scripted.requests,
    verify: () => scripted.script.verify(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function stop(server: Server, scripted: ScriptedModel): Promise<void> {
  // A client that aborted just before has left, but this process has not read that yet. A few turns of the
  // event loop let the record say `aborted` instead of blaming the server.
  for (let turn = 0; turn < 4; turn++) await immediate();
  scripted.cutAll();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Answers requests from the script and records them. */
class ScriptedModel {
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

  /** Never rejects, because tests disconnect clients on purpose. */
  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').replace(/[?#].*/, '');
    if (incoming.method === 'GET' && path === '/v1/models') return this.#listModels(response);
    const read = await readRequest(incoming, path).catch(() => undefined);
    // The client left before it had sent its request.
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

  /** The reply itself is invalid, for example its content can't be JSON. */
  #giveUp(exchange: Exchange, error: unknown): void {
    const reason = messageOf(error);
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
