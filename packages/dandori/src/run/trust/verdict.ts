import {
  asText,
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  stringifyJson,
} from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import type { Ref } from '../../model/task.ts';
import { clip } from '../../model/text.ts';
import type { Tool } from '../../model/tool.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import { query } from '../../plan/query.ts';
import { isTrustedSource, type Permission, type Source } from '../state/orders.ts';
import type { RunState, TaskState } from '../state/state.ts';
import { aimsOf, isWayOut } from './aim.ts';
import { placeIn } from './find-value.ts';

/** Whether a call may be made without asking the user where its values come from. */
export type Verdict =
  /** The question does not arise: a read that stays in the house, or a run without a policy. */
  | { readonly kind: 'free' }
  | { readonly kind: 'ordered' }
  | { readonly kind: 'permitted'; readonly permission: number }
  | { readonly kind: 'approved' }
  | Doubtful;

/**
 * `not_ordered`: the mind decided the call after it had read a stranger's text. `aimed`: the call is ordered,
 * but a value made from such text aims it.
 */
export interface Doubtful {
  readonly kind: 'doubtful';
  readonly because: 'not_ordered' | 'aimed';
  readonly values: readonly Origin[];
}

/** An argument, and where its value was found. */
export interface Origin {
  readonly argument: string;
  readonly value: string;
  /** The task whose result contains the value. Undefined if no result contains it. */
  readonly task?: string;
  readonly operation?: string;
  /** The text around the value. */
  readonly quote?: string;
  readonly isInGoal?: boolean;
}

interface Circumstances {
  readonly state: RunState;
  readonly tool: Tool;
  /** The result of a task, if it is at hand. */
  readonly resultOf: (task: string) => Json | undefined;
  /** SHA-256 of the call as it would be made. */
  readonly digest: string;
}

/**
 * Judges a call with its arguments filled in.
 *
 * V1  A call that changes something, or that can carry data out, runs without a question only if the user
 *     ordered it (`run/state/orders`), permitted it, or approved exactly this call.
 * V2  In an ordered call, a stranger's text may be content. It may aim the call only as a whole field of the
 *     result of an ordered call; under `strict` not at all.
 */
export function trustVerdict(task: TaskState, args: JsonObject, circumstances: Circumstances): Verdict {
  const { state, tool, digest } = circumstances;
  const { trust } = state.settings;
  if (trust === undefined || isOwnTool(tool)) return { kind: 'free' };
  const isHarmless = tool.effect === 'read' && task.effect === 'read' && !isWayOut(tool);
  if (task.isOrdered) {
    if (isHarmless) return { kind: 'free' };
    const values = aimedBy(task, args, circumstances);
    if (values.length === 0) return { kind: 'ordered' };
    return task.approved === digest ? { kind: 'approved' } : { kind: 'doubtful', because: 'aimed', values };
  }
  const permission = state.orders.permissions.findIndex((one) => isPermitted(task, args, one, circumstances));
  if (permission >= 0) return { kind: 'permitted', permission };
  if (isHarmless) return { kind: 'free' };
  if (task.approved === digest) return { kind: 'approved' };
  const values = Object.keys(args).flatMap((name) => originsOf(name, args[name] ?? null, circumstances));
  return { kind: 'doubtful', because: 'not_ordered', values };
}

