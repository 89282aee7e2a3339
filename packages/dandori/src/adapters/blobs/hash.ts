import { createHash } from 'node:crypto';
import type { BlobHandle } from '../../domain/blob.ts';

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
