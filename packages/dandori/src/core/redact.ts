/**
 * Takes secrets out of a value before it is journaled. What holds none comes back as the same object.
 * It happens before the fact is folded, so that a live run and a resumed one see the same.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  return replaceIn(value, secrets) as T;
}

function replaceIn(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return replaceInText(value, secrets);
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceIn(item, secrets));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [replaceInText(key, secrets), replaceIn(item, secrets)] as const);
  const isSame = after.every(
    ([key, item], index) => key === before[index]?.[0] && item === before[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(after);
}

function replaceInText(text: string, secrets: readonly string[]): string {
  if (!secrets.some((secret) => secret !== '' && text.includes(secret))) return text;
  // The longest first: the rest of a secret that begins like another one must not stay.
  const longestFirst = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
}
