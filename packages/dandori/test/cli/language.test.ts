import { describe, expect, it } from 'vitest';
import { type ModelReply, startModelServer } from '../../src/testing/model-server/index.ts';
import { sample } from '../long.ts';
import { openPlace } from './command.ts';

interface Case {
  readonly goal: string;
  readonly script: ModelReply[];
  readonly answer: string;
  readonly operations: string[];
}

const answer = (text: string): ModelReply => ({ actions: [{ operation: 'answer', args: { text } }] });

/** The four jobs of a newcomer once more, decided by a model over real HTTP, streamed. */
const CASES: Case[] = [
  {
    goal: '100 + 200を計算',
    script: [
      {
        actions: [
          { id: 't1', operation: 'calc.evaluate', args: { expression: '100 + 200' }, reasoning: '計算' },
        ],
        expect: '100 + 200を計算',
      },
      { ...answer('答えは300です。'), expect: '300' },
    ],
    answer: '答えは300です。',
    operations: ['calc.evaluate'],
  },
  {
    goal: 'What time is it in Tokyo?',
    script: [
      { actions: [{ id: 't1', operation: 'clock.get_current_time', args: { time_zone: 'Asia/Tokyo' } }] },
      { ...answer('It is late in Tokyo.'), expect: '+09:00' },
    ],
    answer: 'It is late in Tokyo.',
    operations: ['clock.get_current_time'],
  },
  {
    goal: 'What is the weather at the place of IP address 203.0.113.7?',
    script: [
      {
        actions: [
          { id: 't1', operation: 'places.locate_ip', args: { ip: '203.0.113.7' } },
          { id: 't2', operation: 'places.get_weather', args: { city: '${t1.city}' } },
        ],
      },
      { ...answer('Sunny in Tokyo.'), expect: 'Tokyo' },
    ],
    answer: 'Sunny in Tokyo.',
    operations: ['places.locate_ip', 'places.get_weather'],
  },
  {
    goal: 'データベースの商品一覧を表示して',
    script: [
      {
        actions: [
          { id: 't1', operation: 'sqlite.list_tables', args: {} },
          { id: 't2', operation: 'sqlite.get_table_schema', args: { table: 'products' } },
          { id: 't3', operation: 'sqlite.execute_safe_query', args: { query: 'SELECT * FROM products' } },
        ],
      },
      { ...answer('商品は次の通りです。'), expect: 'price' },
    ],
    answer: '商品は次の通りです。',
    operations: ['sqlite.list_tables', 'sqlite.get_table_schema', 'sqlite.execute_safe_query'],
  },
];

const modelAt = (url: string, ...servers: string[]) =>
  JSON.stringify({
    model: {
      provider: 'openai-compatible',
      name: 'scripted',
      base_url: url,
      api_key_env: 'SCRIPTED_KEY',
    },
    mcpServers: Object.fromEntries(servers.map((name) => [name, { shipped: name }])),
    execution: { retry: { backoff: '10ms' } },
  });

describe.concurrent('a goal decided by a language model over HTTP', () => {
  // `requirements/adaptive.test.ts` has all four in one process.
  it.each(sample(CASES, 3))('$goal', async ({ goal, script, answer: expected, operations }) => {
    await using server = await startModelServer(script, { chunkSize: 7 });
    await using place = await openPlace({ SCRIPTED_KEY: 'sk-very-secret-123456' });
    const servers = operations.map((operation) => operation.split('.')[0] ?? '');
    await place.write('dandori.yaml', modelAt(server.url, ...servers));
    const { code, stdout, stderr } = await place.dandori('run', goal, '--json');
    expect(stderr).toBe('');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ outcome: 'answered', answer: expected, usage: { modelCalls: 2 } });
    expect(Object.values(report.tasks).map((task) => (task as { operation: string }).operation)).toEqual(
      operations,
    );
    expect(code).toBe(0);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-very-secret-123456');
    expect(await place.journal(report.run)).not.toContain('sk-very-secret-123456');
  });

  it('is repaired within bounds if the model names a wrong tool, and finished work stays', async () => {
    await using server = await startModelServer([
      { actions: [{ id: 't1', operation: 'calc.evaluator', args: { expression: '1+1' } }] },
      {
        actions: [{ id: 't1', operation: 'calc.evaluate', args: { expression: '1+1' } }],
        expect: 'did you mean "calc.evaluate"',
      },
      { ...answer('2'), expect: '2' },
    ]);
    await using place = await openPlace({ SCRIPTED_KEY: 'sk-very-secret-123456' });
    await place.write('dandori.yaml', modelAt(server.url, 'calc'));
    const { code, stdout } = await place.dandori('run', 'add one and one', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'answered', answer: '2', usage: { modelCalls: 3 } });
    expect(code).toBe(0);
  });

  it('prints the value that a schema asks for, after the model has corrected it', async () => {
    const giving = (offices: unknown) => ({
      operation: 'answer',
      args: { text: 'Done.', output: { offices } },
    });
    await using server = await startModelServer([
      { actions: [giving('Tokyo')] },
      { actions: [giving(['Tokyo'])], expect: 'must be an array' },
    ]);
    await using place = await openPlace({ SCRIPTED_KEY: 'sk-very-secret-123456' });
    await place.write('dandori.yaml', modelAt(server.url));
    const offices = { type: 'array', items: { type: 'string' } };
    await place.write('schema.json', JSON.stringify({ type: 'object', properties: { offices } }));
    const { code, stdout } = await place.dandori('run', 'which offices', '--output', 'schema.json');
    expect(stdout).toBe('{"offices":["Tokyo"]}\n');
    expect(code).toBe(0);
    expect((await place.dandori('show', 'last')).stdout).toContain('\n{"offices":["Tokyo"]}\n');
  });

  it('ends with a clear reason if the model cannot be reached', async () => {
    await using place = await openPlace({ SCRIPTED_KEY: 'sk-very-secret-123456' });
    await place.write('dandori.yaml', modelAt('http://127.0.0.1:9/v1'));
    const { code, stdout } = await place.dandori('run', 'anything', '--json');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ outcome: 'failed', failure: { kind: 'model_error' } });
    expect(report.failure.message).not.toContain('sk-very-secret');
    expect(code).toBe(1);
  });
});
