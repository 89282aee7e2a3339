import type { Language } from '../model/text.ts';

/** The language of the texts, if the user has chosen one. `--lang` sets the same variable. */
const LANGUAGE = 'DANDORI_LANG';

/**
 * Finds `--lang` before the command line is parsed, because help and errors of the parser need it too.
 * An unknown language is refused where the option is parsed.
 */
export function takeLanguage(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const at = argv.findIndex((word) => /^--lang(=|$)/.test(word));
  if (at < 0 || argv.slice(0, at).includes('--')) return;
  const [, given = argv[at + 1]] = argv[at]?.split(/=(.*)/s) ?? [];
  if (given === 'en' || given === 'ja') env[LANGUAGE] = given;
}

/** What the user chose for this terminal: `--lang`, then `DANDORI_LANG`. */
export function chosenLanguage(env: NodeJS.ProcessEnv): Language | undefined {
  const chosen = (env[LANGUAGE] ?? '').toLowerCase().slice(0, 2);
  return chosen === 'ja' || chosen === 'en' ? chosen : undefined;
}

/** What the operating system says. */
export function systemLanguage({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  return (LC_ALL || LC_MESSAGES || LANG || '').startsWith('ja') ? 'ja' : 'en';
}
