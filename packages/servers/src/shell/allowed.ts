/** A command that may be run: a program, its first arguments, and what may follow. */
export interface Allowed {
  readonly words: readonly string[];
  /** `names`: arguments that are no options. `any`: options too. */
  readonly more: 'none' | 'names' | 'any';
}

/**
 * Reads an entry of the allow-list: `npm test` allows just that, `git diff *` allows names after it, `git log **` allows
 * options too. An option can make a harmless program write or run anything (`git diff --output=…`), so `*` does not
 * cover them. There are no quotes and no other signs: an entry is split at spaces, and an argument with a space can only
 * come where `*` or `**` stands.
 */
export function parseAllowed(entry: string): Allowed {
  const words = entry.trim().split(/\s+/);
  const last = words.at(-1);
  const more = last === '**' ? 'any' : last === '*' ? 'names' : 'none';
  const fixed = more === 'none' ? words : words.slice(0, -1);
  if (fixed.length === 0 || fixed[0] === '')
    throw new Error(`"${entry}" names no program. Write e.g. "npm test" or "git diff *".`);
  if (fixed.some((word) => word.includes('*')))
    throw new Error(`"${entry}": * is possible only as the last word, and stands for any arguments.`);
  return { words: fixed, more };
}

export function isAllowed(list: readonly Allowed[], program: string, args: readonly string[]): boolean {
  const call = [program, ...args];
  return list.some(({ words, more }) => {
    const rest = call.slice(words.length);
    if (!words.every((word, index) => word === call[index])) return false;
    return (
      more === 'any' || (more === 'names' ? rest.every((word) => !word.startsWith('-')) : rest.length === 0)
    );
  });
}

export function textOf({ words, more }: Allowed): string {
  return [...words, ...(more === 'none' ? [] : [more === 'any' ? '**' : '*'])].join(' ');
}
