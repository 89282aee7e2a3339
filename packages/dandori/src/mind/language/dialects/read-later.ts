import type { Stop } from '../../../model/stop.ts';

interface Reading<Part> {
  readonly stop: Stop;
  /** Reads what the model has written since the last time. */
  readonly read: (parts: readonly Part[]) => void;
  /** Gets what was not read before the output was complete. */
  readonly rest: (parts: readonly Part[]) => void;
}

/**
 * Reads what the model has written after each turn of the event loop. Many servers send a short output in one piece,
 * together with its end. Then nothing can begin earlier, so it is read only once, as a whole.
 */
export class ReadLater<Part> {
  readonly #reading: Reading<Part>;
  #unread: Part[] = [];
  #next: NodeJS.Immediate | undefined;
  #problem: { readonly error: unknown } | undefined;

  constructor(reading: Reading<Part>) {
    this.#reading = reading;
  }

  add(part: Part): void {
    if (this.#problem !== undefined) throw this.#problem.error;
    this.#unread.push(part);
    this.#next ??= setImmediate(() => this.#readNow());
  }

  end(): void {
    if (this.#problem !== undefined) throw this.#problem.error;
    clearImmediate(this.#next);
    const parts = this.#take();
    if (parts.length > 0 && !this.#reading.stop.isStopped) this.#reading.rest(parts);
  }

  #readNow(): void {
    const parts = this.#take();
    if (this.#reading.stop.isStopped) return;
    try {
      this.#reading.read(parts);
    } catch (error) {
      this.#problem = { error };
    }
  }

  #take(): readonly Part[] {
    const parts = this.#unread;
    this.#unread = [];
    this.#next = undefined;
    return parts;
  }
}
