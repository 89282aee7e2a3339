import { readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';

const pathOf = (directory: string, sha256: string) =>
  join(directory, 'blobs', sha256.slice(0, 2), `${sha256}.json`);

describe('blobs in files', () => {
  it('return the stored value, with any characters', async () => {
    await using temporary = await createTemporaryJournal();
    const text = JSON.stringify({ a: '日本 🗾 \ud800 \0', b: 'x'.repeat(100_000) });
    const handle = await temporary.blobs.put([text]);
    expect(handle).toMatchObject({ bytes: Buffer.byteLength(text), head: text.slice(0, 400) });
    expect(await temporary.blobs.get(handle)).toBe(text);
  });

  it('keep the same content once, also when it is put twice at once', async () => {
    await using temporary = await createTemporaryJournal();
    const handles = await Promise.all(Array.from({ length: 5 }, () => temporary.blobs.put(['"same"'])));
    const [handle] = handles;
    if (handle === undefined) throw new Error('none');
    expect(new Set(handles.map(({ sha256 }) => sha256)).size).toBe(1);
    expect(readdirSync(join(temporary.directory, 'blobs', handle.sha256.slice(0, 2)))).toEqual([
      `${handle.sha256}.json`,
    ]);
  });

  it.each(['gone', 'changed', 'torn'])('notice content that is %s', async (how) => {
    await using temporary = await createTemporaryJournal();
    const handle = await temporary.blobs.put(['"some text"']);
    const path = pathOf(temporary.directory, handle.sha256);
    if (how === 'gone') unlinkSync(path);
    else writeFileSync(path, how === 'torn' ? '"some' : '"some texx"');
    await expect(temporary.blobs.get(handle)).rejects.toMatchObject({
      code: 'blob-damaged',
      message: expect.stringContaining(path),
    });
  });

  it('a half-written one is written again', async () => {
    await using temporary = await createTemporaryJournal();
    const handle = await temporary.blobs.put(['"some text"']);
    writeFileSync(pathOf(temporary.directory, handle.sha256), '"so');
    await temporary.blobs.put(['"some text"']);
    expect(await temporary.blobs.get(handle)).toBe('"some text"');
  });

  it('only the owner may read them', async () => {
    await using temporary = await createTemporaryJournal();
    const handle = await temporary.blobs.put(['"private"']);
    expect(statSync(pathOf(temporary.directory, handle.sha256)).mode & 0o077).toBe(0);
  });
});
