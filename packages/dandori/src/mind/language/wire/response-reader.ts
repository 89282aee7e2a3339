import { assertNever } from '../../../model/error.ts';

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** By their names in lower case. Values of the same name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Found {
  onHead(head: ResponseHead): void;
  /** A piece of the body. It is a view of the chunk that was pushed. */
  onData(piece: Uint8Array): void;
  /** `isReusable`: whether the connection may be used for another request. */
  onEnd(isReusable: boolean): void;
}

/** What is expected next. `tail`: everything until the connection is closed. */
type State = 'head' | 'body' | 'tail' | 'size' | 'chunk' | 'after chunk' | 'trailers' | 'over';

/** Bytes of all headers, and of all trailers. */
const LONGEST_HEAD = 32 * 1024;
/** Bytes of the line before a chunk, with its extensions, which nobody needs. */
const LONGEST_SIZE = 1024;

/** The response is not in the format of HTTP. */
class BrokenResponse extends Error {
  /** In the form of the codes of `node:http`: it is a problem of the connection. */
  readonly code = 'HPE_INVALID_RESPONSE';
}

/**
 * Reads the response to one POST request, as RFC 9112 defines it. It accepts less than a server may send: what two
 * readers could understand differently is refused.
 *
 * H1  The body ends at its `content-length`, with its last chunk, or with the connection, never in another way. A
 *     response with two of them is refused.
 * H2  A connection is used again only if the response ended within it, and no byte followed.
 * H3  Memory: at most `LONGEST_HEAD` bytes are kept. Pieces of the body are passed on as they arrive.
 */
export class ResponseReader {
  readonly #found: Found;
  #state: State = 'head';
  /** What has arrived of an incomplete head or line. */
  #begun: Buffer | undefined;
  /** Bytes of the body or of the chunk that have not arrived. */
  #left = 0;
  #isPersistent = true;

  constructor(found: Found) {
    this.#found = found;
  }

  /** Throws `BrokenResponse`. Then the connection must be closed. */
  push(received: Buffer): void {
    let rest: Buffer | undefined = received;
    while (rest !== undefined && rest.length > 0) rest = this.#read(rest);
  }

  /** The server closed the connection. Returns whether the response is complete. */
  close(): boolean {
    if (this.#state === 'tail') this.#end(false);
    return this.#state === 'over';
  }

  /** Reads one part, and returns what follows it. Undefined if the part is incomplete. */
  #read(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes);
      case 'body': {
        const rest = this.#pass(bytes);
        if (this.#left === 0) this.#end(rest.length === 0);
        return rest;
      }
      case 'tail':
        this.#found.onData(bytes);
        return undefined;
      case 'size':
        return this.#readSize(bytes);
      case 'chunk': {
        const rest = this.#pass(bytes);
        if (this.#left === 0) this.#state = 'after chunk';
        return rest;
      }
      case 'after chunk': {
        const line = this.#takeUntil(LINE_END, bytes, LINE_END.length);
        if (line === undefined) return undefined;
        if (line.text !== '') throw new BrokenResponse('a chunk is longer than its size');
        this.#state = 'size';
        return line.rest;
      }
      case 'trailers':
        return this.#readTrailers(bytes);
      case 'over':
        // Bytes behind the response: the connection is not used again (H2).
        return undefined;
      default:
        return assertNever(this.#state);
    }
  }

  #pass(bytes: Buffer): Buffer {
    const piece = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= piece.length;
    this.#found.onData(piece);
    return bytes.subarray(piece.length);
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const head = this.#takeUntil(HEAD_END, bytes, LONGEST_HEAD);
    if (head === undefined) return undefined;
    const { version, status, statusText } = statusIn(head.text);
    const headers = headersIn(head.text);
    if (status === 101) throw new BrokenResponse('the server switched to another protocol');
    // For example `103 Early Hints`. The response follows.
    if (status < 200) return head.rest;
    const { connection = '' } = headers;
    this.#isPersistent = version === '1.1' && !/\bclose\b/i.test(connection);
    this.#state = this.#stateAfter(status, headers);
    this.#found.onHead({ status, statusText, headers });
    if (this.#state === 'over') this.#found.onEnd(this.#isPersistent && head.rest.length === 0);
    return head.rest;
  }

  /** How the body ends (H1). */
  #stateAfter(status: number, headers: Readonly<Record<string, string>>): State {
    const { 'transfer-encoding': encoding, 'content-length': length } = headers;
    if (encoding !== undefined && length !== undefined)
      throw new BrokenResponse('it has a length and is in chunks');
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
      throw new BrokenResponse(`it is sent in an unknown way: ${encoding}`);
    if (length !== undefined && !/^\d{1,15}$/.test(length))
      throw new BrokenResponse('its length is no number');
    if (status === 204 || status === 304) return 'over';
    if (encoding !== undefined) return 'size';
    if (length === undefined) return 'tail';
    this.#left = Number(length);
    return this.#left === 0 ? 'over' : 'body';
  }

  #readSize(bytes: Buffer): Buffer | undefined {
    const line = this.#takeUntil(LINE_END, bytes, LONGEST_SIZE);
    if (line === undefined) return undefined;
    const [, size] = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?$/.exec(line.text) ?? [];
    if (size === undefined) throw new BrokenResponse('the size of a chunk is no number');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    return line.rest;
  }

  /** Nothing reads them, but they must end. */
  #readTrailers(bytes: Buffer): Buffer | undefined {
    const line = this.#takeUntil(LINE_END, bytes, LONGEST_HEAD);
    if (line === undefined) return undefined;
    if (line.text === '') this.#end(line.rest.length === 0);
    else headersIn(`\r\n${line.text}`);
    return line.rest;
  }

  #end(isAtEnd: boolean): void {
    this.#state = 'over';
    this.#found.onEnd(isAtEnd && this.#isPersistent);
  }

  /** The text before `mark`, and the bytes behind it. Undefined if the mark has not arrived. */
  #takeUntil(
    mark: Buffer,
    bytes: Buffer,
    longest: number,
  ): { readonly text: string; readonly rest: Buffer } | undefined {
    const before = this.#begun;
    const whole = before === undefined ? bytes : Buffer.concat([before, bytes]);
    // The mark may have been cut.
    const from = before === undefined ? 0 : Math.max(0, before.length - mark.length + 1);
    const end = whole.indexOf(mark, from);
    if ((end === -1 ? whole.length : end) > longest)
      throw new BrokenResponse(`a part of its head is longer than ${longest} bytes`);
    if (end === -1) {
      this.#begun = whole;
      return undefined;
    }
    this.#begun = undefined;
    return { text: whole.toString('latin1', 0, end), rest: whole.subarray(end + mark.length) };
  }
}

const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

function statusIn(head: string): { version: string; status: number; statusText: string } {
  const [, version, status, statusText = ''] = STATUS_LINE.exec(head) ?? [];
  if (version === undefined) throw new BrokenResponse('it is not HTTP/1.1');
  return { version, status: Number(status), statusText };
}

const STATUS_LINE = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: ([^\r\n]*))?(?=\r\n|$)/;

/** From the second line on. */
function headersIn(head: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let end = head.indexOf('\r\n'); end !== -1; ) {
    const start = end + 2;
    end = head.indexOf('\r\n', start);
    const line = head.slice(start, end === -1 ? undefined : end);
    // This also refuses lines that continue the one before, which were allowed once.
    if (!HEADER.test(line)) throw new BrokenResponse('one of its headers is none');
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers[name];
    headers[name] = known === undefined ? value : `${known}, ${value}`;
  }
  return headers;
}

/** No control characters but tabs. */
const HEADER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
