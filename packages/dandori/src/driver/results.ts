import { setTimeout as delay } from 'node:timers/promises';
import type { ShownFile } from '../mind/index.ts';
import { DandoriError } from '../model/error.ts';
import type { BlobHandle, FactOf } from '../model/event.ts';
import type { Said } from '../model/failure.ts';
import { isLongerThan, jsonParts } from '../model/json/parts.ts';
import { type Json, type JsonObject, parseJson, stringifyJson, valueAt } from '../model/json.ts';
import { holdsRedacted, shown } from '../model/redact.ts';
import { contextOf } from '../model/settings.ts';
import { clip } from '../model/text.ts';
import type { SchemaCheck } from '../model/tool.ts';
import { type FilledRefs, refsIn } from '../plan/fill-refs.ts';
import { QUERY_WORK } from '../plan/query.ts';
import { mayHoldRefs, writeRef } from '../plan/refs.ts';
import { misfit as misfitOf } from '../run/actions/output.ts';
import type { Ending } from '../run/intention.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { attachmentNames } from '../run/trust/attachment-names.ts';
import { checkOpened, fillSealedRefs } from '../secrets/index.ts';
import type { Blobs } from '../store/index.ts';
import type { ResultReader } from '../tools/index.ts';
import { isShowable, type Media, mediaIn, shownIn, shownType, withoutMedia } from '../views/media.ts';
import { howToReadMore, resultForPrompt, shapeOf } from '../views/result-digest.ts';
import { partAt, type ResultPart, type ResultRange } from '../views/result-page.ts';
import type { Driver } from './perform.ts';

/** In characters. Larger results go to a blob, so that a journal stays fast to read and fold. */
const INLINE_LIMIT = 32 * 1024;
const HEAD_LENGTH = 400;

/**
 * Access to results in the journal and in blobs. Blobs are loaded before they are needed and cached for the
 * drive.
 */
export interface Results extends ResultReader {
  store(value: Json): StoredResult | Promise<StoredResult>;
  /** The content of a blob. Throws `blob-damaged` if it has changed. */
  read(blob: BlobHandle): Promise<Json>;
  /** The result as a prompt shows it, at most `limit` characters. Default: the limit of the run. */
  text(state: RunState, task: string, limit?: number): string;
}

export type StoredResult = Pick<FactOf<'task_succeeded'>['data'], 'result' | 'blob'>;

export function createResults(blobs: Blobs): Results {
  const loaded = new Map<string, Json>();
  const read = async (blob: BlobHandle): Promise<Json> => {
    const known = loaded.get(blob.sha256);
    if (known !== undefined) return known;
    const value = parseJson(await blobs.get(blob)) as Json;
    loaded.set(blob.sha256, value);
    return value;
  };
  const storeBlob = async (value: Json, media: readonly Media[]): Promise<StoredResult> => {
    const blob = await blobs.put(jsonParts(value));
    loaded.set(blob.sha256, value);
    const shape = shapeOf(value);
    if (media.length === 0) return { blob: { ...blob, shape } };
    const head = clip(stringifyJson(withoutMedia(value)), HEAD_LENGTH);
    return { blob: { ...blob, head, shape, media: [...media] } };
  };
  return {
    read,
    store(value) {
      const media = mediaIn(value);
      return media.length === 0 && !isLongerThan(INLINE_LIMIT, value)
        ? { result: value }
        : storeBlob(value, media);
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
      return stored === undefined
        ? ''
        : resultForPrompt(stored, { limit, more: howToReadMore(task, state.settings.mode) });
    },
  };
}

/** The most pictures of results in a prompt. */
const MOST_PICTURES = 20;
const NO_FILES: readonly ShownFile[] = [];
/** As many are left out at once, so that the beginning of the prompt rarely changes and caches hit. */
const LEFT_OUT_AT_ONCE = 10;

/**
 * What a mind that can see is shown: the attached pictures and PDFs, and the latest pictures in results. A file that the
 * store has lost is left out; the mind is still told its name.
 */
export async function filesFor(state: RunState, results: Results): Promise<readonly ShownFile[]> {
  const { attachments } = state;
  const pictures = picturesIn(state);
  if (attachments.length === 0 && pictures.length === 0) return NO_FILES;
  const names = attachmentNames(state);
  const attached = attachments
    .map((file, index) => ({ ...file, name: names[index] ?? '' }))
    .filter(({ type, earlier }) => isShowable(type) && earlier !== true)
    .map(async ({ name, type, blob }) => ({ name, type, data: await results.read(blob).catch(() => null) }));
  const over = Math.max(0, pictures.length - MOST_PICTURES);
  const shown = pictures.slice(Math.ceil(over / LEFT_OUT_AT_ONCE) * LEFT_OUT_AT_ONCE);
  const found = shown.map(async ({ task: { task, result }, media: { path, type } }) => {
    const value =
      result !== undefined && 'blob' in result ? await results.read(result.blob).catch(() => null) : null;
    const data = valueAt(value, path) ?? null;
    return { name: task.id, type, data: typeof data === 'string' ? plainBase64(data) : null, task: task.id };
  });
  const all: readonly (Omit<ShownFile, 'data'> & { readonly data: Json })[] = await Promise.all([
    ...attached,
    ...found,
  ]);
  return all.flatMap(({ data, ...file }) => {
    if (typeof data !== 'string') return [];
    // A server may say a wrong type.
    const type = shownType(Buffer.from(data.slice(0, 32), 'base64'));
    return type === undefined ? [] : [{ ...file, type, data }];
  });
}

