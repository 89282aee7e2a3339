import { compile } from '@jmespath-community/jmespath';
import type { JsonObject } from '../domain/json.ts';
import { nearest } from './nearest.ts';
import { promisesAny } from './schema-promise.ts';
import {
  alternatives,
  isClosed,
  isObject,
  itemAt,
  propertiesOf,
  type SchemaView,
  typesOf,
  viewOf,
} from './schema-view.ts';

/**
 * Where an expression leads in the schema of a result.
 * `found`: one of these. `unknown`: only the value will tell. `unlisted`: the schema names other fields and does not
 * forbid this one. `missing`: no value of this schema has it.
 */
export type Landing =
  | { readonly kind: 'found'; readonly views: readonly SchemaView[] }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'unlisted' | 'missing';
      readonly message: string;
      readonly suggestion: string | undefined;
    };

/** The parts of the library's syntax tree that are followed here. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly left?: Node;
  readonly right?: Node;
  readonly child?: Node;
  readonly children?: readonly Node[];
}

type Missing = Extract<Landing, { readonly message: string }>;

const UNKNOWN: Landing = { kind: 'unknown' };

/** A plan of thousands of tasks asks the same of the same few tools. */
const known = new WeakMap<JsonObject, Map<string, Landing>>();

export function landing(schema: JsonObject, expression: string): Landing {
  const landings = known.get(schema) ?? new Map<string, Landing>();
  known.set(schema, landings);
  const found = landings.get(expression) ?? lookUp(schema, expression);
  landings.set(expression, found);
  return found;
}

function lookUp(schema: JsonObject, expression: string): Landing {
  const start: Landing = { kind: 'found', views: alternatives(viewOf(schema)) };
  const found = expression === '' ? start : follow(compile(expression) as Node, start);
  return found.kind === 'missing' && !promisesAny(schema) ? { ...found, kind: 'unlisted' } : found;
}

/** The first field that a condition names and that no value of the schema has. */
export function missingIn(schema: JsonObject, condition: string): Missing | undefined {
  if (!promisesAny(schema)) return undefined;
  const start: Landing = { kind: 'found', views: alternatives(viewOf(schema)) };
  return firstMissing(compile(condition) as Node, start);
}

function firstMissing(node: Node, from: Landing): Missing | undefined {
  const here = follow(node, from);
  if (here.kind === 'missing') return here;
  // What stands behind a projection or a pipe looks at another value.
  const isLogic = ['AndExpression', 'OrExpression', 'Comparator', 'NotExpression', 'Function'].includes(
    node.type,
  );
  if (!isLogic) return undefined;
  const parts = [node.left, node.right, node.child, ...(node.children ?? [])];
  for (const part of parts) {
    const missing = part === undefined ? undefined : firstMissing(part, from);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function follow(node: Node, from: Landing): Landing {
  if (from.kind !== 'found') return from;
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
      return left === undefined || right?.type !== 'Index'
        ? UNKNOWN
        : index(follow(left, from), Number(right.value));
    case 'Projection':
      return left === undefined || right === undefined ? UNKNOWN : ofEach(follow(left, from), right);
    default:
      return UNKNOWN;
  }
}

/** `rows[*].name`: a list, if each item can have it. A slice or an object in its place is not followed. */
function ofEach(list: Landing, node: Node): Landing {
  if (list.kind !== 'found' || !list.views.every((view) => typesOf(view)?.has('array') === true))
    return UNKNOWN;
  const each = follow(node, index(list, 0));
  if (each.kind !== 'found') return each;
  return { kind: 'found', views: list.views.map(({ root }) => ({ schema: { type: 'array' }, root })) };
}

function field(views: readonly SchemaView[], name: string): Landing {
  return best(views.map((view) => fieldOf(view, name)));
}

function fieldOf(view: SchemaView, name: string): Landing {
  const properties = propertiesOf(view);
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

function index(from: Landing, position: number): Landing {
  if (from.kind !== 'found') return from;
  return best(from.views.map((view) => itemOf(view, position)));
}

function itemOf(view: SchemaView, position: number): Landing {
  const types = typesOf(view);
  if (types !== undefined && !types.has('array')) {
    return { kind: 'missing', message: `${nameOf(types)} has no item [${position}]`, suggestion: undefined };
  }
  const item = itemAt(view, position);
  return item === undefined ? UNKNOWN : { kind: 'found', views: alternatives(item) };
}

/** Of several alternatives the most hopeful one counts: what can be there is no mistake. */
function best(landings: readonly Landing[]): Landing {
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
