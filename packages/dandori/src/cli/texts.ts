import { isJapanese } from '../model/text.ts';
import { chat as englishChat } from '../views/texts/en/chat.ts';
import { cli as english } from '../views/texts/en/cli.ts';
import { history as englishHistory } from '../views/texts/en/history.ts';
import { problems as englishProblems } from '../views/texts/en/problems.ts';
import { storage as englishStorage } from '../views/texts/en/storage.ts';
import { words as englishWords } from '../views/texts/en/words.ts';
import { chat as japaneseChat } from '../views/texts/ja/chat.ts';
import { cli as japanese } from '../views/texts/ja/cli.ts';
import { history as japaneseHistory } from '../views/texts/ja/history.ts';
import { problems as japaneseProblems } from '../views/texts/ja/problems.ts';
import { storage as japaneseStorage } from '../views/texts/ja/storage.ts';
import { words as japaneseWords } from '../views/texts/ja/words.ts';

const ENGLISH = {
  language: 'en' as 'en' | 'ja',
  ...english,
  ...englishHistory,
  ...englishStorage,
  ...englishProblems,
  chat: englishChat,
  words: englishWords,
};

/** All texts of the command line, in one language. */
export type Texts = typeof ENGLISH;

const JAPANESE: Texts = {
  language: 'ja',
  ...japanese,
  ...japaneseHistory,
  ...japaneseStorage,
  ...japaneseProblems,
  chat: japaneseChat,
  words: japaneseWords,
};

/** Chosen by the configured language, then by the goal, then by the environment. */
export function textsFor({ language, goal = '' }: { language?: string | undefined; goal?: string }): Texts {
  if (language !== undefined) return language === 'ja' ? JAPANESE : ENGLISH;
  if (isJapanese(goal)) return JAPANESE;
  const locale = process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '';
  return goal === '' && locale.startsWith('ja') ? JAPANESE : ENGLISH;
}
