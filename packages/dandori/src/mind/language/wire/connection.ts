import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Stop } from '../../../model/stop.ts';
import { BrokenResponse, type Found, type ResponseHead, ResponseReader } from './response-reader.ts';
import { ResponseError } from './wire.ts';

/** Milliseconds until the connection is closed if a body that is no longer read does not end. */
const LINGER = 1_000;
/** Idle connections to one server. With fewer, a thousand runs at once would close and open connections all the time. */
const MOST_IDLE = 2_000;
/** Milliseconds before the server closes an idle connection. In this time it is no longer used. */
const MARGIN = 1_000;
/**
 * Milliseconds in which it shows that the server closed the connection before the request arrived. One that is closed
 * later was probably silent for too long, and the server has seen the request.
 */
const SOON = 10_000;

/** Bytes. To copy a shorter body takes less time than to send its pieces. */
const SHORT_BODY = 64 * 1024;

export interface Requested {
  /** The request line and the headers, with the empty line behind them. */
  readonly head: string;
  /** In pieces, so that a long conversation is not copied for every request. */
  readonly body: readonly Uint8Array[];
  /** Bytes of the body. */
  readonly length: number;
  readonly stop: Stop;
}

/** Takes a piece of the body. False: it needs no more of it. */
export type Take = (piece: Uint8Array) => boolean;

/** Gets the head of the response, and returns what takes its body. Undefined: the body is not needed. */
export type Receive = (head: ResponseHead, flow: Flow) => Take | undefined;

/** For what takes the pieces now and handles them later. */
export interface Flow {
  pause(): void;
  resume(): void;
  /** No more of the body is needed. */
  leave(): void;
}

/**
 * The server closed a connection that had been used before, and had not begun to answer. It has probably not seen the
 * request.
 */
export class StaleConnection extends Error {}

export class CallStopped extends Error {
  constructor() {
    super('The call was stopped.');
  }
}

/** Our connections to one server. Idle ones don't keep the process alive. */
export class Pool {
  readonly #connect: () => Socket;
  readonly #idle: Connection[] = [];

  constructor(url: URL) {
    this.#connect = connector(url);
  }

