import type { FactOf } from '../../model/event.ts';
import { headOf, type Json, type JsonObject } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import type { Probe } from '../../model/tool.ts';
import { fillPlaceholders } from '../../plan/fill-refs.ts';
import { query } from '../../plan/query.ts';
import { innerCallInDoubt } from './inner-calls.ts';
import { hasEnded, type RunState } from './state.ts';
import { complete, makeReady } from './task-moves.ts';

/** The tasks that wait for the answer, from the one that asked on. None where it is the mind's next decision that waits. */
export function blockedBy({ task, plan }: Question, state: RunState): string[] {
  const { draft, tasks } = state;
  if (plan !== undefined && draft?.version === plan) return draft.tasks.map(({ id }) => id);
  if (task === undefined) return [];
  return [...behind(task, state)].filter((id) => !hasEnded(tasks.get(id)?.status ?? 'blocked'));
}

/** The task and all that waits for it, directly or not. */
export function behind(task: string, { tasks }: RunState): Set<string> {
  const found = new Set<string>();
  const next = [task];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    const one = tasks.get(id);
    if (found.has(id) || one === undefined) continue;
    found.add(id);
    next.push(...one.dependents, ...one.opens.flatMap(({ dependents }) => dependents));
  }
  return found;
}

const KEY = 'idempotency_key';

/** What a probe is called with; a text says which argument the call in doubt did not have. */
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

type Finding = Pick<FactOf<'probe_ended'>['data'], 'found' | 'message'> & { readonly result?: Json };

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
