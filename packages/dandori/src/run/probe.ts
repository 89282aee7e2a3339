import type { FactOf } from '../model/event.ts';
import { toMessage, type Word } from '../model/failure.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Probe } from '../model/tool.ts';
import { fillPlaceholders, headOf } from '../plan/fill-refs.ts';
import { queryOrProblem } from '../plan/query.ts';

const KEY = 'idempotency_key';

/** The arguments for a probe. A string names the arguments that the call in doubt did not have. */
export function probeArgs({ args }: Probe, sent: JsonObject, key: string): JsonObject | string {
  const known: JsonObject = { [KEY]: key, ...sent };
  const missing = new Set<string>();
  const lookUp = (name: string): Json => {
    if (!Object.hasOwn(known, name)) missing.add(name);
    return known[name] ?? null;
  };
  const filled = fillPlaceholders(args, lookUp) as JsonObject;
  return missing.size === 0 ? filled : [...missing].join(', ');
}

type Finding = Pick<FactOf<'probe_ended'>['data'], 'found' | 'message' | 'code' | 'params'> & {
  readonly result?: Json;
};

/** Only true or false settles a call. With any other value, the probe may have looked in the wrong place. */
export function findingIn(result: Json, { settledWhen, result: wanted }: Probe, word: Word): Finding {
  const settled = queryOrProblem(result, settledWhen);
  if (settled === false) return { found: 'not_happened' };
  if (settled !== true) {
    const said = { code: 'probe_unclear', params: { found: headOf(settled, 200) } } as const;
    return { found: 'unknown', ...toMessage(said, word) };
  }
  return { found: 'happened', result: wanted === undefined ? null : queryOrProblem(result, wanted) };
}
