import type { Json } from '../../domain/json.ts';

/** `${` in a value is text and never a Ref: neither a goal nor a result can point at another task's output. */
export function literal(value: Json): Json {
  if (typeof value === 'string') return literalText(value);
  if (Array.isArray(value)) return value.map(literal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, literal(item)]));
}

export function literalText(text: string): string {
  // By a function: in a replacement string `$$` would mean a single `$`, and nothing would be escaped.
  return text.replaceAll('${', () => '$${');
}
