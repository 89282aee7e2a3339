import { randomUUID } from 'node:crypto';
import { isUnusual, type Json, parseJson } from '../../model/json.ts';
import { hugeIn, mapped } from '../../model/stand-in.ts';

/**
 * Passes integers beyond 2^53 through the SDK's HTTP transport, which parses and writes JSON itself and would
 * round them or throw. Inside the SDK each one is a text with a mark that no server can know.
 *
 * E1  A message without such integers passes unchanged, byte for byte.
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
  let isMarked = false;
  const withMarks = (value: Json): Json =>
    mapped(value, (leaf) => (typeof leaf === 'bigint' ? `${mark}${leaf}` : leaf));

  return {
    marked: (message) =>
      hugeIn(message as Json).size === 0 ? message : (withMarks(message as Json) as typeof message),
    sent: (body) => (body.includes(mark) ? body.replaceAll(inText, '$1') : body),
    events: (chunks) =>
      exactEvents(chunks, (value) => {
        isMarked = true;
        return JSON.stringify(withMarks(value));
      }),
    unmarked(message) {
      if (!isMarked) return message;
      const asMeant = (leaf: Json) =>
        typeof leaf === 'string' && leaf.startsWith(mark) ? BigInt(leaf.slice(mark.length)) : leaf;
      return mapped(message as Json, asMeant) as typeof message;
    },
  };
}

const NEWLINE = Buffer.from('\n');

/** Passes events on, and rewrites data with unusual numbers. Holds each event until it is complete. */
async function* exactEvents(
  chunks: AsyncIterable<Uint8Array>,
  write: (value: Json) => string,
): AsyncGenerator<Uint8Array> {
  let data: Buffer[] = [];
  for await (const line of linesOf(chunks)) {
    if (line.subarray(0, 5).toString('latin1') === 'data:') data.push(line);
    else {
      if (line.length === 0) {
        yield* exactData(data, write);
        data = [];
      }
      yield line;
      yield NEWLINE;
    }
  }
  yield* exactData(data, write);
}

function* exactData(lines: readonly Buffer[], write: (value: Json) => string): Generator<Uint8Array> {
  const exact = lines.length === 0 ? undefined : unusual(lines);
  if (exact !== undefined) yield Buffer.from(`data: ${write(exact)}\n`);
  else for (const line of lines) yield* [line, NEWLINE];
}

/** The parsed data of an event; undefined if the SDK reads it correctly. */
function unusual(lines: readonly Buffer[]): Json | undefined {
  const text = lines.map((line) => line.toString('utf8', 5).replace(/^ /, '')).join('\n');
  try {
    return isUnusual(text) ? parseJson(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Lines without their line ends, of which there are three kinds. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let isAfterReturn = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A line feed that belongs to a carriage return at the end of the previous chunk.
    let start = isAfterReturn && bytes[0] === 10 ? 1 : 0;
    isAfterReturn = false;
    for (;;) {
      const end = endOfLine(bytes, start);
      if (end === -1) break;
      yield held.length === 0
        ? bytes.subarray(start, end)
        : Buffer.concat([...held, bytes.subarray(start, end)]);
      held = [];
      isAfterReturn = bytes[end] === 13 && end + 1 === bytes.length;
      start = bytes[end] === 13 && bytes[end + 1] === 10 ? end + 2 : end + 1;
    }
    if (start < bytes.length) held.push(bytes.subarray(start));
  }
  if (held.length > 0) yield Buffer.concat(held);
}

function endOfLine(bytes: Buffer, start: number): number {
  const feed = bytes.indexOf(10, start);
  const before = bytes.subarray(start, feed === -1 ? bytes.length : feed).indexOf(13);
  return before === -1 ? feed : start + before;
}
