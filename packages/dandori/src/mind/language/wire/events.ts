import { StringDecoder } from 'node:string_decoder';

/**
 * Reads the data of server-sent events from the chunks of a response. Each chunk is searched once, however long an
 * event is.
 */
export class EventReader {
  readonly #onData: (data: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  /** The pieces of the incomplete line. */
  #line: string[] = [];
  /** The data lines of the incomplete event. */
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    let from = 0;
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      this.#line.push(text.slice(from, to));
      this.#endLine();
      from = to + 1;
    }
    if (from < text.length) this.#line.push(text.slice(from));
  }

  /** Some servers don't end the last event. */
  end(): void {
    this.#endLine();
    this.#endEvent();
  }

  #endLine(): void {
    const whole = this.#line.length === 1 ? (this.#line[0] ?? '') : this.#line.join('');
    this.#line = [];
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    if (line === '') this.#endEvent();
    else if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }

  #endEvent(): void {
    if (this.#data.length === 0) return;
    const data = this.#data.length === 1 ? (this.#data[0] ?? '') : this.#data.join('\n');
    this.#data = [];
    this.#onData(data);
  }
}
