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
  const { name, config, log } = options;
  const redact = createRedaction(config, options.secrets);
  const askers = createAskers(options.check);
  const shutdown = new AbortController();
  let connection: Connection | undefined;
  let attempt: Promise<void> = Promise.resolve();
  let tools = options.known ?? [];
  const worst: Worst = new Map(
    tools.map(({ name: full, effect, openWorld }) => [full.slice(name.length + 1), { effect, openWorld }]),
  );
  let reason: string | undefined = 'it has not started yet';
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  /** Cleanup of earlier connections and attempts. */
  let leftovers: Promise<unknown> = Promise.resolve();
  /** The server says that its tools changed since they were last listed. */
  let isStale = false;
  let listedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    if (shutdown.signal.aborted) return;
    isStale = false;
    try {
      const opened = await connect(config, {
        timeout: config.timeoutMs ?? CONNECT_TIMEOUT,
        maxResultBytes: options.maxResultBytes,
        onListChanged: () => refresh(),
        redact,
        onElicitation: async (params) => ({ ...(await askers.ask(params)) }),
        signal: shutdown.signal,
      });
      if (shutdown.signal.aborted) return await opened.close();
      const since = performance.now();
      connection = opened;
      reason = undefined;
      const before = tools;
      tools = named(opened);
      void opened.closed.then((why) => lose(opened, why, performance.now() - since));
      if (before !== options.known || tools !== before) options.onChange();
      if (isStale) void refresh();
    } catch (error) {
      if (error instanceof ConnectFailure) leftovers = error.ended;
      reason = messageOf(error);
      tools = [];
      log(`server ${name} is missing: ${reason}`);
      options.onChange();
      restart();
    }
  };

  const lose = (gone: Connection, why: string, lifetime: number) => {
    if (shutdown.signal.aborted || connection !== gone) return;
    connection = undefined;
    reason = why;
    if (lifetime > STABLE) failures = 0;
    log(`server ${name} is gone and will be started again: ${reason}`);
    leftovers = gone.close().catch(() => {});
    options.onChange();
    restart();
  };

  const restart = () => {
    if (shutdown.signal.aborted) return;
    const delay = Math.min(LAST_DELAY, FIRST_DELAY * 2 ** failures);
    failures += 1;
    timer = setTimeout(() => {
      attempt = leftovers.then(start);
    }, delay);
    timer.unref();
  };

  const named = (opened: { tools: Connection['tools'] }) => {
    const found = toTools(opened.tools, { server: name, config, secrets: options.secrets, worst }, tools);
    options.onFound(found.filter((tool) => !tools.includes(tool)));
    return found;
  };

  const refresh = (): void => {
    isStale = true;
    // A new connection lists the tools itself.
    if (connection !== undefined) refreshing ??= listSoon();
  };

  const listSoon = async (): Promise<void> => {
    // Some servers say with every listing that their tools changed.
    const pause = listedAt + PACE - performance.now();
    if (pause > 0) await delay(pause, undefined, { ref: false });
    isStale = false;
    if (connection !== undefined) await listAgain(connection);
    listedAt = performance.now();
    refreshing = undefined;
    if (isStale) refresh();
  };

  const listAgain = async (asked: Connection): Promise<void> => {
    try {
      const before = tools;
      const after = named({ tools: await asked.list() });
      if (connection === asked) tools = after;
      if (tools !== before) options.onChange();
    } catch (error) {
      log(`server ${name} said that its tools changed, but did not list them: ${redact(String(error))}`);
    }
  };

  /**
   * A call may have added the tools that the next decision needs. Their listing is the second one, if another was under
   * way. A server that always says that its tools changed delays its results no longer than that.
   */
  const listedSince = async (): Promise<void> => {
    for (let listing = 0; listing < 2 && refreshing !== undefined; listing++)
      await Promise.race([refreshing, delay(LISTING, undefined, { ref: false })]);
  };

  const call = async (wanted: Call): Promise<CallOutcome> => {
    const { operation, signal } = wanted;
    if (signal.aborted) return notStarted(operation);
    if (connection === undefined) {
      return failed('unavailable', `server ${name} is not running: ${reason}`, { retryable: true });
    }
    const tool = tools.find((known) => known.name === operation);
    if (tool === undefined) return failed('unavailable', `server ${name} has no tool ${operation}`);
    const { call: send } = connection;
    try {
      const result = await askers.during(wanted, (during) => {
        const requestOptions = { signal: during, ...listening(wanted) };
        return untilAnswered(toParams(wanted, name), (params) => send(params, requestOptions), during);
      });
      await listedSince();
      const outcome = isInputRequired(result)
        ? inputOutcome(result, name, options.check)
        : wanted.preview === undefined
          ? resultOutcome(result, tool, options.check)
          : previewOutcome(result, tool);
      return redacted(outcome, redact);
    } catch (error) {
      if (signal.aborted) return redacted(stopped(signal, operation), redact);
      if (error instanceof AskedTooOften) return lost('connection_lost', `server ${name}: ${error.message}`);
      const outcome = isUrlRequired(error)
        ? urlsOutcome(error.data, name, options.check)
        : callErrorOutcome(error, name, reason);
      return redacted(outcome, redact);
    }
  };

  attempt = start();
  await attempt;
  return {
    name,
    tools: () => tools,
    missing: () => reason,
    call,
    async close() {
      shutdown.abort(new Error('the toolbox was closed'));
      clearTimeout(timer);
      const open = connection;
      connection = undefined;
      reason = 'the toolbox was closed';
      await Promise.all([attempt, open?.close().catch(() => {})]);
      await leftovers;
    },
    kill: () => connection?.kill(),
  };
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
