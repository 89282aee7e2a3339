import { isObject, type JsonObject } from '../../model/json.ts';
import { nearest } from '../../model/text.ts';
import { parsed, type Tree } from '../query.ts';
import { expression as expressionOf, ofEach, sliced } from './expression.ts';
import {
  alternatives,
  isClosed,
  isNothing,
  itemAt,
  promisesAny,
  propertiesOf,
  type SchemaView,
  typesOf,
  viewOf,
} from './view.ts';

/**
 * Where an expression leads in the schema of a result.
 * `found`: one of these schemas. `unknown`: only the value will show it. `unlisted`: the schema names other
 * fields and does not forbid this one. `missing`: no value of this schema has it.
 */
export type PathTarget =
  | { readonly kind: 'found'; readonly views: readonly SchemaView[] }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'unlisted' | 'missing';
      readonly message: string;
      readonly suggestion: string | undefined;
    };

type Missing = Extract<PathTarget, { readonly message: string }>;

const UNKNOWN: PathTarget = { kind: 'unknown' };

/** Cached, because thousands of tasks use the same few tools. */
const known = new WeakMap<JsonObject, Map<string, PathTarget>>();

export function pathTarget(schema: JsonObject, expression: string): PathTarget {
  const landings = known.get(schema) ?? new Map<string, PathTarget>();
  known.set(schema, landings);
  const found = landings.get(expression) ?? lookUp(schema, expression);
  landings.set(expression, found);
  return found;
}

function lookUp(schema: JsonObject, expression: string): PathTarget {
  const start: PathTarget = { kind: 'found', views: alternatives(viewOf(schema)) };
  const found = expression === '' ? start : follow(parsed(expression), start);
  return found.kind === 'missing' && !promisesAny(schema) ? { ...found, kind: 'unlisted' } : found;
}

/**
 * The first field that a condition names and that no value of the schema has. `isSought` is false if the
 * condition only requires the field to be missing; such a condition is always true.
 */
export function missingIn(
  schema: JsonObject,
  condition: string,
): (Missing & { readonly isSought: boolean }) | undefined {
  if (!promisesAny(schema)) return undefined;
  const start: PathTarget = { kind: 'found', views: alternatives(viewOf(schema)) };
  const node = parsed(condition);
  const sought = firstMissing(node, start, true);
  if (sought !== undefined) return { ...sought, isSought: true };
  const unsought = firstMissing(node, start, false);
  return unsought && { ...unsought, isSought: false };
}

function firstMissing(node: Tree, from: PathTarget, onlySought: boolean): Missing | undefined {
  if (onlySought && isAbsence(node)) return undefined;
  const here = follow(node, from);
  if (here.kind === 'missing') return here;
  // After a projection or a pipe, the expression reads another value.
  const isLogic = ['AndExpression', 'OrExpression', 'Comparator', 'NotExpression', 'Function'].includes(
    node.type,
  );
  if (!isLogic) return undefined;
  const parts = [node.left, node.right, node.child, ...(node.children ?? [])];
  for (const part of parts) {
    const missing = part === undefined ? undefined : firstMissing(part, from, onlySought);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** `!error`, `error == null`: checks that something is missing. */
function isAbsence({ type, name, left, right }: Tree): boolean {
  const isNull = (side: Tree | undefined) => side?.type === 'Literal' && side.value === null;
  return type === 'NotExpression' || (name === 'EQ' && (isNull(left) || isNull(right)));
}

/** The most alternatives followed in parallel. `(@||@) | (@||@)` doubles them with each step. */
const MOST_VIEWS = 64;

function follow(node: Tree, from: PathTarget): PathTarget {
  const found = from.kind === 'found' ? step(node, from) : from;
  return found.kind === 'found' && found.views.length > MOST_VIEWS ? UNKNOWN : found;
}

function step(node: Tree, from: Extract<PathTarget, { readonly kind: 'found' }>): PathTarget {
  const { left, right } = node;
  switch (node.type) {
    case 'Identity':
    case 'Current':
      return from;
    case 'Field':
      return field(from.views, node.name ?? '');
    case 'Subexpression':
    case 'Pipe':
      return left === undefined || right === undefined ? UNKNOWN : follow(right, follow(left, from));
    case 'IndexExpression':
      if (left !== undefined && right?.type === 'Slice') return sliced(follow(left, from));
      return left === undefined || right?.type !== 'Index'
        ? UNKNOWN
        : index(follow(left, from), Number(right.value));
    case 'Projection':
      return left === undefined || right === undefined ? UNKNOWN : ofEach(follow(left, from), right, follow);
    default:
      return expressionOf(node, from, follow);
  }
}

function field(views: readonly SchemaView[], name: string): PathTarget {
  return best(views.map((view) => fieldOf(view, name)));
}

function fieldOf(view: SchemaView, name: string): PathTarget {
  const properties = propertiesOf(view);
  if (properties[name] === false)
    return { kind: 'missing', message: `there is never a field "${name}"`, suggestion: undefined };
  if (Object.hasOwn(properties, name))
    return { kind: 'found', views: alternatives(viewOf(properties[name], view.root)) };
  const types = typesOf(view);
  if (types !== undefined && !types.has('object')) {
    return { kind: 'missing', message: `${nameOf(types)} has no field "${name}"`, suggestion: undefined };
  }
  const { additionalProperties } = view.schema;
  if (isObject(additionalProperties))
    return { kind: 'found', views: alternatives(viewOf(additionalProperties, view.root)) };
  const names = Object.keys(properties);
  if (names.length === 0 && !isClosed(view)) return UNKNOWN;
  const message =
    names.length === 0 ? `there is no field "${name}"` : `there is no field "${name}", only ${listed(names)}`;
  const suggestion = nearest(name, names) ?? (names.length === 1 ? names[0] : undefined);
  return { kind: isClosed(view) ? 'missing' : 'unlisted', message, suggestion };
}

function index(from: PathTarget, position: number): PathTarget {
  if (from.kind !== 'found') return from;
  return best(from.views.map((view) => itemOf(view, position)));
}

function itemOf(view: SchemaView, position: number): PathTarget {
  const types = typesOf(view);
  if (types !== undefined && !types.has('array')) {
    return { kind: 'missing', message: `${nameOf(types)} has no item [${position}]`, suggestion: undefined };
  }
  const isTuple = [view.schema.prefixItems, view.schema.items].some(Array.isArray);
  const item = itemAt(view, position < 0 && !isTuple ? 0 : position);
  if (item === undefined) return UNKNOWN;
  if (isNothing(item))
    return { kind: 'missing', message: `there is never an item [${position}]`, suggestion: undefined };
  return { kind: 'found', views: alternatives(item) };
}

/** The most optimistic alternative counts: a field that can exist is not a mistake. */
function best(landings: readonly PathTarget[]): PathTarget {
  const views = landings.flatMap((one) => (one.kind === 'found' ? one.views : []));
  if (landings.some(({ kind }) => kind === 'unknown')) return UNKNOWN;
  if (views.length > 0) return { kind: 'found', views };
  return landings.find(({ kind }) => kind === 'unlisted') ?? landings[0] ?? UNKNOWN;
}

function nameOf(types: ReadonlySet<string>): string {
  return [...types].map((type) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)).join(' or ');
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => `"${name}"`);
  return names.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}
