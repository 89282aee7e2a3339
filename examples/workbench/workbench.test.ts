import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDandori, type Run } from 'dandori';
import { createScriptedMind, type Reply } from 'dandori/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbench-'));
  await cp(import.meta.dirname, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (script: readonly Reply[]) =>
  openDandori({ config: join(folder, 'dandori.yaml'), model: createScriptedMind(script) });
const written = (name: string) => readFile(join(folder, 'project', name), 'utf8');

/** Approves each call that is asked about, and returns what was asked. */
async function approveAll(run: Run): Promise<string[]> {
  const asked: string[] = [];
  for (let report = await run.report(); report.outcome === 'waiting'; report = await run.report())
    for (const { id, text, context } of report.questions) {
      asked.push(`${text} ${JSON.stringify(context)}`);
      await run.approve(id);
    }
  return asked;
}

it.each([
  [
    'Read log.md and write a summary',
    'log.md',
    'Create summary.md. Approve? (files.write_file, retry-safe write)',
  ],
  [
    'log.ja.md を読んで要約を書いて',
    'log.ja.md',
    'summary.md を作成します。承認しますか？（files.write_file、再試行可の書き込み）',
  ],
])(
  '%s: the whole file is read, and the summary is shown as a diff before it is written',
  async (goal, log, question) => {
    await using dandori = await open([
      [{ id: 'log', operation: 'files.read_file', args: { path: log } }],
      [
        {
          id: 'sum',
          operation: 'files.write_file',
          args: { path: 'summary.md', text: '# Summary\n\nAll is well.\n' },
        },
      ],
      [{ operation: 'answer', args: { text: 'Done.' } }],
    ]);
    const run = dandori.run(goal);
    const asked = await approveAll(run);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(question);
    expect(asked[0]).toContain('+All is well.');
    const report = await run.report();
    expect(report).toMatchObject({ outcome: 'answered', answer: 'Done.' });
    expect(await run.result('log', { path: ['text'], offset: 0, limit: 1 })).toMatchObject({
      kind: 'text',
      total: (await written(log)).length,
    });
    expect((await written(log)).length).toBeGreaterThanOrEqual(24_000);
    expect(await written('summary.md')).toBe('# Summary\n\nAll is well.\n');
  },
);

it('a file that changed after it was approved is not overwritten', async () => {
  await using dandori = await open([
    [{ id: 'w', operation: 'files.write_file', args: { path: 'price.js', text: 'export {};\n' } }],
    [{ operation: 'answer', args: { text: 'no', achieved: false } }],
  ]);
  const run = dandori.run('Empty price.js');
  const { questions } = await run.report();
  await cp(join(folder, 'project', 'price.test.js'), join(folder, 'project', 'price.js'));
  await run.approve(questions[0]?.id);
  expect((await run.report()).tasks.w).toMatchObject({ status: 'failed' });
  expect(await written('price.js')).toContain('node:test');
});

it('in a chat: a design document, then the tests, each approved with a yes', async () => {
  await using dandori = await open([
    [
      { id: 'd', operation: 'files.write_file', args: { path: 'docs/design.md', text: '# Design\n' } },
      { id: 't', operation: 'shell.run_command', args: { command: 'node', args: ['--test'] }, after: ['d'] },
    ],
    [{ operation: 'answer', args: { text: 'The tests pass.' } }],
  ]);
  const conversation = await dandori.conversation();
  await conversation.say('Write a design document, then run the tests');
  const asked = async (word: string) => {
    await expect.poll(async () => (await dandori.questions())[0]?.text).toContain(word);
    await conversation.say('yes');
  };
  await asked('docs/design.md');
  await asked('node --test');
  await expect.poll(async () => (await dandori.runs())[0]?.status).toBe('answered');
  expect(await written('docs/design.md')).toBe('# Design\n');
});