/** The aiming arguments of an ordered call that hold a stranger's text in a way that V2 forbids. */
function aimedBy(task: TaskState, args: JsonObject, circumstances: Circumstances): Origin[] {
  const { state, tool } = circumstances;
  const { trust } = state.settings;
  // The user chose these arguments.
  if (task.override !== undefined) return [];
  const refs = refsIn(task.task.args);
  if (refs.length === 0) return [];
  const aims = new Set(aimsOf(tool, task.task.args, trust?.aims));
  const wrong = refs.filter(({ ref, path, whole }) => {
    if (!aims.has(String(path[0])) || isTrustedResult(state, ref.task)) return false;
    const source = state.tasks.get(ref.task);
    // A model has put together what `extract` returns.
    const isWholeField =
      whole && selects(ref) && source?.isOrdered === true && source.task.operation !== 'extract';
    const value = valueAt(args, path);
    if (isEndorsed(value, String(path[0]), state)) return false;
    if (trust?.policy === 'strict') return true;
    if (isWholeField && !isLongText(value)) return false;
    return tool.effect !== 'read' || !isQuoted(value, ref.task, circumstances);
  });
  const names = [...new Set(wrong.map(({ path }) => String(path[0])))];
  return names.flatMap((name) => {
    const { ref } = wrong.find(({ path }) => path[0] === name) ?? {};
    const operation = state.tasks.get(ref?.task ?? '')?.task.operation;
    const value = shownValue(args[name] ?? null);
    return [{ argument: name, value, ...(ref && { task: ref.task }), ...(operation && { operation }) }];
  });
}

/**
 * Whether the user has seen and approved these values in the same argument of another call. A short value
 * endorses nothing, because it may be there by chance. Neither does a standing approval, because the user did
 * not see the call.
 */
function isEndorsed(value: Json, argument: string, { questions }: RunState): boolean {
  const approved = new Set<string>();
  for (const { question, answer } of questions.values()) {
    const isYes = answer?.declined !== true && String(answer?.value).startsWith('approve');
    const { context } = question;
    if (question.kind !== 'approval' || !isYes || !isObject(context) || !isObject(context.args)) continue;
    for (const leaf of leavesOf([context.args[argument] ?? null])) approved.add(canonicalJson(leaf));
  }
  const leaves = leavesOf([value]);
  return leaves.length > 0 && leaves.every((leaf) => isTelling(leaf) && approved.has(canonicalJson(leaf)));
}

/** Whether a value is long enough to mean one thing. */
function isTelling(value: Json): boolean {
  return typeof value === 'string' && value.length >= 4 && /\p{L}/u.test(value);
}

/**
 * Whether the value of a read stands as it is in what ordered calls returned. An address that a stranger wrote
 * down before the run read anything can carry no data of the user.
 */
function isQuoted(value: Json, source: string, { state, resultOf }: Circumstances): boolean {
  const { task } = state.tasks.get(source) ?? {};
  const sources = [source, ...refsIn(task?.args ?? {}).map(({ ref }) => ref.task)].filter(
    (id) => state.tasks.get(id)?.isOrdered === true && state.tasks.get(id)?.task.operation !== 'extract',
  );
  const texts = sources.map((id) => stringifyJson(resultOf(id) ?? null));
  return leavesOf([value]).every((leaf) => texts.some((text) => text.includes(String(leaf))));
}

function leavesOf(values: readonly Json[]): Json[] {
  return values.flatMap((value) => {
    if (Array.isArray(value)) return leavesOf(value);
    return isObject(value) ? leavesOf(Object.values(value)) : [value];
  });
}

/** Whether a result contains no stranger's words: its source and everything that went into it is trusted. */
function isTrustedResult(state: RunState, id: string): boolean {
  const seen = new Set<string>();
  const next = [id];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    const task = state.tasks.get(one);
    if (task === undefined || !task.isOrdered || !isTrustedSource(state, task.task.operation)) return false;
    if (task.innerCalls !== undefined && task.innerCalls.size > 0) return false;
    if (seen.has(one)) continue;
    seen.add(one);
    next.push(...refsIn(task.task.args).map(({ ref }) => ref.task));
  }
  return true;
}

/** Functions of JMESPath that choose among values and make no new ones. */
const CHOOSING = new Set(
  ['sort', 'sort_by', 'max', 'max_by', 'min', 'min_by', 'reverse'].concat([
    'values',
    'not_null',
    'map',
    'to_array',
  ]),
);
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g;

/** Whether the expression only selects values of the result, so that nothing is put together from parts. */
function selects({ path }: Ref): boolean {
  const bare = path.replaceAll(QUOTED, '""');
  const functions = [...bare.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name = '']) => name);
  return (
    functions.every((name) => CHOOSING.has(name)) && !/[+*/%]|(?<![\w\]])-/.test(bare.replaceAll('[*]', ''))
  );
}

