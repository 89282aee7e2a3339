import { isObject, type Json } from '../../../model/json.ts';
import { readJson } from '../../parsing/lenient-json.ts';
import type { NativeCall } from '../call.ts';

/** Models of OpenAI know this tool from their training. Sometimes they call it although it is not offered. */
const WRAPPERS = ['parallel', 'multi_tool_use.parallel', 'multi_tool_use_parallel'];

export function isWrapper({ name }: NativeCall, tools: ReadonlyMap<string, unknown>): boolean {
  return WRAPPERS.includes(name) && !tools.has(name);
}

/** The calls inside of a call of `parallel`. The call itself if it is another one, or has another form. */
export function unwrapped(call: NativeCall, tools: ReadonlyMap<string, unknown>): readonly NativeCall[] {
  if (!isWrapper(call, tools)) return [call];
  const { id, arguments: given } = call;
  const parsed = typeof given === 'string' ? readJson(given) : undefined;
  const value = parsed?.ok === true ? parsed.value : given;
  const uses: readonly unknown[] = isObject(value) && Array.isArray(value.tool_uses) ? value.tool_uses : [];
  const inner = uses.map((use, index) => innerCall(use, `${id}_${index}`));
  return inner.length > 0 && inner.every((one) => one !== undefined) ? inner : [call];
}

function innerCall(use: unknown, id: string): NativeCall | undefined {
  if (!isObject(use)) return undefined;
  const { recipient_name: name, parameters } = use;
  return typeof name === 'string' && isObject(parameters)
    ? { id, name, arguments: parameters as Json }
    : undefined;
}
