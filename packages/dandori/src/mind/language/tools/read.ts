import { OWN_OPERATIONS } from '../../../core/own-operations.ts';
import type { Json } from '../../../domain/json.ts';
import { roundedIn } from '../../../domain/json-text.ts';
import type { Action } from '../../../domain/task.ts';
import type { Thought } from '../../../ports/mind.ts';
import { type ReadAction, readAction } from '../../json/action.ts';
import { isTooDeep, TOO_DEEP } from '../../json/depth.ts';
import { type Extraction, extractActions, spokenWords } from '../../json/extract.ts';
import { readJson } from '../../json/parse.ts';
import { isFields } from '../../json/shape.ts';
import { holdsCall, withoutCode } from '../../json/written-call.ts';
import { callNames } from '../allowed.ts';
import type { Spoken, SpokenCall } from '../call.ts';
import { readAbout } from './about.ts';
import type { NativeNames } from './names.ts';
import { nextNumber } from './numbering.ts';

/** The actions in a model's calls. Without any call its text is the answer, or actions that it wrote as text. */
export function readCalls(
  { text, calls, finishReason }: Spoken,
  thought: Thought,
  names: NativeNames,
): Extraction {
  // Of calls that were cut the last may be missing, and half a plan is never taken for a whole one.
  if (finishReason === 'length') return extractActions(text.trim() === '' ? '…' : text, { isCut: true });
  if (calls.length === 0) return readText({ text, finishReason }, thought, names);
  const actions: Action[] = [];
  for (const [index, call] of calls.entries()) {
    const read = readCall(call, index, { thought, names });
    if (!read.ok) return read;
    actions.push(read.action);
  }
  const reasoning = text.trim();
  return { ok: true, actions, ...(reasoning !== '' && { reasoning }) };
}

export function readCall(
  { name, arguments: given }: SpokenCall,
  index: number,
  { thought, names }: { thought: Thought; names: NativeNames },
): ReadAction {
  const operation = names.toOperation(name);
  const parsed = typeof given === 'string' && given.trim() !== '' ? readJson(given) : undefined;
  if (parsed?.ok === false && !OWN_OPERATIONS.has(operation))
    return {
      ok: false,
      reason: `the arguments of call ${index + 1} (${operation}) are broken: ${parsed.problem}`,
    };
  const value = parsed?.ok === true ? parsed.value : given;
  const rounded = parsed === undefined ? roundedIn(value) : undefined;
  if (rounded !== undefined)
    return {
      ok: false,
      reason: `${rounded} in call ${index + 1} (${operation}) may not be the number that was meant. Write it as text, in quotes`,
    };
  if (isTooDeep(value)) return { ok: false, reason: TOO_DEEP };
  const { fields, args } = readAbout(value, thought.tools.get(operation)?.inputSchema);
  const own = OWN_OPERATIONS.has(operation) ? withOperations(args as Json, names) : args;
  return readAction({ id: `t${nextNumber(thought.state) + index}`, ...fields, operation, args: own }, index);
}

/** Actions inside the arguments of our own operations may call a tool by its native name. */
function withOperations(value: Json, names: NativeNames): Json {
  if (Array.isArray(value)) return value.map((item) => withOperations(item, names));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'operation' && typeof item === 'string'
        ? names.toOperation(item)
        : withOperations(item as Json, names),
    ]),
  );
}

/** A list that was meant to be run, whatever else is the matter with it. */
const LIST = /["'](?:actions|tool_calls)["']\s*:/;

function readText(
  { text, finishReason }: Pick<Spoken, 'text' | 'finishReason'>,
  thought: Thought,
  names: NativeNames,
): Extraction {
  const known = callNames(thought, (operation) => names.toNative(operation));
  // The purpose matters little here: braces in prose are no sign of JSON where none was asked for.
  const options = { purpose: 'answer', names: known } as const;
  const extraction = extractActions(text, options);
  if (text.trim() === '') return extraction;
  const calls = extraction.ok ? extraction.actions.filter(({ operation }) => operation !== 'answer') : [];
  const isReadable =
    extraction.ok && (calls.length === 0 || calls.some(({ operation }) => known.has(operation)));
  const prose = withoutCode(text);
  const isExample = prose !== text && prose.trim() !== '' && !LIST.test(text) && !holdsCall(text, known);
  const read = !isReadable && isExample ? asWords(text, extractActions(prose, options)) : undefined;
  const found = read ?? extraction;
  if (!found.ok) return { ok: false, reason: NO_CALL };
  if (finishReason === 'tool-calls' && found.actions.every(({ operation }) => operation === 'answer'))
    return { ok: false, reason: 'it says that it calls a tool, and no call came with it' };
  const actions = found.actions.map((action) => ({
    ...action,
    operation: names.toOperation(action.operation),
  }));
  return { ...found, actions };
}

const NO_CALL =
  'it holds neither a call that can be read nor an answer. Call the tools themselves, and do not write calls as text';

/** The whole text as the answer, where all that looks like a call stands in its code and calls nothing that is offered. */
function asWords(text: string, prose: Extraction): Extraction | undefined {
  if (!prose.ok || prose.actions.some(({ operation }) => operation !== 'answer')) return undefined;
  return { ...prose, actions: [{ id: 't1', operation: 'answer', args: { text: spokenWords(text) } }] };
}
