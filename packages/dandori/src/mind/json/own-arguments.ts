import type { Json, JsonObject } from '../../domain/json.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import { type Fields, isFields } from './shape.ts';

/** Our own operations and the argument that each cannot do without. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['answer', 'text'],
  ['ask', 'question'],
]);

/**
 * The arguments of `answer` and `ask`, which small models like to write shorter: as plain text, or beside the operation
 * instead of under `args`. A string says what is wrong with them. Undefined for every other operation.
 */
export function toOwnArguments(
  operation: string,
  args: unknown,
  fields: Fields,
): JsonObject | string | undefined {
  const needed = NEEDED.get(operation);
  if (needed === undefined) return undefined;
  if (typeof args === 'string' && args.trim() !== '') return { [needed]: args };
  const source = isFields(args) && Object.keys(args).length > 0 ? args : fields;
  const value = source[needed];
  if (value === undefined || value === null || value === '') return `"args" needs a "${needed}"`;
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return operation === 'answer' ? toAnswer(text, source) : toAsk(text, source);
}

function toAnswer(text: string, { achieved, criteria }: Fields): JsonObject {
  const judged: JsonObject = Array.isArray(criteria) ? { criteria: criteria as Json[] } : {};
  if (achieved === false || achieved === 'false') return { text, achieved: false, ...judged };
  const isSaid = achieved === true || achieved === 'true';
  return { text, ...(isSaid && { achieved: true }), ...judged };
}

function toAsk(question: string, { options, form, default: fallback }: Fields): JsonObject {
  const isChoice = Array.isArray(options) && options.length > 0;
  return {
    question,
    ...(isChoice && { options: options as Json[] }),
    ...(isFields(form) && { form: form as JsonObject }),
    ...(fallback !== undefined && fallback !== null && { default: fallback as Json }),
  };
}
