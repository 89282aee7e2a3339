import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { type Json, parseJson, stringifyJson } from '../../model/json.ts';
import type { StdioServerConfig } from './config.ts';
import { createLineReader, type OversizeLine } from './lines.ts';
import {
  answerProblem,
  asResponse,
  bareAnswer,
  cancelledRequest,
  idInBrokenAnswer,
  type ServerTransport,
  TransportProblem,
  tooLarge,
  WRONG_ID,
} from './transport.ts';

const LAST_WORDS = 4_096;
/** The limit of non-message output between two messages. Reading a flood would block everything else. */
const MOST_GARBAGE = 256 * 1_024;

/**
 * MCP over a child's stdin and stdout. The SDK's transport is not used. Its time grows with the square of a message,
 * it breaks the connection at 10 MB, and it leaves grandchildren behind.
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
  /** Our requests that have no answer yet. */
  const pending = new Set<string | number>();
  let lastSent = -1;
  /** The lines of a message that is spread over several, from a lone `{` on. */
  let spread: string[] | undefined;

  // One after the other: the SDK delivers a notification in a microtask. It would drop the progress of a call
  // whose answer came in the same chunk.
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
  // Many servers print a greeting on stdout. It is harmless if an answer follows.
  const discard = (text: string, bytes: number) => {
    garbage ??= text.slice(0, LAST_WORDS);
    garbageBytes += bytes;
    if (garbageBytes > MOST_GARBAGE) giveUp(flooded(garbageBytes));
  };
  const malform = (id: string | number | undefined, reason: string) => {
    if (id === undefined || !pending.delete(id)) return false;
    deliver(asResponse(id, new TransportProblem('malformed', reason)));
    return true;
  };
  /** The answer may still come. It does not, if the server believes that this was it. */
  const malformSoon = (reason: string) => {
    const [first] = pending;
    if (pending.size === 1) setTimeout(() => malform(first, reason), GRACE).unref();
  };
  const receive = (line: string) => {
    if (isGivenUp) return;
    const messages = parse(line) ?? spreadMessages(line);
    if (messages === undefined) {
      if (malform(idInBrokenAnswer(line), NO_JSON)) return;
      if (spread !== undefined && /^\s*"(?:result|error)"\s*:/.test(line)) malformSoon(NO_JSON);
      return discard(line, line.length + 1);
    }
    accept(messages);
  };
  const accept = (messages: JSONRPCMessage[]) => {
    if (messages.some(isEcho)) return giveUp(ECHOED);
    garbageBytes = 0;
    spread = undefined;
    for (const message of messages) deliver(answered(message));
  };
  const receiveLarge = (value: Json) => {
    const messages = messagesIn(value);
    if (messages !== undefined && !isGivenUp) accept(messages);
    return messages !== undefined;
  };
  /** A formatted message ends with a lone `}`. Everything else is garbage, which has a limit. */
  const spreadMessages = (line: string): JSONRPCMessage[] | undefined => {
    if (/^\{\s*$/.test(line)) spread = [];
    spread?.push(line);
    if (spread === undefined || !/^\}\s*$/.test(line)) return undefined;
    const whole = spread.join('\n');
    spread = undefined;
    return parse(whole);
  };
  /** The answer to our request, or what is wrong with it. Without an id, it is for the only request. */
  const answered = (message: JSONRPCMessage): JSONRPCMessage => {
    if ('method' in message && !('result' in message)) return message;
    const [first] = pending;
    const written: unknown = (message as { id?: unknown }).id;
    const id = (written ?? null) === null && pending.size === 1 ? first : Number(written);
    // A late answer to a cancelled request has an id that was sent.
    if (!(Number(id) <= lastSent)) malformSoon(WRONG_ID);
    if (id === undefined || !pending.delete(id)) return message;
    const problem = answerProblem(message as Readonly<Record<string, unknown>>);
    return problem === undefined ? bareAnswer({ ...message }, id) : asResponse(id, problem);
  };
  const refuse = (line: OversizeLine, problem = tooLarge(limit)) => {
    const [first] = pending;
    const mayBeAnswer = mayBeMessage(line.head) && !/"method"\s*:/.test(line.head + line.tail);
    const id = answeredId(line) ?? (pending.size === 1 && mayBeAnswer ? first : undefined);
    if (id !== undefined) pending.delete(id);
    if (id !== undefined) return deliver(asResponse(id, problem));
    transport.onerror?.(new Error(`a line of ${line.bytes} bytes was not read`));
    if (!mayBeMessage(line.head)) discard(line.head, line.bytes);
  };
  const lines = createLineReader(limit, { line: receive, large: receiveLarge, oversize: refuse });

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
        mute: () => giveUp('it closed its output, and was stopped'),
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
      if ('id' in message && 'method' in message && message.id !== undefined) {
        pending.add(message.id);
        lastSent = Math.max(lastSent, Number(message.id));
      }
      const cancelled = cancelledRequest(message);
      if (cancelled !== undefined) pending.delete(cancelled);
      try {
        await child.write(`${stringifyJson(message)}\n`);
      } catch (error) {
        // An incomplete line is never processed.
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
    // The SDK recognises stdio by these two members when it detects the server's protocol.
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

/** Cut at a line break, so that the rest does not begin in the middle of a secret. */
function lastPart(text: string): string {
  if (text.length <= LAST_WORDS) return text;
  return text.slice(text.indexOf('\n', text.length - LAST_WORDS) + 1 || -LAST_WORDS);
}

function flooded(bytes: number): string {
  return `it printed ${Math.round(bytes / 1_024)} KB that is not JSON-RPC, and was stopped; a stdio server must write only MCP messages to stdout`;
}

const NO_JSON = 'its answer is not JSON';
const ECHOED = 'it echoes its input, so it is not an MCP server';

/** A server never initializes a client. `cat` and a terminal echo our own request. */
function isEcho(message: JSONRPCMessage): boolean {
  return 'method' in message && message.method === 'initialize';
}

/** The messages in a line: one, or a list of them. Undefined if there are none. */
function parse(line: string): JSONRPCMessage[] | undefined {
  // Checked first, because a parser that throws is slow.
  if (!/^\s*[{[]/.test(line)) return undefined;
  try {
    return messagesIn(parseJson(line));
  } catch {
    return undefined;
  }
}

function messagesIn(value: unknown): JSONRPCMessage[] | undefined {
  const messages = Array.isArray(value) ? value : [value];
  return messages.length > 0 && messages.every(isMessage) ? messages : undefined;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && ('jsonrpc' in value || 'result' in value);
}

function mayBeMessage(line: string): boolean {
  return /^\s*\{/.test(line);
}

/** Servers write the id first or last. Our ids are numbers. A server's own message is not an answer. */
function answeredId({ head, tail }: OversizeLine): number | undefined {
  const first = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,\s*"(?:result|error)"/.exec(head);
  const isAnswer = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/.test(head);
  const last = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const found = (first ?? (isAnswer ? last : undefined))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A server's process and everything that it started. */
interface Child {
  readonly pid: number | undefined;
  write(line: string): Promise<void>;
  /** Closes its input, then asks it to stop, then kills it. Resolves when it is gone. */
  end(): Promise<void>;
  /** Kills at once without waiting. It is the last thing that an exiting process can do. */
  kill(): void;
}

interface ChildEvents {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (text: string) => void;
  /** Called if the process closes its output and goes on, so that no answer can come. */
  readonly mute: () => void;
  /** Called once, when the process is gone and all its output has been read. */
  readonly gone: (how: string) => void;
}

const GRACE = 1_000;
/** A grandchild may hold the pipes open forever. */
const DRAIN = 200;
/** Milliseconds between two reads of stderr, so that a flood slows down the server and not us. */
const REST = 10;

/** Rejects if the process cannot be started. Passes on only a few harmless environment variables. */
async function startChild(config: StdioServerConfig, on: ChildEvents): Promise<Child> {
  const child = spawn(config.command, config.args ?? [], {
    env: { ...getDefaultEnvironment(), ...networkEnvironment(), ...config.env },
    cwd: config.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // A separate process group: `npx server` is three processes, and killing the first leaves the others
    // behind. It also keeps a Ctrl-C in the terminal from killing servers while a run still shuts down in
    // order.
    detached: process.platform !== 'win32',
  });
  const gone = whenGone(child).then((how) => {
    signalGroup(child, 'SIGKILL');
    on.gone(how);
  });
  child.stdout.on('data', on.stdout);
  child.stdout.once('end', () => {
    const timer = setTimeout(on.mute, GRACE);
    void gone.then(() => clearTimeout(timer));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    on.stderr(text);
    rest(child.stderr);
  });
  // Without a listener, a failed write would crash our process. The callback of the write reports the error.
  child.stdin.on('error', () => {});
  await started(child, config);

  return {
    pid: child.pid,
    write: (line) =>
      new Promise((resolve, reject) => {
        child.stdin.write(line, (error) => (error == null ? resolve() : reject(error)));
      }),
    async end() {
      child.stdin.end();
      if (await within(gone, GRACE)) return;
      signalGroup(child, 'SIGTERM');
      if (await within(gone, GRACE)) return;
      signalGroup(child, 'SIGKILL');
      await within(gone, GRACE);
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  };
}

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE'];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/**
 * Behind the proxy or with the certificate of a company, a server needs these to reach the network. Without them
 * `npx` waits for the registry. An address with a user is left out: it may contain a password.
 */
function networkEnvironment(): Record<string, string> {
  const set = [...CERTIFICATES, ...PROXIES].map((name) => [name, process.env[name] ?? ''] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== '' && !value.includes('@')));
}

function rest(stream: Readable): void {
  stream.pause();
  setTimeout(() => stream.resume(), REST);
}

function started(child: ChildProcess, config: StdioServerConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(describeSpawnError(error, config))),
    );
  });
}

function describeSpawnError(error: NodeJS.ErrnoException, { command, cwd }: StdioServerConfig): string {
  // Node reports ENOENT for a missing folder and for a missing command.
  if (cwd !== undefined && !existsSync(cwd)) return `its directory ${cwd} does not exist`;
  if (error.code === 'ENOENT') return `the command "${command}" was not found`;
  if (error.code === 'EACCES') return `the command "${command}" is not executable`;
  return `the command "${command}" could not be started: ${error.message}`;
}

function whenGone(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let how = 'it ended';
    child.once('exit', (code, signal) => {
      how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
      setTimeout(() => resolve(how), DRAIN);
    });
    child.once('close', () => resolve(how));
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The process is already gone.
  }
}

async function within(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([promise.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
