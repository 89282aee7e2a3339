import { createHash } from 'node:crypto';
import { canonical } from '../core/canonical.ts';
import type { Draft } from '../core/state.ts';
import type { CheckedTask } from '../domain/event.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { normalise, stringifyJson } from '../domain/json-text.ts';

/** Approval is bound to exactly this call. */
export function callDigest(operation: string, args: JsonObject): string {
  return sha256([operation, args]);
}

/** Approval of a plan is bound to what is written in it, to what that does to the world, and to what it stands for. */
export function planDigest(
  { tasks, removes = [], revision }: Draft,
  checked: readonly Pick<CheckedTask, 'id' | 'effect'>[],
): string {
  const effects = checked.map(({ id, effect }) => [id, effect]);
  // Through text, so that a field that is absent and one that is undefined are the same.
  const written = normalise(tasks);
  return sha256([written, effects, [...removes], [...(revision?.supersedes ?? [])]]);
}

function sha256(value: Json): string {
  return createHash('sha256')
    .update(stringifyJson(canonical(value)))
    .digest('hex');
}
