import { numberFrom } from '../../model/json/numbers.ts';
import { asText, type Json, type JsonObject } from '../../model/json.ts';
import type { Tool } from '../../model/tool.ts';
import {
  type Goal,
  isSaid,
  isSoft,
  overlaps,
  type Span,
  spaced,
  type ValueKind,
  type Word,
  wordsOf,
  zoneOfCity,
} from './goal.ts';
import { plainSchema, propertiesOfSchema, typeOfSchema } from './properties.ts';
import { speaksOf, type ToolCard } from './ranking.ts';

/** A parameter that needs a value. */
export interface Need {
  readonly card: ToolCard;
  readonly parameter: Parameter;
}

/** A value for a parameter, taken from the goal. */
interface Argument {
  readonly value: Json;
  readonly spans: readonly Span[];
  /** Neither its form nor quotes show that it belongs here. It only looks like a name. */
  readonly isName?: boolean;
}

/**
 * The value of a parameter in the goal. Undefined if the goal has none. `used` contains the parts that are
 * already arguments. An optional parameter is filled only if the goal clearly means it.
 */
export function argumentInGoal(need: Need, goal: Goal, used: readonly Span[]): Argument | undefined {
  const { kind, isRequired } = need.parameter;
  const phrases = phrasesFor(need, goal, used);
  const clear = assigned(need.parameter, goal) ?? byForm(need.parameter, goal, used);
  if (clear !== undefined) return clear;
  if (kind === 'choice') return chosen(need.parameter, goal) ?? unsaid(need.parameter);
  if (kind === 'timezone') return zone(phrases) ?? unsaid(need.parameter);
  // If a tool requires nothing, names in the goal can only be meant for its optional parameters.
  const isOpen = isRequired || need.card.requiresNothing;
  return (isOpen ? named(need.parameter, goal, phrases) : undefined) ?? unsaid(need.parameter);
}

/** `city=Paris`, `limit: 5`: an explicit assignment always works. */
function assigned(parameter: Parameter, { text, raw }: Goal): Argument | undefined {
  const name = parameter.name.slice(0, 60).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`(?<!\\w)${name}\\s?[=:]\\s?("[^"]*"|[^\\s,;、。]+)`, 'id').exec(text);
  const [start, end] = match?.indices?.[1] ?? [0, 0];
  const value = start === end ? undefined : coerced(parameter, raw.slice(start, end).replace(/^"|"$/g, ''));
  return value === undefined ? undefined : { value, spans: [{ start: match?.index ?? start, end }] };
}

/** The value forms that a kind of parameter accepts, if they differ from the form of the same name. */
const FORMS: Partial<Record<ParameterKind, readonly ValueKind[]>> = {
  integer: ['number'],
  numbers: ['number'],
  names: ['quoted'],
  search: ['quoted'],
  text: ['quoted'],
  name: ['quoted', 'code'],
  id: ['quoted', 'code', 'number'],
};

function byForm(parameter: Parameter, goal: Goal, used: readonly Span[]): Argument | undefined {
  const forms: readonly string[] = FORMS[parameter.kind] ?? [parameter.kind];
  // A number alone does not say that it is meant for an optional parameter.
  if (forms.includes('number') && !parameter.isRequired) return undefined;
  const spans = goal.values.filter(({ kind }) => forms.includes(kind)).filter((value) => !isIn(used, value));
  if (parameter.kind === 'names' || parameter.kind === 'numbers')
    return spans.length === 0 ? undefined : { value: spans.map(({ value }) => value), spans };
  const fitting = spans.find(({ value }) => coerced(parameter, value) !== undefined);
  return fitting && { value: coerced(parameter, fitting.value) ?? null, spans: [fitting] };
}

/** The choice whose words are all in the goal. */
function chosen({ choices }: Parameter, goal: Goal): Argument | undefined {
  for (const value of choices) {
    const words = wordsOf(spaced(String(value)), 6);
    const spans = goal.words.filter((word) => isSaid(word, words));
    if (words.length > 0 && words.every((word) => isSaid(word, spans))) return { value, spans };
  }
  return undefined;
}

function zone(phrases: readonly Phrase[]): Argument | undefined {
  const phrase = phrases.find(({ text }) => zoneOfCity(text) !== undefined);
  return phrase && { value: zoneOfCity(phrase.text) ?? null, spans: [phrase] };
}

function named({ kind, name }: Parameter, { raw }: Goal, phrases: readonly Phrase[]): Argument | undefined {
  const [first, last] = [phrases[0], phrases.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (kind === 'names') return { value: phrases.map(({ text }) => text), spans: phrases, isName: true };
  const whole = { start: first.start, end: last.end };
  if (kind === 'search') return { value: raw.slice(whole.start, whole.end), spans: [whole], isName: true };
  const role = ROLES.find(([own]) => own.test(spaced(name)))?.[1] ?? /./;
  const fitting = kind === 'name' ? phrases.filter(({ place }) => role.test(place)) : [];
  const phrase = fitting.find(({ isProper }) => isProper) ?? fitting[0];
  return phrase && { value: phrase.text, spans: [phrase], isName: true };
}

/** "to Paris from Tokyo": recognizes the role of a value by the words around it. `|` marks the value. */
const ROLES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:from|origin|source|departure)\b/i, /\bfrom \||\|(?:から|発)/i],
  [/^(?:to|destination|target|arrival)\b/i, /\bto \||\|(?:まで|へ|行き)/i],
];

interface Phrase extends Span {
  readonly text: string;
  readonly place: string;
  /** Capitalized, and not because it starts the sentence. */
  readonly isProper: boolean;
}

