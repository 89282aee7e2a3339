import type { Language } from '../model/text.ts';

/** The client's first choice in `Accept-Language`, if Dandori speaks it. */
export function acceptedLanguage(accepted = ''): Language | undefined {
  return (['en', 'ja'] as const).find((language) => new RegExp(`^\\s*${language}\\b`, 'i').test(accepted));
}
