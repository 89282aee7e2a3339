/** Characters shown before and after a value. */
const AROUND = 80;

/**
 * Where a text contains a value, with the words around it; undefined if it does not. Case, width, and white
 * space do not matter.
 */
export function placeIn(text: string, value: string): string | undefined {
  const wanted = plain(value).trim();
  if (wanted.length < 2) return undefined;
  const from = plain(text);
  const at = from.indexOf(wanted);
  if (at < 0) return undefined;
  const start = Math.max(0, at - AROUND);
  const end = Math.min(from.length, at + wanted.length + AROUND);
  return `${start > 0 ? '…' : ''}${from.slice(start, end)}${end < from.length ? '…' : ''}`;
}

function plain(text: string): string {
  return text.normalize('NFKC').replaceAll(String.raw`\n`, ' ').replaceAll(/\s+/g, ' ').toLowerCase();
}
