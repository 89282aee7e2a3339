import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuntime, type Runtime } from '../../src/app/dandori.ts';
import type { Report } from '../../src/views/report.ts';
import { sample } from '../long.ts';
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
    /緑茶：648/,
    ['sqlite.list_tables', 'sqlite.get_table_schema', 'sqlite.execute_safe_query'],
  ],
  [
    'List the products in the database',
    /Green tea: 648/,
    ['sqlite.list_tables', 'sqlite.get_table_schema', 'sqlite.execute_safe_query'],
  ],
];

describe('the first goals of a newcomer', () => {
  let folder: string;
  let dandori: Runtime;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dandori-goals-'));
    dandori = await openRuntime({ cwd: folder });
  });
  afterAll(async () => {
    await dandori.close();
    await rm(folder, { recursive: true, force: true });
  });

  function expectReached(report: Report, [, answer, operations]: (typeof GOALS)[number]): void {
    expect(report.outcome).toBe('answered');
    expect(report.answer).toMatch(answer);
    expect(Object.values(report.tasks).map(({ operation }) => operation)).toEqual(operations);
    expect(report.usage.modelCalls).toBe(0);
  }

  it.each(GOALS)('%s', async (...goal) => expectReached(await dandori.run(goal[0]), goal));

  // Each command starts all five servers that come with Dandori.
  it.each(sample(GOALS, GOALS.length))('by the command line: %s', async (...goal) => {
    await using place = await openPlace();
    const { code, stdout, stderr } = await place.dandori('run', goal[0], '--json');
    expect(stderr).toBe('');
    expectReached(JSON.parse(stdout), goal);
    expect(code).toBe(0);
  });

  it('says what to do if a goal needs a language model, and fails', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', 'mcpServers: {}\n');
    const { code, stdout } = await place.dandori('run', 'Write a poem about autumn');
    expect(code).toBe(1);
    expect(stdout).toMatch(/language model/);
    expect(stdout).toMatch(/model:/);
  });
});
