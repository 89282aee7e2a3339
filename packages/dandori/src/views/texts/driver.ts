import { type Language, languageOf, type Speaking } from '../../model/text.ts';
import { type DriverTexts, driver as english } from './en/driver.ts';
import { driver as japanese } from './ja/driver.ts';

export type Texts = DriverTexts;

export function textsIn(language: Language): Texts {
  return language === 'ja' ? japanese : english;
}

/** What the driver asks and says, in the language of the run. */
export function textsOf(run: Speaking): Texts {
  return textsIn(languageOf(run));
}
