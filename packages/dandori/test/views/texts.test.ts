import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/model/text.ts';
import { wordIn } from '../../src/views/texts/said.ts';
import { SETTINGS } from '../run/facts.ts';

const TEXTS = join(import.meta.dirname, '../../src/views/texts');
const FILES = readdirSync(join(TEXTS, 'en'));
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

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
});

it('says the problems of a plan in the language of the run', () => {
  const problems =
    't1: there is no tool "calc.sum"; t2: calc.evaluate: "expression" is missing; t3: "{{city}}" is a placeholder; in adaptive mode arguments need real values';
  const said = { code: 'no_plan', params: { tries: 3, problems } } as const;
  expect(wordIn('en')(said)).toBe(`No valid plan after 3 attempts. ${problems}`);
  expect(wordIn('ja')(said)).toBe(
    '3 回試しましたが、計画を作成できませんでした。t1：ツール「calc.sum」がありません、t2：calc.evaluate：「expression」がありません、t3：「{{city}}」はプレースホルダーです。逐次モードの引数には実際の値が必要です',
  );
});

/** These say the same in both languages, or only join what they are given. */
const WITHOUT_WORDS = [
  'chat.prompt',
  'chat.answerWith',
  'run.because',
  'driver.titled',
  'questions.titled',
  'run.standing',
  'run.openQuestion',
  'history.history.changed',
  'chat.nextHint',
  'chat.help.0.0',
  'chat.help.3.0',
  'chat.help.9.0',
  'chat.help.12.0',
  'setup.init.hosts.claude',
  'setup.init.hosts.cursor',
  'setup.init.hosts.vscode',
  'setup.init.providers.anthropic',
  'setup.init.providers.google',
  'setup.init.providers.openai',
  'setup.servers.becomes',
  'setup.servers.from.destructiveHint',
  'setup.servers.from.idempotentHint',
  'setup.servers.from.readOnlyHint',
];

describe('the catalogues of texts', () => {
  it('are the same files in both languages', () => {
    const isFile = (name: string) => name.endsWith('.ts');
    expect(readdirSync(join(TEXTS, 'ja')).filter(isFile)).toEqual(FILES);
  });

  // The types hold that no key is missing: every status, effect, mode, limit, question kind, failure, error and diagnostic.
  it.each(FILES)('%s has every key in both languages, each in its own', async (file) => {
    const english = textsIn(await catalogue('en', file));
    const japanese = textsIn(await catalogue('ja', file));
    expect([...japanese.keys()]).toEqual([...english.keys()]);
    const strange = [...english].filter(
      ([key, text]) =>
        !WITHOUT_WORDS.includes(key) && (JAPANESE.test(text) || !JAPANESE.test(japanese.get(key) ?? '')),
    );
    expect(strange.map(([key]) => key).filter((key) => !OWN_SCRIPT.includes(key))).toEqual([]);
  });

  it('hold each sentence once, so that it is changed in one place', () => {
    const found = new Map<string, Set<string>>();
    for (const language of ['en', 'ja'])
      for (const file of FILES)
        for (const sentence of sentencesIn(readFileSync(join(TEXTS, language, file), 'utf8')))
          found.set(sentence, (found.get(sentence) ?? new Set()).add(`${language}/${file}`));
    const repeated = [...found].filter(([, files]) => files.size > 1).map(([sentence]) => sentence);
    expect(repeated).toEqual([]);
  });
});

/** An example in them is Japanese, or a part is the same everywhere. */
const OWN_SCRIPT = ['cli.noRuns', 'cli.labelled', 'cli.comma', 'cli.effect', 'cli.replies.keys.one'];

async function catalogue(language: string, file: string): Promise<Record<string, unknown>> {
  const { countOf: _, ...module } = await import(join(TEXTS, language, file));
  return module;
}

/** The text by the path of its key. A function is asked for a text with plain values. */
function textsIn(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]]);
  if (value instanceof Function) return new Map([[path, String(filled(value))]]);
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([key, item]) => [...textsIn(item, path === '' ? key : `${path}.${key}`)]),
  );
}

const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  effect: ['write'],
  reflected: ['partial', 'partial'],
  summary: ['answered', '1 s'],
  used: [{ time: '1 s', calls: 2, tokens: 2, isEstimated: true, cost: '$1' }],
  loaded: [['A']],
  refused: [['A']],
  from: ['a', ['A']],
  ignored: ['a', ['A']],
  added: [['A'], 'f'],
  replaced: [['A'], 'f'],
  unchanged: [['A'], 'f'],
  removed: [['A'], 'f'],
  connecting: [['A']],
  left: [['A']],
  secrets: [['A']],
  remembered: [['A']],
  demo: [['A']],
  unseen: [['runs']],
  healthy: [{ runs: 1, conversations: 1, events: 1, blobs: 1 }],
  howToFillIn: ['r', 'q', ['a']],
  mayCall: ['x', 'write'],
  mayCallAgain: ['x', 'write', 't'],
  ended: ['failed'],
  aims: [['to'], true],
  trustMissing: [['a.b']],
};

function filled(text: CallableFunction): unknown {
  return Reflect.apply(text, undefined, ARGUMENTS[text.name] ?? [2, 2, 2]);
}

/** Sentences and labels of two words or more. */
function sentencesIn(source: string): string[] {
  const literals = source.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g) ?? [];
  return literals
    .map((literal) => literal.slice(1, -1))
    .filter(
      (text) => !text.startsWith('.') && (/\w \w+ \w/.test(text) || (JAPANESE.test(text) && text.length > 8)),
    );
}
