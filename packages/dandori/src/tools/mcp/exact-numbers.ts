import { randomUUID } from 'node:crypto';
import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { hugeIn, mapped } from '../../model/json/huge-ints.ts';
import { isObject, isUnusual, type Json, type JsonObject, parseJson } from '../../model/json.ts';
import { ByteBlock, freeChunk } from './byte-block.ts';
import { whyNotParsed } from './json-limits.ts';
import { parsePieces } from './json-pieces.ts';
import { answerProblem, tooLarge } from './transport.ts';

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
  /**
   * A stream of events in a form that the SDK can read. It may last for days: `limit` is the most bytes of one event or
   * line.
   */
  events(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array>;
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

  /** Holds a message only if the SDK will give its outline back: a message that it drops would stay for ever. */
  const outlined = (message: JsonObject): string | undefined => {
    const { jsonrpc = null, id, method, params, result, error } = message;
    const inside = { [mark]: count + 1 };
    const outline = {
      jsonrpc,
      ...(id !== undefined && { id }),
      ...(method !== undefined && { method }),
      ...(params !== undefined && { params: inside }),
      ...(result !== undefined && { result: inside }),
      ...(isObject(error) && { error: { code: error.code ?? null, message: '', data: inside } }),
    };
    try {
      parseJSONRPCMessage(outline);
    } catch {
      return undefined;
    }
    if ([params, result, error].some((part) => part !== undefined)) {
      count += 1;
      held.set(count, message);
    }
    return JSON.stringify(outline);
  };

  return {
    marked: (message) =>
      hugeIn(message as Json).size === 0 ? message : (withMarks(message as Json) as typeof message),
    sent: (body) => (body.includes(mark) ? body.replaceAll(inText, '$1') : body),
    events: (chunks, limit) => exactEvents(chunks, { limit, outline: outlined }),
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

type Outline = (message: JsonObject) => string | undefined;

/** Passes events on. Of a large event, or one with unusual numbers, the SDK gets only an outline. */
async function* exactEvents(
  chunks: AsyncIterable<Uint8Array>,
  { limit, outline }: { readonly limit: number; readonly outline: Outline },
): AsyncGenerator<Uint8Array> {
  /** The data lines of the event, and then the line that is being read. */
  const held = new ByteBlock();
  let lineStart = 0;
  let isForSdk = true;
  let isAfterReturn = false;

  /** Of lines that are no data, the SDK gets all. */
  const endLine = (): readonly Uint8Array[] => {
    const line = held.view(lineStart);
    if (startsWith(line, DATA)) {
      held.add(NEWLINE);
      lineStart = held.length;
      return [];
    }
    const other = held.last(line.length);
    held.cut(lineStart);
    if (startsWith(other, 'event:')) isForSdk = /^event: ?(?:message)?$/.test(other.toString());
    return other.length === 0 ? [...endEvent(), NEWLINE] : [other, NEWLINE];
  };
  const endEvent = (): readonly Uint8Array[] => {
    const data = held.length === 0 ? [] : [isForSdk ? exactData(held, outline) : held.last(held.length)];
    held.free();
    lineStart = 0;
    isForSdk = true;
    return data;
  };

  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A line feed that belongs to a carriage return at the end of the previous chunk.
    let start = isAfterReturn && bytes[0] === FEED ? 1 : 0;
    for (let end = endOfLine(bytes, start); end !== -1; end = endOfLine(bytes, start)) {
      held.add(bytes.subarray(start, end));
      if (held.length > limit) throw tooLarge(limit);
      yield* endLine();
      start = bytes[end] === RETURN && bytes[end + 1] === FEED ? end + 2 : end + 1;
    }
    isAfterReturn = bytes.at(-1) === RETURN;
    held.add(bytes.subarray(start));
    if (held.length > limit) throw tooLarge(limit);
    freeChunk(chunk);
  }
  if (held.length > lineStart) yield* endLine();
  yield* endEvent();
}

const FEED = 10;
const RETURN = 13;

/** SSE has three kinds of line ends. */
function endOfLine(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) if (bytes[at] === FEED || bytes[at] === RETURN) return at;
  return -1;
}

function startsWith(line: Buffer, text: string): boolean {
  return line.toString('latin1', 0, text.length) === text;
}

function exactData(lines: ByteBlock, outline: Outline): Uint8Array {
  const problem = whyNotParsed(lines.view());
  if (problem !== undefined) throw problem;
  const isLarge = lines.length >= LARGE;
  const isOne = lines.view().indexOf(FEED) === lines.length - 1;
  const text = isLarge && isOne ? '' : textIn(lines);
  if (!isLarge && !isUnusual(text)) return lines.last(lines.length);
  const message = messageIn(() =>
    isLarge && isOne ? parsePieces(lines.view(DATA.length)) : parseJson(text),
  );
  const outlined = message === undefined ? undefined : outline(message);
  return Buffer.from(outlined === undefined ? BROKEN : `${DATA} ${outlined}\n`);
}

function textIn(lines: ByteBlock): string {
  const each = lines.text().slice(0, -1).split('\n');
  return each.map((line) => line.slice(DATA.length).replace(/^ /, '')).join('\n');
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
