import { type Lifted, lift } from '../core/lift.ts';
import { shown } from '../core/redact.ts';
import { partAt, type ResultPart, type Wanted } from '../core/result-part.ts';
import type { RunState } from '../core/state.ts';
import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Blobs } from '../ports/blobs.ts';
import { createResults } from './results.ts';

/** A part of a task's result, wherever it is kept, as people see it. */
export async function readPart(
  state: RunState,
  { task, ...wanted }: Wanted & { readonly task: string },
  blobs: Blobs,
): Promise<ResultPart> {
  const results = createResults(blobs);
  await results.load(state, [task]);
  const result = shown(results.get(state, task));
  if (result === undefined)
    throw new DandoriError('usage', `There is no result of "${task}" in the run ${state.run}.`, {
      fix: 'The report of the run says which tasks have succeeded.',
    });
  const part = partAt(result, wanted);
  if (part !== undefined) return part;
  throw new DandoriError('usage', `The result of ${task} has nothing at ${stringifyJson(wanted.path)}.`, {
    fix: 'Ask without a path to see what there is.',
  });
}

/** A plan that does again what the run has done. A large result that is gone leaves only its Refs unknown. */
export async function liftRun(state: RunState, blobs: Blobs): Promise<Lifted> {
  const results = createResults(blobs);
  for (const task of state.tasks.keys()) {
    try {
      await results.load(state, [task]);
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
    }
  }
  return lift(state, (task) => shown(results.get(state, task)));
}
