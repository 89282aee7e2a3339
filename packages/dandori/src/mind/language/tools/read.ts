import { OWN_OPERATIONS } from '../../../core/own-operations.ts';
import type { Json } from '../../../domain/json.ts';
import { roundedIn } from '../../../domain/json-text.ts';
import type { Action } from '../../../domain/task.ts';
import type { Thought } from '../../../ports/mind.ts';
import { type ReadAction, readAction } from '../../json/action.ts';
import { isTooDeep, TOO_DEEP } from '../../json/depth.ts';
import { type Extraction, extractActions } from '../../json/extract.ts';
import { readJson } from '../../json/parse.ts';
import { isFields } from '../../json/shape.ts';
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
  if (calls.length === 0) return readText(text);
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

function readText(text: string): Extraction {
  // The purpose matters little here: braces in prose are no sign of JSON where none was asked for.
  const extraction = extractActions(text, { purpose: 'answer' });
  if (extraction.ok || text.trim() === '') return extraction;
  return { ok: false, reason: 'it holds neither a call that can be read nor an answer' };
}
