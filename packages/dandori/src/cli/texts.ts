import { type Language, languageIn } from '../model/text.ts';
import { chat as englishChat } from '../views/texts/en/chat.ts';
import { cli as english } from '../views/texts/en/cli.ts';
import { history as englishHistory } from '../views/texts/en/history.ts';
import { problems as englishProblems } from '../views/texts/en/problems.ts';
import { setup as englishSetup } from '../views/texts/en/setup.ts';
import { storage as englishStorage } from '../views/texts/en/storage.ts';
import { words as englishWords } from '../views/texts/en/words.ts';
import { chat as japaneseChat } from '../views/texts/ja/chat.ts';
import { cli as japanese } from '../views/texts/ja/cli.ts';
import { history as japaneseHistory } from '../views/texts/ja/history.ts';
import { messages } from '../views/texts/ja/messages/index.ts';
import { problems as japaneseProblems } from '../views/texts/ja/problems.ts';
import { setup as japaneseSetup } from '../views/texts/ja/setup.ts';
import { storage as japaneseStorage } from '../views/texts/ja/storage.ts';
import { words as japaneseWords } from '../views/texts/ja/words.ts';
import { createTranslate, type Translate } from '../views/texts/translate.ts';
import { chosenLanguage, systemLanguage } from './language.ts';

const translate = createTranslate(messages);

const ENGLISH = {
  language: 'en' as Language,
  message: ((text) => text) as Translate,
  ...english,
  ...englishHistory,
  ...englishStorage,
  ...englishSetup,
  ...englishProblems,
  chat: englishChat,
  words: englishWords,
};

/** All texts of the command line, in one language. */
export type Texts = typeof ENGLISH;

const JAPANESE: Texts = {
  language: 'ja',
  message: translate,
  ...japanese,
  ...japaneseHistory,
  ...japaneseStorage,
  ...japaneseSetup,
  ...japaneseProblems,
  chat: japaneseChat,
  words: japaneseWords,
};

/**
 * Chosen by `--lang` or `DANDORI_LANG`, then by the configured language, then by the goal, then by the
 * operating system.
 */
export function textsFor({ language, goal = '' }: { language?: string | undefined; goal?: string }): Texts {
  const chosen = chosenLanguage(process.env) ?? language;
  if (chosen !== undefined) return chosen === 'ja' ? JAPANESE : ENGLISH;
  if (languageIn(goal) === 'ja') return JAPANESE;
  return goal === '' && systemLanguage(process.env) === 'ja' ? JAPANESE : ENGLISH;
}
