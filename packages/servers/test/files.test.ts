import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Host } from './host.ts';

const KEY = 'dandori/idempotencyKey';
let outer: string;
let root: string;
let host: Host;

beforeAll(async () => {
  outer = await realpath(await mkdtemp(join(tmpdir(), 'dandori-files-')));
  root = join(outer, 'work');
  await mkdir(root);
  host = await Host.start('files', { args: ['--root', root] });
});
afterAll(async () => {
  await host.stop();
  await rm(outer, { recursive: true, force: true });
});
beforeEach(async () => {
  await mkdir(join(root, 'docs'), { recursive: true });
  await writeFile(join(root, 'docs/plan.md'), 'one\ntwo\nthree\n');
  await writeFile(join(outer, 'secret.txt'), 'outside');
});
afterEach(async () => {
  for (const name of await readdir(root)) await rm(join(root, name), { recursive: true, force: true });
});

const read = (path: string) => readFile(join(root, path), 'utf8');

describe('reading', () => {
  test('lists, reads and finds what is in the folder', async () => {
    expect((await host.call('list_files', { depth: 3 })).text).toBe('docs/\ndocs/plan.md');
    const { data } = await host.call('read_file', { path: 'docs/plan.md' });
    expect(data).toMatchObject({
      path: 'docs/plan.md',
      text: 'one\ntwo\nthree\n',
      lines: 4,
      truncated: false,
    });
    expect((await host.call('search_files', { text: 'TWO', name: '*.md' })).data.matches).toEqual([
      { path: 'docs/plan.md', line: 2, text: 'two' },
    ]);
    expect((await host.call('search_files', { text: 'two', name: '*.ts' })).data.matches).toEqual([]);
  });

  test('gives a file of 24,000 characters whole, and any part of it by lines', async () => {
    const text = Array.from({ length: 400 }, (_, index) => `${index} ${'語'.repeat(58)}`).join('\n');
    await writeFile(join(root, 'long.txt'), text);
    expect((await host.call('read_file', { path: 'long.txt' })).data).toMatchObject({
      text,
      truncated: false,
    });
    const part = await host.call('read_file', { path: 'long.txt', from_line: 3, max_lines: 2 });
    expect(part.data).toMatchObject({ from_line: 3, to_line: 4, lines: 400, truncated: true });
    expect(part.data.text).toBe(text.split('\n').slice(2, 4).join('\n'));
  });

  test('says what is wrong with what cannot be read', async () => {
    await writeFile(join(root, 'picture.bin'), new Uint8Array([0xff, 0xfe, 0]));
    expect((await host.call('read_file', { path: 'none.md' })).text).toContain('no file none.md');
    expect((await host.call('read_file', { path: 'docs' })).text).toContain('not a file');
    expect((await host.call('read_file', { path: 'picture.bin' })).text).toContain('not a text');
  });
});

