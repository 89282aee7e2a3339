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

/** Bytes of the head, with the informational responses before it, and of all trailers. */
const LONGEST_HEAD = 32 * 1024;
/**
 * Bytes of the line before a chunk, with its extensions. A piece of the body is a view, and keeps these bytes in memory,
 * too: not more than are counted for it.
 */
const LONGEST_SIZE = 128;

/** The response is not in the format of HTTP. */
export class BrokenResponse extends Error {
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
  /** Bytes that the heads or the trailers may still have. */
  #headLeft = LONGEST_HEAD;
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
        if (line.text !== '') throw new BrokenResponse('a chunk of the response is longer than its size');
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
    const head = this.#takeUntil(HEAD_END, bytes, this.#headLeft);
    if (head === undefined) {
      // A server of another protocol may send a few bytes and wait for an answer.
      if (!beginsLikeHttp(this.#begun)) throw new BrokenResponse(NOT_HTTP);
      return undefined;
    }
    this.#headLeft -= head.text.length + HEAD_END.length;
    const lines = head.text.split('\r\n');
    const { version, status, statusText } = statusIn(lines[0] ?? '');
    const headers = headersIn(lines);
    checkFraming(headers);
    if (status === 101) throw new BrokenResponse('the server switched to another protocol');
    // For example `103 Early Hints`. The response follows.
    if (status < 200) return head.rest;
    this.#headLeft = LONGEST_HEAD;
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
    if (status === 204 || status === 304) {
      // They have no body. A server that announces one may send it anyway (H2).
      if (encoding !== undefined || Number(length ?? 0) > 0) this.#isPersistent = false;
      return 'over';
    }
    if (encoding !== undefined) return 'size';
    if (length === undefined) return 'tail';
    this.#left = Number(length);
    return this.#left === 0 ? 'over' : 'body';
  }

  #readSize(bytes: Buffer): Buffer | undefined {
    const line = this.#takeUntil(LINE_END, bytes, LONGEST_SIZE);
    if (line === undefined) return undefined;
    const [, size] = CHUNK_SIZE.exec(line.text) ?? [];
    if (size === undefined) throw new BrokenResponse('the size of a chunk of the response is no number');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    return line.rest;
  }

  /** Nothing reads them, but they must end. */
  #readTrailers(bytes: Buffer): Buffer | undefined {
    const line = this.#takeUntil(LINE_END, bytes, this.#headLeft);
    if (line === undefined) return undefined;
    this.#headLeft -= line.text.length + LINE_END.length;
    if (line.text === '') this.#end(line.rest.length === 0);
    else checkTrailer(line.text);
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
      throw new BrokenResponse('the head of the response is too long');
    if (end === -1) {
      // Otherwise a server that ends its lines with a line feed only would be waited for.
      if (hasBareLineFeed(whole, before?.length ?? 0))
        throw new BrokenResponse('a line of the response ends without a carriage return');
      this.#begun = whole;
      return undefined;
    }
    this.#begun = undefined;
    return { text: whole.toString('latin1', 0, end), rest: whole.subarray(end + mark.length) };
  }
}

const LINE_END = Buffer.from('\r\n');
const LINE_FEED = 10;
const RETURN = 13;
const HEAD_END = Buffer.from('\r\n\r\n');
const HTTP = Buffer.from('HTTP/1.');
const NOT_HTTP = 'the response is not HTTP/1.1';

function beginsLikeHttp(bytes: Buffer | undefined): boolean {
  return bytes === undefined || bytes.subarray(0, HTTP.length).equals(HTTP.subarray(0, bytes.length));
}

function hasBareLineFeed(bytes: Buffer, from: number): boolean {
  let at = bytes.indexOf(LINE_FEED, from);
  while (at > 0 && bytes[at - 1] === RETURN) at = bytes.indexOf(LINE_FEED, at + 1);
  return at !== -1;
}

/** With extensions, which nothing reads. Node refuses others too. */
const CHUNK_SIZE =
  /^([0-9A-Fa-f]{1,12})(?:;[!#$%&'*+\-.^_`|~\w]+(?:=(?:[!#$%&'*+\-.^_`|~\w]*|"(?:[\t !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*$/;

function statusIn(line: string): { version: string; status: number; statusText: string } {
  const [, version, status, statusText = ''] = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: (.*))?$/.exec(line) ?? [];
  if (version === undefined) throw new BrokenResponse(NOT_HTTP);
  return { version, status: Number(status), statusText };
}

/** From the second line on. */
function headersIn(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = trimmed(line, colon + 1);
    // This also refuses lines that continue the one before, which were allowed once.
    if (!NAME.test(name) || NOT_IN_VALUE.test(value))
      throw new BrokenResponse('a header of the response is malformed');
    // For Node, `chunked` and a tab is another encoding.
    if (name === 'transfer-encoding' && line.includes('\t'))
      throw new BrokenResponse('the response is sent in an unknown way: with a tab');
    const known = headers[name];
    headers[name] = known === undefined ? value : `${known}, ${value}`;
  }
  return headers;
}

/** `trim` of JavaScript removes more: with it, `chunked\xa0` would be `chunked` only for us. */
function trimmed(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Throws if others could find another end of the body. */
function checkFraming({
  'transfer-encoding': encoding,
  'content-length': length,
}: Readonly<Record<string, string>>): void {
  if (encoding !== undefined && length !== undefined)
    throw new BrokenResponse('the response has a length and is in chunks');
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    throw new BrokenResponse(`the response is sent in an unknown way: ${encoding}`);
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    throw new BrokenResponse('the length of the response is no number');
}

function checkTrailer(line: string): void {
  const headers = headersIn(['', line]);
  if ('content-length' in headers || 'transfer-encoding' in headers)
    throw new BrokenResponse('a trailer of the response says how it ends');
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that a value must not have.
const NOT_IN_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;
