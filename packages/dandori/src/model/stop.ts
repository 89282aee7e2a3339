/**
 * Ends one call of a tool or a model. The `AbortSignal` is made when it is first read. Our requests to a model don't
 * read it, because making one and listening to it takes a tenth of the time of a request.
 */
export class Stop {
  /** Why the call must end. Undefined until then. */
  reason: string | undefined;
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;

  get isStopped(): boolean {
    return this.reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.reason !== undefined) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  stop(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#controller?.abort(reason);
    const waiting = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const then of waiting) then();
  }

  /**
   * Calls back once when the call is stopped, or immediately if it already was. The returned function cancels the
   * callback.
   */
  onStop(then: () => void): () => void {
    if (this.reason !== undefined) then();
    else {
      this.#listeners ??= new Set();
      this.#listeners.add(then);
    }
    return () => void this.#listeners?.delete(then);
  }
}

/** For a caller that has only a signal. */
export function stopOf(signal: AbortSignal): Stop {
  const stop = new Stop();
  if (signal.aborted) stop.stop(String(signal.reason));
  else signal.addEventListener('abort', () => stop.stop(String(signal.reason)), { once: true });
  return stop;
}
