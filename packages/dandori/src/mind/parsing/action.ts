import { asObject, asText, isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Action } from '../../model/task.ts';
import { clip } from '../../model/text.ts';
import { isTooDeep, readJson, TOO_DEEP } from './lenient-json.ts';
import { bareName, type CallNames } from './written-call.ts';

export type ReadAction =
  | { readonly ok: true; readonly action: Action }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads one element of the model's list as an action. The reason of a refusal is written for the model. `names`:
 * which operations take a text alone.
 */
export function readAction(element: unknown, index: number, names?: CallNames): ReadAction {
  const place = `action ${index + 1}`;
  if (!isObject(element)) return refuse(`${place} is not an object: ${show(element)}`);
  const fields = unwrapped(element);
  const operation = operationIn(fields);
  if (typeof operation !== 'string' || operation.trim() === '') {
    return refuse(`${place} has no "operation": ${show(element)}`);
  }
  const args = toArguments(operation, fields, names?.get(bareName(operation)));
  if (typeof args === 'string') return refuse(`${place} (${operation}): ${args}`);
  const after = toAfter(firstOf(fields, AFTER_KEYS));
  if (after === undefined) return refuse(`${place} (${operation}): "after" must be a list of ids`);
  const { expect } = fields;
  if (expect !== undefined && expect !== null && typeof expect !== 'string' && !isObject(expect)) {
    return refuse(
      `${place} (${operation}): "expect" must be a JMESPath condition as a string, or a JSON Schema`,
    );
  }
  const timeoutMs = toMilliseconds(fields.timeout);
  return {
    ok: true,
    action: {
      id: toId(fields.id) ?? `t${index + 1}`,
      operation: operation.trim(),
      args,
      ...(after.length > 0 && { after }),
      ...toExpect(expect),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...textOf('description', fields.description),
      ...textOf('reasoning', firstOf(fields, REASONING_KEYS)),
      ...textOf('step', fields.step),
    },
  };
}

/**
 * OpenAI's wire format, `{"type":"function","id":"call_1","function":{"name":"…","arguments":"{…}"}}`, or the
 * operation as the only key, `{"calc.evaluate": {"expression": "1 + 2"}}`.
 */
function unwrapped(element: Fields): Fields {
  if (isObject(element.function)) return { ...element, ...element.function };
  const [name = '', ...others] = Object.keys(element);
  return others.length === 0 && isNamedCall(element) ? { operation: name, args: element[name] } : element;
}

/** A tool always has a server's name before its own, so other objects with one key are not mistaken for it. */
function isNamedCall(element: Fields): boolean {
  const [name = '', ...others] = Object.keys(element);
  if (others.length > 0 || !isObject(element[name])) return false;
  return /^[A-Za-z][\w-]*\.[\w.-]+$/.test(name) || NEEDED.has(name);
}

function operationIn(fields: Fields): unknown {
  const key = OPERATION_KEYS.find((one) => typeof fields[one] === 'string');
  const name = key === undefined ? undefined : String(fields[key]);
  return name !== undefined && /^final[ _]answer$/i.test(name.trim()) ? 'answer' : name;
}

/** The arguments, or what is wrong with them. */
function toArguments(operation: string, fields: Fields, only?: string): JsonObject | string {
  const given = firstOf(fields, ARGUMENT_KEYS) ?? argumentsBeside(fields);
  const parsed = typeof given === 'string' ? parseObject(given) : { value: given };
  const args =
    'problem' in parsed
      ? `"args" cannot be read: ${parsed.problem}`
      : (toOwnArguments(operation, parsed.value, fields) ?? toObject(parsed.value, only));
  const holdsActions = operation === 'plan.revise' || operation === 'plan.propose';
  if (!holdsActions || typeof args !== 'object') return args;
  return withNestedActions(operation === 'plan.propose' ? toPlan(args) : args, readAction);
}

/** Small models write the arguments beside the operation instead of under `args`. */
function argumentsBeside(fields: Fields): Fields | undefined {
  const beside = Object.entries(fields).filter(([key]) => !FIELD_KEYS.has(key));
  return beside.length === 0 ? undefined : Object.fromEntries(beside);
}

