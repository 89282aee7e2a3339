import type { Offer } from '../../model/decision.ts';
import { type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { isOwnTool, type OwnToolName } from '../../model/own-tools.ts';
import type { Mode } from '../../model/settings.ts';
import type { Tool } from '../../model/tool.ts';
import type { RunState } from '../../run/state/state.ts';
import type { Thought } from '../mind.ts';

type Asked = Pick<Thought, 'state' | 'tools' | 'offer'>;

/** The tools of the instructions, the same for the whole run unless one of them goes away. */
export interface Described {
  /** By name. */
  readonly tools: readonly Tool[];
  /** Tools of each server, where not all of them are described. */
  readonly servers: Readonly<Record<string, number>> | undefined;
}

/** Without an offer, as in old journals, every tool is described. */
export function describedTools({ state, tools, offer }: Asked): Described {
  const first = state.offered?.first ?? offer;
  const names = first === undefined ? undefined : new Set(first.tools);
  const isShown = (tool: Tool) =>
    isOwnTool(tool)
      ? isOffered(tool.name as OwnToolName, state.settings.mode, first)
      : (names?.has(tool.name) ?? true);
  return {
    tools: [...tools.values()].filter(isShown).sort((one, other) => (one.name < other.name ? -1 : 1)),
    servers: first?.servers,
  };
}

/** Undefined where any name may be called: one that was found, or that has come since. */
export function namedTools(thought: Omit<Thought, 'signal'>): readonly Tool[] | undefined {
  const { state, offer } = thought;
  const { tools, servers } = describedTools(thought);
  const isSame = [...state.decisions.map((decision) => decision.offer), offer].every(
    (one) => one === undefined || one === (state.offered?.first ?? offer),
  );
  return servers === undefined && isSame ? tools : undefined;
}

/** All that the mind knows how to call: described, then what was announced or found by a search since, in that order. */
export function knownTools(thought: Asked): readonly Tool[] {
  const { state, tools, offer } = thought;
  const names = new Set([
    ...describedTools(thought).tools.map(({ name }) => name),
    ...(state.offered?.names ?? []),
    ...(offer?.tools ?? []),
    ...foundTools(state),
  ]);
  return [...names].flatMap((name) => tools.get(name) ?? []);
}

function foundTools({ tasks, offered }: RunState): string[] {
  if (offered?.servers === undefined) return [];
  return [...tasks.values()].flatMap(({ task, result }) => {
    if (task.operation !== 'tool.search' || result === undefined || !('value' in result)) return [];
    const { value } = result;
    const found = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.tools : [];
    return Array.isArray(found) ? found.flatMap((tool) => nameIn(tool)) : [];
  });
}

function nameIn(tool: Json): string[] {
  const isObject = typeof tool === 'object' && tool !== null && !Array.isArray(tool);
  return isObject && typeof tool.name === 'string' ? [tool.name] : [];
}

/** What is told of the tools in the conversation, where something has changed since the instructions. */
export function announce(offer: Offer | undefined, { state, tools, offer: asked }: Asked): string[] {
  if (offer === undefined || offer === (state.offered?.first ?? asked)) return [];
  const come = offer.tools
    .flatMap((name) => tools.get(name) ?? [])
    .map((tool) => describeTool(tool, state.settings.mode));
  return [
    ...(come.length > 0 ? [`These tools are available from now on:\n${come.join('\n')}`] : []),
    ...(offer.gone !== undefined
      ? [`These tools are not available any more: ${offer.gone.join(', ')}.`]
      : []),
    ...(offer.servers !== undefined
      ? [
          `Tools by server now: ${countsText(offer.servers)}. Find those that are not described with tool.search.`,
        ]
      : []),
  ];
}

/** Behind the tools that are described, where there are more. */
export function tellServers(servers: Described['servers']): string[] {
  if (servers === undefined) return [];
  return [
    `Only the tools that seem to fit the goal are described. There are more; find them with tool.search and then call them by name. Tools by server: ${countsText(servers)}.`,
  ];
}

function countsText(servers: Readonly<Record<string, number>>): string {
  return Object.entries(servers)
    .map(([server, count]) => `${server} (${count})`)
    .join(', ');
}

/** What a tool returns matters before it has returned only to who may refer to it. */
export function describeTool(tool: Tool, mode: Mode): string {
  const { name, description, effect, inputSchema, outputSchema } = tool;
  const lines = [
    `- ${name} [${effect}]: ${description.replaceAll(/\s+/g, ' ').trim()}`,
    `  input: ${notate(inputSchema, 'input')}`,
  ];
  if (outputSchema !== undefined && hasRefs(mode)) lines.push(`  output: ${notate(outputSchema, 'output')}`);
  return lines.join('\n');
}

export function hasRefs(mode: Mode): boolean {
  return mode === 'auto' || mode === 'planned' || mode === 'hierarchical';
}

/** `result.read` always, so that the instructions need not change when a result is large; a search where it can find. */
function isOffered(name: OwnToolName, mode: Mode, first: Offer | undefined): boolean {
  if (name === 'plan.get') return mode === 'hierarchical';
  return name !== 'tool.search' || first?.servers !== undefined;
}

/**
 * What a schema is of. What may be given is told with its limits and what each field means. Of what comes back, names and
 * types are enough to refer to it, and text is the usual type; what it means is seen when it is there.
 */
type Side = 'input' | 'output';

/** Keywords with no word here: how a document is made, and what the compiler says better when it matters. */
const UNTOLD = [
  ...['$schema', '$id', '$comment', 'title', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['unevaluatedProperties', 'propertyNames', 'minLength', 'maxLength', 'uniqueItems', 'multipleOf'],
];
const TOLD = [
  ...[
    'type',
    'nullable',
    'enum',
    'const',
    'anyOf',
    'oneOf',
    'properties',
    'required',
    'items',
    'description',
  ],
  ...['additionalProperties', 'default', 'format', 'pattern', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];
const KNOWN: ReadonlySet<string> = new Set([...UNTOLD, ...TOLD]);

/**
 * A JSON Schema as a type: `{city: string, days?: integer}` with a remark behind a field. It has a third of the tokens, and
 * models know such types as well. What has no word here is told as the JSON that it is, so that nothing is lost.
 */
export function notate({ $schema: _, ...schema }: JsonObject, side: Side): string {
  // Definitions would have to be told apart from what uses them.
  const text = stringifyJson(schema);
  return /"\$(?:ref|dynamicRef)":/.test(text) ? text : typeText(schema, side);
}

function typeText(schema: Json | undefined, side: Side): string {
  if (schema === undefined || schema === true) return 'any';
  if (!isObject(schema) || !hasWords(schema)) return stringifyJson(schema);
  if (schema.const !== undefined) return stringifyJson(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => stringifyJson(value)).join(' | ');
  const choices = choicesOf(schema);
  if (choices !== undefined)
    return choices.map((choice) => `${typeText(choice, side)}${remark(choice, side)}`).join(' | ');
  const named = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)];
  const types = schema.nullable === true ? [...named, 'null'] : named;
  return types.map((type) => oneType(type, schema, side)).join(' | ');
}

/** Where two keywords together say more than each of them, JSON says it better. */
function hasWords(schema: JsonObject): boolean {
  const { properties, required, items, anyOf, oneOf } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const isKnown = Object.keys(schema).every((key) => KNOWN.has(key));
  const isComplete = !Array.isArray(required) || required.every((name) => names.includes(String(name)));
  const isOneChoice = anyOf === undefined || oneOf === undefined;
  const isOnlyChoice = choicesOf(schema) === undefined || (properties ?? items ?? required) === undefined;
  return isKnown && isComplete && isOneChoice && isOnlyChoice && !Array.isArray(items);
}

function choicesOf({ anyOf, oneOf }: JsonObject): readonly Json[] | undefined {
  return [anyOf, oneOf].find(Array.isArray);
}

function impliedType({ properties, items }: JsonObject): string {
  if (properties !== undefined) return 'object';
  return items === undefined ? 'any' : 'array';
}

function oneType(type: Json, schema: JsonObject, side: Side): string {
  if (type === 'object') return objectText(schema, side);
  if (type !== 'array') return String(type);
  const item = `${typeText(schema.items, side)}${remark(schema.items, side)}`;
  return isOneWord(schema.items) || /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

/** Whether its brackets hold together all that is said of it. */
function isOneWord(schema: Json | undefined): boolean {
  return (
    isObject(schema) &&
    schema.type === 'object' &&
    schema.nullable !== true &&
    schema.description === undefined
  );
}

function objectText({ properties, required, additionalProperties }: JsonObject, side: Side): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const type = typeText(schema, side);
    const key = `${keyText(name)}${needed.has(name) ? '' : '?'}`;
    return side === 'output' && type === 'string' ? key : `${key}: ${type}${remark(schema, side)}`;
  });
  const others = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  if (others) fields.push(`[key]: ${typeText(additionalProperties, side)}`);
  if (fields.length === 0) return properties === undefined ? 'object' : '{}';
  return `{${fields.join(', ')}}`;
}

