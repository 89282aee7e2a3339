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
  /** Throws `blob-damaged` if the content is missing or does not match its hash. */
  get(handle: BlobHandle): Promise<string>;
  /** Blobs that were last put before this time, in milliseconds since 1970. */
  putBefore(time: number): Promise<StoredBlob[]>;
  /** Removes one blob and returns whether it did. A blob that was put again since `before` stays. */
  remove(blob: StoredBlob, before: number): Promise<boolean>;
  /**
   * Removes half-written files that crashes left before this time, and returns them. If such a file holds a
   * whole value that is used and stored nowhere else, it is moved back into place.
   */
  sweep(before: number, isUsed: (sha256: string) => Promise<boolean>): Promise<StoredBlob[]>;
}

/**
 * Maps a key that the caller chose to what was started with it, so that a repeated request starts one thing.
 */
export interface Keys {
  /**
   * Stores the value under the name unless the name is taken, and returns the stored value. If several
   * callers race, in one process or in many, one of them wins. Durable when it resolves.
   */
  hold(name: string, value: string): Promise<string>;
  /** The values stored before that time, each with a function that removes it. */
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
    // A copy, because a slice would keep the whole text in memory for as long as the run is.
    head: Buffer.from(text.slice(0, HEAD_LENGTH), 'utf16le').toString('utf16le'),
  };
}

const SLICE = 256 * 1_024;

/**
 * Encodes a text as UTF-8, part by part, so that a large text is not in memory twice. All parts share one
 * buffer: use each part before asking for the next.
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
