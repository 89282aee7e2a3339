import type { Json, JsonObject } from '../../domain/json.ts';
import { numberFrom, stringifyJson } from '../../domain/json-text.ts';
import type { Tool } from '../../domain/tool.ts';
import { plainSchema, propertiesOf, typeOf } from './schema.ts';
import type { ValueKind } from './values.ts';
import { spaced, type Word, wordsOf } from './words.ts';

type Other = 'choice' | 'integer' | 'names' | 'numbers' | 'sql' | 'search' | 'text' | 'id' | 'name' | 'other';

/** What a parameter takes, judged by its type, format, name and description. */
export type ParameterKind = Exclude<ValueKind, 'quoted' | 'code'> | Other;

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
