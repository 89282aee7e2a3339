import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Tree } from '../query.ts';
import type { PathTarget } from './path.ts';
import { alternatives, type SchemaView, typesOf, viewOf } from './view.ts';

type Found = Extract<PathTarget, { readonly kind: 'found' }>;
type Follow = (node: Tree, from: PathTarget) => PathTarget;

const UNKNOWN: PathTarget = { kind: 'unknown' };

/**
 * The result types of functions that do not depend on their arguments. Functions that return an argument are
 * below.
 */
const RESULTS: Readonly<Record<string, string>> = {
  length: 'integer',
  abs: 'number',
  avg: 'number',
  ceil: 'number',
  floor: 'number',
  sum: 'number',
  contains: 'boolean',
  starts_with: 'boolean',
  ends_with: 'boolean',
  join: 'string',
  lower: 'string',
  upper: 'string',
  trim: 'string',
  to_string: 'string',
  type: 'string',
  keys: 'array',
  values: 'array',
  to_array: 'array',
  split: 'array',
};
const SAME = new Set(['sort', 'sort_by']);
/** Functions that accept a missing value, so a field that never exists is not a mistake for them. */
const LENIENT = new Set(['to_string', 'to_array', 'type']);

/**
 * Where an expression other than a plain path leads. Uncertain results are unknown, and are checked once the
 * value exists.
 */
export function expression(node: Tree, from: Found, follow: Follow): PathTarget {
  const { left, right, child, children = [] } = node;
  switch (node.type) {
    case 'FilterProjection':
      return left === undefined || right === undefined ? UNKNOWN : ofEach(follow(left, from), right, follow);
    case 'Flatten':
      return child === undefined ? UNKNOWN : flat(follow(child, from));
    case 'ValueProjection':
      return ofObject(left === undefined ? UNKNOWN : follow(left, from), from);
    case 'MultiSelectHash':
      return hash(children, from, follow);
    case 'MultiSelectList':
      return list(children, from, follow);
    case 'OrExpression':
      return either([left, right].map((part) => (part === undefined ? UNKNOWN : follow(part, from))));
    case 'Comparator':
    case 'NotExpression':
      return of({ type: 'boolean' }, from);
    case 'Literal':
      return node.value === null ? UNKNOWN : of({ const: node.value as Json }, from);
    case 'Function':
      return result(node.name ?? '', children, { from, follow });
    default:
      return UNKNOWN;
  }
}

/** `rows[*].name`: a list, if each item can have the field. */
export function ofEach(all: PathTarget, node: Tree, follow: Follow): PathTarget {
  if (all.kind !== 'found' || !all.views.every(isList)) return all.kind === 'found' ? UNKNOWN : all;
  const each = follow(node, itemsOf(all));
  if (each.kind === 'missing' || each.kind === 'unlisted') return each;
  return of({ type: 'array', ...(each.kind === 'found' && { items: schemaOf(each.views) }) }, all);
}

/** `rows[1:]`: the same items at other positions. A text can be sliced too. */
export function sliced(all: PathTarget): PathTarget {
  if (all.kind !== 'found') return all;
  if (!all.views.every(isList)) return UNKNOWN;
  const items = itemsOf(all);
  return of({ type: 'array', ...(items.kind === 'found' && { items: schemaOf(items.views) }) }, all);
}

/** An item of a list, at any position. */
function itemsOf({ views }: Found): PathTarget {
  const found: SchemaView[] = [];
  for (const { schema, root } of views) {
    const prefix = [schema.prefixItems, schema.items].find(Array.isArray) ?? [];
    const others = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    if (!isObject(others) && others !== false) return UNKNOWN;
    for (const item of [...prefix, others])
      if (item !== false) found.push(...alternatives(viewOf(item, root)));
  }
  return found.length === 0 ? UNKNOWN : { kind: 'found', views: found };
}

function isList(view: SchemaView): boolean {
  return typesOf(view)?.has('array') === true;
}

/** `[]` flattens lists in a list, and keeps other items. */
function flat(all: PathTarget): PathTarget {
  if (all.kind !== 'found') return all;
  if (!all.views.every(isList)) return UNKNOWN;
  const items = itemsOf(all);
  if (items.kind !== 'found') return of({ type: 'array' }, all);
  const inner = items.views.map((view): PathTarget => {
    const types = typesOf(view);
    if (types === undefined || (types.has('array') && types.size > 1)) return UNKNOWN;
    return types.has('array') ? itemsOf({ kind: 'found', views: [view] }) : { kind: 'found', views: [view] };
  });
  const views = inner.flatMap((one) => (one.kind === 'found' ? one.views : []));
  const isKnown = inner.every(({ kind }) => kind === 'found');
  return of({ type: 'array', ...(isKnown && { items: schemaOf(views) }) }, all);
}

function ofObject(all: PathTarget, from: Found): PathTarget {
  if (all.kind !== 'found') return all;
  return all.views.every((view) => typesOf(view)?.has('object') === true)
    ? of({ type: 'array' }, from)
    : UNKNOWN;
}

function hash(children: readonly Tree[], from: Found, follow: Follow): PathTarget {
  const properties: JsonObject = {};
  for (const { name = '', value } of children) {
    const found = follow(value as Tree, from);
    if (found.kind === 'missing' || found.kind === 'unlisted') return found;
    properties[name] = orNull(found);
  }
  return of(
    { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    from,
  );
}

function list(children: readonly Tree[], from: Found, follow: Follow): PathTarget {
  const prefixItems: Json[] = [];
  for (const child of children) {
    const found = follow(child, from);
    if (found.kind === 'missing' || found.kind === 'unlisted') return found;
    prefixItems.push(orNull(found));
  }
  return of({ type: 'array', prefixItems, items: false }, from);
}

/** In a new object or list, a missing value is null. */
function orNull(found: PathTarget): JsonObject {
  return found.kind === 'found'
    ? { anyOf: [...found.views.map(({ schema }) => schema), { type: 'null' }] }
    : {};
}

function either(landings: readonly PathTarget[]): PathTarget {
  const views = landings.flatMap((one) => (one.kind === 'found' ? one.views : []));
  return landings.every(({ kind }) => kind === 'found') ? { kind: 'found', views } : UNKNOWN;
}

function result(
  name: string,
  children: readonly Tree[],
  { from, follow }: { from: Found; follow: Follow },
): PathTarget {
  const given = children
    .filter(({ type }) => type !== 'ExpressionReference')
    .map((child) => follow(child, from));
  const missing = given.find(({ kind }) => kind === 'missing');
  const type = Object.hasOwn(RESULTS, name) ? RESULTS[name] : undefined;
  if (missing !== undefined && (type !== undefined || SAME.has(name)) && !LENIENT.has(name)) return missing;
  if (SAME.has(name)) return sliced(given[0] ?? UNKNOWN);
  return type === undefined ? UNKNOWN : of({ type }, from);
}

function schemaOf(views: readonly SchemaView[]): JsonObject {
  const [only] = views;
  return views.length === 1 && only !== undefined
    ? only.schema
    : { anyOf: views.map(({ schema }) => schema) };
}

/** A schema of our own, in the same document as its parts. */
function of(schema: JsonObject, { views }: Found): PathTarget {
  return { kind: 'found', views: [{ schema, root: views[0]?.root ?? {} }] };
}
