import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RecordedRequest } from './request.ts';

/** One request and the way to answer it. Every wait ends when the connection does. */
export class Exchange {
  readonly request: RecordedRequest;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  #brokenHere = false;

  constructor(request: RecordedRequest, response: ServerResponse) {
    this.request = request;
    this.#response = response;
    // A write after the client left reports an error here; the record below already says that it left.
    response.on('error', () => {});
    response.on('close', () => this.#end());
    // The client may have left while the request was still being read.
    if (response.destroyed) this.#end();
  }

  send(status: number, headers: Readonly<Record<string, string>>, body: string): void {
    this.open(status, headers);
    this.#response.end(body);
  }

  open(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.#response.destroyed) this.#response.writeHead(status, headers);
  }

  /** Resolves when the text is out of this process, so that a cut after it cannot take it back. */
  async write(text: string): Promise<void> {
    const { signal } = this.#gone;
    await new Promise<void>((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      // Text that waits in a connection when it breaks may never be reported as written.
      signal.addEventListener('abort', done);
      this.#response.write(text, done);
    });
    signal.throwIfAborted();
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the connection; the client did not ask for it, so the request does not count as aborted. */
  cut(): void {
    this.#brokenHere = true;
    this.#response.destroy();
  }

  async wait(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#gone.signal });
  }

  /** Waits for something outside, as long as the client is there. */
  async until(something: unknown): Promise<void> {
    const { signal } = this.#gone;
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    if (!signal.aborted) await Promise.race([something, gone]);
    signal.throwIfAborted();
  }

  /** Nothing has gone out yet, so another answer is still possible. */
  get isUnanswered(): boolean {
    return !this.#response.headersSent && !this.#response.destroyed;
  }

  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  #end(): void {
    this.request.endedAt ??= Date.now();
    if (!this.#response.writableFinished && !this.#brokenHere) this.request.aborted = true;
    this.#gone.abort();
  }
}
