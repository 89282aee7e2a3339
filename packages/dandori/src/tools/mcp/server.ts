import { setTimeout as delay } from 'node:timers/promises';
import { type InputRequiredResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { messageOf } from '../../model/error.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SchemaCheck, Tool } from '../../model/tool.ts';
import { MOST_ROUNDS } from '../../run/state/held-calls.ts';
import { type Call, type CallOutcome, failed, lost, notStarted, stopped } from '../toolbox.ts';
import { createRedaction, type McpServerConfig } from './config.ts';
import { ConnectFailure, type Connection, connect } from './connection.ts';
import { callErrorOutcome } from './errors.ts';
import { AskedTooOften, createAskers, inputOutcome, urlsOutcome } from './input.ts';
import { META, previewOutcome, resultOutcome, toTools, type Worst } from './tools.ts';

/** One configured server, connected or not. */
export interface McpServer {
  readonly name: string;
  tools(): readonly Tool[];
  /** Why the server is missing; undefined if it is connected. */
  missing(): string | undefined;
  call(call: Call): Promise<CallOutcome>;
  close(): Promise<void>;
  kill(): void;
}

export interface McpServerOptions {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly secrets: readonly string[];
  readonly check: SchemaCheck;
  readonly maxResultBytes: number;
  readonly onChange: () => void;
  readonly log: (message: string) => void;
  /** Called once for each tool, when it is found. */
  readonly onFound: (tools: readonly Tool[]) => void;
  /** The tools that it is known to have. */
  readonly known?: readonly Tool[];
}

const CONNECT_TIMEOUT = 30_000;
/** Milliseconds between two calls, or two listings, of a server that asks us to make them again. */
const PACE = 250;
/** Milliseconds that a result waits for the new list of tools. */
const LISTING = 5000;
const FIRST_DELAY = 200;
const LAST_DELAY = 30_000;
/** A server that ran this long did not fail at startup. */
const STABLE = 10_000;

/**
 * Keeps one server running. Resolves when it is connected or known to be missing.
 *
 * M1  Nothing that a server does throws. Problems show in `missing` and in the outcomes of its calls.
 * M2  A call that has been sent is never sent again from here.
 * M3  The tools of a server that died stay until a restart has failed. So a plan that is made in that moment
 *     still compiles. Its calls fail with `unavailable` and may be retried.
 */
export async function startServer(options: McpServerOptions): Promise<McpServer> {
  const server = new KeptServer(options);
  await server.start();
  return server;
}

class KeptServer implements McpServer {
  readonly name: string;
  readonly #options: McpServerOptions;
  readonly #redact: (text: string) => string;
  readonly #askers: ReturnType<typeof createAskers>;
  readonly #shutdown = new AbortController();
  readonly #listing: Listing;
  #connection: Connection | undefined;
  #attempt: Promise<void> = Promise.resolve();
  /** Why it is missing. */
  #reason: string | undefined = 'it has not started yet';
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** Cleanup of earlier connections and attempts. */
  #leftovers: Promise<unknown> = Promise.resolve();

  constructor(options: McpServerOptions) {
    const { config, secrets, check } = options;
    this.name = options.name;
    this.#options = options;
    this.#redact = createRedaction(config, secrets);
    this.#askers = createAskers(check);
    this.#listing = new Listing(options, () => this.#connection, this.#redact);
  }

  tools(): readonly Tool[] {
    return this.#listing.tools;
  }

  missing(): string | undefined {
    return this.#reason;
  }

  start(): Promise<void> {
    this.#attempt = this.#connect();
    return this.#attempt;
  }

  async #connect(): Promise<void> {
    const { config, maxResultBytes, log, onChange, known } = this.#options;
    const { signal } = this.#shutdown;
    if (signal.aborted) return;
    this.#listing.isStale = false;
    try {
      const opened = await connect(config, {
        timeout: config.timeoutMs ?? CONNECT_TIMEOUT,
        maxResultBytes,
        onListChanged: () => this.#listing.refresh(),
        redact: this.#redact,
        onElicitation: async (params) => ({ ...(await this.#askers.ask(params)) }),
        signal,
      });
      if (signal.aborted) return await opened.close();
      const since = performance.now();
      this.#connection = opened;
      this.#reason = undefined;
      const before = this.#listing.tools;
      this.#listing.take(opened.tools);
      void opened.closed.then((why) => this.#lose(opened, why, performance.now() - since));
      if (before !== known || this.#listing.tools !== before) onChange();
      if (this.#listing.isStale) this.#listing.refresh();
    } catch (error) {
      if (error instanceof ConnectFailure) this.#leftovers = error.ended;
      this.#reason = messageOf(error);
      this.#listing.clear();
      log(`server ${this.name} is missing: ${this.#reason}`);
      onChange();
      this.#restart();
    }
  }

  #lose(gone: Connection, why: string, lifetime: number): void {
    if (this.#shutdown.signal.aborted || this.#connection !== gone) return;
    this.#connection = undefined;
    this.#reason = why;
    if (lifetime > STABLE) this.#failures = 0;
    this.#options.log(`server ${this.name} is gone and will be started again: ${this.#reason}`);
    this.#leftovers = gone.close().catch(() => {});
    this.#options.onChange();
    this.#restart();
  }

  #restart(): void {
    if (this.#shutdown.signal.aborted) return;
    const wait = Math.min(LAST_DELAY, FIRST_DELAY * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#attempt = this.#leftovers.then(() => this.#connect());
    }, wait);
    this.#timer.unref();
  }

  async call(wanted: Call): Promise<CallOutcome> {
    const { name } = this;
    const { check } = this.#options;
    const { operation, signal } = wanted;
    if (signal.aborted) return notStarted(operation);
    if (this.#connection === undefined) {
      return failed('unavailable', `server ${name} is not running: ${this.#reason}`, { retryable: true });
    }
    const tool = this.tools().find((known) => known.name === operation);
    if (tool === undefined) return failed('unavailable', `server ${name} has no tool ${operation}`);
    const { call: send } = this.#connection;
    try {
      const result = await this.#askers.during(wanted, (during) => {
        const requestOptions = { signal: during, ...listening(wanted) };
        return untilAnswered(toParams(wanted, name), (params) => send(params, requestOptions), during);
      });
      await this.#listing.settled();
      const outcome = isInputRequired(result)
        ? inputOutcome(result, name, check)
        : wanted.preview === undefined
          ? resultOutcome(result, tool, check)
          : previewOutcome(result, tool);
      return redacted(outcome, this.#redact);
    } catch (error) {
      if (signal.aborted) return redacted(stopped(signal, operation), this.#redact);
      if (error instanceof AskedTooOften) return lost('connection_lost', `server ${name}: ${error.message}`);
      const outcome = isUrlRequired(error)
        ? urlsOutcome(error.data, name, check)
        : callErrorOutcome(error, name, this.#reason);
      return redacted(outcome, this.#redact);
    }
  }

  async close(): Promise<void> {
    this.#shutdown.abort(new Error('the toolbox was closed'));
    clearTimeout(this.#timer);
    const open = this.#connection;
    this.#connection = undefined;
    this.#reason = 'the toolbox was closed';
    await Promise.all([this.#attempt, open?.close().catch(() => {})]);
    await this.#leftovers;
  }

  kill(): void {
    this.#connection?.kill();
  }
}

/** The tools of a server, listed again when it says that they changed. */
class Listing {
  /** The server says that its tools changed since they were last listed. */
  isStale = false;
  readonly #options: McpServerOptions;
  readonly #connection: () => Connection | undefined;
  readonly #redact: (text: string) => string;
  /** What a tool could do at worst, in all its descriptions so far. */
  readonly #worst: Worst;
  #tools: readonly Tool[];
  #listedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(
    options: McpServerOptions,
    connection: () => Connection | undefined,
    redact: (text: string) => string,
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#redact = redact;
    this.#tools = options.known ?? [];
    this.#worst = new Map(
      this.#tools.map(({ name, effect, openWorld }) => [
        name.slice(options.name.length + 1),
        { effect, openWorld },
      ]),
    );
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  take(listed: Connection['tools']): void {
    this.#tools = this.#found(listed);
  }

  clear(): void {
    this.#tools = [];
  }

  refresh(): void {
    this.isStale = true;
    // A new connection lists the tools itself.
    if (this.#connection() !== undefined) this.#refreshing ??= this.#listSoon();
  }

  /**
   * A call may have added the tools that the next decision needs. Their listing is the second one, if another was under
   * way. A server that always says that its tools changed delays its results no longer than that.
   */
  async settled(): Promise<void> {
    for (let listing = 0; listing < 2 && this.#refreshing !== undefined; listing++)
      await Promise.race([this.#refreshing, delay(LISTING, undefined, { ref: false })]);
  }

  async #listSoon(): Promise<void> {
    // Some servers say with every listing that their tools changed.
    const pause = this.#listedAt + PACE - performance.now();
    if (pause > 0) await delay(pause, undefined, { ref: false });
    this.isStale = false;
    const connection = this.#connection();
    if (connection !== undefined) await this.#listAgain(connection);
    this.#listedAt = performance.now();
    this.#refreshing = undefined;
    if (this.isStale) this.refresh();
  }

  async #listAgain(asked: Connection): Promise<void> {
    const { name, log, onChange } = this.#options;
    try {
      const before = this.#tools;
      const after = this.#found(await asked.list());
      if (this.#connection() === asked) this.#tools = after;
      if (this.#tools !== before) onChange();
    } catch (error) {
      const why = this.#redact(String(error));
      log(`server ${name} said that its tools changed, but did not list them: ${why}`);
    }
  }

  #found(listed: Connection['tools']): readonly Tool[] {
    const { name: server, config, secrets, onFound } = this.#options;
    const found = toTools(listed, { server, config, secrets, worst: this.#worst }, this.#tools);
    onFound(found.filter((tool) => !this.#tools.includes(tool)));
    return found;
  }
}

type Params = Parameters<Connection['call']>[0];
type Result = Awaited<ReturnType<Connection['call']>>;

function toParams({ operation, args, key, userId, language, inputs, preview }: Call, server: string): Params {
  const { responses = {}, state } = inputs ?? {};
  return {
    name: operation.slice(server.length + 1),
    arguments: args,
    _meta: {
      [META.key]: key,
      ...(userId !== undefined && { [META.userId]: userId }),
      ...(language !== undefined && { [META.language]: language }),
      ...(preview !== undefined && { [META.preview]: true }),
    },
    ...(Object.keys(responses).length > 0 && { inputResponses: responses as JsonObject }),
    ...(state !== undefined && { requestState: state }),
  };
}

/** If the server returns only a state and asks for another call, the same call is sent again with that state. */
async function untilAnswered(
  first: Params,
  send: (params: Params) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let params = first;
  for (let round = 1; ; round++) {
    const result = await send(params);
    const isPutOff = isInputRequired(result) && Object.keys(result.inputRequests ?? {}).length === 0;
    if (!isPutOff || round > MOST_ROUNDS) return result;
    await delay(PACE, undefined, { signal });
    params = { ...first, ...(result.requestState !== undefined && { requestState: result.requestState }) };
  }
}

/** The SDK removes the type of a result from a server of 2025. Without a type it would count as done. */
function isInputRequired(result: Result): result is InputRequiredResult {
  if ('resultType' in result) return result.resultType === 'input_required';
  return result.inputRequests !== undefined || result.requestState !== undefined;
}

function isUrlRequired(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.code === ProtocolErrorCode.UrlElicitationRequired;
}

function listening({ progress }: Call) {
  if (progress === undefined) return {};
  return {
    onprogress: ({
      progress: done,
      total,
      message,
    }: {
      progress: number;
      total?: number;
      message?: string;
    }) => progress(message ?? '', total !== undefined && total > 0 ? Math.min(1, done / total) : undefined),
  };
}

/** A tool's result is the user's data and stays unchanged. An error may repeat secrets of the server. */
function redacted(outcome: CallOutcome, redact: (text: string) => string): CallOutcome {
  if (outcome.kind === 'lost') return { ...outcome, message: redact(outcome.message) };
  if (outcome.kind === 'succeeded' && outcome.note !== undefined)
    return { ...outcome, note: redact(outcome.note) };
  if (outcome.kind !== 'failed') return outcome;
  return { ...outcome, failure: { ...outcome.failure, message: redact(outcome.failure.message) } };
}
