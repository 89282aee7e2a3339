import type { BlobHandle } from '../domain/blob.ts';

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
