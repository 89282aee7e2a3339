import type { BlobHandle } from '../domain/blob.ts';

/** Large values by content hash. */
export interface Blobs {
  /** Durable when it resolves. The same content is kept once. */
  put(text: string): Promise<BlobHandle>;
  /** Throws `blob-damaged` where the content is missing or is not what its hash says. */
  get(handle: BlobHandle): Promise<string>;
}
