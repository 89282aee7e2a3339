/**
 * Reads the data of server-sent events from the chunks of a response. Each chunk is searched once, however long an
 * event is. A line ends with LF, CRLF or CR, and the stream may begin with a BOM.
 */
export class EventReader {
  readonly #onData: (data: string) => void;
  /** The pieces of the incomplete line. A character may be cut between two of them. */
  #line: Uint8Array[] = [];
  /** The last chunk ended with a CR. Its line has ended, and a LF at the beginning of the next chunk ends no other. */
  #isBehindReturn = false;
  #isAtStart = true;
  /** The data of the incomplete event. */
  #data: string | undefined;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(received: Uint8Array): void {
    if (received.length === 0) return;
    const chunk = this.#isBehindReturn && received[0] === NEWLINE ? received.subarray(1) : received;
    const last = chunk[chunk.length - 1];
    this.#isBehindReturn = last === RETURN;
    // Most chunks are whole events, and need no search.
    const end =
      last === NEWLINE ? chunk.length : Math.max(chunk.lastIndexOf(NEWLINE), chunk.lastIndexOf(RETURN)) + 1;
    if (end === 0) {
      this.#line.push(chunk);
      return;
    }
    this.#line.push(chunk.subarray(0, end));
    const text = textOf(this.#line);
    this.#line = end < chunk.length ? [chunk.subarray(end)] : [];
    const lines = (text.includes('\r') ? text.replace(RETURNS, '\n') : text).split('\n');
    // Behind the last line end is nothing.
    lines.pop();
    for (const line of lines) this.#endLine(line);
  }

  /** Some servers don't end the last event. */
  end(): void {
    this.#endLine(textOf(this.#line));
    this.#endLine('');
  }

  #endLine(whole: string): void {
    const line = this.#isAtStart && whole.startsWith(BOM) ? whole.slice(BOM.length) : whole;
    this.#isAtStart = false;
    if (line === '') this.#endEvent();
    else if (line.startsWith('data:')) {
      const data = line.slice(line[5] === ' ' ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    }
    // So llama.cpp sent its errors until the end of 2025.
    else if (line.startsWith('error:')) this.#data = `{"error":${line.slice('error:'.length)}}`;
  }

  #endEvent(): void {
    const data = this.#data;
    this.#data = undefined;
    if (data !== undefined) this.#onData(data);
  }
}

const NEWLINE = 10;
const RETURN = 13;
const RETURNS = /\r\n?/g;
const BOM = '\uFEFF';

function textOf(pieces: readonly Uint8Array[]): string {
  const [first = EMPTY] = pieces;
  const bytes = pieces.length <= 1 ? first : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

const EMPTY = new Uint8Array();
