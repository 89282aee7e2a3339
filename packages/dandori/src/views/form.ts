import { assertNever } from '../model/error.ts';
import { numberFrom } from '../model/json/numbers.ts';
import { asObject, asText, isObject, type Json, type JsonObject, parsedJson } from '../model/json.ts';

/**
 * `many`: several options of a list. `group`: nested fields. `other`: typed as JSON or as a comma-separated
 * list.
 */
export type FieldKind = 'flag' | 'choice' | 'many' | 'number' | 'text' | 'group' | 'other';

/** A form field as the user fills it in. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly kind: FieldKind;
  readonly choices: readonly Choice[];
  readonly isRequired: boolean;
  readonly default: Json | undefined;
  readonly schema: JsonObject;
}

interface Choice {
  readonly label: string;
  readonly value: Json;
}

/** The fields of a form in order. Undefined if the form is a single value instead of a group of fields. */
export function fieldsOf(form: JsonObject): Field[] | undefined {
  const { properties, required } = form;
  if (!isObject(properties)) return undefined;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return Object.entries(properties).map(([name, schema]) =>
    fieldOf(name, asObject(schema), isRequired(name)),
  );
}

export function fieldOf(name: string, schema: JsonObject, isRequired: boolean): Field {
  const { title, description, default: fallback, items } = schema;
  const own = choicesOf(schema);
  const isMany = typesOf(schema).includes('array') && isObject(items) && choicesOf(items).length > 0;
  return {
    name,
    label: typeof title === 'string' && title !== '' ? title : name,
    hint: typeof description === 'string' ? description : undefined,
    kind: isMany ? 'many' : own.length > 0 ? 'choice' : plainKind(schema),
    choices: isMany && isObject(items) ? choicesOf(items) : own,
    isRequired,
    default: fallback,
    schema,
  };
}

/**
 * Converts typed text to the type of the field. Text that can't be converted stays text, and the form reports
 * the problem.
 */
export function typedAs({ kind, choices, schema }: Field, text: string): Json {
  switch (kind) {
    case 'flag':
      return FLAGS.get(text.trim().toLowerCase()) ?? text;
    case 'choice':
      return chosenOf(choices, text);
    case 'many': {
      const parsed = parsedJson(text);
      return Array.isArray(parsed) ? parsed : listed(text).map((part) => chosenOf(choices, part));
    }
    case 'number':
      return numberFrom(text) ?? text;
    case 'text':
      return text;
    case 'group':
    case 'other':
      return otherAs(schema, text);
    default:
      return assertNever(kind);
  }
}

function otherAs(schema: JsonObject, text: string): Json {
  const parsed = parsedJson(text);
  const isList = typesOf(schema).includes('array') && !Array.isArray(parsed);
  if (!isList) return parsed ?? text;
  const item = fieldOf('', asObject(schema.items), true);
  return listed(text).map((part) => typedAs(item, part));
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 'on', 'はい'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', 'off', 'いいえ'].map((word) => [word, false] as const),
]);

function chosenOf(choices: readonly Choice[], text: string): Json {
  const wanted = text.trim();
  const found = choices.find(({ label, value }) => String(value) === wanted || label === wanted);
  return found === undefined ? wanted : found.value;
}

/**
 * The options of `enum` (with `enumNames` if present), or of a `oneOf` whose entries have a `const` and a
 * `title`.
 */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] {
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, label: String(names[index] ?? asText(value)) }));
  }
  const variants = [oneOf, anyOf].find((list) => Array.isArray(list)) ?? [];
  const constants = (variants as Json[]).filter((one) => isObject(one) && one.const !== undefined);
  if (constants.length === 0 || constants.length < (variants as Json[]).length) return [];
  return (constants as JsonObject[]).map(({ const: value = null, title }) => ({
    value,
    label: typeof title === 'string' ? title : asText(value),
  }));
}

function plainKind(schema: JsonObject): FieldKind {
  if (isObject(schema.properties)) return 'group';
  const types = typesOf(schema).filter((type) => type !== 'null');
  const [only] = types.length === 1 ? types : [];
  if (only === 'boolean') return 'flag';
  if (only === 'number' || only === 'integer') return 'number';
  return only === 'string' || types.length === 0 ? 'text' : 'other';
}

function typesOf({ type }: JsonObject): string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : [];
}

function listed(text: string): string[] {
  return text
    .split(/[,、]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
