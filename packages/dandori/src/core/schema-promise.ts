import type { JsonObject } from '../domain/json.ts';
import { itemAt, propertiesOf, type SchemaView, viewOf } from './schema-view.ts';

/**
 * Whether a schema promises what stands at a place: one that is reached only through required properties and items of
 * lists. What may be missing is merely described.
 */
export function isPromised(schema: JsonObject, path: readonly (string | number)[]): boolean {
  let view = viewOf(schema);
  for (const step of path) {
    if (typeof step === 'string' && !requires(view, step)) return false;
    view =
      typeof step === 'string'
        ? propertyOf(view, step)
        : (itemAt(view, step) ?? viewOf(undefined, view.root));
  }
  return true;
}

function requires({ schema }: SchemaView, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

function propertyOf(view: SchemaView, name: string): SchemaView {
  const properties = propertiesOf(view);
  const listed = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return viewOf(listed ?? view.schema.additionalProperties, view.root);
}
