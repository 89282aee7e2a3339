/**
 * Reads the data of server-sent events from the chunks of a response. Each chunk is searched once, however long an
 * event is.
 */
export class EventReader {
  readonly #onData: (data: string) => void;
  /** The pieces of the incomplete line. A character may be cut between two of them. */
  #line: Uint8Array[] = [];
  /** The data of the incomplete event. */
  #data: string | undefined;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: Uint8Array): void {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      this.#line.push(chunk);
      return;
    }
    this.#line.push(chunk.subarray(0, end));
    const lines = textOf(this.#line).split('\n');
    this.#line = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    for (const line of lines) this.#endLine(line);
  }

  /** Some servers don't end the last event. */
  end(): void {
    this.#endLine(textOf(this.#line));
    this.#endLine('');
  }

  #endLine(whole: string): void {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    if (line === '') this.#endEvent();
    else if (line.startsWith('data:')) {
      const data = line.slice(line[5] === ' ' ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    }
  }

  #endEvent(): void {
    const data = this.#data;
    this.#data = undefined;
    if (data !== undefined) this.#onData(data);
  }
}

const NEWLINE = 10;

function textOf(pieces: readonly Uint8Array[]): string {
  const [first = EMPTY] = pieces;
  const bytes = pieces.length <= 1 ? first : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

const EMPTY = new Uint8Array();