/** `only`: the parameter that a text stands for. */
function toObject(value: unknown, only: string | undefined): JsonObject | string {
  if (value === undefined || value === '') return {};
  if (typeof value === 'string' && only !== undefined) return { [only]: value };
  if (Array.isArray(value) && value.length > 0 && value.every(isPair))
    return Object.fromEntries(value.map(({ name, value: own }) => [name, own]));
  return isObject(value) ? (value as JsonObject) : `"args" must be an object, not ${show(value)}`;
}

/** `[{"name": "city", "value": "Kyoto"}]` instead of an object. */
function isPair(value: unknown): value is { readonly name: string; readonly value: Json } {
  return isObject(value) && typeof value.name === 'string' && Object.keys(value).join() === 'name,value';
}

/** The object in a text, or the text itself if it is not an object. */
function parseObject(text: string): { readonly value: unknown } | { readonly problem: string } {
  const parsed = readJson(text);
  // A text about a set may begin with a bracket. An object that was cut begins with a key.
  if (!parsed.ok) return /^\s*\{\s*(?:["'}]|$)/.test(text) ? { problem: parsed.problem } : { value: text };
  // A value that was written as a text twice.
  if (typeof parsed.value === 'string' && !parsed.isRepaired) return parseObject(parsed.value);
  if (parsed.value === null) return { value: undefined };
  if (!isObject(parsed.value)) return { value: text };
  return isTooDeep(parsed.value) ? { problem: TOO_DEEP } : { value: parsed.value };
}

/** A Ref can't start with a digit, so `1` becomes `t1`, here and in `after`. */
function toId(id: unknown): string | undefined {
  if (typeof id === 'number' || typeof id === 'bigint') return `t${id}`;
  return typeof id === 'string' && id.trim() !== '' ? id.trim() : undefined;
}

function toAfter(after: unknown): string[] | undefined {
  if (after === undefined || after === '') return [];
  const ids = (Array.isArray(after) ? after : [after]).map(toId);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

function toExpect(expect: unknown): Pick<Action, 'expect'> {
  if (isObject(expect)) return { expect: expect as JsonObject };
  return typeof expect === 'string' && expect.trim() !== '' ? { expect } : {};
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** The model is told to use seconds, but some write a unit. */
function toMilliseconds(timeout: unknown): number | undefined {
  if (timeout === undefined) return undefined;
  const [, count, unit = 's'] = /^\s*([\d.]+)\s*(ms|s|m)?\s*$/.exec(String(timeout)) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  // Larger numbers would not be exact in the journal.
  return milliseconds > 0 ? Math.min(milliseconds, Number.MAX_SAFE_INTEGER) : undefined;
}

function textOf<K extends string>(key: K, text: unknown): { [P in K]?: string } {
  return (typeof text === 'string' && text.trim() !== '' ? { [key]: text } : {}) as { [P in K]?: string };
}

function refuse(reason: string): ReadAction {
  return { ok: false, reason };
}

function show(value: unknown): string {
  return clip(stringifyJson(value) ?? String(value), 120);
}

/** Own operations with a required argument. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['answer', 'text'],
  ['ask', 'question'],
]);

/**
 * The arguments of `answer` and `ask`. Small models write them as plain text, or beside the operation instead
 * of under `args`. A string says what is wrong. Undefined for every other operation.
 */
function toOwnArguments(operation: string, args: unknown, fields: Fields): JsonObject | string | undefined {
  const needed = NEEDED.get(operation);
  if (needed === undefined) return undefined;
  if (typeof args === 'string' && args.trim() !== '') return { [needed]: args };
  const source = isObject(args) && Object.keys(args).length > 0 ? args : fields;
  const value = source[needed] ?? (operation === 'answer' ? answerIn(source) : undefined);
  if (value === undefined || value === null || value === '') return `"args" needs a "${needed}"`;
  const text = asText(value);
  if (!saysSomething(text)) return `"${needed}" says nothing`;
  return operation === 'answer' ? toAnswer(text, source) : toAsk(text, source);
}

/** Whether a text is more than dots, as weak models copy them from an example. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text);
}

/** An answer may have an output and no text. */
function answerIn(source: Fields): unknown {
  const found = firstOf(source, ANSWER_KEYS);
  return found === undefined || found === '' ? source.output : found;
}

function toAnswer(text: string, { achieved, criteria, next, output }: Fields): JsonObject {
  const judged: JsonObject = {
    ...(output !== undefined && { output: output as Json }),
    ...(Array.isArray(criteria) && { criteria: criteria as Json[] }),
    ...(next !== undefined && { next: next as Json }),
  };
  if (achieved === false || achieved === 'false') return { text, achieved: false, ...judged };
  const isSaid = achieved === true || achieved === 'true';
  return { text, ...(isSaid && { achieved: true }), ...judged };
}

function toAsk(question: string, { options, form, default: fallback }: Fields): JsonObject {
  const isChoice = Array.isArray(options) && options.length > 0;
  return {
    question,
    ...(isChoice && { options: options as Json[] }),
    ...(isObject(form) && { form: form as JsonObject }),
    ...(fallback !== undefined && fallback !== null && { default: fallback as Json }),
  };
}

/** A plan whose parts have other names, as in the plans of other programs: `main_objective`, `subtasks`, `title`. */
function toPlan(args: JsonObject): JsonObject {
  const { goal_understanding: understood, decomposition } = args;
  const all = { ...asObject(decomposition), ...asObject(understood), ...args };
  const [objective, criteria, steps] = [OBJECTIVE_KEYS, CRITERIA_KEYS, STEP_KEYS].map((keys) =>
    firstOf(all, keys),
  );
  return {
    ...args,
    ...(typeof objective === 'string' && { objective }),
    ...(criteria !== undefined && { success_criteria: toList(criteria) }),
    ...(all.constraints !== undefined && { constraints: toList(all.constraints) }),
    ...(steps !== undefined && { steps: toList(steps).map(toStep) }),
  };
}

function toStep(value: Json, index: number): Json {
  if (typeof value === 'string') return { id: `s${index + 1}`, description: value };
  if (!isObject(value)) return value;
  const [description, after] = [DESCRIPTION_KEYS, AFTER_KEYS].map((keys) => firstOf(value, keys));
  const id = toStepId(value.id);
  const { complexity, ...others } = value;
  const level = String(complexity).toLowerCase();
  const step = complexity === undefined || LEVELS.has(level) ? value : others;
  return {
    ...step,
    ...(id !== undefined && { id }),
    ...(typeof description === 'string' && { description }),
    ...(after !== undefined && { after: toList(after).map((one) => toStepId(one) ?? one) }),
    ...(LEVELS.has(level) && { complexity: level }),
  };
}

const LEVELS: ReadonlySet<string> = new Set(['low', 'medium', 'high']);

function toStepId(id: Json | undefined): string | undefined {
  if (typeof id === 'number') return `s${id}`;
  return typeof id === 'string' && id.trim() !== '' ? id.trim().replace(/^(?=\d)/, 's') : undefined;
}

function toList(value: unknown): Json[] {
  return (Array.isArray(value) ? value : [value]) as Json[];
}

type Read = (element: unknown, index: number) => ReadAction;

const LISTS: ReadonlySet<string> = new Set(['replace', 'add', 'tasks']);

/**
 * Reads the actions inside the arguments of `plan.revise` and `plan.propose`; their timeouts are in seconds
 * too. Elements that are not actions, or have no id, stay unchanged: `run/actions` reports them.
 */
function withNestedActions(args: JsonObject, read: Read): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value];
      if (name === 'steps')
        return [
          name,
          value.map((step) => (isObject(step) ? withNestedActions(step as JsonObject, read) : step)),
        ];
      return [name, LISTS.has(name) ? value.map((item, index) => asAction(item, index, read)) : value];
    }),
  );
}

