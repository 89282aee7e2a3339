import { describe, expect, it } from 'vitest';
import { play, type Run } from './loop.ts';
import { toolsOf } from './tools.ts';

const any = { type: 'object', additionalProperties: true } as const;
const tool = (name: string, effect: 'read' | 'write') => ({
  name,
  server: name.split('.')[0] ?? '',
  description: '',
  inputSchema: any,
  outputSchema: any,
  effect,
  trusted: true,
});

/** The shipped `files` and `shell`, as far as the planner knows them. */
const TOOLS = toolsOf([
  ...['files.list_files', 'files.read_file', 'files.search_files', 'shell.list_commands'].map((name) =>
    tool(name, 'read'),
  ),
  ...['files.write_file', 'files.edit_file', 'files.move_file', 'files.undo_change', 'shell.run_command'].map(
    (name) => tool(name, 'write'),
  ),
]);

const RUNS: Readonly<Record<string, Run>> = {
  'files.list_files': () => ({
    entries: [
      { path: 'log.md', type: 'file', bytes: 1200 },
      { path: 'docs', type: 'folder', bytes: 0 },
    ],
  }),
  'files.read_file': ({ from_line: from = 1 }) => ({
    text: from === 3 ? '' : 'one\ntwo\n',
    lines: 3,
    to_line: 3,
    truncated: false,
    sha256: 'abc',
  }),
  'files.search_files': ({ text }) => ({
    matches: text === 'price' ? [{ path: 'log.md', line: 2, text: 'the price' }] : [],
    files_searched: 2,
  }),
  'files.write_file': ({ path = '' }) => ({ path, change: 'c1' }),
  'files.edit_file': ({ path = '' }) => ({ path, change: 'c1' }),
  'files.move_file': ({ to = '' }) => ({ path: to, change: 'c1' }),
  'shell.list_commands': () => ({ commands: ['node --test', 'npm run build'] }),
  'shell.run_command': () => ({ exit_code: 0, stdout: 'ok 1', stderr: '' }),
};

const run = (goal: string) => play(goal, { tools: TOOLS, runs: RUNS });

describe('everyday goals for files and commands', () => {
  it.each([
    ['List the files', 'files.list_files', /log\.md \(1,200 bytes\)\ndocs\//],
    ['ファイルの一覧を見せて', 'files.list_files', /log\.md（1,200 バイト）/],
    ['How many files are there?', 'files.list_files', /^1 file\.$/],
    ['log.md を読んで', 'files.read_file', /^one\ntwo$/],
    ['Show docs/log.md', 'files.read_file', /^one\ntwo$/],
    ['log.md は何行ある？', 'files.read_file', /2 行/],
    ['Search the files for price', 'files.search_files', /log\.md:2: the price/],
    [
      '「価格」を含むファイルを探して',
      'files.search_files',
      /「価格」は見つかりませんでした（2 ファイルを検索）/,
    ],
    [
      'memo.txt に「牛乳を買う」と書いて',
      'files.write_file',
      /memo\.txt に書き込みました（元に戻す番号：c1）/,
    ],
    ['Write "hello" to memo.txt', 'files.write_file', /^Wrote memo\.txt/],
    ['Replace "one" with "three" in log.md', 'files.edit_file', /^Replaced "one" with "three" in log\.md/],
    ['Rename log.md to old.md', 'files.move_file', /^Moved log\.md to old\.md/],
    ['テストを実行して', 'shell.run_command', /^node --test は成功しました（終了コード 0）。\nok 1$/],
    ['Run the build', 'shell.run_command', /^npm run build succeeded/],
    ['どんなコマンドが使える？', 'shell.list_commands', /^node --test\nnpm run build$/],
  ])('%s', async (goal, operation, answer) => {
    const { calls, outcome, answer: told } = await run(goal);
    expect([outcome, calls.at(-1)?.operation]).toEqual(['answered', operation]);
    expect(told).toMatch(answer);
  });

  it('tells how the command of a plan ended, as it does without a plan', async () => {
    const task = { id: 't', operation: 'shell.run_command', args: { command: 'node', args: ['--test'] } };
    const { answer } = await play('設計書を書いてからテストを実行する', {
      tools: TOOLS,
      runs: RUNS,
      plan: [task],
    });
    expect(answer).toBe('node --test は成功しました（終了コード 0）。\nok 1');
  });

  it('adds to a file what it had before, bound to the text that was read', async () => {
    const { calls } = await run('log.md に「three」を追記して');
    expect(calls.at(-1)?.args).toEqual({ path: 'log.md', text: 'one\ntwo\nthree\n', expected_sha256: 'abc' });
  });

  it.each([
    'Delete log.md',
    'log.md を要約して',
    'Summarize log.md',
    'Should I write "x" to log.md?',
    'log.md に「x」と書かないで',
    'Run the linter',
    'Run "rm -rf / | cat"',
    'Rename log.md',
    'Write to log.md',
  ])('says honestly that it cannot, and changes nothing: %s', async (goal) => {
    const { calls, outcome } = await run(goal);
    expect(outcome).not.toBe('answered');
    expect(calls.filter(({ operation }) => !/list_|read_|search_/.test(operation))).toEqual([]);
  });
});
