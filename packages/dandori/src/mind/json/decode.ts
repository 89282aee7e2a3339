import { parseJson } from '../../domain/json-text.ts';

/**
 * As much of the inside of a JSON string as can be decoded already: not half of an escape, and not half of a character
 * that takes two. Undefined where it is no valid JSON string.
 */
export function decodePart(raw: string): { text: string; length: number } | undefined {
  const length = wholeEscapes(raw);
  const text = parseString(raw.slice(0, length));
  if (text === undefined || !/[\uD800-\uDBFF]$/.test(text))
    return text === undefined ? undefined : { text, length };
  const half = /[\uD800-\uDBFF]$/.test(raw.slice(0, length)) ? 1 : '\\ud83d'.length;
  return { text: text.slice(0, -1), length: length - half };
}

function wholeEscapes(raw: string): number {
  const last = raw.lastIndexOf('\\');
  if (last === -1) return raw.length;
  let run = 1;
  while (raw[last - run] === '\\') run++;
  // An even run is backslashes that are escaped themselves.
  if (run % 2 === 0) return raw.length;
  const needed = raw[last + 1] === 'u' ? '\\ud83d'.length : '\\n'.length;
  return raw.length - last < needed ? last : raw.length;
}

function parseString(raw: string): string | undefined {
  try {
    return parseJson(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}
