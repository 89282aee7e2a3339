import { DandoriError } from '../model/error.ts';
import type { BlobHandle, FactOf } from '../model/event.ts';
import { isLongerThan, type Json, jsonParts, parseJson, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import { contextOf } from '../model/settings.ts';
import type { RunState } from '../run/state/state.ts';
import type { Blobs } from '../store/index.ts';
import type { ResultReader } from '../tools/index.ts';
import { digestOf, shapeOf } from '../views/result-digest.ts';
import { partAt, type ResultPart, type Wanted } from '../views/result-page.ts';

/** In characters. Larger results go to a blob, so that a journal stays fast to read and fold. */
const INLINE_LIMIT = 32 * 1024;

/**
 * Access to results in the journal and in blobs. Blobs are loaded before they are needed and cached for the
 * drive.
 */
export interface Results extends ResultReader {
  store(value: Json): Promise<Pick<FactOf<'task_succeeded'>['data'], 'result' | 'blob'>>;
  /** The content of a blob. Throws `blob-damaged` if it has changed. */
  read(blob: BlobHandle): Promise<Json>;
  /** The result as a prompt shows it, at most `limit` characters. Default: the limit of the run. */
  text(state: RunState, task: string, limit?: number): string;
}

export function createResults(blobs: Blobs): Results {
  const loaded = new Map<string, Json>();
  const read = async (blob: BlobHandle): Promise<Json> => {
    const known = loaded.get(blob.sha256);
    if (known !== undefined) return known;
    const value = parseJson(await blobs.get(blob)) as Json;
    loaded.set(blob.sha256, value);
    return value;
  };
  return {
    read,
    async store(value) {
      if (!isLongerThan(INLINE_LIMIT, value)) return { result: value };
      const blob = await blobs.put(jsonParts(value));
      loaded.set(blob.sha256, value);
      return { blob: { ...blob, shape: shapeOf(value) } };
    },
    async load(state, tasks) {
      for (const task of tasks) {
        const stored = state.tasks.get(task)?.result;
        if (stored !== undefined && 'blob' in stored) await read(stored.blob);
      }
    },
    get(state, task) {
      const stored = state.tasks.get(task)?.result;
      if (stored === undefined) return undefined;
      return 'value' in stored ? stored.value : loaded.get(stored.blob.sha256);
    },
    text(state, task, limit = contextOf(state.settings).result) {
      const stored = state.tasks.get(task)?.result;
      return stored === undefined ? '' : digestOf(stored, { limit, more: more(task, state) });
    },
  };
}

function more(task: string, { settings: { mode } }: RunState): string {
  const byRef = mode === 'adaptive' ? '' : `, or use it by the Ref \${${task}.path}`;
  return `Read more of it with result.read {"task": "${task}"}${byRef}.`;
}

/** A part of a task's result for display. */
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
