import { stringifyJson } from '#dandori/model/json.ts';
import { itemAt, propertiesOf, type SchemaView, typesOf, valuesOf } from '#dandori/plan/schema/view.ts';

/** Of a value in a word or two: `string`, `list of string`, `"a" | "b"`. */
export function kindOf(
  view: SchemaView,
  words: { readonly anything: string; readonly oneOf: string },
): string {
  const values = valuesOf(view);
  if (values !== undefined) return values.map((value) => stringifyJson(value)).join(' | ');
  if (inner(view) === 'options') return words.oneOf;
  const types = typesOf(view);
  if (types === undefined) return words.anything;
  const item = itemAt(view, 0);
  const named = [...types].map((type) =>
    type === 'array' && item !== undefined && inner(item) === undefined ? `${kindOf(item, words)}[]` : type,
  );
  const { format } = view.schema;
  return `${named.join(' | ')}${typeof format === 'string' ? ` (${format})` : ''}`;
}

/** A list of lists of itself has no end. */
const DEEPEST = 8;

/** What there is to see within, if anything. */
export function inner(view: SchemaView, depth = 0): 'fields' | 'items' | 'options' | undefined {
  if (Object.keys(propertiesOf(view)).length > 0) return 'fields';
  if ([view.schema.anyOf, view.schema.oneOf].some(Array.isArray)) return 'options';
  const item = itemAt(view, 0);
  if (item === undefined) return undefined;
  return depth === DEEPEST || inner(item, depth + 1) !== undefined ? 'items' : undefined;
}
