import { search } from '@jmespath-community/jmespath';
import type { Json } from '../domain/json.ts';

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** JMESPath into a value; undefined where nothing is found. Throws what the expression itself makes go wrong. */
export function query(value: Json, expression: string): Json | undefined {
  const found = search(mayNameInherited(expression) ? bare(value) : value, expression) as Json | undefined;
  return found ?? undefined;
}

/** The library reads fields without asking whether they are own: `constructor` would give a function, not nothing. */
function mayNameInherited(expression: string): boolean {
  return INHERITED.some((name) => expression.includes(name));
}

function bare(value: Json): Json {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const copy: { [key: string]: Json } = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = bare(item);
  return copy;
}
