import { DandoriError } from '../../domain/error.ts';
import type { Blobs } from '../../ports/blobs.ts';
import { handleOf } from './hash.ts';

export function createMemoryBlobs(): Blobs {
  const texts = new Map<string, string>();
  return {
    async put(text) {
      const handle = handleOf(text);
      texts.set(handle.sha256, text);
      return handle;
    },
    async get({ sha256 }) {
      const text = texts.get(sha256);
      if (text === undefined) throw new DandoriError('blob-damaged', `The result ${sha256} is missing.`);
      return text;
    },
  };
}
