import { describe, expect, test } from 'vitest';
import { firstActions, play } from './loop.ts';
import { sketched } from './tools.ts';

const text = { type: 'string' };
const number = { type: 'number' };

/** Nothing here is called as the shipped tools are. */
const API = sketched({
  'aero.flight_search': {
    description: 'Search for flights between two airports',
    input: {
      origin: text,
      destination: text,
      departure_date: { type: 'string', format: 'date' },
      cabin: { type: 'string', enum: ['economy', 'business'] },
    },
    required: ['origin', 'destination', 'departure_date'],
    output: {
      flights: {
        type: 'array',
        items: { type: 'object', properties: { flight_number: text, price: number } },
      },
    },
  },
  'market.quote': {
    description: 'Latest share price for a ticker symbol',
    input: { symbol: text },
    output: { symbol: text, price: number },
  },
  'meteo.conditions': {
    description: 'Present weather conditions',
    input: { latitude: number, longitude: number },
    output: { temp: number },
  },
  'geo.geocode': {
    description: 'Coordinates of a place',
    input: { place: text },
    output: { latitude: number, longitude: number },
  },
  'math.add': { description: 'Add two numbers', input: { a: number, b: number }, output: { sum: number } },
  'crm.list_projects': {
    description: 'All projects',
    output: { projects: { type: 'array', items: { type: 'object', properties: { id: text, name: text } } } },
  },
  'crm.project_status': {
    description: 'Status of one project',
    input: { project_id: text },
    output: { status: text },
  },
  'mailer.send_email': {
    description: 'Send an e-mail',
    input: { to: { type: 'string', format: 'email' }, subject: text, body: text },
    effect: 'write',
  },
});

test.each([
  [
    'Find flights from Tokyo to Paris on 2026-05-01',
    'aero.flight_search',
    { origin: 'Tokyo', destination: 'Paris', departure_date: '2026-05-01' },
  ],
  [
    '東京からパリまでの2026年5月1日の便を検索',
    'aero.flight_search',
    { origin: '東京', destination: 'パリ', departure_date: '2026-05-01' },
  ],
  [
    'business flights to London from Osaka on 2026-05-03',
    'aero.flight_search',
    { origin: 'Osaka', destination: 'London', departure_date: '2026-05-03', cabin: 'business' },
  ],
  ['What is the share price of AAPL?', 'market.quote', { symbol: 'AAPL' }],
  ['quote symbol=TM', 'market.quote', { symbol: 'TM' }],
  ['add 3 and 4', 'math.add', { a: 3, b: 4 }],
  [
    'Send an email to bob@example.com with subject "Hi" and body "See you"',
    'mailer.send_email',
    { to: 'bob@example.com', subject: 'Hi', body: 'See you' },
  ],
])('an unknown tool is called with what the goal says: %s', async (goal, operation, args) => {
  expect((await firstActions(goal, API)).map((action) => [action.operation, action.args])).toEqual([
    [operation, args],
  ]);
});

test.each(['weather in Paris', 'パリの天気'])(
  'two inputs that another tool gives come from one call of it: %s',
  async (goal) => {
    const actions = await firstActions(goal, API);
    expect(actions.map(({ operation }) => operation)).toEqual(['geo.geocode', 'meteo.conditions']);
    expect(actions[1]?.args).toEqual({ latitude: '${t1.latitude}', longitude: '${t1.longitude}' });
  },
);

describe('tools that describe themselves badly', () => {
  test('a list without output schema, answered in plain text, is still chosen from', async () => {
    const tools = sketched({
      'db.list_tables': { description: 'List all tables in the database' },
      'db.read_query': {
        description: 'Execute a SELECT query on the database',
        input: { query: { type: 'string', description: 'SELECT SQL query to execute' } },
      },
    });
    const runs = {
      'db.list_tables': () => 'customers\nproducts',
      'db.read_query': () => '[{"name":"Green tea"}]',
    };
    const { calls, answer } = await play('データベースの商品一覧を表示して', { tools, runs });
    expect(calls.at(-1)?.args).toEqual({ query: 'SELECT * FROM products' });
    expect(answer).toContain('Green tea');
  });

  test('no description and an empty schema are no reason to fail', async () => {
    const tools = new Map([
      [
        'x.ping',
        {
          name: 'x.ping',
          server: 'x',
          description: '',
          inputSchema: {},
          effect: 'read' as const,
          trusted: false,
        },
      ],
    ]);
    expect((await firstActions('ping', tools)).map(({ operation }) => operation)).toEqual(['x.ping']);
  });

  test('two tools that need each other do not send the planner round in circles', async () => {
    const tools = sketched({
      'a.first': { description: 'Make a widget', input: { beta: text }, output: { alpha: text } },
      'a.second': { description: 'Take a widget', input: { alpha: text }, output: { beta: text } },
    });
    const [action] = await firstActions('widget', tools);
    expect(['answer', 'ask']).toContain(action?.operation);
  });
});

test('an order rule whose first tool is missing is not broken: nothing is called', async () => {
  const tools = sketched({ 'b.run': { description: 'Run the batch job' } });
  const order = [{ before: 'b.prepare', after: 'b.run' }];
  expect(
    (await firstActions('run the batch job', tools, { order })).map(({ operation }) => operation),
  ).toEqual(['answer']);
});

test('one of many is chosen by the name that stands beside it', async () => {
  const projects = {
    projects: [
      { id: 'p1', name: 'Zeus' },
      { id: 'p2', name: 'Apollo' },
    ],
  };
  const runs = { 'crm.list_projects': () => projects, 'crm.project_status': () => ({ status: 'green' }) };
  const { calls } = await play('status of project Apollo', { tools: API, runs });
  expect(calls.at(-1)).toEqual({ operation: 'crm.project_status', args: { project_id: 'p2' } });
});

test.each([
  ['Send the letter', 'mailer.send_email: done.'],
  ['手紙を送って', 'mailer.send_email を実行しました。'],
])('a tool that brings nothing back is told of all the same: %s', async (goal, told) => {
  const args = { to: 'taro@example.org', subject: 'Hello', body: 'See you.' };
  const { outcome, answer } = await play(goal, {
    tools: API,
    runs: { 'mailer.send_email': () => null },
    plan: [{ id: 't1', operation: 'mailer.send_email', args }],
  });
  expect(outcome).toBe('answered');
  expect(answer).toContain(told);
});
