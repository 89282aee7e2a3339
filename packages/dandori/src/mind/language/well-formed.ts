/**
 * The same with no half of a character that takes two code units, as is left where a text was cut or a model broke off.
 * That is no text, and some providers refuse a request that holds it, each time it is sent.
 */
export function wellFormed<T>(value: T): T {
  return mended(value) as T;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), mended(item)]));
}
