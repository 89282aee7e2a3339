import type { Settings } from '../domain/settings.ts';

export type Language = NonNullable<Settings['language']>;

/** The language that a run speaks: the configured one, else that of its goal. */
export function languageOf({ goal, settings }: { goal: string; settings: Settings }): Language {
  return settings.language ?? (isJapanese(goal) ? 'ja' : 'en');
}

export function isJapanese(text: string): boolean {
  return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text);
}
