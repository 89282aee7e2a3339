import { describe, expect, test } from 'vitest';
import { createBuiltInMind } from '../../../src/mind/built-in/planner.ts';
import type { Json } from '../../../src/model/json.ts';
import type { Settings } from '../../../src/model/settings.ts';
import { type Played, play, thoughtOf } from './loop.ts';
import { DATABASE_ORDER, SHIPPED, SHIPPED_RUNS, sketched } from './tools.ts';

const MODES = ['auto', 'planned', 'adaptive'] as const;

function run(goal: string, settings: Partial<Settings> = {}): Promise<Played> {
  return play(goal, { tools: SHIPPED, runs: SHIPPED_RUNS, settings: { order: DATABASE_ORDER, ...settings } });
}

describe.each(MODES)('the first goals work with no key and no network, in %s mode', (mode) => {
  test.each([
    ['100 + 200を計算', '100 + 200'],
    ['１００＋２００を計算して', '100 + 200'],
    ['What is 100 + 200?', '100 + 200'],
    ['100 × 3 は？', '100 * 3'],
    ['(1,000 + 200) * 3', '(1000 + 200) * 3'],
  ])('a sum is calculated: %s', async (goal, expression) => {
    const { calls, outcome, answer } = await run(goal, { mode });
    expect(calls).toEqual([{ operation: 'calc.evaluate', args: { expression } }]);
    expect(outcome).toBe('answered');
    expect(answer).toContain('300');
  });

  test.each([
    ['現在時刻を教えて', {}],
    ['今何時？', {}],
    ['What time is it now?', {}],
    ['What time is it in Asia/Tokyo?', { time_zone: 'Asia/Tokyo' }],
    ['What time is it in London?', { time_zone: 'Europe/London' }],
    ['ニューヨークの時刻は？', { time_zone: 'America/New_York' }],
  ])('the time is told, of the right place: %s', async (goal, args) => {
    const { calls, outcome, answer } = await run(goal, { mode });
    expect(calls).toEqual([{ operation: 'clock.get_current_time', args }]);
    expect(outcome).toBe('answered');
    expect(answer).toContain('07:38');
  });

  test.each([
    'What is the weather at the place of IP address 203.0.113.7?',
    'IPアドレス203.0.113.7の場所の天気を教えて',
    'Find the location of 203.0.113.7 and tell me the weather there',
  ])('an address leads to its place and the place to its weather: %s', async (goal) => {
    const { calls, outcome, answer } = await run(goal, { mode });
    expect(calls).toEqual([
      { operation: 'places.locate_ip', args: { ip: '203.0.113.7' } },
      { operation: 'places.get_weather', args: { city: 'Sapporo' } },
    ]);
    expect(outcome).toBe('answered');
    expect(answer).toMatch(/Sapporo|札幌/);
    expect(answer).toContain('19.5');
    expect(answer).toMatch(/sunny|晴れ/);
    expect(answer).toMatch(/offline|オフライン/i);
  });

  test.each(['データベースの商品一覧を表示して', 'List the products in the database'])(
    'the products are really listed, and the tools come in the order that the rules ask for: %s',
    async (goal) => {
      const { calls, outcome, answer } = await run(goal, { mode });
      expect(calls).toEqual([
        { operation: 'sqlite.list_tables', args: {} },
        { operation: 'sqlite.get_table_schema', args: { table: 'products' } },
        { operation: 'sqlite.execute_safe_query', args: { query: 'SELECT * FROM products' } },
      ]);
      expect(outcome).toBe('answered');
      expect(answer).toMatch(/Green tea|緑茶/);
      expect(answer).toMatch(/Fountain pen|万年筆/);
    },
  );

  test.each([
    ['東京の天気', '東京'],
    ['Tokyo weather', 'Tokyo'],
    ["What's the weather like in Paris today?", 'Paris'],
    ['weather in new york', 'new york'],
  ])('the weather of a named city needs no look-up: %s', async (goal, city) => {
    const { calls } = await run(goal, { mode });
    expect(calls).toEqual([{ operation: 'places.get_weather', args: { city } }]);
  });
});

test('a plan whose values are all known beforehand is one decision with Refs, so it runs as one graph', async () => {
  const { decisions } = await run('IPアドレス203.0.113.7の場所の天気を教えて', { mode: 'planned' });
  const [first] = decisions;
  expect(first?.kind === 'decided' && first.actions.map(({ id, args }) => [id, args])).toEqual([
    ['t1', { ip: '203.0.113.7' }],
    ['t2', { city: '${t1.city}' }],
  ]);
});

