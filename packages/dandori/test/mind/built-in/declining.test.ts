import { describe, expect, test } from 'vitest';
import { createBuiltInMind } from '../../../src/mind/built-in/planner.ts';
import type { Json } from '../../../src/model/json.ts';
import type { Task } from '../../../src/model/task.ts';
import { play, thoughtOf } from './loop.ts';
import { DATABASE_ORDER, SHIPPED, SHIPPED_RUNS, sketched } from './tools.ts';

const shipped = { tools: SHIPPED, runs: SHIPPED_RUNS, settings: { order: DATABASE_ORDER } };

test('a change that fails shows why, and not the list in which it was looked up', async () => {
  const failure = { kind: 'tool_error', message: 'There is no yogurt.' } as const;
  const runs = { ...SHIPPED_RUNS, 'kitchen.remove_item': () => ({ failure }) };
  const { calls, answer } = await play('I ate all the yogurt', { ...shipped, runs });
  expect(calls.map(({ operation }) => operation)).toEqual(['kitchen.list_inventory', 'kitchen.remove_item']);
  expect(answer).toContain('There is no yogurt.');
  expect(answer).not.toContain('list_inventory');
});

describe('what needs a language model', () => {
  test.each(['冷蔵庫の温度は？', 'How long do eggs keep in the fridge?', 'Send an email to Bob'])(
    'is declined too where a tool was asked in vain, instead of showing what it said: %s',
    async (goal) => {
      const { outcome, answer } = await play(goal, shipped);
      expect(outcome).toBe('failed');
      expect(answer).toMatch(/can't plan this goal|計画できません/);
    },
  );

  test.each(['Write a poem about autumn', 'hello', 'What is the capital of France?', '???', ''])(
    'is declined with the lines that configure one, and nothing is called: %s',
    async (goal) => {
      const { calls, outcome, answer } = await play(goal, shipped);
      expect(calls).toEqual([]);
      expect(outcome).toBe('failed');
      expect(answer).toContain("can't plan this goal");
      expect(answer).toContain('model:\n  provider: ');
      expect(answer).toContain('api_key_env: ');
      expect(answer).toContain('dandori init');
      expect(answer).toContain('calc.evaluate');
    },
  );

  test.each(['秋についての詩を書いて', 'こんにちは'])(
    'is declined in Japanese if the goal is in Japanese: %s',
    async (goal) => {
      const { outcome, answer } = await play(goal, shipped);
      expect(outcome).toBe('failed');
      expect(answer).toContain('この目標を計画できません');
      expect(answer).toContain('model:\n  provider: ');
    },
  );

  test('is declined in direct mode, which may call no tool', async () => {
    const { calls, outcome } = await play('100 + 200を計算', { ...shipped, settings: { mode: 'direct' } });
    expect(calls).toEqual([]);
    expect(outcome).toBe('failed');
  });

  test('also names the servers that are down, as one of them may be what is missing', async () => {
    const { state } = await play('Write a poem', shipped);
    const thought = {
      ...thoughtOf(state, 'act' as const, SHIPPED),
      missing: [{ server: 'poet', reason: 'it did not start' }],
    };
    const thinking = await createBuiltInMind().think(thought);
    expect(JSON.stringify(thinking)).toContain('poet (it did not start)');
  });
});

describe('a question', () => {
  test.each(['天気を教えて', 'weather'])(
    'is asked where one thing is missing, and its answer is used: %s',
    async (goal) => {
      const waiting = await play(goal, shipped);
      expect(waiting.outcome).toBe('waiting');
      expect(waiting.question).toContain('city');
      const { calls, outcome } = await play(goal, { ...shipped, answers: () => '大阪' });
      expect(calls).toEqual([{ operation: 'places.get_weather', args: { city: '大阪' } }]);
      expect(outcome).toBe('answered');
    },
  );

  test('with options is asked where two values fit equally well', async () => {
    const tables = {
      tables: ['products_2025', 'products_2026'].map((name) => ({ name, type: 'table', rows: 1 })),
    };
    const runs = { ...SHIPPED_RUNS, 'sqlite.list_tables': (): Json => tables };
    const goal = 'show the schema of the products table';
    expect((await play(goal, { ...shipped, runs })).question).toContain('table');
    const { calls } = await play(goal, { ...shipped, runs, answers: () => 'products_2026' });
    expect(calls.at(-1)?.args).toEqual({ table: 'products_2026' });
  });

  test.each([
    ['IPから現在地を調べて天気を取得', 'en', /^203\.0\.113\.7 is in/],
    ['Find my location from my IP and get the weather', 'ja', /^203\.0\.113\.7 は/],
  ] as const)('goes on in the language of the answer: %s', async (goal, language, text) => {
    const { answer, outcome } = await play(goal, { ...shipped, answers: () => '203.0.113.7', language });
    expect(outcome).toBe('answered');
    expect(answer).toMatch(text);
  });

  test('is not asked twice: an answer that does not fit ends the run', async () => {
    const tools = sketched({
      'dice.roll': { description: 'Roll dice', input: { sides: { type: 'integer' } } },
    });
    const { outcome, calls } = await play('roll dice', { tools, runs: {}, answers: () => 'many' });
    expect(outcome).toBe('failed');
    expect(calls).toEqual([]);
  });
});

describe('after a failure', () => {
  const runs = {
    ...SHIPPED_RUNS,
    'places.get_weather': () => ({
      failure: { kind: 'tool_error' as const, message: 'no such city: Sapporo' },
    }),
  };

  test('the answer says what failed and why, and what was found all the same', async () => {
    const { outcome, answer } = await play('weather at the place of IP address 203.0.113.7', {
      ...shipped,
      runs,
    });
    expect(outcome).toBe('failed');
    expect(answer).toContain('places.get_weather failed: no such city: Sapporo');
    expect(answer).toContain('places.locate_ip');
  });

  test('it is told in Japanese', async () => {
    const { answer } = await play('東京の天気', { ...shipped, runs });
    expect(answer).toContain('places.get_weather が失敗しました：no such city');
  });

  test('a plan of the user is summed up: what succeeded and what did not', async () => {
    const plan: Task[] = [
      { id: 'a', operation: 'calc.evaluate', args: { expression: '1+1' } },
      { id: 'b', operation: 'places.get_weather', args: { city: 'x' } },
    ];
    const { outcome, answer } = await play('my plan', { ...shipped, runs, plan });
    expect(outcome).toBe('failed');
    expect(answer).toContain('places.get_weather failed');
    expect(answer).toContain('result: 300');
  });
});

test('the results of a plan of the user are told', async () => {
  const plan = [{ id: 'a', operation: 'calc.evaluate', args: { expression: '1+1' } }];
  const { outcome, answer } = await play('何でもよい', { ...shipped, plan });
  expect(outcome).toBe('answered');
  expect(answer).toContain('300');
});

test('where the steps are used up, what has been found is told and not called the goal', async () => {
  const limits = { steps: 1, calls: 30, tasks: 100, time: 60_000 };
  const { outcome, answer } = await play('List the products in the database', {
    ...shipped,
    settings: { order: DATABASE_ORDER, limits },
  });
  expect(outcome).toBe('exhausted');
  expect(answer).toContain('customers');
});
