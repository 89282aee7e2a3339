import { type Language, languageOf, type Speaking } from '../../model/text.ts';
import { type DriverTexts, driver as driverEnglish } from './en/driver.ts';
import { type RunTexts, run as runEnglish } from './en/run.ts';
import { driver as driverJapanese } from './ja/driver.ts';
import { run as runJapanese } from './ja/run.ts';

/** Texts about how a run went. */
export function runTextsIn(language: Language): RunTexts {
  return language === 'ja' ? runJapanese : runEnglish;
}

/** The same, in the language of the run. */
export function runTexts(run: Speaking): RunTexts {
  return runTextsIn(languageOf(run));
}

/** What the driver asks and says. */
export function driverTextsIn(language: Language): DriverTexts {
  return language === 'ja' ? driverJapanese : driverEnglish;
}

/** The same, in the language of the run. */
export function driverTexts(run: Speaking): DriverTexts {
  return driverTextsIn(languageOf(run));
}
