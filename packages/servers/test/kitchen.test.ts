import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Host } from './host.ts';

interface Item {
  item_id: number;
  name: string;
  quantity: number;
}
interface Option {
  label: string;
  args: { item_id: number };
}

let host: Host;
beforeAll(async () => {
  host = await Host.start('kitchen');
});
afterAll(() => host.stop());

const items = async () => (await host.call('list_inventory')).data.items as Item[];
const quantityOf = async (name: string) => (await items()).find((item) => item.name === name)?.quantity;
const withKey = (key: string) => ({ 'dandori/idempotencyKey': key });

test('the sample stock is there at first use, what expires first at the top', async () => {
  const { data } = await host.call('list_inventory');
  const names = (data.items as Item[]).map(({ name }) => name);
  expect(names).toHaveLength(12);
  expect(names[0]).toBe('ご飯 / cooked rice');
  expect(data.ingredients).toEqual(names);
});

describe('an ambiguous name', () => {
  test('removes nothing and asks in Japanese when asked in Japanese', async () => {
    const outcome = await host.call('remove_item', { name: '牛乳' });
    expect(outcome.isError).toBe(true);
    expect(outcome.data.ambiguous).toBe(true);
    expect(outcome.data.question).toBe('「牛乳」に当てはまるものが 2 つあります。どれを削除しますか？');
    expect((outcome.data.options as Option[]).map(({ label }) => label)).toEqual([
      expect.stringContaining('low-fat milk'),
      expect.stringContaining('whole milk'),
    ]);
    expect(outcome.text).toContain('item_id');
    expect(await items()).toHaveLength(12);
  });

  test('asks in English when asked in English', async () => {
    expect((await host.call('remove_item', { name: 'milk' })).data.question).toBe(
      '2 items fit "milk". Which one should be removed?',
    );
  });

  test('is settled by calling again with the chosen option, even under the same idempotency key', async () => {
    const first = await host.call('remove_item', { name: '牛乳', quantity: 1 }, withKey('choose'));
    const [, whole] = first.data.options as Option[];
    const second = await host.call(
      'remove_item',
      { name: '牛乳', quantity: 1, ...whole?.args },
      withKey('choose'),
    );
    expect(second.isError).toBe(false);
    expect(second.data).toMatchObject({ removed: 1, remaining: 1 });
    expect(await quantityOf('牛乳 (低脂肪) / low-fat milk')).toBe(1);
    expect(await quantityOf('牛乳 (成分無調整) / whole milk')).toBe(1);
  });

  test('does not arise when the full name is given', async () => {
    expect((await host.call('remove_item', { name: 'low-fat milk' })).data.remaining).toBe(0);
    expect(await quantityOf('牛乳 (低脂肪) / low-fat milk')).toBeUndefined();
    expect(await quantityOf('牛乳 (成分無調整) / whole milk')).toBe(1);
  });
});

const ASKED = { 'dandori/preview': true, 'dandori/language': 'ja' };

describe('a preview', () => {
  const previewOf = (outcome: Awaited<ReturnType<Host['call']>>) => outcome.meta?.['dandori/preview'];

  test('says in the language of the user what would be removed, names it exactly, and removes nothing', async () => {
    const before = await items();
    const japanese = await host.call('remove_item', { name: '豆腐' }, ASKED);
    expect(previewOf(japanese)).toEqual({
      summary: '豆腐 1 丁を捨てます。',
      reversible: false,
      args: { item_id: 8, quantity: 1 },
    });
    const english = await host.call(
      'remove_item',
      { name: 'eggs', quantity: 2 },
      { ...ASKED, 'dandori/language': 'en' },
    );
    expect(previewOf(english)).toMatchObject({
      summary: 'Remove eggs: 2 (6 left).',
      args: { quantity: 2 },
    });
    expect(await items()).toEqual(before);
  });

  test('asks which one, as the call itself does', async () => {
    const outcome = await host.call('remove_item', { name: 'じ' }, ASKED);
    expect(outcome.data).toMatchObject({ ambiguous: true });
    const call = await host.call('remove_item', { name: 'じ' });
    expect(call.data).toEqual(outcome.data);
  });

  test('never removes all of several pieces unless it is told how many', async () => {
    for (const meta of [ASKED, {}]) {
      const outcome = await host.call('remove_item', { name: '玉ねぎ' }, meta);
      expect(outcome.data).toMatchObject({
        ambiguous: true,
        question: '玉ねぎは 3 個あります。いくつ削除しますか？',
        options: [
          { label: '1 個', args: { item_id: 4, quantity: 1 } },
          { label: '2 個', args: { item_id: 4, quantity: 2 } },
          { label: 'すべて（3 個）', args: { item_id: 4, quantity: 3 } },
        ],
      });
    }
    expect(await quantityOf('玉ねぎ / onions')).toBe(3);
  });

  test('a packet is thrown away as a whole', async () => {
    const outcome = await host.call('remove_item', { name: 'バター' }, ASKED);
    expect(previewOf(outcome)).toMatchObject({ summary: 'バター 150 gを捨てます。' });
  });
});

