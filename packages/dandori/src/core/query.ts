import { search } from '@jmespath-community/jmespath';
import type { Json } from '../domain/json.ts';
import { plainPath } from './plain-path.ts';

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/**
 * JMESPath into a value; undefined where nothing is found. Throws what the expression itself makes go wrong.
 * JMESPath does not tell a null that is there from nothing, so keys and indexes are followed here. Of any other
 * expression null means nothing.
 */
export function query(value: Json, expression: string): Json | undefined {
  const steps = plainPath(expression);
  if (steps !== undefined) return walk(value, steps);
  const found = search(mayNameInherited(expression) ? bare(value) : value, expression) as Json | undefined;
  return found ?? undefined;
}

function walk(value: Json, steps: readonly (string | number)[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of steps) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here.at(step) : undefined;
    else if (typeof here !== 'object' || here === null || typeof step === 'number') return undefined;
    else here = Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
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
