import { createHash } from 'node:crypto';
import type { BlobHandle } from '../model/event.ts';

export interface StoredBlob {
  readonly sha256: string;
  readonly bytes: number;
}

/** Large values by content hash. */
export interface Blobs {
  /** Durable when it resolves. The same content is kept once. */
  put(text: string): Promise<BlobHandle>;
  /** Throws `blob-damaged` where the content is missing or is not what its hash says. */
  get(handle: BlobHandle): Promise<string>;
  /** What was last put before this time, in milliseconds since 1970. */
  putBefore(time: number): Promise<StoredBlob[]>;
  /** Takes one away, and says whether it did: one that was put again since that time stays. */
  remove(blob: StoredBlob, before: number): Promise<boolean>;
  /**
   * Takes away what crashes left half-written before this time, and says what it was. Where one holds a whole value
   * that is used and is nowhere else, it is put back in place.
   */
  sweep(before: number, isUsed: (sha256: string) => Promise<boolean>): Promise<StoredBlob[]>;
}

/** What was begun under a key that a caller chose, so that a request that is sent twice begins one thing. */
export interface Keys {
  /**
   * Keeps the value under the name unless there is one already, and gives the one that is kept. Of many at the same
   * time, in one process or in several, one wins. Durable when it resolves.
   */
  hold(name: string, value: string): Promise<string>;
  /** The values that were kept before then, each with what takes it away. */
  heldBefore(time: number): AsyncIterable<{ readonly value: string; remove(): Promise<void> }>;
}

const HEAD_LENGTH = 400;

export function handleOf(text: string): BlobHandle {
  const hash = createHash('sha256');
  for (const slice of slicesOf(text)) hash.update(slice);
  return {
    sha256: hash.digest('hex'),
    bytes: Buffer.byteLength(text),
    // A copy: a part of a text keeps the whole of it in memory, as long as the run is.
    head: Buffer.from(text.slice(0, HEAD_LENGTH), 'utf16le').toString('utf16le'),
  };
}

const SLICE = 1_000_000;

/** A text in parts that can be encoded one by one: none ends within a pair of code units. */
export function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + SLICE;
    const isPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    const stop = isPair && end < text.length ? end - 1 : end;
    yield text.slice(start, stop);
    start = stop;
  }
}
