import type { Offer } from '../../model/decision.ts';
import { asObject, isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { isOwnTool, type OwnToolName } from '../../model/own-tools.ts';
import type { Mode } from '../../model/settings.ts';
import type { Tool } from '../../model/tool.ts';
import { ownOperations } from '../../run/actions/own-operations.ts';
import type { RunState } from '../../run/state/state.ts';
import type { Thought } from '../mind.ts';
import { pastOf } from './past.ts';

export type ToolsInput = Pick<Thought, 'state' | 'tools' | 'offer'>;

/** The tools in the instructions. They stay the same for the whole run, unless one becomes unavailable. */
export interface Described {
  /** Sorted by name. */
  readonly tools: readonly Tool[];
  /** The number of tools per server, if not all are described. */
  readonly servers: Readonly<Record<string, number>> | undefined;
}

/** Everything that says which tools and operations the prompts of a run have. The same for most calls of a run. */
export function offerParts(thought: ToolsInput): readonly unknown[] {
  const { state, tools, offer } = thought;
  const { offered, settings, planGiven, output, conversation, attachments, context } = state;
  return [
    tools,
    offered?.first ?? offer,
    laterOffer(thought),
    pastOf(state).laterOffers,
    // A search may have found more tools.
    offered?.servers === undefined ? 0 : state.ends.length,
    settings,
    planGiven,
    output,
    conversation,
    attachments,
    context,
  ];
}

/** The tools to announce now that the instructions don't have. */
function laterOffer({ state, offer }: ToolsInput): Offer | undefined {
  return offer === (state.offered?.first ?? offer) ? undefined : offer;
}

/** Old journals have no offer; every tool is described then. */
export function describedTools({ state, tools, offer }: ToolsInput): Described {
  const first = state.offered?.first ?? offer;
  const names = first === undefined ? undefined : new Set(first.tools);
  const isShown = (tool: Tool) =>
    isOwnTool(tool)
      ? isOffered(tool.name as OwnToolName, { state, tools, first })
      : (names?.has(tool.name) ?? true);
  return {
    tools: [...tools.values()].filter(isShown).sort((one, other) => (one.name < other.name ? -1 : 1)),
    servers: first?.servers,
  };
}

/** Undefined if other tools may be called too: found by a search, or announced later. */
export function namedTools(thought: Omit<Thought, 'signal'>): readonly Tool[] | undefined {
  const { state } = thought;
  const { tools, servers } = describedTools(thought);
  const isSame = laterOffer(thought) === undefined && pastOf(state).laterOffers === 0;
  return servers === undefined && isSame ? tools : undefined;
}

/**
 * All tools that the model knows: described ones first, then announced ones, then those found by a search.
 */
export function knownTools(thought: ToolsInput): readonly Tool[] {
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
    const found = isObject(result.value) ? result.value.tools : [];
    return Array.isArray(found) ? found.flatMap(nameIn) : [];
  });
}

function nameIn(tool: Json): string[] {
  return isObject(tool) && typeof tool.name === 'string' ? [tool.name] : [];
}

