/** A command that may be run: a program, its first arguments, and whether more may follow. */
export interface Allowed {
  readonly words: readonly string[];
  readonly more: boolean;
}

/**
 * Reads an entry of the allow-list: `npm test` allows just that, `git diff *` allows more arguments after it. There are
 * no quotes and no other signs: an entry is split at spaces, and an argument with a space can only come where `*`
 * stands.
 */
export function parseAllowed(entry: string): Allowed {
  const words = entry.trim().split(/\s+/);
  const more = words.at(-1) === '*';
  const fixed = more ? words.slice(0, -1) : words;
  if (fixed.length === 0 || fixed[0] === '')
    throw new Error(`"${entry}" names no program. Write e.g. "npm test" or "git diff *".`);
  if (fixed.some((word) => word.includes('*')))
    throw new Error(`"${entry}": * is possible only as the last word, and stands for any arguments.`);
  return { words: fixed, more };
}

export function isAllowed(list: readonly Allowed[], program: string, args: readonly string[]): boolean {
  const call = [program, ...args];
  return list.some(
    ({ words, more }) =>
      words.every((word, index) => word === call[index]) && (more || call.length === words.length),
  );
}

export function textOf({ words, more }: Allowed): string {
  return [...words, ...(more ? ['*'] : [])].join(' ');
}