function asAction(item: Json, index: number, read: Read): Json {
  const found = isObject(item) && item.id !== undefined ? read(item, index) : undefined;
  return found?.ok === true ? (found.action as JsonObject) : item;
}

/** The keys that models use for the parts of an action. Ours come first. */
export const LIST_KEYS: readonly string[] = [
  ...['actions', 'elements', 'tasks', 'tool_calls', 'next_actions', 'next_action', 'action'],
];
/** Keys that may also hold data: they count only if they hold actions. */
export const WRAPPER_KEYS: readonly string[] = [
  ...['function_call', 'function_calls', 'calls', 'steps', 'plan', 'response', 'output', 'result'],
];
const OPERATION_KEYS: readonly string[] = [
  ...['operation', 'tool', 'tool_name', 'function', 'function_name', 'action', 'name'],
];
export const ARGUMENT_KEYS: readonly string[] = [
  ...[
    'args',
    'arguments',
    'parameters',
    'params',
    'input',
    'action_input',
    'tool_input',
    'tool_args',
    'kwargs',
  ],
];
const AFTER_KEYS: readonly string[] = ['after', 'dependsOn', 'depends_on', 'dependencies'];
/** The keys of the parts of a plan. */
const OBJECTIVE_KEYS: readonly string[] = ['objective', 'main_objective', 'goal'];
const CRITERIA_KEYS: readonly string[] = ['success_criteria', 'successCriteria', 'criteria'];
const STEP_KEYS: readonly string[] = ['steps', 'subtasks'];
const DESCRIPTION_KEYS: readonly string[] = [
  'description',
  'title',
  'name',
  'purpose',
  'goal',
  'step',
  'task',
];
/** The keys of an answer's text. */
export const ANSWER_KEYS: readonly string[] = [
  ...['text', 'answer', 'final_answer', 'completion_message', 'response', 'message'],
];
export const REASONING_KEYS: readonly string[] = ['reasoning', 'thought', 'thinking', 'reason'];
const FIELD_KEYS: ReadonlySet<string> = new Set([
  ...OPERATION_KEYS,
  ...ARGUMENT_KEYS,
  ...REASONING_KEYS,
  ...AFTER_KEYS,
  ...['id', 'type', 'expect', 'timeout', 'description', 'step'],
]);

