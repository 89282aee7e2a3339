import { describe, expect, it } from 'vitest';
import { openPlace } from './command.ts';

/** The first commands that a newcomer types: no key, no network, no configuration. */
const GOALS: [string, RegExp, string[]][] = [
  ['100 + 200を計算', /300/, ['calc.evaluate']],
  ['What is 100 + 200?', /300/, ['calc.evaluate']],
  ['現在時刻を教えて', /\d{1,2}:\d{2}/, ['clock.get_current_time']],
  ['What time is it now?', /\d{1,2}:\d{2}/, ['clock.get_current_time']],
  [
    'What is the weather at the place of IP address 203.0.113.7?',
    /Tokyo/,
    ['places.locate_ip', 'places.get_weather'],
  ],
  ['IPアドレス203.0.113.7の場所の天気を教えて', /Tokyo|東京/, ['places.locate_ip', 'places.get_weather']],
  [
    'データベースの商品一覧を表示して',
    /price/,
    ['sqlite.list_tables', 'sqlite.get_table_schema', 'sqlite.execute_safe_query'],
  ],
  [
    'List the products in the database',
    /price/,
    ['sqlite.list_tables', 'sqlite.get_table_schema', 'sqlite.execute_safe_query'],
  ],
];

describe.concurrent('the first goals of a newcomer', () => {
  it.each(GOALS)('%s', async (goal, answer, operations) => {
    await using place = await openPlace();
    const { code, stdout, stderr } = await place.dandori('run', goal, '--json');
    expect(stderr).toBe('');
    const report = JSON.parse(stdout);
    expect(report.outcome).toBe('answered');
    expect(report.answer).toMatch(answer);
    expect(Object.values(report.tasks).map((task) => (task as { operation: string }).operation)).toEqual(
      operations,
    );
    expect(report.usage.modelCalls).toBe(0);
    expect(code).toBe(0);
  });

  it('says what to do where a goal needs a language model, and fails', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', 'mcpServers: {}\n');
    const { code, stdout } = await place.dandori('run', 'Write a poem about autumn');
    expect(code).toBe(1);
    expect(stdout).toMatch(/language model/);
    expect(stdout).toMatch(/model:/);
  });
});
