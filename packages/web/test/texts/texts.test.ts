import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/shell/language.tsx';

const FOLDER = new URL('../../src/texts/', import.meta.url);

interface Entry {
  readonly key: string;
  readonly text: string;
}

/** What a function of the catalogue is given, so that each of its texts is written out. */
const SAMPLES: readonly (readonly unknown[])[] = [
  [1, 1, 1],
  [3, 5, 2],
  ['3', '5', '2'],
  [undefined, undefined],
];

/** Every text of a catalogue, functions called with samples. */
function entriesOf(value: unknown, key: string): Entry[] {
  if (typeof value === 'string') return [{ key, text: value }];
  if (typeof value === 'function')
    return SAMPLES.flatMap((given) => {
      try {
        return [{ key, text: String(value(...given)) }];
      } catch {
        // It formats a number, and this sample is none.
        return [];
      }
    });
  return Object.entries(value as object).flatMap(([name, inner]) => entriesOf(inner, `${key}.${name}`));
}

async function catalogues(): Promise<Map<string, Record<Language, unknown>>> {
  // The problems are those of the command line.
  const files = readdirSync(FOLDER)
    .filter((file) => file !== 'problems.ts')
    .toSorted();
  const all = files.map(async (file) => {
    const module = await import(new URL(file, FOLDER).href);
    return [file.replace('.ts', ''), module.texts ?? module.words ?? module.labels] as const;
  });
  return new Map(await Promise.all(all));
}

const all = await catalogues();
const entries = (language: Language) => [...all].flatMap(([area, texts]) => entriesOf(texts[language], area));

describe('the texts of the page', () => {
  it('are there in every language', () => {
    const keys = (language: Language) => new Set(entries(language).map(({ key }) => key));
    for (const language of LANGUAGES) {
      expect([...keys(language)]).toEqual([...keys('en')]);
      expect(entries(language).filter(({ text }) => text.trim() === '')).toEqual([]);
    }
  });

  it('use the words of the glossary in English', () => {
    const wrong =
      /\b(nobody|somebody|a person|people|mind|circles?|compiles?|mended?|please|sorry|in doubt)\b| …/i;
    expect(entries('en').filter(({ text }) => wrong.test(text))).toEqual([]);
  });

  it('use the words of the glossary and full-width punctuation in Japanese', () => {
    const wrong = /ゴール|利用者|誰か|キャンセル|段取り|骨子|改訂|結末|最長経路|効果|破壊的|することができ/;
    const half =
      /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}][:?(]|[)][\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u;
    const close =
      /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}][A-Za-z0-9]|[A-Za-z0-9][\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u;
    const found = entries('ja').filter(({ text }) => wrong.test(text) || half.test(text) || close.test(text));
    expect(found).toEqual([]);
  });
});
