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
  let bytes = 0;
  for (const part of encodedParts(text)) {
    hash.update(part);
    bytes += part.length;
  }
  return {
    sha256: hash.digest('hex'),
    bytes,
    // A copy: a part of a text keeps the whole of it in memory, as long as the run is.
    head: Buffer.from(text.slice(0, HEAD_LENGTH), 'utf16le').toString('utf16le'),
  };
}

const SLICE = 256 * 1_024;

/**
 * A text as UTF-8, part by part. All parts share one buffer, so each must be used before the next is asked for: encoded
 * at once, a large text would be in memory a second time.
 */
export function* encodedParts(text: string): Generator<Buffer> {
  const buffer = Buffer.alloc(Math.min(text.length, SLICE) * 3);
  for (let start = 0; start < text.length; ) {
    const end = start + SLICE;
    // No part ends within a surrogate pair.
    const isPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    const stop = isPair ? end - 1 : end;
    yield buffer.subarray(0, buffer.write(text.slice(start, stop)));
    start = stop;
  }
}
