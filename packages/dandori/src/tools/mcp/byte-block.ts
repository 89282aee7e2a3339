import { setFlagsFromString } from 'node:v8';

const SMALLEST = 4_096;
const LARGE = 4_000_000;
let isYoungSpaceFixed = false;

/**
 * Stops V8 from growing its space for young objects, once. While a large result is parsed, V8 would let that
 * space grow to 128 MB, and then fill it with garbage before it collects any.
 */
function fixYoungSpace(): void {
  if (!isYoungSpaceFixed) setFlagsFromString('--semi-space-growth-factor=1');
  isYoungSpaceFixed = true;
}

/**
 * Frees a chunk of a stream after its last use. The garbage collector would let chunks pile up to the size of the whole
 * message. A chunk that shares its memory with others is left alone.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0);
}

/** Bytes that their owner frees explicitly. The garbage collector would keep a large buffer too long. */
export class ByteBlock {
  #bytes = Buffer.alloc(0);
  length = 0;

  add(piece: Uint8Array): void {
    if (this.length + piece.length > this.#bytes.length) this.#grow(this.length + piece.length);
    this.#bytes.set(piece, this.length);
    this.length += piece.length;
  }

  /** A view that is valid until the block grows or is freed. */
  view(start = 0): Buffer {
    return this.#bytes.subarray(start, this.length);
  }

  text(start = 0): string {
    return this.#bytes.toString('utf8', start, this.length);
  }

  head(length: number): string {
    return this.#bytes.toString('utf8', 0, Math.min(length, this.length));
  }

  last(length: number): Buffer {
    return Buffer.from(this.#bytes.subarray(Math.max(0, this.length - length), this.length));
  }

  /** Drops everything after the first `length` bytes. */
  cut(length: number): void {
    this.length = length;
  }

  /** Empties the block. */
  free(): void {
    this.#release();
    this.#bytes = Buffer.alloc(0);
    this.length = 0;
  }

  #release(): void {
    if (this.#bytes.length > 0) this.#bytes.buffer.transfer(0);
  }

  #grow(least: number): void {
    const size = Math.max(least, 2 * this.#bytes.length, SMALLEST);
    if (size > LARGE) fixYoungSpace();
    const larger = Buffer.from(new ArrayBuffer(size));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#release();
    this.#bytes = larger;
  }
}