describe('the folder', () => {
  test.each([
    '../secret.txt',
    '/etc/passwd',
    'docs/../../secret.txt',
    'link.txt',
    'away/secret.txt',
    'chain/secret.txt',
    '.dandori/files/x',
    '.git/config',
    '.GIT/config',
  ])('is never left: %s', async (path) => {
    await symlink('../secret.txt', join(root, 'link.txt'));
    await symlink('..', join(root, 'away'));
    await symlink('away', join(root, 'chain'));
    for (const [tool, args] of [
      ['read_file', { path }],
      ['write_file', { path, text: 'broken' }],
      ['edit_file', { path, edits: [{ old: 'outside', new: 'broken' }] }],
      ['move_file', { from: 'docs/plan.md', to: path }],
      ['move_file', { from: path, to: 'taken.txt' }],
    ] as const) {
      const outcome = await host.call(tool, args);
      expect(outcome.isError, `${tool} ${outcome.text}`).toBe(true);
      expect(outcome.text).not.toContain('root:');
    }
    expect(await readFile(join(outer, 'secret.txt'), 'utf8')).toBe('outside');
    expect(await read('docs/plan.md')).toBe('one\ntwo\nthree\n');
    expect((await host.call('search_files', { text: 'outside' })).data.matches).toEqual([]);
    expect((await readdir(outer)).sort()).toEqual(['secret.txt', 'work']);
  });

  test('may be left by no link that appears between two calls', async () => {
    await host.call('write_file', { path: 'box/a.txt', text: 'inside' });
    await rm(join(root, 'box'), { recursive: true });
    await symlink('..', join(root, 'box'));
    expect((await host.call('write_file', { path: 'box/secret.txt', text: 'broken' })).isError).toBe(true);
    expect(await readFile(join(outer, 'secret.txt'), 'utf8')).toBe('outside');
  });

  test('may have links that stay inside', async () => {
    await symlink('docs/plan.md', join(root, 'link.md'));
    expect((await host.call('read_file', { path: 'link.md' })).data).toMatchObject({ path: 'docs/plan.md' });
  });
});

