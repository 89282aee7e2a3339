import { createHash } from 'node:crypto';
import type { BlobHandle } from '../../domain/blob.ts';

const HEAD_LENGTH = 400;

export function handleOf(text: string): BlobHandle {
  return {
    sha256: createHash('sha256').update(text).digest('hex'),
    bytes: Buffer.byteLength(text),
    head: text.slice(0, HEAD_LENGTH),
  };
}