  /**
   * Resolves at the end of the body, or when no more of it is needed. `isNew`: over a connection that was not used
   * before.
   */
  send(requested: Requested, receive: Receive, isNew = false): Promise<void> {
    if (requested.stop.isStopped) return Promise.reject(new CallStopped());
    const connection = (isNew ? undefined : this.#takeIdle()) ?? new Connection(this, this.#connect());
    return connection.send(requested, receive);
  }

  /** The one that was used last. So the server closes those that are not needed. */
  #takeIdle(): Connection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection?.isUsable !== false) return connection;
      connection.close();
    }
  }

  keep(connection: Connection): void {
    if (this.#idle.length < MOST_IDLE) this.#idle.push(connection);
    else connection.close();
  }

  forget(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}

function connector({ protocol, hostname, port }: URL): () => Socket {
  // The URL has an IPv6 address in brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const net = process.getBuiltinModule('node:net');
  if (protocol === 'http:') return () => net.connect({ host, port: Number(port || 80) });
  if (protocol !== 'https:') throw new TypeError(`The protocol ${protocol} is not supported.`);
  const tls = process.getBuiltinModule('node:tls');
  const options: ConnectionOptions = { host, port: Number(port || 443), ALPNProtocols: ['http/1.1'] };
  // Servers choose their certificate by the name. An address is none.
  if (net.isIP(host) === 0) options.servername = host;
  // It saves the next connection a round trip.
  const keepSession = (session: Buffer) => {
    options.session = session;
  };
  // It may be the reason.
  const dropSession = () => {
    delete options.session;
  };
  return () => tls.connect(options).on('session', keepSession).on('error', dropSession);
}

/** Carries one request at a time. In between, its pool keeps it. */
class Connection {
  readonly #pool: Pool;
  readonly #socket: Socket;
  #exchange: Exchange | undefined;
  #wasUsed = false;
  #sentAt = 0;
  /** When it must not be used any more. */
  #until = Number.POSITIVE_INFINITY;

  constructor(pool: Pool, socket: Socket) {
    this.#pool = pool;
    this.#socket = socket;
    socket.setNoDelay(true);
    // So that a server that has vanished is noticed.
    socket.setKeepAlive(true, 1_000);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // If TLS ended it, an error follows that says why.
    socket.on('end', () => {
      if (!socket.destroyed) this.#lose();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => this.#lose(error));
    socket.on('close', () => this.#lose());
  }

  get isUsable(): boolean {
    return !this.#socket.destroyed && performance.now() < this.#until;
  }

  close(): void {
    this.#socket.destroy();
  }

  send({ head, body, length, stop }: Requested, receive: Receive): Promise<void> {
    const socket = this.#socket;
    const exchange = new Exchange(socket, receive, stop);
    this.#exchange = exchange;
    exchange.onStop(() => this.#fail(new CallStopped()));
    this.#sentAt = performance.now();
    socket.ref();
    if (length <= SHORT_BODY) socket.write(Buffer.concat([Buffer.from(head, 'latin1'), ...body]));
    else {
      socket.cork();
      socket.write(head, 'latin1');
      for (const piece of body) socket.write(piece);
      socket.uncork();
    }
    return exchange.ended;
  }

  #read(chunk: Buffer): void {
    const exchange = this.#exchange;
    // Nothing was asked: some servers say in this way that they close the connection.
    if (exchange === undefined) {
      this.close();
      return;
    }
    exchange.hasBegun = true;
    try {
      exchange.reader.push(chunk);
    } catch (error) {
      this.#fail(error instanceof BrokenResponse ? exchange.breakOff(error) : error);
      return;
    }
    // What took a piece may have stopped the call.
    if (this.#exchange !== exchange) return;
    if (exchange.isOver) this.#finish(exchange);
    else if (exchange.isLeft) exchange.linger();
  }

  #finish({ head, isReusable }: Exchange): void {
    this.#exchange = undefined;
    this.#wasUsed = true;
    // A server may answer before it has read the request.
    if (!isReusable || this.#socket.writableLength > 0) {
      this.close();
      return;
    }
    this.#until = closingTime(head);
    // What takes the body may need time for its last pieces.
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#socket.unref();
    this.#pool.keep(this);
  }

  /** The connection broke off, or the server closed it. */
  #lose(error?: NodeJS.ErrnoException): void {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.#pool.forget(this);
      this.close();
      return;
    }
    // The end of the connection may be the end of the body.
    if (error === undefined && exchange.reader.close()) {
      this.#finish(exchange);
      return;
    }
    const isReset = error === undefined || error.code === 'ECONNRESET' || error.code === 'EPIPE';
    const isSoon = performance.now() - this.#sentAt < SOON;
    const isStale = this.#wasUsed && isReset && isSoon && !exchange.hasBegun;
    this.#fail(isStale ? new StaleConnection() : exchange.breakOff(error ?? new SocketClosed()));
  }

  #fail(error: unknown): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.close();
    exchange?.fail(error);
  }
}

/** A request and its response. */
class Exchange implements Found, Flow {
  /** Also when no more of the body is needed. */
  readonly ended: Promise<void>;
  readonly reader = new ResponseReader(this);
  head: ResponseHead | undefined;
  /** Some of the response has arrived, perhaps not its whole head. */
  hasBegun = false;
  /** No more of the body is needed. */
  isLeft = false;
  /** The whole response has arrived. */
  isOver = false;
  isReusable = false;
  readonly #socket: Socket;
  readonly #receive: Receive;
  readonly #stop: Stop;
  #take: Take | undefined;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  #forget: (() => void) | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(socket: Socket, receive: Receive, stop: Stop) {
    this.#socket = socket;
    this.#receive = receive;
    this.#stop = stop;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  onStop(then: () => void): void {
    this.#forget = this.#stop.onStop(then);
  }

  onHead(head: ResponseHead): void {
    this.head = head;
    this.#take = this.#receive(head, this);
    if (this.#take === undefined) this.#resolveEarly();
  }

  onData(piece: Uint8Array): void {
    if (!this.isLeft && this.#take?.(piece) === false) this.#resolveEarly();
  }

  onEnd(isReusable: boolean): void {
    this.isOver = true;
    this.isReusable = isReusable;
    this.#forget?.();
    clearTimeout(this.#lingering);
    this.#resolve();
  }

  fail(error: unknown): void {
    this.isLeft = true;
    this.#forget?.();
    clearTimeout(this.#lingering);
    this.#reject(error);
  }

  /** The error for a connection that failed. Within a response, its status is known. */
  breakOff(error: Error): Error {
    return this.head === undefined
      ? error
      : new ResponseError(error.message, { statusCode: this.head.status });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    // Afterwards the connection carries other responses.
    if (!this.isOver) this.#socket.resume();
  }

  leave(): void {
    if (this.isOver || this.isLeft) return;
    this.#resolveEarly();
    this.#socket.resume();
    this.linger();
  }

  /** The connection can be used again if the rest of the body ends soon, as it should. */
  linger(): void {
    this.#lingering ??= setTimeout(() => this.#socket.destroy(), LINGER).unref();
  }

  #resolveEarly(): void {
    this.isLeft = true;
    this.#resolve();
  }
}

/** Worded like the error of `node:http`, for people who search for it. */
class SocketClosed extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('socket hang up');
  }
}

/** A server may say after how many idle seconds it closes the connection. */
function closingTime(head: ResponseHead | undefined): number {
  const [, seconds] = /\btimeout=(\d{1,9})/.exec(head?.headers['keep-alive'] ?? '') ?? [];
  return seconds === undefined
    ? Number.POSITIVE_INFINITY
    : performance.now() + Number(seconds) * 1000 - MARGIN;
}
