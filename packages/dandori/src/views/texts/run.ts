import { type Language, languageOf, type Speaking } from '../../model/text.ts';
import { run as english, type RunTexts } from './en/run.ts';
import { run as japanese } from './ja/run.ts';

export function textsIn(language: Language): RunTexts {
  return language === 'ja' ? japanese : english;
}

/** Texts about how a run went, in the language of the run. */
export function textsOf(run: Speaking): RunTexts {
  return textsIn(languageOf(run));
}
