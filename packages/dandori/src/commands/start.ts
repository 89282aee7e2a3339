import { createHash } from 'node:crypto';
import { DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import type { Keys } from '../store/blobs.ts';
import { type Beginning, checkGoal, newId, type Starting, startRun } from './steer.ts';

/**
 * Starts a run under a key: however often it is asked, at the same time or after a crash, there is one run. The id is
 * held under the key before the run is written, and whoever comes later writes the run of that id if nobody has.
 */
export async function startOnce(
  beginning: Beginning,
  { key, request }: { readonly key: string; readonly request: string },
  parts: Starting & { readonly keys: Keys },
): Promise<string> {
  // A request that starts nothing must not use up its key.
  checkGoal(beginning.goal);
  const asked = { run: newId(parts.clock.now()), request: sha256(request) };
  const held = await parts.keys.hold(`${beginning.userId ?? ''}\n${key}`, stringifyJson(asked));
  const first = parseJson(held) as typeof asked;
  if (first.request !== asked.request)
    throw new DandoriError('key-reused', 'This key has started a run for another request.', {
      fix: 'Take a new key for each new run; send the same key only with the same request.',
    });
  try {
    return await startRun({ ...beginning, run: first.run }, parts);
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'run-exists') return first.run;
    throw error;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
