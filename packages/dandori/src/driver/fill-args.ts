import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../model/json.ts';
import { type Injected, refsIn } from '../plan/fill-refs.ts';
import { QUERY_WORK } from '../plan/query.ts';
import type { RunState } from '../run/state/state.ts';
import { injectSealed } from '../trust/index.ts';
import type { Results } from './results.ts';

/** After this much work, other runs get a turn. The Refs of a hundred tasks may each take a second. */
const LONG_WORK = 500_000;
/** Milliseconds. An answer over HTTP takes several turns of the event loop. */
const PAUSE = 20;

/** Set after a run has blocked the event loop for long. Every other run of this process waits for it too. */
let pause: Promise<void> | undefined;

/** Fills the Refs in arguments with results of the run, and yields the event loop after long work. */
export async function fillArgs(
  args: JsonObject,
  { state, results }: { readonly state: RunState; readonly results: Results },
): Promise<Injected> {
  const refs = refsIn(args);
  if (refs.length > 0) await results.load(state, new Set(refs.map(({ ref }) => ref.task)));
  while (pause !== undefined) await pause;
  const work = { left: QUERY_WORK };
  const injected = injectSealed(args, (task) => results.get(state, task), work);
  if (QUERY_WORK - work.left > LONG_WORK) {
    pause = delay(PAUSE).then(() => {
      pause = undefined;
    });
    await pause;
  }
  return injected;
}
