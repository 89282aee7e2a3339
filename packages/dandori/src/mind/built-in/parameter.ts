import type { Json, JsonObject } from '../../domain/json.ts';
import type { Tool } from '../../domain/tool.ts';
import { plainSchema, propertiesOf, text, typeOf } from './schema.ts';
import type { ValueKind } from './values.ts';
import { spaced, type Word, wordsOf } from './words.ts';

/** What a parameter takes, judged by its type, format, name and description. */
export type ParameterKind =
  | Exclude<ValueKind, 'quoted'>
  | 'enum'
  | 'boolean'
  | 'integer'
  | 'names'
  | 'numbers'
  | 'sql'
  | 'search'
  | 'text'
  | 'identifier'
  | 'name'
  | 'unknown';

export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly words: readonly Word[];
  readonly description: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  readonly choices: readonly Json[];
}

export function parametersOf({ inputSchema }: Tool): Parameter[] {
  const required = new Set(Array.isArray(inputSchema.required) ? inputSchema.required : []);
  return propertiesOf(inputSchema).map(([name, property]) => {
    const schema = plainSchema(property, inputSchema);
    const description = text(schema.description).slice(0, 400);
    return {
      name,
      kind: kindOf({ name, schema, description }),
      words: wordsOf(spaced(name), 8),
      description,
      schema,
      isRequired: required.has(name),
      choices:
        schema.const === undefined
          ? Array.isArray(schema.enum)
            ? schema.enum.slice(0, 200)
            : []
          : [schema.const],
    };
  });
}

interface Described {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description: string;
}

function kindOf(described: Described): ParameterKind {
  const { schema } = described;
  if (schema.const !== undefined || Array.isArray(schema.enum)) return 'enum';
  const type = typeOf(schema);
  if (type === 'boolean' || type === 'integer' || type === 'number') return type;
  if (type === 'array') return kindOfArray(schema);
  if (type !== 'string' && type !== '') return 'unknown';
  return kindByFormat(text(schema.format)) ?? kindByName(described);
}

function kindOfArray(schema: JsonObject): ParameterKind {
  const items = typeOf(plainSchema(schema.items, schema));
  if (items === 'string') return 'names';
  return items === 'number' || items === 'integer' ? 'numbers' : 'unknown';
}

const FORMATS: Readonly<Record<string, ParameterKind>> = {
  ipv4: 'ip',
  ipv6: 'ip',
  'date-time': 'moment',
  date: 'date',
  time: 'time',
  uri: 'url',
  url: 'url',
  email: 'email',
  uuid: 'identifier',
};

function kindByFormat(format: string): ParameterKind | undefined {
  return Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
}

/** In this order, as the first that fits is taken: a `query` that takes SQL is no search. */
const BY_NAME: readonly (readonly [ParameterKind, RegExp, RegExp | undefined])[] = [
  [
    'ip',
    /^ip$|^ip | ip$|^ip address|^ipv[46]/,
    /^(?:an? |the )?(?:public )?ip(?:v[46])?(?: address)?\b|ipアドレス/i,
  ],
  ['timezone', /^tz$|time ?zone/, /\biana\b/i],
  ['time', /^(?:.* )?time$/, undefined],
  ['url', /^(?:.* )?(?:url|uri|link|website)$/, undefined],
  ['email', /^(?:.* )?e?mail(?: address)?$/, undefined],
  [
    'expression',
    /^(?:.* )?(?:expression|formula|equation)$/,
    /(?:arithmetic|math\w*) expression|数式|計算式/i,
  ],
  ['sql', /^(?:.* )?sql(?: .*)?$/, /\bsql\b|\bSELECT\b/],
  ['path', /^(?:.* )?(?:path|file|filename|file name|directory|folder|dir)$/, undefined],
  ['date', /^(?:.* )?(?:date|day|since|until|deadline)$/, undefined],
  ['search', /^(?:q|(?:.* )?(?:query|search|keywords?|term|question|topic))$/, undefined],
  [
    'text',
    /^(?:.* )?(?:text|content|contents|message|body|prompt|note|comment|description|code|script|html|markdown|json|data|input|payload)$/,
    undefined,
  ],
  ['identifier', /^(?:.* )?(?:id|uuid|key|token|hash)$/, undefined],
];

function kindByName({ name, description }: Described): ParameterKind {
  const words = spaced(name).toLowerCase();
  const isQuery = /query|statement|sql/.test(words);
  for (const [kind, byName, byDescription] of BY_NAME) {
    if (byName.test(words)) return kind;
    const mayBe = kind !== 'sql' || isQuery;
    if (mayBe && byDescription?.test(description.slice(0, 160)) === true) return kind;
  }
  return 'name';
}