export type Fields = Readonly<Record<string, unknown>>;

/** The value of the first of these keys that has one. */
export function firstOf(fields: Fields, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/**
 * `{"Actions": [{"Operation": …, "Args": …}]}` and `{"toolName": …}`: our keys, as some models write them. Keys of
 * arguments stay as they are.
 */
export function withOurKeys(value: unknown): unknown {
  if (hasOurKeys(value)) return value;
  if (Array.isArray(value)) return value.map(withOurKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const ours = ourKey(key, value);
    return [ours, LIST_KEYS.includes(ours) ? withOurKeys(item) : item];
  });
  return Object.fromEntries(entries);
}

function hasOurKeys(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasOurKeys);
  if (!isObject(value)) return true;
  return Object.keys(value).every(
    (key) => ourKey(key, value) === key && (!LIST_KEYS.includes(key) || hasOurKeys(value[key])),
  );
}

function ourKey(key: string, fields: Fields): string {
  if (FIELD_KEYS.has(key) || !/[A-Z]/.test(key)) return key;
  const plain = plainKey(key);
  const isOurs =
    LIST_KEYS.includes(plain) ||
    plain === 'function_call' ||
    FIELD_KEYS.has(plain) ||
    ANSWER_KEYS.includes(plain);
  return isOurs && !Object.hasOwn(fields, plain) ? plain : key;
}

export function plainKey(key: string): string {
  return key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

/** `name` and `action` alone are not enough: people, products and events have them too. */
export function looksLikeAction(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (typeof value.operation === 'string' || typeof value.tool === 'string') return true;
  if (isObject(value.function)) return typeof value.function.name === 'string';
  if (isNamedCall(value) || NEEDED.has(String(operationIn(value)))) return true;
  return typeof operationIn(value) === 'string' && firstOf(value, ARGUMENT_KEYS) !== undefined;
}