test('a plan is still known to be done where its results are too large to be at hand', async () => {
  const { state } = await run('weather at the place of IP address 203.0.113.7', { mode: 'planned' });
  const thought = { ...thoughtOf(state, 'act', SHIPPED), result: () => undefined };
  const thinking = await createBuiltInMind().think(thought);
  expect(thinking.kind === 'decided' && thinking.actions[0]?.args).toMatchObject({ achieved: true });
});

test('every action says why it was chosen', async () => {
  const { decisions } = await run('データベースの商品一覧を表示して');
  const actions = decisions.flatMap((decision) => (decision.kind === 'decided' ? decision.actions : []));
  const calls = actions.filter(({ operation }) => operation !== 'answer');
  expect(calls).toHaveLength(3);
  expect(calls.every(({ reasoning }) => reasoning !== undefined && reasoning !== '')).toBe(true);
});

test('without order rules the products are still listed from the right table', async () => {
  const { calls, answer } = await run('List the products in the database', { order: [] });
  expect(calls.map(({ operation }) => operation)).toEqual([
    'sqlite.list_tables',
    'sqlite.execute_safe_query',
  ]);
  expect(answer).toContain('Green tea');
});

test.each([
  ['List all customers', 'SELECT * FROM customers'],
  ['顧客一覧を表示して', 'SELECT * FROM customers'],
  ['注文一覧を見せて', 'SELECT * FROM orders'],
  ['How many customers are there in the database?', 'SELECT * FROM customers'],
])('another table is chosen by its own name: %s', async (goal, query) => {
  const { calls } = await run(goal);
  expect(calls.at(-1)).toEqual({ operation: 'sqlite.execute_safe_query', args: { query } });
});

test.each(['List the tables in the database', 'データベースのテーブル一覧'])(
  'tables themselves are listed without a query: %s',
  async (goal) => {
    const { calls, answer } = await run(goal);
    expect(calls.map(({ operation }) => operation)).toEqual(['sqlite.list_tables']);
    expect(answer).toContain('order_items');
  },
);

test('a table that does not exist is not made up: the answer says which ones there are', async () => {
  const { calls, outcome, answer } = await run('List the dinosaurs in the database');
  expect(calls.map(({ operation }) => operation)).toEqual(['sqlite.list_tables']);
  expect(outcome).toBe('failed');
  expect(answer).toContain('customers, order_items, orders, products');
});

test.each([
  ['在庫一覧を表示して', 'kitchen.list_inventory', {}],
  ['卵と牛乳で作れるレシピを教えて', 'kitchen.find_recipes', { ingredients: ['卵', '牛乳'], max: 20 }],
  ['What can I cook with eggs?', 'kitchen.find_recipes', { ingredients: ['eggs'], max: 20 }],
  ['冷蔵庫の中身を見せて', 'kitchen.list_inventory', {}],
])('the kitchen answers questions: %s', async (goal, operation, args) => {
  const { calls } = await run(goal);
  expect(calls[0]).toEqual({ operation, args });
});

test.each([
  ['明日の東京の天気は？', '現在の天気だけ'],
  ['What will the weather in Paris be tomorrow?', 'only the weather of now'],
])('the weather of another day is not made up: %s', async (goal, why) => {
  const { outcome, answer, calls } = await run(goal);
  expect(outcome).toBe('failed');
  expect(answer).toContain(why);
  expect(calls).toEqual([]);
});

test('two cities are both told', async () => {
  const { outcome, calls } = await run('東京と大阪の天気');
  expect(outcome).toBe('answered');
  expect(calls.map(({ args }) => args.city)).toEqual(['東京', '大阪']);
});

test('an answer says which words of the goal it left aside', async () => {
  const tools = sketched({ 'pantry.show_inventory': { description: 'Show the inventory of the pantry' } });
  const runs = { 'pantry.show_inventory': (): Json => ({ items: ['eggs'] }) };
  const { outcome, answer } = await play('show the pantry inventory of tomorrow', { tools, runs });
  expect(outcome).toBe('answered');
  expect(answer).toContain('Ignored: tomorrow');
});

test.each([
  '100 + 200を計算',
  '現在時刻を教えて',
  'What time is it now?',
  'List the products in the database',
  '東京の天気',
])('a plain answer carries no such note: %s', async (goal) => {
  expect((await run(goal)).answer).not.toMatch(/考慮|taken into account/);
});
