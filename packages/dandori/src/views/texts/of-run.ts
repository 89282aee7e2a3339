import { type Language, languageOf, type Speaking } from '../../model/text.ts';
import { type DriverTexts, driver as driverEnglish } from './en/driver.ts';
import { type RunTexts, run as runEnglish } from './en/run.ts';
import { type Words, words as wordsEnglish } from './en/words.ts';
import { driver as driverJapanese } from './ja/driver.ts';
import { run as runJapanese } from './ja/run.ts';
import { words as wordsJapanese } from './ja/words.ts';

const RUN: Readonly<Record<Language, RunTexts>> = { en: runEnglish, ja: runJapanese };
const DRIVER: Readonly<Record<Language, DriverTexts>> = { en: driverEnglish, ja: driverJapanese };
const WORDS: Readonly<Record<Language, Words>> = { en: wordsEnglish, ja: wordsJapanese };

/** Texts about how a run went. */
export function runTextsIn(language: Language): RunTexts {
  return RUN[language];
}

/** The same, in the language of the run. */
export function runTexts(run: Speaking): RunTexts {
  return runTextsIn(languageOf(run));
}

/** What the driver asks and says. */
export function driverTextsIn(language: Language): DriverTexts {
  return DRIVER[language];
}

/** The same, in the language of the run. */
export function driverTexts(run: Speaking): DriverTexts {
  return driverTextsIn(languageOf(run));
}

/** Single words and short sentences, in the language of the run. */
export function runWords(run: Speaking): Words {
  return WORDS[languageOf(run)];
}