interface Picture {
  readonly task: TaskState;
  readonly media: Media;
}

const known = new WeakMap<RunState['ends'], { seen: number; readonly pictures: Picture[] }>();

/** Each result is looked at once: every decision asks, and a long run has many results. */
function picturesIn({ ends }: RunState): readonly Picture[] {
  let found = known.get(ends);
  if (found === undefined) {
    found = { seen: 0, pictures: [] };
    known.set(ends, found);
  }
  for (; found.seen < ends.length; found.seen++) {
    const task = ends[found.seen]?.task;
    // Most results have no pictures.
    if (task?.result === undefined || !('blob' in task.result)) continue;
    for (const media of shownIn(task)) found.pictures.push({ task, media });
  }
  return found.pictures;
}

/** Providers take neither line breaks nor the alphabet of URLs. */
function plainBase64(data: string): string {
  return /[\s_-]/.test(data) ? Buffer.from(data, 'base64').toString('base64') : data;
}

/** A part of a task's result for display. */
export async function readPart(
  state: RunState,
  { task, ...wanted }: ResultRange & { readonly task: string },
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
): Promise<FilledRefs> {
  if (!mayHoldRefs(args)) return { ok: true, args };
  const refs = refsIn(args);
  if (refs.length > 0) await results.load(state, new Set(refs.map(({ ref }) => ref.task)));
  while (pause !== undefined) await pause;
  const work = { left: QUERY_WORK };
  const injected = fillSealedRefs(args, (task) => results.get(state, task), work);
  if (QUERY_WORK - work.left > LONG_WORK) {
    pause = delay(PAUSE).then(() => {
      pause = undefined;
    });
    await pause;
  }
  return injected;
}

export type Filled = { ok: true; args: JsonObject } | { ok: false; why: Said };

/** For a list with a thousand wrong rows, the first issues are enough. */
const MOST_ISSUES = 10;

/** The arguments of a call with its Refs filled. Most calls have none, and are ready at once. */
export function fillIn(task: TaskState, driver: Driver): Filled | Promise<Filled> {
  const { ledger, results } = driver;
  const written = task.override ?? task.task.args;
  if (!mayHoldRefs(written)) return checkFilled(task, { ok: true, args: written }, driver);
  const filling = fillArgs(written, { state: ledger.state, results });
  return filling.then((injected) => checkFilled(task, injected, driver));
}

/** Checks the filled arguments against the schema again, because the values of Refs are known only now. */
function checkFilled(task: TaskState, injected: FilledRefs, { ledger, parts, sealing }: Driver): Filled {
  if (!injected.ok) {
    const problems = injected.problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { ok: false, why: { code: 'not_filled', params: { problems: problems.join('; ') } } };
  }
  const args = sealing.conceal(injected.args);
  if (!ledger.state.isSealed && holdsRedacted(args)) return { ok: false, why: { code: 'secret_gone' } };
  const isAsCompiled = args === task.task.args;
  const tool = isAsCompiled ? undefined : parts.toolbox.tools().get(task.task.operation);
  if (tool === undefined) return { ok: true, args };
  const issues = checkOpened(parts.check, sealing)(tool.inputSchema, args);
  if (issues.length === 0) return { ok: true, args };
  const from = refsIn(task.override ?? task.task.args)
    .map(({ ref, path }) => `${path.join('.')} from ${writeRef(ref)}`)
    .join(', ');
  const what = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
    .join('; ');
  const params = { operation: tool.name, problems: `${what} (${from})` };
  return { ok: false, why: { code: 'not_fitting', params } };
}

/** The ending with its output, or why the filled output does not fit. */
export async function withOutput(
  ending: Ending,
  {
    state,
    check,
    results,
  }: { readonly state: RunState; readonly check: SchemaCheck; readonly results: Results },
): Promise<Ending & { readonly misfit?: string }> {
  const { output: schema } = state;
  if (schema === undefined || ending.outcome !== 'answered' || ending.answer === undefined) return ending;
  const filled = await fillArgs(ending.answer, { state, results });
  const misfit = filled.ok
    ? misfitOf(check(schema, filled.args.output ?? null))
    : misfitOf(filled.problems.map(({ path, message }) => ({ path, message })));
  if (misfit === undefined && filled.ok) return { ...ending, output: filled.args.output ?? null };
  const reason = misfit ?? '';
  const failure = { kind: 'unusable_output', code: 'decision_unusable', params: { reason } } as const;
  return { ...ending, outcome: 'failed', failure, misfit: reason };
}
