import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOWEST_NODE } from '../../dandori/test/program.ts';
import { Host } from './host.ts';

const start = async (node: string) => {
  const started = await Host.start('sqlite', { env: { DANDORI_SQLITE_TIMEOUT_MS: '300000' }, node });
  expect(await started.call('list_tables')).toMatchObject({ isError: false });
  return started;
};

let host: Host;
beforeAll(async () => {
  host = await start(process.execPath);
});
afterAll(() => host.stop());

const query = (sql: string, limit?: number) =>
  host.call('execute_safe_query', { query: sql, ...(limit ? { limit } : {}) });

test.each([
  ['SELECT * FROM nowhere', 'テーブル「nowhere」はありません'],
  ['SELECT colour FROM products', '列「colour」はありません'],
  ['DELETE FROM products', '読み取り（SELECT）だけができます'],
  ['SELEC 1', 'SQL の構文エラーです（「SELEC」の付近）'],
  ['SELECT 1; SELECT 2', '文は 1 つだけ指定できます'],
])('an error is said in the language of the user: %s', async (sql, said) => {
  const japanese = await host.call('execute_safe_query', { query: sql }, { 'dandori/language': 'ja' });
  expect(japanese).toMatchObject({ isError: true, text: expect.stringContaining(said) });
  expect((await query(sql)).text).not.toMatch(/[ぁ-ん]/);
});

describe('the sample shop', () => {
  test('is there at first use, with all its tables', async () => {
    expect((await host.call('list_tables')).data.tables).toEqual([
      { name: 'customers', type: 'table', rows: 5 },
      { name: 'order_items', type: 'table', rows: 10 },
      { name: 'orders', type: 'table', rows: 6 },
      { name: 'products', type: 'table', rows: 8 },
    ]);
  });

  test('answers a question in Japanese words', async () => {
    const { data } = await query("SELECT name, price FROM products WHERE name_ja = '緑茶'");
    expect(data).toEqual({
      columns: ['name', 'price'],
      rows: [{ name: 'Green tea', price: 648 }],
      row_count: 1,
      truncated: false,
    });
  });

  test('shows the columns of a table, whatever the case of its name', async () => {
    const { data } = await host.call('get_table_schema', { table: 'Orders' });
    expect(data).toMatchObject({
      table: 'orders',
      columns: [
        { name: 'order_id', type: 'INTEGER', nullable: false, primary_key: true },
        { name: 'customer_id', type: 'INTEGER', nullable: false, primary_key: false },
        { name: 'ordered_on' },
        { name: 'status' },
      ],
      foreign_keys: [
        { column: 'customer_id', references_table: 'customers', references_column: 'customer_id' },
      ],
    });
  });

  test('is made once when two servers start at the same moment, with no half-made file left', async () => {
    const directory = join(host.dataDirectory, 'both');
    const both = await Promise.all([1, 2].map(() => Host.start('sqlite', { directory })));
    const outcomes = await Promise.all(both.map((each) => each.call('list_tables')));
    expect(outcomes.map(({ isError }) => isError)).toEqual([false, false]);
    await Promise.all(both.map((each) => each.stop()));
    expect(readdirSync(directory)).toEqual(['sample-shop.db']);
  });
});

describe('errors that say what to do', () => {
  test('an unknown table is answered with the tables there are', async () => {
    const outcome = await host.call('get_table_schema', { table: 'prodcts' });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain('products');
  });

  test.each([
    ['SELECT * FROM nowhere', /no such table: nowhere.*list_tables/],
    ['SELEC 1', /syntax error/],
    ['-- nothing', /empty/],
  ])('a query that cannot run says why: %s', async (sql, reason) => {
    const outcome = await query(sql);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(reason);
  });
});

describe('results stay usable', () => {
  test('more rows than the limit are cut, and the caller is told', async () => {
    const sql =
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500) SELECT x FROM c';
    expect((await query(sql)).data).toMatchObject({ row_count: 100, truncated: true });
    expect((await query(sql, 500)).data).toMatchObject({ row_count: 500, truncated: false });
  });

  test('big integers, blobs, infinity and columns of the same name survive JSON', async () => {
    const { data } = await query(
      "SELECT 9007199254740993 AS big, x'0102' AS blob, 9e999 AS much, 1 AS a, 2 AS a",
    );
    expect(data.rows).toEqual([
      { big: '9007199254740993', blob: { base64: 'AQI=', bytes: 2 }, much: 'Infinity', a: 1, a_2: 2 },
    ]);
  });
});