function keyText(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? name : stringifyJson(name);
}

function remark(schema: Json | undefined, side: Side): string {
  if (!isObject(schema) || side === 'output' || !hasWords(schema)) return '';
  const words = [...limits(schema), ...(typeof schema.description === 'string' ? [schema.description] : [])];
  // The words of a server cannot begin a line or end the remark.
  const text = words.join('; ').replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return text === '' ? '' : ` /* ${text} */`;
}

function limits(schema: JsonObject): string[] {
  const { format, pattern, minItems, maxItems, description } = schema;
  const isDefaultTold = typeof description === 'string' && /default/i.test(description);
  return [
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`matches ${pattern}`] : []),
    ...numberRange(schema),
    ...(minItems === undefined || minItems === 0 ? [] : [`at least ${minItems} items`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(schema.default === undefined || isDefaultTold ? [] : [`default ${stringifyJson(schema.default)}`]),
  ];
}

function numberRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): string[] {
  const [least, most] = [minimum, maximum].map((bound) => (isBound(bound) ? bound : undefined));
  return [
    ...(least !== undefined && most !== undefined ? [`${least} to ${most}`] : []),
    ...(least !== undefined && most === undefined ? [`at least ${least}`] : []),
    ...(least === undefined && most !== undefined ? [`at most ${most}`] : []),
    ...(isBound(exclusiveMinimum) ? [`more than ${exclusiveMinimum}`] : []),
    ...(isBound(exclusiveMaximum) ? [`less than ${exclusiveMaximum}`] : []),
  ];
}

/** Some libraries state the limits of every safe or 64-bit integer, which tells a model nothing. */
function isBound(value: Json | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
