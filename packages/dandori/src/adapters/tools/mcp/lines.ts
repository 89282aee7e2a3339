export interface OversizeLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

export interface LineReader {
  push(chunk: Buffer): void;
  /** How the line begins that has no end yet, and how long it is already. */
  unfinished(): { readonly head: string; readonly bytes: number };
}

const EDGE = 1_024;
const NEWLINE = 10;

/**
 * Cuts a byte stream into lines in linear time: no byte is looked at or copied more than once, however many chunks a
 * line comes in. (The SDK's own buffer joins and searches everything again with each chunk: 25 s for a line of 50 MB.)
 * Of a line above the limit only its edges are kept.
 */
export function createLineReader(
  limit: number,
  on: { line: (text: string) => void; oversize: (line: OversizeLine) => void },
): LineReader {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let edges: { head: Buffer; tail: Buffer } | undefined;

  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (edges === undefined) pieces.push(piece);
    if (bytes <= limit) return;
    const joined = edges === undefined ? Buffer.concat(pieces) : Buffer.concat([edges.tail, piece]);
    // Copies, so that the large buffer behind them can go.
    const tail = Buffer.from(joined.subarray(-EDGE));
    edges = { head: edges?.head ?? Buffer.from(joined.subarray(0, EDGE)), tail };
    pieces = [];
  };

  const finish = () => {
    const line = { pieces, bytes, edges };
    pieces = [];
    bytes = 0;
    edges = undefined;
    if (line.edges !== undefined) {
      on.oversize({ head: line.edges.head.toString(), tail: line.edges.tail.toString(), bytes: line.bytes });
    } else if (line.bytes > 0) on.line(Buffer.concat(line.pieces).toString());
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
    unfinished: () => ({ head: (edges?.head ?? pieces[0])?.subarray(0, EDGE).toString() ?? '', bytes }),
  };
}
