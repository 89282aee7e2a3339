import { randomUUID } from 'node:crypto';
import { hugeIn, mapped } from '../../model/huge-ints.ts';
import { isObject, isUnusual, type Json, type JsonObject, parseJson } from '../../model/json.ts';
import { ByteBlock, freeChunk } from './byte-block.ts';
import { unreadable } from './json-limits.ts';
import { parsePieces } from './json-pieces.ts';
import { answerProblem } from './transport.ts';

/**
 * Passes messages around the SDK's HTTP transport, which parses and writes JSON itself. It would round integers
 * beyond 2^53 or throw, and would hold a large message in memory several times. In what is sent, each such
 * integer is a text with a mark that no server can know. For a received event, the SDK gets an outline, and the
 * message itself waits here.
 *
 * E1  A message without such integers, and an event that is not large, pass unchanged, byte for byte.
 * E2  A mark never leaves the process, and no incoming text is mistaken for one.
 */
export interface ExactNumbers {
  /** The message in a form that the SDK can write. */
  marked<Message extends object>(message: Message): Message;
  /** A body that the SDK has written, in the form that is sent. */
  sent(body: string): string;
  /** A stream of events in a form that the SDK can read. */
  events(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** A message that the SDK has read, as the server meant it. */
  unmarked<Message extends object>(message: Message): Message;
}

export function createExactNumbers(): ExactNumbers {
  const mark = `${randomUUID()}:`;
  const inText = new RegExp(`"${mark}(-?\\d+)"`, 'g');
  const held = new Map<number, JsonObject>();
  let count = 0;
  const withMarks = (value: Json): Json =>
    mapped(value, (leaf) => (typeof leaf === 'bigint' ? `${mark}${leaf}` : leaf));

  const outlined = (message: JsonObject): JsonObject => {
    const { jsonrpc = null, id, method, params, result, error } = message;
    count += 1;
    held.set(count, message);
    const inside = { [mark]: count };
    return {
      jsonrpc,
      ...(id !== undefined && { id }),
      ...(method !== undefined && { method }),
      ...(params !== undefined && { params: inside }),
      ...(result !== undefined && { result: inside }),
      ...(isObject(error) && { error: { code: error.code ?? null, message: '', data: inside } }),
    };
  };

  return {
    marked: (message) =>
      hugeIn(message as Json).size === 0 ? message : (withMarks(message as Json) as typeof message),
    sent: (body) => (body.includes(mark) ? body.replaceAll(inText, '$1') : body),
    events: (chunks) => exactEvents(chunks, (message) => JSON.stringify(outlined(message))),
    unmarked(message) {
      if (held.size === 0) return message;
      const { params, result, error } = message as JsonObject;
      const inside = [params, result, isObject(error) ? error.data : undefined].find((one) => isObject(one));
      const number = isObject(inside) ? inside[mark] : undefined;
      const whole = typeof number === 'number' ? held.get(number) : undefined;
      if (whole === undefined) return message;
      held.delete(number as number);
      return whole as typeof message;
    },
  };
}

const NEWLINE = Buffer.from('\n');
const DATA = 'data:';
/** Bytes of an event from which on the SDK does not get it. */
const LARGE = 1_000_000;
/** An event that the SDK rejects as it would reject the original. */
const BROKEN = `${DATA} {\n`;

/** Passes events on. Of a large event, or one with unusual numbers, the SDK gets only an outline. */
async function* exactEvents(
  chunks: AsyncIterable<Uint8Array>,
  outline: (message: JsonObject) => string,
): AsyncGenerator<Uint8Array> {
  let data: ByteBlock[] = [];
  for await (const line of linesOf(chunks)) {
    if (line.head(DATA.length) === DATA) data.push(line);
    else {
      if (line.length === 0) {
        yield exactData(data, outline);
        data = [];
      }
      yield line.last(line.length);
      yield NEWLINE;
    }
  }
  yield exactData(data, outline);
}

function exactData(lines: readonly ByteBlock[], outline: (message: JsonObject) => string): Uint8Array {
  const bytes = lines.reduce((sum, { length }) => sum + length, 0);
  for (const line of lines) {
    const problem = unreadable(line.view());
    if (problem !== undefined) throw problem;
  }
  const [first] = lines;
  const isOneLarge = lines.length === 1 && bytes >= LARGE;
  const text = isOneLarge ? '' : lines.map((line) => line.text(DATA.length).replace(/^ /, '')).join('\n');
  if (bytes < LARGE && !isUnusual(text))
    return Buffer.concat(lines.flatMap((line) => [line.last(line.length), NEWLINE]));
  const message = messageIn(() =>
    isOneLarge && first !== undefined ? parsePieces(first.view(DATA.length)) : parseJson(text),
  );
  for (const line of lines) line.free();
  return Buffer.from(message === undefined ? BROKEN : `${DATA} ${outline(message)}\n`);
}

/** Undefined if the SDK would reject the message. */
function messageIn(parsed: () => Json): JsonObject | undefined {
  try {
    const message = parsed();
    if (!isObject(message)) return undefined;
    const { jsonrpc, method, params } = message;
    if (method === undefined) return answerProblem(message) === undefined ? message : undefined;
    const isCall = typeof method === 'string' && (params === undefined || isObject(params));
    return isCall && jsonrpc === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Lines without their line ends, of which there are three kinds. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ByteBlock> {
  let line = new ByteBlock();
  let isAfterReturn = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A line feed that belongs to a carriage return at the end of the previous chunk.
    let start = isAfterReturn && bytes[0] === 10 ? 1 : 0;
    isAfterReturn = false;
    for (;;) {
      const end = endOfLine(bytes, start);
      if (end === -1) break;
      line.add(bytes.subarray(start, end));
      yield line;
      line = new ByteBlock();
      isAfterReturn = bytes[end] === 13 && end + 1 === bytes.length;
      start = bytes[end] === 13 && bytes[end + 1] === 10 ? end + 2 : end + 1;
    }
    if (start < bytes.length) line.add(bytes.subarray(start));
    freeChunk(chunk);
  }
  if (line.length > 0) yield line;
}

function endOfLine(bytes: Buffer, start: number): number {
  const feed = bytes.indexOf(10, start);
  const before = bytes.subarray(start, feed === -1 ? bytes.length : feed).indexOf(13);
  return before === -1 ? feed : start + before;
}
