import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { messages } from '../../src/views/texts/ja/messages/index.ts';
import { createTranslate } from '../../src/views/texts/translate.ts';
import { openPlace } from './command.ts';

const translate = createTranslate(messages);

describe('a message in Japanese', () => {
  it.each([
    ['There is no run "x".', '実行「x」が見つかりません。'],
    ['  hint: did you mean "order"?', '  ヒント：「order」ですか？'],
    ['hint: it must be text, such as gpt-5-mini', 'ヒント：文字列（例：gpt-5-mini）を指定してください'],
    [
      'p.yaml:4:16 error[unknown-operation]: there is no tool "a.b"\n  4 | there is no tool "a.b"',
      'p.yaml:4:16 エラー[unknown-operation]：ツール「a.b」がありません\n  4 | there is no tool "a.b"',
    ],
    ['calc.evaluate: "expression" is missing', 'calc.evaluate：「expression」がありません'],
    [
      'execution.max_steps must be a whole number of 1 or more, such as 10, not "many"',
      'execution.max_steps には 1 以上の整数（例：10）を指定してください（現在の値："many"）',
    ],
    ['what a tool said', 'what a tool said'],
  ])('%j', (english, japanese) => {
    expect(translate(english)).toBe(japanese);
  });

  it('is found in linear time, whatever it contains', () => {
    const long = ' must be , such as , not '.repeat(150);
    expect(translate(`x${long}`)).toContain('指定してください');
    expect(translate('a'.repeat(100_000))).toHaveLength(100_000);
  });
});

describe('the language of the terminal', () => {
  it('is that of --lang, then DANDORI_LANG, then the configuration, then the operating system', async () => {
    await using place = await openPlace({ LC_ALL: '', LC_MESSAGES: '', LANG: 'ja_JP.UTF-8' });
    expect((await place.dandori('show', 'x')).stderr).toContain('実行「x」が見つかりません。');
    expect((await place.dandori('show', 'x', '--lang', 'en')).stderr).toContain('There is no run "x".');
    expect((await place.dandori('--help')).stdout).toContain('使い方：');
    expect((await place.dandori('run', '--help', '--lang=en')).stdout).toContain('Run a goal or a plan file');
    await using english = await openPlace({ LC_ALL: '', LC_MESSAGES: '', LANG: 'C', DANDORI_LANG: 'ja' });
    expect((await english.dandori('rate', 'x')).stderr).toContain("引数 'rating' を指定してください");
    expect((await english.dandori('no-such-command')).stderr).toContain('というコマンドはありません');
    await english.write('dandori.yaml', 'language: en\nexecution: { max_steps: many }\n');
    const { stderr } = await english.dandori('run', 'x');
    expect(stderr).toContain('execution.max_steps には 1 以上の整数');
    expect(stderr).not.toMatch(/\b(must|such as|hint)\b/);
  });

  it('changes neither codes nor --json', async () => {
    await using place = await openPlace({ DANDORI_LANG: 'ja' });
    const { stdout, stderr, code } = await place.dandori('show', 'x', '--json');
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'run-not-found',
      message: 'There is no run "x".',
    });
    expect(stderr).toContain('error[run-not-found]');
    expect(code).toBe(2);
  });

  it('is that of the comments that init writes', async () => {
    await using place = await openPlace({ DANDORI_LANG: 'ja', LANG: 'C' });
    expect((await place.dandori('init')).stdout).toContain('dandori.yaml を作成しました');
    expect(await readFile(join(place.folder, 'dandori.yaml'), 'utf8')).toContain('# --- 実行のしかた。');
  });
});
