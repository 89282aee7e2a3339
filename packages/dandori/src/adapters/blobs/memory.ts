import { DandoriError } from '../../domain/error.ts';
import type { Blobs } from '../../ports/blobs.ts';
import { handleOf } from './hash.ts';

export function createMemoryBlobs(now: () => number = Date.now): Blobs {
  const kept = new Map<string, { text: string; bytes: number; at: number }>();
  return {
    async put(text) {
      const handle = handleOf(text);
      kept.set(handle.sha256, { text, bytes: handle.bytes, at: now() });
      return handle;
    },
    async get({ sha256 }) {
      const blob = kept.get(sha256);
      if (blob === undefined) throw new DandoriError('blob-damaged', `The result ${sha256} is missing.`);
      return blob.text;
    },
    async putBefore(time) {
      const old = [...kept].filter(([, { at }]) => at < time);
      return old.map(([sha256, { bytes }]) => ({ sha256, bytes }));
    },
    async remove({ sha256 }, before) {
      const isOld = (kept.get(sha256)?.at ?? before) < before;
      return isOld && kept.delete(sha256);
    },
    sweep: async () => [],
  };
}
