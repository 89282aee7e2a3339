import { createHash } from 'node:crypto';
import { DandoriError } from '../model/error.ts';
import type { BlobHandle } from '../model/event.ts';
import { slices } from '../model/text.ts';

export interface StoredBlob {
  readonly sha256: string;
  readonly bytes: number;
}

/** Large values by content hash. */
export interface Blobs {
  /**
   * Stores a text, which comes in parts so that a large one is never in memory as a whole. No part ends within
   * a surrogate pair. Reads the parts once. Durable when it resolves. The same content is kept once.
   */
  put(parts: Iterable<string>): Promise<BlobHandle>;
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

/** For stores whose blobs are not files. A store of files names the file. */
export function missingBlob(sha256: string): DandoriError {
  return new DandoriError('blob-damaged', `The result ${sha256} is missing.`);
}

export function alteredBlob(sha256: string): DandoriError {
  return new DandoriError('blob-damaged', `The result ${sha256} does not match its hash.`);
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
const CHUNK = 64 * 1_024;

/**
 * Encodes a text as UTF-8 and returns its handle after the last chunk. All chunks share one buffer: use each
 * chunk before asking for the next.
 */
export function* encoded(parts: Iterable<string>): Generator<Buffer, BlobHandle> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK * 3);
  let bytes = 0;
  let head = '';
  let used = 0;
  const filled = (): Buffer => {
    const chunk = buffer.subarray(0, used);
    hash.update(chunk);
    bytes += used;
    used = 0;
    return chunk;
  };
  for (const part of parts) {
    if (head.length < HEAD_LENGTH) head += part.slice(0, HEAD_LENGTH - head.length);
    for (const slice of slices(part, CHUNK - 1)) {
      if (used + slice.length * 3 > buffer.length) yield filled();
      used += buffer.write(slice, used);
    }
  }
  yield filled();
  // A copy, because a slice would keep the whole part in memory for as long as the run is.
  return { sha256: hash.digest('hex'), bytes, head: Buffer.from(head, 'utf16le').toString('utf16le') };
}

export function handleOf(parts: Iterable<string>): BlobHandle {
  const chunks = encoded(parts);
  let step = chunks.next();
  while (step.done !== true) step = chunks.next();
  return step.value;
}
