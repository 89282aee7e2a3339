import { asObject, isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import type { Action } from '../../model/task.ts';
import type { Tool } from '../../model/tool.ts';

/** The example of an answer in the instructions, and what they call it. */
const EXAMPLE_ANSWERS: readonly string[] = [
  'It is 9:15 in Tokyo.',
  'Tokyo is the capital of Japan.',
  'the full reply to the user',
];

/** A weak model may copy the example instead of answering. */
export function isExampleAnswer({ operation, args }: Action): boolean {
  return operation === 'answer' && EXAMPLE_ANSWERS.includes(String(args.text));
}

/**
 * An example decision in the requested format, with a real tool and real values. Weak models copy the example
 * word for word, so it has no placeholder, and calling it as it stands does no harm.
 */
export function exampleDecision(tools: readonly Tool[]): string {
  const reads = tools.filter((tool) => tool.effect === 'read' && !isOwnTool(tool));
  const tool = reads.find(({ inputSchema }) => requiredOf(inputSchema).length === 1) ?? reads[0];
  const action =
    tool === undefined
      ? { id: 't1', operation: 'answer', args: { text: EXAMPLE_ANSWERS[1], achieved: true } }
      : { id: 't1', operation: tool.name, args: exampleArgs(tool.inputSchema) };
  const reasoning = tool === undefined ? 'No tool is needed.' : 'This result is needed first.';
  return stringifyJson({ reasoning, actions: [action] });
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function exampleArgs(schema: JsonObject): JsonObject {
  const properties = asObject(schema.properties);
  const required = requiredOf(schema);
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name])]));
}

function exampleOf(schema: Json | undefined): Json {
  if (!isObject(schema)) return SOME_TEXT;
  const { const: fixed, default: usual, minimum, type } = schema;
  const [given] = [schema.enum, schema.examples].flatMap((list) =>
    Array.isArray(list) ? list.slice(0, 1) : [],
  );
  const value = fixed ?? given ?? usual;
  if (value !== undefined) return value;
  const [kind] = Array.isArray(type) ? type : [type];
  if (kind === 'integer' || kind === 'number') return minimum ?? 1;
  if (kind === 'boolean') return true;
  if (kind === 'array') return [exampleOf(schema.items)];
  return kind === 'object' ? exampleArgs(schema as JsonObject) : (namedIn(schema.description) ?? SOME_TEXT);
}

const SOME_TEXT = 'Kyoto';

/** Descriptions often name an example: `e.g. "1200 * 3"`, `such as Asia/Tokyo`. */
function namedIn(description: Json | undefined): string | undefined {
  if (typeof description !== 'string') return undefined;
  const [, quoted, bare] =
    /(?:e\.g\.|such as|for example|例えば)[,:]?\s+(?:["'`]([^"'`]{1,60})["'`]|([^\s,;。]{1,60}))/.exec(
      description,
    ) ?? [];
  return quoted ?? bare?.replace(/\.$/, '');
}