/**
 * Adjacent words that the tool does not explain. Unless the parameter is a search, they are also not in the
 * dictionary.
 */
function phrasesFor({ card, parameter }: Need, goal: Goal, used: readonly Span[]): Phrase[] {
  const spans: { start: number; end: number }[] = [];
  for (const word of goal.words) {
    const isKnown = word.meaning !== undefined && (isSoft(word) || parameter.kind !== 'search');
    if (isKnown || speaksOf(card, word) || isIn(used, word)) continue;
    const before = spans.at(-1);
    if (before !== undefined && /^[ \-&.'’]{0,2}$/.test(goal.text.slice(before.end, word.start)))
      before.end = word.end;
    else spans.push({ start: word.start, end: word.end });
  }
  return spans.map(({ start, end }) => {
    const text = goal.raw.slice(start, end);
    const place = `${goal.text.slice(0, start)}|${goal.text.slice(end)}`;
    return { start, end, text, place, isProper: /^\p{Lu}/u.test(text) && /^[^|]*\w/.test(place) };
  });
}

/** A value that the goal need not mention: a default, the only choice, or the time zone of this machine. */
function unsaid({ kind, schema, choices, isRequired }: Parameter): Argument | undefined {
  const zoneHere = kind === 'timezone' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  const value = schema.default ?? (choices.length === 1 ? choices[0] : zoneHere);
  return value === undefined || !isRequired ? undefined : { value, spans: [] };
}

function isIn(used: readonly Span[], span: Span): boolean {
  return used.some((other) => overlaps(other, span));
}

type Other = 'choice' | 'integer' | 'names' | 'numbers' | 'sql' | 'search' | 'text' | 'id' | 'name' | 'other';

/** The kind of value that a parameter takes, based on its type, format, name and description. */
type ParameterKind = Exclude<ValueKind, 'quoted' | 'code'> | Other;

export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly words: readonly Word[];
  readonly description: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  readonly choices: readonly Json[];
}

/**
 * Matched against `format | name | description`, in this order, because a `query` that takes SQL is not a
 * search.
 */
const KINDS: readonly (readonly [ParameterKind, RegExp])[] = [
  [
    'ip',
    /^ipv[46]|\bip(?:v[46])?(?: address)? \||\| (?:an? |the )?(?:public )?ip(?:v[46])? address|ipアドレス/i,
  ],
  ['timezone', /\| tz \||\btime ?zone \||\biana\b/i],
  ['date', /^date|\b(?:date|day|since|until|deadline) \|/],
  ['time', /^time \||\btime \|/],
  ['url', /^ur[il] |\b(?:url|uri|link|website) \|/],
  ['email', /^email|\be?mail(?: address)? \|/],
  ['expression', /\b(?:expression|formula|equation) \||(?:arithmetic|math\w*) expression|数式|計算式/i],
  ['sql', /\bsql\b.* \||\b(?:query|statement) \| .*\b(?:SQL|SELECT)\b/s],
  ['path', /\b(?:path|file|file ?name|directory|folder|dir) \|/],
  ['search', /\b(?:q|query|search|keywords?|term|question|topic) \|/],
  [
    'text',
    /\b(?:text|contents?|message|body|prompt|note|comment|description|code|html|markdown|data|input) \|/,
  ],
  ['id', /^uuid|\b(?:id|uuid|key|token|hash) \|/],
];

/** The parameter that an SQL statement is built from. */
export function tableParameter(): Parameter {
  return parameterOf('table', { type: 'string' }, true);
}

/** Required parameters come first, because they take values from the goal first. */
export function parametersOf({ inputSchema }: Tool): Parameter[] {
  const required = new Set(Array.isArray(inputSchema.required) ? inputSchema.required : []);
  return propertiesOfSchema(inputSchema, inputSchema)
    .map(([name, schema]) => parameterOf(name, schema, required.has(name)))
    .sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

function parameterOf(name: string, schema: JsonObject, isRequired: boolean): Parameter {
  const description = String(schema.description ?? '').slice(0, 400);
  const words = wordsOf(spaced(name), 8);
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  const kind = Array.isArray(choices) ? 'choice' : kindOf(name, schema, description);
  return {
    name,
    kind,
    words,
    description,
    schema,
    isRequired,
    choices: Array.isArray(choices) ? choices.slice(0, 200) : [],
  };
}

/** Converts the user's text to the type of the parameter. Undefined if that is impossible. */
export function coerced({ schema, choices }: Parameter, value: Json): Json | undefined {
  const text = asText(value);
  const number = numberFrom(text);
  const type = typeOfSchema(schema);
  if (choices.length > 0)
    return choices.find((choice) => String(choice).toLowerCase() === text.toLowerCase());
  if (type === 'number') return number;
  if (type === 'integer') return typeof number === 'bigint' || Number.isInteger(number) ? number : undefined;
  if (type === 'boolean') return /^(?:true|yes|はい)$/i.test(text.trim());
  if (type === 'array') return Array.isArray(value) ? value : text.split(/\s*[,、]\s*/);
  return text;
}

function kindOf(name: string, schema: JsonObject, description: string): ParameterKind {
  const type = typeOfSchema(schema);
  if (type === 'integer' || type === 'number') return type;
  const items = type === 'array' ? typeOfSchema(plainSchema(schema.items, schema)) : '';
  if (items !== '')
    return items === 'string' ? 'names' : /^(?:number|integer)$/.test(items) ? 'numbers' : 'other';
  if (type !== 'string' && type !== '') return 'other';
  const told = `${String(schema.format ?? '')} | ${spaced(name).toLowerCase()} | ${description.slice(0, 160)}`;
  return KINDS.find(([, form]) => form.test(told))?.[0] ?? 'name';
}
