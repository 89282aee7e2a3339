import type { Json, JsonObject } from '../domain/json.ts';
import { isClosed, itemAt, propertiesOf, type SchemaView, viewOf } from './schema-view.ts';

/**
 * A schema promises what it requires and what it forbids; everything else in it is a description (ADR 7). Many servers
 * write down roughly what they return, and return something else: a schema that promises nothing gives a hint, and no
 * reason to refuse a plan.
 */
export function promisesAny(schema: JsonObject): boolean {
  const view = viewOf(schema);
  return isClosed(view) || requiredBy(view).length > 0;
}

/**
 * Whether a value must be as the schema says at this place: one that is reached only through required properties and
 * items of lists. The root is always there.
 */
export function isPromised(schema: JsonObject, path: readonly (string | number)[]): boolean {
  let view = viewOf(schema);
  for (const step of path) {
    if (typeof step === 'string' && !requiredBy(view).includes(step)) return false;
    view =
      typeof step === 'string'
        ? propertyOf(view, step)
        : (itemAt(view, step) ?? viewOf(undefined, view.root));
  }
  return true;
}

function requiredBy({ schema }: SchemaView): readonly Json[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

function propertyOf(view: SchemaView, name: string): SchemaView {
  const properties = propertiesOf(view);
  const listed = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return viewOf(listed ?? view.schema.additionalProperties, view.root);
}
