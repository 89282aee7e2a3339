import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ModelScript } from './reply.ts';
import type { RecordedRequest } from './request.ts';
import { Script } from './script.ts';
import { ScriptedModel } from './scripted-model.ts';

/** A model behind real HTTP that says what the script says. */
export interface ModelServer extends AsyncDisposable {
  /** The `base_url` for a client of the OpenAI API; it ends in `/v1`. */
  readonly url: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Throws a `ModelScriptError` when a request was not expected or a reply is still unused. */
  verify(): void;
  /** Ends every connection at once, then does what `verify` does. A second call only waits. */
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
  // The default of five seconds can close a connection in the very moment a client takes it again.
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
  // A client that aborted just before has already left, but this process has not read it yet. A few turns of
  // the event loop let the record say `aborted` and not that the server ended it.
  for (let turn = 0; turn < 4; turn++) await immediate();
  scripted.cutAll();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
