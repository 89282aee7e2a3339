import type { Settings } from '../../model/settings.ts';
import { type Language, languageOf } from '../../model/text.ts';
import { run as english, type RunTexts } from './en/run.ts';
import { run as japanese } from './ja/run.ts';

export function textsIn(language: Language): RunTexts {
  return language === 'ja' ? japanese : english;
}

/** What Dandori says of a run, in the language of the run. */
export function textsOf(run: { readonly goal: string; readonly settings: Settings }): RunTexts {
  return textsIn(languageOf(run));
}
