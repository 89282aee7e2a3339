import { STATUS_JAPANESE as WORDS } from '../core/status-words.ts';

/** How things stand, in the words of the journal; whoever reads Japanese reads them in Japanese. `--json` keeps ours. */
export const STATUS_ENGLISH = {
  status: (word: string) => word,
};

export const STATUS_JAPANESE: typeof STATUS_ENGLISH = {
  status: (word) => (Object.hasOwn(WORDS, word) ? WORDS[word as keyof typeof WORDS] : word),
};