/** A field of this length is prose. It names nothing that a call could be aimed at. */
const LONGEST_AIM = 500;

function isLongText(value: Json): boolean {
  return typeof value === 'string' && (value.length > LONGEST_AIM || /\n\s*\S/.test(value));
}

function valueAt(args: JsonObject, path: readonly (string | number)[]): Json {
  let value: Json = args;
  for (const key of path) value = (value as { [key: string | number]: Json } | null)?.[key] ?? null;
  return value;
}

/** Whether this permission covers the call: each argument is as announced. */
function isPermitted(
  { task }: TaskState,
  args: JsonObject,
  { operation, args: announced, left }: Permission,
  circumstances: Circumstances,
): boolean {
  if (operation !== task.operation || left === 0) return false;
  return Object.keys(args).every((name) => fits(args[name] ?? null, announced[name], circumstances));
}

function fits(value: Json, announced: Json | undefined, circumstances: Circumstances): boolean {
  if (announced === undefined) return false;
  if (canonicalJson(value) === canonicalJson(announced)) return true;
  if (Array.isArray(value) && Array.isArray(announced))
    return (
      value.length === announced.length &&
      value.every((item, index) => fits(item, announced[index], circumstances))
    );
  if (!isObject(announced) || typeof announced.from !== 'string') return false;
  const { from, path } = announced;
  return isFrom(value, { from, path: typeof path === 'string' ? path : '' }, circumstances);
}

/**
 * Whether the value is what the path finds in the result of an ordered call. A name finds the fields with that
 * name. If they differ, the mind would choose among them, and a stranger could choose for it.
 */
function isFrom(value: Json, { from, path }: Source, { state, resultOf }: Circumstances): boolean {
  const wanted = canonicalJson(value);
  return state.ends.some(({ task }) => {
    if (task.task.operation !== from || !task.isOrdered || task.status !== 'succeeded') return false;
    const result = resultOf(task.task.id);
    if (result === undefined) return false;
    const found = NAME.test(path) ? fieldsNamed(path, result) : foundAt(result, path);
    const distinct = [...new Set(found.map((one) => canonicalJson(one)))];
    if (Array.isArray(value) && canonicalJson(found) === wanted) return true;
    return distinct.length === 1 && distinct[0] === wanted && !isLongText(value);
  });
}

const NAME = /^[A-Za-z_]\w*$/;
/** The most fields of a result that are compared with an argument. */
const MOST_FIELDS = 100_000;

function fieldsNamed(name: string, result: Json): Json[] {
  const found: Json[] = [];
  let left = MOST_FIELDS;
  const visit = (value: Json) => {
    if (left-- <= 0) return;
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        if (key === name) found.push(item);
        else visit(item);
      }
  };
  visit(result);
  return found;
}

function foundAt(result: Json, path: string): Json[] {
  try {
    const found = path === '' ? result : query(result, path);
    return found === undefined ? [] : Array.isArray(found) ? found : [found];
  } catch {
    return [];
  }
}

/** Where the values of an argument were found: in the goal, or in what the run has read. */
function originsOf(argument: string, value: Json, { state, resultOf }: Circumstances): Origin[] {
  const text = asText(value);
  const about = {
    argument,
    value: shownValue(value),
    ...(placeIn(state.goal, text) !== undefined && { isInGoal: true }),
  };
  for (const { task } of state.ends) {
    if (task.result === undefined || isTrustedSource(state, task.task.operation)) continue;
    const quote = placeIn(stringifyJson(resultOf(task.task.id) ?? null), text);
    if (quote !== undefined) return [{ ...about, task: task.task.id, operation: task.task.operation, quote }];
  }
  return [about];
}

const LONGEST_SHOWN = 300;

function shownValue(value: Json): string {
  return clip(asText(value), LONGEST_SHOWN);
}
