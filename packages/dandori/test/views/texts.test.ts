import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/model/text.ts';
import { textsOf as engineTextsOf } from '../../src/views/texts/driver.ts';
import { textsOf } from '../../src/views/texts/run.ts';
import { SETTINGS } from '../run/facts.ts';

const run = (goal: string, language?: 'en' | 'ja') => ({
  goal,
  settings: { ...SETTINGS, ...(language && { language }) },
});

describe('a run speaks one language', () => {
  it.each([
    ['that of its goal', run('合計を出す'), 'ja'],
    ['English for all others', run('añade uno'), 'en'],
    ['the configured one whatever the goal is', run('add', 'ja'), 'ja'],
    ['the configured one, though the goal is Japanese', run('合計', 'en'), 'en'],
  ] as const)('%s', (_, about, expected) => {
    expect(languageOf(about)).toBe(expected);
  });

  it.each([
    ['core', textsOf],
    ['engine', engineTextsOf],
  ])('and has every text of the %s in it', (_, of) => {
    const [english, japanese] = [of(run('add')), of(run('add', 'ja'))].map(
      (texts) => texts as unknown as Record<string, unknown>,
    );
    const foreign = textsIn(japanese);
    for (const [name, text] of textsIn(english)) {
      expect(foreign.get(name), name).toMatch(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u);
      expect(text, name).toMatch(/^[\x20-\x7e]+$/);
    }
  });
});

/** By name; those in a group by `group.name`. */
function textsIn(texts: object = {}): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]): [string, string][] => {
      if (typeof text === 'function') return [[name, String(text('failed', 'x'))]];
      if (typeof text === 'string') return [[name, text]];
      return [...textsIn(text)].map(([inner, said]) => [`${name}.${inner}`, said]);
    }),
  );
}
