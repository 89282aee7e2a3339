import { isObject } from '../../../model/json.ts';

/** Their members are names, and the values of these are schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Data, in which `pattern` is a name like others. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
const LOOKAROUND = /\(\?<?[=!]/;

/**
 * The schema without what OpenAI refuses, and with it the whole request: patterns with lookaround, as `z.email()` has
 * one, and `propertyNames`. Arguments are checked against the tool's own schema anyway.
 */
export function openAiSchema<T>(schema: T): T {
  return changed(schema, false) as T;
}

function changed(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => changed(one, false));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key, one]) => isMap || !isRefused(key, one));
  return Object.fromEntries(
    entries.map(([key, one]) => {
      if (!isMap && DATA.has(key)) return [key, one];
      return [key, changed(one, !isMap && MAPS.has(key))];
    }),
  );
}

function isRefused(key: string, value: unknown): boolean {
  if (key === 'pattern') return typeof value === 'string' && LOOKAROUND.test(value);
  return key === 'propertyNames';
}
