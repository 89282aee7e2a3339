import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { answerInProcess } from '../src/in-process.ts';
import { Host } from './host.ts';

const { TZ: zone } = process.env;
const hosts = new Map<string, Host>();
beforeAll(async () => {
  for (const name of ['calc', 'clock'])
    hosts.set(name, await Host.start(name, { env: zone === undefined ? {} : { TZ: zone } }));
});
afterAll(() => Promise.all([...hosts.values()].map((host) => host.stop())));
afterEach(() => vi.unstubAllEnvs());

/** What the process of the server answers, as the client hands it over. */
const ask = async (server: string, name: string, args: Record<string, unknown>) =>
  hosts.get(server)?.client.callTool({ name, arguments: args });

describe('a call that is answered without a process has the result that the process would give', () => {
  test.each([
    '1 + 2',
    '（１，２００＋３００）×３',
    '0.1+0.2',
    '12×3＝',
    '9007199254740993 * 1000003',
    '0 - 5 + 5',
    '10 / 4',
    '（1200 ÷ 3 − 0.5） × 2',
    '999999999999999999999999 * 999999999999999999999999',
  ])('calc: %s', async (expression) => {
    const here = answerInProcess('calc', 'evaluate', { expression });
    expect(here).toBeDefined();
    expect(here).toEqual(await ask('calc', 'evaluate', { expression }));
  });

  test('calc: any sum of a user', async () => {
    const number = fc.oneof(fc.nat(10 ** 6).map(String), fc.stringMatching(/^\d{1,3}\.\d{1,4}$/));
    const sum = fc.array(fc.tuple(fc.constantFrom('+', '-', '*', '×', '/', '^'), number), { maxLength: 5 });
    const expressions = fc.tuple(number, sum).map(([first, rest]) => first + rest.flat().join(''));
    await fc.assert(
      fc.asyncProperty(expressions, async (expression) => {
        const here = answerInProcess('calc', 'evaluate', { expression });
        if (here !== undefined) expect(here).toEqual(await ask('calc', 'evaluate', { expression }));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['get_current_time', { time_zone: '東京' }],
    ['get_current_time', { time_zone: 'new york' }],
    ['convert_time', { time: '2026-07-01T09:30', from_time_zone: 'Asia/Tokyo', to_time_zone: 'UTC' }],
    ['convert_time', { time: '2026-11-01T01:30', from_time_zone: 'America/New_York', to_time_zone: 'UTC' }],
  ])('clock: %s %o', async (tool, args) => {
    // The time of the call is a part of some results.
    const settled = (result: unknown) =>
      JSON.parse(
        JSON.stringify(result).replaceAll(/"(iso|time|unix_ms|text)":(?:"[^"]*"|\d+)/g, '"$1":"…"'),
      ) as unknown;
    const here = answerInProcess('clock', tool, args);
    expect(here).toBeDefined();
    expect(settled(here)).toEqual(settled(await ask('clock', tool, args)));
  });
});

describe('the process of the server is asked', () => {
  test.each([
    '2 ^ 1000',
    '10 / 3',
    '10 / (5 - 5)',
    'sqrt(2)',
    '170!',
    '1 +',
    '',
    'price * 2',
    '1'.repeat(600),
  ])('for what may take long or fails, so that nothing holds up the host: %s', (expression) => {
    expect(answerInProcess('calc', 'evaluate', { expression })).toBeUndefined();
  });

  test('for arguments that its schema refuses, so that it says what is wrong', () => {
    expect(answerInProcess('calc', 'evaluate', { expression: '1 + 2', digits: 3 })).toBeUndefined();
    expect(answerInProcess('calc', 'evaluate', { expression: 3 })).toBeUndefined();
    expect(answerInProcess('clock', 'get_current_time', { time_zone: 'Asia/Tokio' })).toBeUndefined();
  });

  test('for every other tool, most of which read or write data', () => {
    expect(answerInProcess('kitchen', 'list_inventory', {})).toBeUndefined();
    expect(answerInProcess('places', 'get_weather', { city: 'Tokyo' })).toBeUndefined();
    expect(answerInProcess('calc', 'toString', {})).toBeUndefined();
  });

  test('for the time of this machine, if the zone of the host is another one', () => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(answerInProcess('clock', 'get_current_time', {})).toBeUndefined();
    expect(answerInProcess('clock', 'get_current_time', { time_zone: 'UTC' })).toBeDefined();
    vi.stubEnv('TZ', undefined);
    expect(answerInProcess('clock', 'get_current_time', {})).toBeDefined();
  });
});

test.each([
  `${'9'.repeat(250)}*${'9'.repeat(249)}`,
  Array.from({ length: 50 }, () => '99999.999').join('*'),
  `${'('.repeat(49)}1${')'.repeat(49)}`,
  `${'1,'.repeat(249)}1`,
  '('.repeat(500),
  `1${' '.repeat(498)}1`,
  `${'a'.repeat(250)}${'√('.repeat(125)}`,
])(
  'no expression keeps the host busy: the worst takes a few times as long as another of its length',
  (worst) => {
    const timeOf = (expression: string) => {
      const from = process.cpuUsage();
      for (let round = 0; round < 20; round += 1) answerInProcess('calc', 'evaluate', { expression });
      const { user, system } = process.cpuUsage(from);
      return user + system;
    };
    const ordinary = `${'12+'.repeat(166)}3`;
    timeOf(ordinary);
    expect(timeOf(worst)).toBeLessThan(100 * timeOf(ordinary));
  },
);
