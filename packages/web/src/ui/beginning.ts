const LINES = 20;
const CHARACTERS = 2_500;

/** So much of a text as leaves what stands below it in reach; all of it where that is not much more. */
export function beginningOf(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= LINES * 1.5 && text.length <= CHARACTERS * 1.5) return text;
  const beginning = lines.slice(0, LINES).join('\n').slice(0, CHARACTERS);
  // Not in the middle of a letter that takes two places.
  return beginning.replace(/[\ud800-\udbff]$/, '').trimEnd();
}
