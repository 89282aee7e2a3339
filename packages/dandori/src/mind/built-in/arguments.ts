import { type Json, type JsonObject, numberFrom, stringifyJson } from '../../model/json.ts';
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
import { plainSchema, propertiesOf, typeOf } from './properties.ts';
import { speaksOf, type ToolCard } from './ranking.ts';

/** A parameter that wants a value. */
export interface Need {
  readonly card: ToolCard;
  readonly parameter: Parameter;
}

/** A value for a parameter, taken from the goal. */
interface Argument {
  readonly value: Json;
  readonly spans: readonly Span[];
  /** Neither its form nor a quotation says that it belongs here: it is only written like a name. */
  readonly isName?: boolean;
}

/**
 * Undefined where the goal does not hold it. `used` has become an argument before. An optional parameter is filled
 * only where that is clearly meant.
 */
export function take(need: Need, goal: Goal, used: readonly Span[]): Argument | undefined {
  const { kind, isRequired } = need.parameter;
  const phrases = phrasesFor(need, goal, used);
  const clear = assigned(need.parameter, goal) ?? byForm(need.parameter, goal, used);
  if (clear !== undefined) return clear;
  if (kind === 'choice') return chosen(need.parameter, goal) ?? unsaid(need.parameter);
  if (kind === 'timezone') return zone(phrases) ?? unsaid(need.parameter);
  // Where a tool requires nothing, what the goal names can only be meant for its optional parameters.
  const isOpen = isRequired || need.card.requiresNothing;
  return (isOpen ? named(need.parameter, goal, phrases) : undefined) ?? unsaid(need.parameter);
}

/** `city=Paris`, `limit: 5`: the plainest way to say it always works. */
function assigned(parameter: Parameter, { text, raw }: Goal): Argument | undefined {
  const name = parameter.name.slice(0, 60).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`(?<!\\w)${name}\\s?[=:]\\s?("[^"]*"|[^\\s,;、。]+)`, 'id').exec(text);
  const [start, end] = match?.indices?.[1] ?? [0, 0];
  const value = start === end ? undefined : coerced(parameter, raw.slice(start, end).replace(/^"|"$/g, ''));
  return value === undefined ? undefined : { value, spans: [{ start: match?.index ?? start, end }] };
}

/** What forms a kind of parameter takes, where it is not the one of the same name. */
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
  // A number says nothing about a parameter that may be left out.
  if (forms.includes('number') && !parameter.isRequired) return undefined;
  const spans = goal.values.filter(({ kind }) => forms.includes(kind)).filter((value) => !isIn(used, value));
  if (parameter.kind === 'names' || parameter.kind === 'numbers')
    return spans.length === 0 ? undefined : { value: spans.map(({ value }) => value), spans };
  const fitting = spans.find(({ value }) => coerced(parameter, value) !== undefined);
  return fitting && { value: coerced(parameter, fitting.value) ?? null, spans: [fitting] };
}

/** The choice all of whose words the goal has. */
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

/** "to Paris from Tokyo": by the words around a place, which stands here as `|`. */
const ROLES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:from|origin|source|departure)\b/i, /\bfrom \||\|(?:から|発)/i],
  [/^(?:to|destination|target|arrival)\b/i, /\bto \||\|(?:まで|へ|行き)/i],
];

interface Phrase extends Span {
  readonly text: string;
  readonly place: string;
  /** Written with a capital that is not the sentence's. */
  readonly isProper: boolean;
}

/** Words side by side that the tool does not explain and, but for a search, that the dictionary does not have. */
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

/** What needs no word in the goal: a default, the only choice, the zone of this machine. */
function unsaid({ kind, schema, choices, isRequired }: Parameter): Argument | undefined {
  const zoneHere = kind === 'timezone' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  const value = schema.default ?? (choices.length === 1 ? choices[0] : zoneHere);
  return value === undefined || !isRequired ? undefined : { value, spans: [] };
}

function isIn(used: readonly Span[], span: Span): boolean {
  return used.some((other) => overlaps(other, span));
}

type Other = 'choice' | 'integer' | 'names' | 'numbers' | 'sql' | 'search' | 'text' | 'id' | 'name' | 'other';

/** What a parameter takes, judged by its type, format, name and description. */
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

/** On `format | name | description`, in this order: a `query` that takes SQL is no search. */
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

/** What a statement needs to be written. */
export const TABLE = parameterOf('table', { type: 'string' }, true);

/** Required ones first, as they choose first from the goal. */
export function parametersOf({ inputSchema }: Tool): Parameter[] {
  const required = new Set(Array.isArray(inputSchema.required) ? inputSchema.required : []);
  return propertiesOf(inputSchema, inputSchema)
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

/** What a person wrote, brought to the parameter's type; undefined where that cannot be. */
export function coerced({ schema, choices }: Parameter, value: Json): Json | undefined {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  const number = numberFrom(text);
  const type = typeOf(schema);
  if (choices.length > 0)
    return choices.find((choice) => String(choice).toLowerCase() === text.toLowerCase());
  if (type === 'number') return number;
  if (type === 'integer') return typeof number === 'bigint' || Number.isInteger(number) ? number : undefined;
  if (type === 'boolean') return /^(?:true|yes|はい)$/i.test(text.trim());
  if (type === 'array') return Array.isArray(value) ? value : text.split(/\s*[,、]\s*/);
  return text;
}

function kindOf(name: string, schema: JsonObject, description: string): ParameterKind {
  const type = typeOf(schema);
  if (type === 'integer' || type === 'number') return type;
  const items = type === 'array' ? typeOf(plainSchema(schema.items, schema)) : '';
  if (items !== '')
    return items === 'string' ? 'names' : /^(?:number|integer)$/.test(items) ? 'numbers' : 'other';
  if (type !== 'string' && type !== '') return 'other';
  const told = `${String(schema.format ?? '')} | ${spaced(name).toLowerCase()} | ${description.slice(0, 160)}`;
  return KINDS.find(([, form]) => form.test(told))?.[0] ?? 'name';
}