/** The lowest Node has no authorizer, and statements are refused by their text there. */
describe.each([
  { name: 'this Node', node: process.execPath },
  { name: 'the lowest Node', node: LOWEST_NODE },
])('hostile SQL on $name', ({ node }) => {
  let asked: Host;
  beforeAll(async () => {
    asked = node === undefined || node === process.execPath ? host : await start(node);
  });
  afterAll(() => (asked === host ? undefined : asked.stop()));
  const attack = (sql: string) => asked.call('execute_safe_query', { query: sql });

  test
    .skipIf(node === undefined)
    .each([
      'DELETE FROM products',
      'UPDATE products SET price = 0',
      "INSERT INTO customers VALUES (9, 'x', 'x', 'x', 'x')",
      'DROP TABLE products',
      'CREATE TABLE t (a)',
      'CREATE TEMP TABLE t (a)',
      'BEGIN',
      'PRAGMA query_only = 0',
      'PRAGMA writable_schema = 1',
      'VACUUM',
      "SELECT load_extension('/tmp/evil.so')",
      'SELECT * FROM pragma_database_list',
      "/* a */ -- b\n ATTACH '/tmp/other.db' AS other",
      ";ATTACH '/tmp/other.db' AS other",
      "/*/ SELECT 1; */ ATTACH '/tmp/other.db' AS other",
      "EXPLAIN ATTACH '/tmp/other.db' AS other",
      'WITH x AS (SELECT 1) DELETE FROM products',
      'SELECT 1; DELETE FROM products',
      'SELECT 1; /* hidden */ DROP TABLE products --',
    ])('changes nothing: %s', async (sql) => {
    const path = join(asked.dataDirectory, 'sample-shop.db');
    const before = readFileSync(path);
    const outcome = await attack(sql);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(/Refused|one statement/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.skipIf(node === undefined)('ATTACH and VACUUM INTO neither open nor create another file', async () => {
    const secret = join(asked.dataDirectory, 'secret.db');
    const database = new DatabaseSync(secret);
    database.exec("CREATE TABLE s (v); INSERT INTO s VALUES ('secret')");
    database.close();
    const made = join(asked.dataDirectory, 'made.db');
    for (const sql of [`ATTACH '${secret}' AS s`, `ATTACH '${made}' AS m`, `VACUUM INTO '${made}'`]) {
      expect((await attack(sql)).isError).toBe(true);
    }
    expect((await attack('SELECT * FROM s.s')).isError).toBe(true);
    expect(existsSync(made)).toBe(false);
  });

  test.skipIf(node === undefined)('what only reads is answered', async () => {
    const sqls = [
      '/* all */ -- of them\n select count(*) AS n FROM products;',
      'WITH c AS (SELECT 1 AS n) SELECT n FROM c',
      'VALUES (8)',
      "SELECT name FROM pragma_table_info('products') LIMIT 1",
    ];
    for (const sql of sqls)
      expect(await attack(sql)).toMatchObject({ isError: false, data: { row_count: 1 } });
  });
});

describe('what costs too much', () => {
  test('a query that never ends is stopped, and the next one is answered', async () => {
    const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
    const hasty = await Host.start('sqlite', { env: { DANDORI_SQLITE_TIMEOUT_MS: '700' } });
    const ask = (sql: string) => hasty.call('execute_safe_query', { query: sql });
    // On a busy machine the time may not be enough for the sample database.
    await expect.poll(() => ask('SELECT 1 AS one')).toMatchObject({ isError: false });
    const outcome = await ask(endless);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(/stopped/);
    await expect.poll(() => ask('SELECT 1 AS one')).toMatchObject({ data: { rows: [{ one: 1 }] } });
    await hasty.stop();
  });

  test('a cancelled query does not hold up the next one', async () => {
    const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c';
    const call = host.client.callTool(
      { name: 'execute_safe_query', arguments: { query: endless } },
      { signal: AbortSignal.timeout(100) },
    );
    await expect(call).rejects.toThrow();
    expect((await query('SELECT 2 AS two')).data.rows).toEqual([{ two: 2 }]);
  });

  test('a giant value is refused instead of filling the memory', async () => {
    const outcome = await query('SELECT hex(zeroblob(900000000))');
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(/too big/);
  });
});

test('a database that is not there is an error, not a new empty file', async () => {
  const path = join(host.dataDirectory, 'missing.db');
  const other = await Host.start('sqlite', { args: ['--database', path], directory: host.dataDirectory });
  const outcome = await other.call('list_tables');
  await other.stop();
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain(path);
  expect(existsSync(path)).toBe(false);
});

test('the operator sees no warnings on stderr', () => {
  expect(host.stderr.join('')).toBe('');
});