describe('writing', () => {
  test('shows a diff, keeps a copy, and brings it back', async () => {
    const written = await host.call('write_file', { path: 'docs/plan.md', text: 'one\n2\nthree\n' });
    expect(written.data).toMatchObject({ path: 'docs/plan.md', summary: 'Replace docs/plan.md' });
    expect(written.data.diff).toContain('-two\n+2\n');
    expect(await read('docs/plan.md')).toBe('one\n2\nthree\n');
    const undone = await host.call('undo_change', { change: written.data.change });
    expect(undone.isError).toBe(false);
    expect(await read('docs/plan.md')).toBe('one\ntwo\nthree\n');
  });

  test('makes folders, and removes a new file when its creation is undone', async () => {
    const { data } = await host.call('write_file', { path: 'a/b/new.md', text: 'hello' });
    expect(await read('a/b/new.md')).toBe('hello');
    await host.call('undo_change', { change: data.change });
    expect(await readdir(join(root, 'a/b'))).toEqual([]);
  });

  test('edits passages that stand there once, and nothing if one does not', async () => {
    const edits = [
      { old: 'one', new: '一' },
      { old: 'three', new: '三' },
    ];
    await host.call('edit_file', { path: 'docs/plan.md', edits });
    expect(await read('docs/plan.md')).toBe('一\ntwo\n三\n');
    const missing = await host.call('edit_file', {
      path: 'docs/plan.md',
      edits: [{ old: 'two', new: '二' }, ...edits],
    });
    expect(missing.text).toContain('Edit 2');
    await writeFile(join(root, 'twice.md'), 'x x');
    expect(
      (await host.call('edit_file', { path: 'twice.md', edits: [{ old: 'x', new: 'y' }] })).text,
    ).toContain('more than once');
    expect(await read('docs/plan.md')).toBe('一\ntwo\n三\n');
  });

  test('refuses to overwrite what has changed since it was read', async () => {
    const { data } = await host.call('read_file', { path: 'docs/plan.md' });
    await writeFile(join(root, 'docs/plan.md'), 'somebody else');
    const outcome = await host.call('write_file', {
      path: 'docs/plan.md',
      text: 'mine',
      expected_sha256: data.sha256,
    });
    expect(outcome.text).toContain('has changed');
    expect(await read('docs/plan.md')).toBe('somebody else');
  });

  test('moves without overwriting, and back', async () => {
    await writeFile(join(root, 'other.md'), 'other');
    expect((await host.call('move_file', { from: 'docs/plan.md', to: 'other.md' })).isError).toBe(true);
    const { data } = await host.call('move_file', { from: 'docs/plan.md', to: 'old/plan.md' });
    expect(await read('old/plan.md')).toBe('one\ntwo\nthree\n');
    await host.call('undo_change', { change: data.change });
    expect(await read('docs/plan.md')).toBe('one\ntwo\nthree\n');
  });

  test('does nothing twice under the same key, also after a restart', async () => {
    const edits = [{ old: 'two', new: 'two two' }];
    const first = await host.call('edit_file', { path: 'docs/plan.md', edits }, { [KEY]: 'run/t1' });
    const other = await Host.start('files', { args: ['--root', root] });
    const second = await other.call('edit_file', { path: 'docs/plan.md', edits }, { [KEY]: 'run/t1' });
    expect(second.data).toEqual(first.data);
    expect(await read('docs/plan.md')).toBe('one\ntwo two\nthree\n');
    const reused = await other.call('write_file', { path: 'docs/plan.md', text: 'x' }, { [KEY]: 'run/t1' });
    expect(reused.text).toContain('different request');
    await other.stop();
  });

  test('finishes under its key what a crash cut off before the file changed', async () => {
    const args = { path: 'docs/plan.md', text: 'new\n' };
    const { data } = await host.call('write_file', args, { [KEY]: 'run/t2' });
    // As the disk is after a crash between the record and the rename.
    const kept = join(root, '.dandori/files');
    await rm(join(kept, `${data.change}.done`));
    await writeFile(join(kept, `${data.change}.after`), 'new\n');
    await writeFile(join(root, 'docs/plan.md'), 'one\ntwo\nthree\n');
    expect((await host.call('write_file', args, { [KEY]: 'run/t2' })).isError).toBe(false);
    expect(await read('docs/plan.md')).toBe('new\n');
  });

  test('undoes no change that a later one covers', async () => {
    const first = await host.call('write_file', { path: 'docs/plan.md', text: '1' });
    await host.call('write_file', { path: 'docs/plan.md', text: '2' });
    expect((await host.call('undo_change', { change: first.data.change })).text).toContain('changed again');
    expect(await read('docs/plan.md')).toBe('2');
  });

  test('shows in a preview what it would do, and does nothing', async () => {
    const preview = await host.call(
      'write_file',
      { path: 'docs/plan.md', text: 'gone' },
      { 'dandori/preview': true },
    );
    expect(preview.data.diff).toContain('+gone');
    expect(preview.data).not.toHaveProperty('change');
    expect(await read('docs/plan.md')).toBe('one\ntwo\nthree\n');
    expect(await readdir(root)).toEqual(['docs']);
  });

  test('binds a preview to the file as it is: one that changed, or that is there now, is not overwritten', async () => {
    const asked = { 'dandori/preview': true, 'dandori/language': 'ja' };
    const old = { path: 'docs/plan.md', text: 'new' };
    const found = (await host.call('write_file', old, asked)).meta?.['dandori/preview'];
    expect(found).toMatchObject({ summary: 'docs/plan.md を書き換えます。', reversible: true });
    const { args } = found as { args: object };
    await writeFile(join(root, 'docs/plan.md'), 'changed meanwhile');
    expect((await host.call('write_file', { ...old, ...args })).text).toContain('has changed');
    const fresh = { path: 'docs/new.md', text: 'new' };
    const made = (await host.call('write_file', fresh, asked)).meta?.['dandori/preview'];
    expect(made).toMatchObject({ args: { expected_sha256: 'absent' } });
    await writeFile(join(root, 'docs/new.md'), 'somebody else');
    expect((await host.call('write_file', { ...fresh, expected_sha256: 'absent' })).isError).toBe(true);
    expect(await read('docs/new.md')).toBe('somebody else');
  });

  test.each(['.git/hooks/pre-commit', 'lib/.git/hooks/pre-commit', 'lib/.GIT/config', 'lib/.dandori/x'])(
    'never writes %s, at any level',
    async (path) => {
      expect((await host.call('write_file', { path, text: 'x' })).text).toContain('reserved');
      expect((await host.call('read_file', { path })).text).toContain('reserved');
    },
  );
});
