/**
 * Takes secrets out of a value before it is journaled. What holds none comes back as the same object.
 * It happens before the fact is folded, so that a live run and a resumed one see the same.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  return replaceIn(value, secrets) as T;
}

function replaceIn(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    return secrets.reduce((text, secret) => (text.includes(secret) ? text.replaceAll(secret, '[secret]') : text), value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceIn(item, secrets));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, replaceIn(item, secrets)] as const);
  const before = value as Record<string, unknown>;
  return entries.every(([key, item]) => item === before[key]) ? value : Object.fromEntries(entries);
}
