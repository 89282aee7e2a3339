import type { Json } from '../../model/json.ts';
import { ByteBlock } from './byte-block.ts';
import { whyNotParsed } from './json-limits.ts';
import { parsePieces } from './json-pieces.ts';
import type { TransportProblem } from './transport.ts';

export interface OversizeLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

interface LineReader {
  push(chunk: Buffer): void;
  /** The beginning and the length so far of the unfinished line. */
  unfinished(): { readonly head: string; readonly bytes: number };
}

interface LineEvents {
  readonly line: (text: string) => void;
  /** The value of a long line of JSON. Returns whether it is a message. If not, the line follows as a text. */
  readonly large: (value: Json) => boolean;
  readonly oversize: (line: OversizeLine, problem?: TransportProblem) => void;
}

const EDGE = 1_024;
const NEWLINE = 10;
/** Bytes of a line from which on it is parsed in pieces. */
const LARGE = 1_000_000;

/**
 * Splits a byte stream into lines in linear time. The bytes of a line are held once, in a block that grows by
 * doubling, and are freed as soon as its text or its value is made. (The SDK's own buffer takes 25 s for 50 MB, because it
 * joins and searches everything again with each chunk.) Only the edges of a line above the limit are kept.
 */
export function createLineReader(limit: number, on: LineEvents): LineReader {
  const block = new ByteBlock();
  let bytes = 0;
  let edges: { head: string; tail: Buffer } | undefined;

  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (edges !== undefined) edges.tail = Buffer.concat([edges.tail, piece]).subarray(-EDGE);
    else if (bytes <= limit) block.add(piece);
    else {
      const tail = Buffer.concat([block.last(EDGE), piece.subarray(-EDGE)]).subarray(-EDGE);
      if (block.length < EDGE) block.add(piece.subarray(0, EDGE));
      edges = { head: block.head(EDGE), tail };
      block.free();
    }
  };

  const finish = () => {
    const problem = edges === undefined ? whyNotParsed(block.view()) : undefined;
    if (problem !== undefined) edges = { head: block.head(EDGE), tail: block.last(EDGE) };
    const line = { bytes, edges };
    const isTaken = edges === undefined && bytes >= LARGE && isMessage(block, on);
    const text = edges === undefined && !isTaken ? block.text() : '';
    block.free();
    bytes = 0;
    edges = undefined;
    if (line.edges !== undefined)
      on.oversize({ head: line.edges.head, tail: line.edges.tail.toString(), bytes: line.bytes }, problem);
    else if (line.bytes > 0 && !isTaken) on.line(text);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    unfinished: () => ({ head: edges?.head ?? block.head(EDGE), bytes }),
  };
}

/** Offers the value of a long line. False if the line is not JSON, or its value is not a message. */
function isMessage(line: ByteBlock, { large }: LineEvents): boolean {
  let value: Json;
  try {
    value = parsePieces(line.view());
  } catch {
    return false;
  }
  return large(value);
}
