import assert from 'node:assert/strict';
import type { Blobs, Keys } from '../blobs.ts';
import { casesOf, type Open, rejects, type StoreCase } from './cases.ts';

/** The contract of `Blobs` as cases that every store must pass. */
export function blobCases(open: Open<{ readonly blobs: Blobs }>): StoreCase[] {
  return casesOf(BLOBS, async () => {
    const opened = await open();
    return { part: opened.blobs, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  });
}

/** The contract of `Keys` as cases that every store must pass. */
export function keyCases(open: Open<{ readonly keys: Keys }>): StoreCase[] {
  return casesOf(KEYS, async () => {
    const opened = await open();
    return { part: opened.keys, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  });
}

/** Later than anything that a case stores, whatever the clock of the store. */
const LATER = Date.now() + 86_400_000;
/** Earlier than that. */
const EARLIER = Date.now() - 86_400_000;

const BLOBS: Record<string, (blobs: Blobs) => Promise<void>> = {
  async 'a text comes back as it was put, whatever its characters and its parts'(blobs) {
    const long = '日本語 🗾 '.repeat(40_000);
    for (const parts of [[''], ['{}'], ['\0', 'a\r\n\u2028'], [long, '"end"', long]]) {
      const handle = await blobs.put(parts);
      const text = parts.join('');
      assert.equal(handle.bytes, Buffer.byteLength(text));
      assert.equal(handle.head, text.slice(0, 400));
      assert.equal(await blobs.get(handle), text);
    }
  },

  async 'the same content is kept once, also if it is put many times at once'(blobs) {
    const handles = await Promise.all(Array.from({ length: 5 }, () => blobs.put(['"sa', 'me"'])));
    assert.equal(new Set(handles.map(({ sha256 }) => sha256)).size, 1);
    assert.equal((await blobs.putBefore(LATER)).length, 1);
  },

  async 'a missing text is reported as damaged'(blobs) {
    await rejects(blobs.get({ sha256: 'a'.repeat(64), bytes: 1, head: 'x' }), 'blob-damaged');
  },

  async 'old texts are listed and removed, and a text that was put again stays'(blobs) {
    const handle = await blobs.put(['"old"']);
    const { sha256, bytes } = handle;
    assert.deepEqual(await blobs.putBefore(LATER), [{ sha256, bytes }]);
    assert.deepEqual(await blobs.putBefore(EARLIER), []);
    assert.equal(await blobs.remove({ sha256, bytes }, EARLIER), false);
    assert.equal(await blobs.get(handle), '"old"');
    assert.equal(await blobs.remove({ sha256, bytes }, LATER), true);
    assert.equal(await blobs.remove({ sha256, bytes }, LATER), false);
    await rejects(blobs.get(handle), 'blob-damaged');
    await blobs.put(['"old"']);
    assert.equal(await blobs.get(handle), '"old"');
  },

  async 'a sweep removes nothing that is stored'(blobs) {
    const handle = await blobs.put(['"kept"']);
    assert.deepEqual(await blobs.sweep(LATER, async () => true), []);
    assert.equal(await blobs.get(handle), '"kept"');
  },
};

const KEYS: Record<string, (keys: Keys) => Promise<void>> = {
  async 'the first value under a name stays'(keys) {
    assert.equal(await keys.hold('a', 'one'), 'one');
    assert.equal(await keys.hold('a', 'two'), 'one');
    assert.equal(await keys.hold('b', 'two'), 'two');
  },

  async 'a name may contain any characters'(keys) {
    const names = ['', '\0', '../x', 'a/b', '日本 🗾', 'x'.repeat(10_000), "'; drop table keys; --"];
    for (const [index, name] of names.entries())
      assert.equal(await keys.hold(name, `v${index}`), `v${index}`);
    for (const [index, name] of names.entries()) assert.equal(await keys.hold(name, 'late'), `v${index}`);
  },

  async 'if many hold the same name at once, one value wins'(keys) {
    const held = await Promise.all(Array.from({ length: 8 }, (_, index) => keys.hold('a', `by ${index}`)));
    assert.equal(new Set(held).size, 1);
    assert.equal(await keys.hold('a', 'late'), held[0]);
  },

  async 'old values are listed and removed'(keys) {
    await keys.hold('a', 'one');
    await keys.hold('b', 'two');
    const found = async (before: number) => {
      const values: string[] = [];
      for await (const { value } of keys.heldBefore(before)) values.push(value);
      return values.sort();
    };
    assert.deepEqual(await found(EARLIER), []);
    assert.deepEqual(await found(LATER), ['one', 'two']);
    for await (const { value, remove } of keys.heldBefore(LATER)) if (value === 'one') await remove();
    assert.deepEqual(await found(LATER), ['two']);
    assert.equal(await keys.hold('a', 'again'), 'again');
  },
};