/** Announces tools that have changed since the instructions. */
export function announce(offer: Offer | undefined, { state, tools, offer: asked }: ToolsInput): string[] {
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

/** Follows the described tools if there are more. */
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

const described = { withResult: new WeakMap<Tool, string>(), withoutResult: new WeakMap<Tool, string>() };

/** The output schema is described only in modes with Refs. */
export function describeTool(tool: Tool, mode: Mode): string {
  const known = described[hasRefs(mode) ? 'withResult' : 'withoutResult'];
  const text = known.get(tool) ?? writeTool(tool, mode);
  known.set(tool, text);
  return text;
}

function writeTool(tool: Tool, mode: Mode): string {
  const { name, description, effect, inputSchema, outputSchema } = tool;
  const result = outputSchema === undefined || !hasRefs(mode) ? '' : ` → ${notate(outputSchema, 'output')}`;
  return [
    `${name}${effect === 'read' ? '' : ` [${effect}]`}: ${description.replaceAll(/\s+/g, ' ').trim()}`,
    `${notate(inputSchema, 'input')}${result}`,
  ].join('\n');
}

/**
 * Own tools that the prompt describes when they are first of use: `result.read` with the first result that is not shown
 * in full, `plan.get` with the model's first plan. They can be called from the start.
 */
export function isToldLater(tool: Tool, mode: Mode): boolean {
  return isOwnTool(tool) && (tool.name === 'result.read' || (tool.name === 'plan.get' && mode === 'auto'));
}

export function hasRefs(mode: Mode): boolean {
  return mode === 'auto' || mode === 'planned' || mode === 'hierarchical';
}

/**
 * `result.read` is always offered, so that the instructions don't change when a result is large. `extract` is
 * offered if text of strangers is kept from giving orders: a plan can use it, and `may` can announce it.
 */
function isOffered(
  name: OwnToolName,
  { state, tools, first }: Pick<ToolsInput, 'state' | 'tools'> & { first: Offer | undefined },
): boolean {
  const { mode } = state.settings;
  if (name === 'extract') return mode !== 'direct' && isGuarded({ state, tools });
  if (name === 'attachment.read') return state.attachments.length > 0 && mode !== 'direct';
  if (name === 'goal.run') return state.settings.subGoals === true && mode !== 'direct';
  // Only where a message is left out.
  if (name === 'conversation.read') return state.context?.includes(name) === true;
  if (name === 'plan.get') return mode === 'hierarchical' || mode === 'auto';
  return name !== 'tool.search' || first?.servers !== undefined;
}

/** Whether the run is guarded against external content, and a tool may return some. */
export function isGuarded({ state, tools }: Pick<ToolsInput, 'state' | 'tools'>): boolean {
  const { trust } = state.settings;
  const isWatched = trust !== undefined && trust.policy !== 'observe';
  return isWatched && [...tools.values()].some((tool) => !isOwnTool(tool) && !tool.trusted);
}

/**
 * Whether `may` can be of use: the run is guarded against external content, and may decide on a write after reading
 * it.
 */
export function canAnnounce({ state, tools }: Pick<ToolsInput, 'state' | 'tools'>): boolean {
  if (!ownOperations(state).some(({ name }) => name === 'may')) return false;
  const theirs = [...tools.values()].filter((tool) => !isOwnTool(tool));
  return theirs.some(({ trusted }) => !trusted) && theirs.some(({ effect }) => effect !== 'read');
}

/**
 * Inputs are described with limits and descriptions. For outputs, names and types are enough to write a Ref.
 */
type Side = 'input' | 'output';

/** Omitted keywords: metadata, and limits that the compiler reports if they are broken. */
const OMITTED = [
  ...['$schema', '$id', '$comment', 'title', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['unevaluatedProperties', 'propertyNames', 'minLength', 'maxLength', 'uniqueItems', 'multipleOf'],
];
const DESCRIBED = [
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
const KNOWN: ReadonlySet<string> = new Set([...OMITTED, ...DESCRIBED]);

/**
 * A JSON Schema as a type: `{city: string, days?: integer}`, with a remark after a field. It needs a third of
 * the tokens. A schema that this notation can't express is written as JSON.
 */
export function notate({ $schema: _, ...schema }: JsonObject, side: Side): string {
  // The notation has no definitions.
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

/** Whether the notation can express the schema. */
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

/** Whether the braces of an object already delimit it. */
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
  const fields = Object.entries(asObject(properties)).map(([name, schema]) => {
    const present = side === 'output' ? withoutNull(schema) : schema;
    const key = `${keyText(name)}${needed.has(name) && present === schema ? '' : '?'}`;
    return `${fieldText(key, typeText(present, side), side)}${remark(schema, side)}`;
  });
  const others = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  if (others) fields.push(`[key]: ${typeText(additionalProperties, side)}`);
  if (fields.length === 0) return properties === undefined ? 'object' : '{}';
  return `{${fields.join(', ')}}`;
}

function fieldText(key: string, type: string, side: Side): string {
  if (type === 'string' || (side === 'output' && !/[{[]/.test(type))) return key;
  return side === 'output' && type.endsWith('[]') && !type.includes('{') ? `${key}[]` : `${key}: ${type}`;
}

/** A null is told like a missing field: a Ref to it may find nothing. */
function withoutNull(schema: Json): Json {
  if (!isObject(schema) || !hasWords(schema)) return schema;
  const { nullable, ...rest } = schema;
  if (nullable === true) return rest;
  for (const key of ['type', 'anyOf', 'oneOf'] as const) {
    const choices = schema[key];
    const others = Array.isArray(choices) ? choices.filter((choice) => !isNull(choice)) : [];
    if (Array.isArray(choices) && others.length > 0 && others.length < choices.length)
      return { ...schema, [key]: others };
  }
  return schema;
}

/** As a name among types, or as a schema. */
function isNull(choice: Json): boolean {
  return choice === 'null' || (isObject(choice) && choice.type === 'null');
}

function keyText(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? name : stringifyJson(name);
}

function remark(schema: Json | undefined, side: Side): string {
  if (!isObject(schema) || side === 'output' || !hasWords(schema)) return '';
  const words = [...limits(schema), ...(typeof schema.description === 'string' ? [schema.description] : [])];
  // A server's text must not start a line or end the remark.
  const text = words.join('; ').replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return text === '' ? '' : ` /* ${text} */`;
}

function limits(schema: JsonObject): string[] {
  const { format, pattern, minItems, maxItems } = schema;
  return [
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`matches ${pattern}`] : []),
    ...numberRange(schema),
    ...(minItems === undefined || minItems === 0 ? [] : [`at least ${minItems} items`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(schema.default === undefined || tellsDefault(schema)
      ? []
      : [`default ${stringifyJson(schema.default)}`]),
  ];
}

/** Then the default itself is no information. */
export function tellsDefault({ description }: JsonObject): boolean {
  return typeof description === 'string' && /default/i.test(description);
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

/** Some libraries state the limits of every safe or 64-bit integer, which is no information. */
function isBound(value: Json | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}
