import type { ServerResponse } from 'node:http';
import { stringifyJson } from '../model/json.ts';
import { redact } from '../model/redact.ts';
import type { Entry } from '../store/index.ts';

export interface Joining {
  readonly response: ServerResponse;
  readonly after: number;
  readonly untilEnd: boolean;
  /**
   * The current live state, as named messages. It is sent when the client has caught up, before any live
   * message.
   */
  readonly snapshot: () => readonly (readonly [name: string, value: object])[];
}

export interface ClientOptions {
  readonly secrets: readonly string[];
  /** The most bytes that may be buffered for a client. */
  readonly bound: number;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly patience: number;
  /** The client read nothing for so long. */
  readonly onStuck: () => void;
}

/** Events that are written together. */
export interface Portion {
  readonly data: Buffer;
  /** The same bytes, one buffer per event. */
  readonly parts: readonly Buffer[];
  readonly first: number;
  readonly last: number;
  /** Whether the last of these events ends the journal. */
  readonly hasEnd: boolean;
}

/** A portion ends at this many bytes. */
const PORTION = 64_000;

export function* portionsOf(events: readonly Entry[], isEnd: (last: Entry) => boolean): Generator<Portion> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const part = encode(event);
    parts.push(part);
    bytes += part.length;
    if (bytes < PORTION && index < events.length - 1) continue;
    const first = event.seq - parts.length + 1;
    yield { data: Buffer.concat(parts), parts, first, last: event.seq, hasEnd: isEnd(event) };
    parts = [];
    bytes = 0;
  }
}

/**
 * The event as the journal has it, without an event name, so that a plain `onmessage` receives all of them.
 */
function encode(event: Entry): Buffer {
  return Buffer.from(`id: ${event.seq}\ndata: ${stringifyJson(event)}\n\n`);
}

export function encodeLive(name: string, value: object, secrets: readonly string[]): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${stringifyJson(redact(value, secrets))}\n\n`);
}

/** One client of a journal: which events it has, and whether it keeps up. */
export class StreamClient {
  readonly response: ServerResponse;
  /** Too much is buffered for this client. It must catch up from the journal before it gets anything new. */
  isBehind = false;
  readonly #joining: Joining;
  readonly #options: ClientOptions;
  #after: number;
  #hasEnd = false;

  constructor(joining: Joining, options: ClientOptions) {
    this.response = joining.response;
    this.#joining = joining;
    this.#options = options;
    this.#after = joining.after;
  }

  /** The last event that it has. */
  get after(): number {
    return this.#after;
  }

  /** It wants the events until the end, and has them. */
  get isComplete(): boolean {
    return this.#joining.untilEnd && this.#hasEnd;
  }

  get isOverBound(): boolean {
    return this.response.writableLength > this.#options.bound;
  }

  /** Writes those events of a portion that it does not have yet. */
  write({ data, parts, first, last, hasEnd }: Portion): boolean {
    // A client that has just caught up already has some of these events.
    const isNew = this.#after < first;
    const rest = isNew ? data : Buffer.concat(parts.slice(this.#after - first + 1));
    this.#after = last;
    this.#hasEnd = hasEnd;
    return this.response.write(rest);
  }

  /**
   * Writes at the client's own speed, so that a client that starts with a long journal does not count as slow. False if
   * the client is gone.
   */
  async catchUp(portions: readonly Portion[]): Promise<boolean> {
    for (const portion of portions) if (!this.write(portion) && !(await this.isRead())) return false;
    return !this.response.destroyed;
  }

  /** False if the client is gone, or has read nothing for `patience` milliseconds. */
  async isRead(): Promise<boolean> {
    const how = await drained(this.response, this.#options.patience);
    if (how === 'stuck') this.#options.onStuck();
    if (how !== 'drained') this.response.destroy();
    return how === 'drained';
  }

  /** The snapshot is sent whole, even if it exceeds the bound. */
  sendSnapshot(): void {
    for (const [name, value] of this.#joining.snapshot())
      this.response.write(encodeLive(name, value, this.#options.secrets));
  }
}

function drained(response: ServerResponse, patience: number): Promise<'drained' | 'gone' | 'stuck'> {
  return new Promise((resolve) => {
    const done = (how: 'drained' | 'gone' | 'stuck') => {
      clearTimeout(waiting);
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(how);
    };
    const onDrain = () => done('drained');
    const onClose = () => done('gone');
    const waiting = setTimeout(() => done('stuck'), patience);
    response.on('drain', onDrain);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
}