describe('a repeated call', () => {
  test('with the same key changes the stock once and gives the same answer', async () => {
    const apples = { name: 'りんご / apples', quantity: 3, expires_on: '2099-01-31' };
    const first = await host.call('add_item', apples, withKey('k1'));
    const again = await host.call('add_item', apples, withKey('k1'));
    expect(again.data).toEqual(first.data);
    expect(await quantityOf('りんご / apples')).toBe(3);

    const taken = await host.call('remove_item', { name: 'apples', quantity: 1 }, withKey('k2'));
    expect((await host.call('remove_item', { name: 'apples', quantity: 1 }, withKey('k2'))).data).toEqual(
      taken.data,
    );
    expect(await quantityOf('りんご / apples')).toBe(2);
  });

  test('with the same key is remembered by the next process, and by two at once', async () => {
    await host.call('add_item', { name: 'tea', quantity: 1 }, withKey('k'));
    const others = await Promise.all(
      [1, 2].map(() => Host.start('kitchen', { directory: host.dataDirectory })),
    );
    await Promise.all(
      others.map((each) => each.call('add_item', { name: 'tea', quantity: 1 }, withKey('k'))),
    );
    await Promise.all(
      others.map((each) => each.call('add_item', { name: 'salt', quantity: 1 }, withKey('s'))),
    );
    await Promise.all(others.map((each) => each.stop()));
    expect(await quantityOf('tea')).toBe(1);
    expect(await quantityOf('salt')).toBe(1);
  });

  test('with the same key for something else is refused', async () => {
    const outcome = await host.call('add_item', { name: 'tea', quantity: 5 }, withKey('k'));
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain('different request');
  });

  test('without a key adds again, onto the same pile', async () => {
    await host.call('add_item', { name: 'cocoa', quantity: 1 });
    await host.call('add_item', { name: 'cocoa', quantity: 1 });
    expect(await quantityOf('cocoa')).toBe(2);
  });
});

test.each([
  ['remove_item', {}, /name or the item_id/],
  ['remove_item', { name: 'caviar' }, /no "caviar".*eggs/],
  ['remove_item', { name: 'egg', quantity: 9 }, /only 8/],
  ['remove_item', { item_id: 999 }, /no item 999/],
  ['remove_item', { item_id: 3, name: 'milk' }, /is "eggs", not "milk"/],
  ['remove_item', { name: 'egg', qty: 1 }, /qty/],
  ['remove_item', { name: 'egg', quantity: -1 }, /quantity/],
  ['add_item', { name: ' ', quantity: 1 }, /name/],
  ['add_item', { name: 'tea', quantity: 0 }, /quantity/],
  ['add_item', { name: 'tea', quantity: 1, expires_on: '2026-02-30' }, /not a calendar date/],
] as const)('a mistaken %s(%j) changes nothing and says why', async (tool, args, reason) => {
  const before = await items();
  const outcome = await host.call(tool, args);
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toMatch(reason);
  expect(await items()).toEqual(before);
});

test('a name full of SQL is only a name', async () => {
  const name = "'); DROP TABLE items; --";
  await host.call('add_item', { name, quantity: 1 });
  expect(await quantityOf(name)).toBe(1);
});

test('recipes need the least shopping first, and use up what expires', async () => {
  const { data } = await host.call('find_recipes', { max: 2 });
  expect(data.recipes).toMatchObject([
    { name_ja: '親子丼', missing: [], uses_soon: ['ご飯 / cooked rice', '鶏もも肉 / chicken thigh'] },
    { name_ja: 'チャーハン', missing: [], uses_soon: ['ご飯 / cooked rice'] },
  ]);
});

test('a recipe has its steps in both languages', async () => {
  const { data } = await host.call('find_recipes', { ingredients: ['卵', '牛乳'], max: 1 });
  expect(data.recipes).toMatchObject([
    { steps: ['Mix the eggs and milk', 'Fry in butter'], steps_ja: ['卵と牛乳を混ぜる', 'バターで焼く'] },
  ]);
});

test('recipes are found for the ingredients someone names, in either language', async () => {
  const { data } = await host.call('find_recipes', {
    ingredients: ['たまご', 'bread', 'milk', 'butter'],
    max: 20,
  });
  const toast = (data.recipes as { name: string; missing: string[] }[]).find(
    ({ name }) => name === 'French toast',
  );
  expect(toast?.missing).toEqual(['砂糖 / sugar']);
});

test('a database that is not a kitchen is left alone', async () => {
  const path = join(host.dataDirectory, 'other.db');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE precious (v)');
  database.close();
  const other = await Host.start('kitchen', {
    env: { DANDORI_KITCHEN_PATH: path },
    directory: host.dataDirectory,
  });
  const outcome = await other.call('list_inventory');
  await other.stop();
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain('not a kitchen database');
});
