import type { FactOf } from '../domain/event.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Probe } from '../domain/tool.ts';
import { headOf } from './digest.ts';
import { innerCallInDoubt } from './inner-calls.ts';
import { query } from './query.ts';
import type { RunState } from './state.ts';
import { complete, makeReady } from './transition.ts';

const WHOLE = /^\{([^{}]+)\}$/;
const PLACEHOLDER = /\{([^{}]+)\}/g;
const KEY = 'idempotency_key';

/** What a probe is called with; a text says which argument the call in doubt did not have. */
export function probeArgs({ args }: Probe, sent: JsonObject, key: string): JsonObject | string {
  const known: JsonObject = { [KEY]: key, ...sent };
  const missing = new Set<string>();
  const lookUp = (name: string): Json => {
    if (!Object.hasOwn(known, name)) missing.add(name);
    return known[name] ?? null;
  };
  const filled = fill(args, lookUp) as JsonObject;
  return missing.size === 0 ? filled : [...missing].join(', ');
}

/** A placeholder alone keeps the type of its value; within a longer text it is text. */
function fill(value: Json, lookUp: (name: string) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => fill(item, lookUp));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, lookUp)]));
  if (typeof value !== 'string') return value;
  const [, whole] = WHOLE.exec(value) ?? [];
  if (whole !== undefined) return lookUp(whole);
  return value.replaceAll(PLACEHOLDER, (_, name: string) => {
    const found = lookUp(name);
    return typeof found === 'string' ? found : stringifyJson(found);
  });
}

export type Finding = Pick<FactOf<'probe_ended'>['data'], 'found' | 'message'> & { readonly result?: Json };

/** Only a plain true or false settles a call: anything else may be a probe that looked in the wrong place. */
export function findingIn(result: Json, { settledWhen, result: wanted }: Probe): Finding {
  const settled = evaluate(result, settledWhen);
  if (settled === false) return { found: 'not_happened' };
  if (settled !== true) return { found: 'unknown', message: `settled_when gives ${headOf(settled, 200)}` };
  return { found: 'happened', result: wanted === undefined ? null : evaluate(result, wanted) };
}

function evaluate(result: Json, expression: string): Json {
  try {
    return query(result, expression) ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function probeStarted(state: RunState, { task: id }: FactOf<'probe_started'>['data']): RunState {
  if (state.inDoubt.has(id)) state.probing.add(id);
  return state;
}

export function probeEnded(state: RunState, data: FactOf<'probe_ended'>['data'], at: number): RunState {
  const { found, message, attempt } = data;
  const task = state.tasks.get(data.task);
  const isAwaited = state.probing.delete(data.task);
  if (task === undefined || !isAwaited || task.attempts !== attempt) return state;
  task.probed = { attempt, found, message };
  // Of a service it may have looked for the end of the whole: only a person can tell of a call in the middle.
  if (found === 'not_happened' && innerCallInDoubt(task) === undefined) makeReady(state, task);
  if (found !== 'happened') return state;
  task.endedAt = at;
  task.failure = undefined;
  task.result = data.blob === undefined ? { value: data.result ?? null } : { blob: data.blob };
  complete(state, task, 'succeeded');
  return state;
}
