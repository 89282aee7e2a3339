import { isObject, type Json, stringifyJson } from '../../model/json.ts';
import {
  alternatives,
  isClosed,
  isNothing,
  propertiesOf,
  type SchemaView,
  typesOf,
  valuesOf,
  viewOf,
} from './view.ts';

/** After this many comparisons, two endless schemas count as fitting. */
const MOST_COMPARISONS = 1_000;
/** Longer lists of values are checked only when the value exists. */
const MOST_VALUES = 200;

interface Work {
  left: number;
}

/**
 * Why no value of one schema can ever fit the other; undefined if some can. A plan is rejected only for what
 * is certain to fail. A number may turn out to be an integer, and a nullable text may not be null. Those are
 * checked when they are filled in.
 */
export function clash(given: readonly SchemaView[], wanted: SchemaView): string | undefined {
  return clashOf(given, wanted, { left: MOST_COMPARISONS });
}

function clashOf(given: readonly SchemaView[], wanted: SchemaView, work: Work): string | undefined {
  const choices = alternatives(wanted);
  let reason: string | undefined;
  for (const one of given) {
    for (const other of choices) {
      const found = clashOfTwo(one, other, work);
      if (found === undefined) return undefined;
      reason ??= found;
    }
  }
  return reason;
}

function clashOfTwo(given: SchemaView, wanted: SchemaView, work: Work): string | undefined {
  if (work.left-- <= 0) return undefined;
  if (isNothing(wanted)) return 'nothing is allowed there';
  if (isNothing(given)) return 'there is never a value';
  const have = typesOf(given);
  const want = typesOf(wanted);
  if (have !== undefined && want !== undefined && ![...have].some((type) => admits(want, type))) {
    return `it is ${[...have].join(' or ')}, but must be ${[...want].join(' or ')}`;
  }
  return (
    clashOfValues(given, wanted) ?? clashOfItems(given, wanted, work) ?? clashOfFields(given, wanted, work)
  );
}

/** A number may turn out to be an integer. */
function admits(wanted: ReadonlySet<string>, type: string): boolean {
  if (wanted.has(type)) return true;
  return (type === 'number' && wanted.has('integer')) || (type === 'integer' && wanted.has('number'));
}

function clashOfValues(given: SchemaView, wanted: SchemaView): string | undefined {
  const have = valuesOf(given);
  const want = valuesOf(wanted);
  if (have === undefined || want === undefined || have.length + want.length > MOST_VALUES) return undefined;
  const allowed = new Set(want.map((value) => stringifyJson(value)));
  if (have.some((value) => allowed.has(stringifyJson(value)))) return undefined;
  return `it is ${shown(have)}, but must be ${shown(want)}`;
}

function clashOfItems(given: SchemaView, wanted: SchemaView, work: Work): string | undefined {
  if (!isOnly(given, 'array') || !isOnly(wanted, 'array')) return undefined;
  if (!isObject(given.schema.items) || !isObject(wanted.schema.items)) return undefined;
  const items = alternatives(viewOf(given.schema.items, given.root));
  const reason = clashOf(items, viewOf(wanted.schema.items, wanted.root), work);
  return reason === undefined ? undefined : `in its items ${reason}`;
}

function clashOfFields(given: SchemaView, wanted: SchemaView, work: Work): string | undefined {
  if (!isOnly(given, 'object') || !isOnly(wanted, 'object')) return undefined;
  const have = propertiesOf(given);
  const want = propertiesOf(wanted);
  const required = Array.isArray(wanted.schema.required) ? wanted.schema.required : [];
  const always = Array.isArray(given.schema.required) ? given.schema.required : [];
  for (const name of required) {
    if (typeof name === 'string' && !Object.hasOwn(have, name) && isClosed(given))
      return `it lacks the required field "${name}"`;
  }
  for (const name of always) {
    if (typeof name === 'string' && !Object.hasOwn(want, name) && isClosed(wanted))
      return `it always has a field "${name}", which is not allowed`;
  }
  for (const name of [...required, ...always]) {
    if (typeof name !== 'string' || !Object.hasOwn(have, name) || !Object.hasOwn(want, name)) continue;
    const reason = clashOf(
      alternatives(viewOf(have[name], given.root)),
      viewOf(want[name], wanted.root),
      work,
    );
    if (reason !== undefined) return `in its field "${name}" ${reason}`;
  }
  return undefined;
}

function isOnly(view: SchemaView, type: string): boolean {
  const types = typesOf(view);
  return types?.size === 1 && types.has(type);
}

function shown(values: readonly Json[]): string {
  const texts = values.slice(0, 5).map((value) => stringifyJson(value));
  return `${texts.join(' or ')}${values.length > 5 ? ' or …' : ''}`;
}
