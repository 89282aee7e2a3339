import * as z from 'zod';

/** Where a value is kept that is too large for the journal. */
export const blobHandle = z.object({
  sha256: z.string(),
  bytes: z.number(),
  /** The beginning of the value as text, so that a reader of the journal sees what it is. */
  head: z.string(),
  /** Keys, types and lengths, so that a prompt can tell what is in it without loading it. */
  shape: z.string().optional(),
});
export type BlobHandle = z.infer<typeof blobHandle>;
