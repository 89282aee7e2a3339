import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { rate } from '../../src/cli/commands/runs.ts';
import { createMemoryStore } from '../../src/store/store.ts';
import { openPlace, type Place } from './command.ts';

const LETTERS = `${import.meta.dirname}/../../../../examples/services/letters.ts`;

async function prepare(): Promise<Place> {
  const place = await openPlace();
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: {}, services: [LETTERS] }));
  return place;
}

/** A run of one task. */
async function find({ folder }: Place, name: string): Promise<void> {
  await using dandori = await openRuntime({ cwd: folder });
  await dandori.run(`find ${name}`, {
    tasks: [{ id: 't1', operation: 'letters.find_person', args: { name } }],
  });
}

describe('rate and stats', () => {
  it('a rating outlives the process, replaces the one before, and hides no outcome', async () => {
    await using place = await prepare();
    await find(place, 'Taro');
    expect(await place.dandori('rate', 'last', 'bad', 'too', 'slow')).toMatchObject({ code: 0, stdout: '' });
    expect((await place.dandori('show', 'last')).stderr).toContain('★☆☆☆☆ too slow');
    const again = await place.dandori(
      'rate',
      'last',
      '4',
      '--comment',
      'quick',
      '--user',
      'Hanako',
      '--json',
    );
    expect(JSON.parse(again.stdout)).toMatchObject({ rating: 4, comment: 'quick', by: 'Hanako' });
    const shown = await place.dandori('show', 'last', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ rating: { rating: 4, comment: 'quick', by: 'Hanako' } });
    expect((await place.dandori('show', 'last')).stderr).toContain('★★★★☆ quick (Hanako)');
    const runs = JSON.parse((await place.dandori('runs', '--json')).stdout);
    expect(runs.runs[0].status).toBe(JSON.parse(shown.stdout).outcome);
    expect(await place.dandori('resume', 'last', '--json')).toMatchObject({ stdout: shown.stdout });
  });

  it('refuses an invalid rating, and a run that has not ended, with exit code 2', async () => {
    await using place = await prepare();
    await find(place, 'Taro');
    for (const rating of ['0', '6', '3.5', 'fine', '', 'toString'])
      await expect(rate({ run: 'last', rating, words: [] }, {})).rejects.toMatchObject({ code: 'usage' });
    const { code, stderr } = await place.dandori('rate', 'last', '6');
    expect([code, stderr]).toEqual([2, expect.stringContaining('from 1 to 5')]);
    await find(place, 'Hanako');
    const open = await place.dandori('rate', 'last', '5', '--json');
    expect(open.code).toBe(2);
    expect(JSON.parse(open.stdout)).toMatchObject({ error: { code: 'run-not-ended' } });
  });

  it('counts what happened, in both languages, and names a damaged journal', async () => {
    await using place = await prepare();
    const empty = JSON.parse((await place.dandori('stats', '--json')).stdout);
    expect(empty).toMatchObject({ runs: 0, completionRate: null, damaged: [] });
    await find(place, 'Taro');
    await place.dandori('rate', 'last', '5');
    await find(place, 'Nobody');
    await find(place, 'Taro');
    const [, , newest = ''] = (await place.runs()).sort();
    const file = join(place.folder, '.dandori/runs', `${newest}.jsonl`);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"task_started"', '"task_startet"'));

    const { stdout, code } = await place.dandori('stats', '--json');
    expect(code).toBe(0);
    const counted = JSON.parse(stdout);
    expect(counted).toMatchObject({
      runs: 2,
      tools: { 'letters.find_person': { calls: 2, failed: 1, errorRate: 0.5 } },
      satisfaction: { mean: 5, count: 1 },
      damaged: [{ run: newest }],
    });
    const printed = await place.dandori('stats');
    expect(printed.stdout).toContain('5.0 of 5 (1 rating)');
    expect(printed.stdout).toContain('50%  1 of 2 calls');
    expect(printed.stdout).toMatch(/^Cost +–$/m);
    expect(printed.stdout).toContain(`  ${newest}  `);
    await place.write('ja.yaml', JSON.stringify({ mcpServers: {}, language: 'ja' }));
    expect((await place.dandori('stats', '--config', 'ja.yaml')).stdout).toContain('平均評価');
  });

  it('counts the runs since a given time, over more runs than one page', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: {} }));
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => now, at: () => () => {} };
    await using dandori = await openRuntime({ cwd: place.folder, clock, store: createMemoryStore() });
    for (let day = 0; day < 520; day++) {
      now += 86_400_000;
      await dandori.start('wait');
    }
    const read: number[] = [];
    const all = await dandori.statistics({ onRead: (count) => read.push(count) });
    expect(all.runs).toBe(520);
    expect(read).toEqual(Array.from({ length: 520 }, (_, index) => index + 1));
    expect((await dandori.statistics({ since: now - 9 * 86_400_000 })).runs).toBe(10);
    expect((await place.dandori('stats', '--since', 'yesterday')).stderr).toContain('30d, 12h or 90m');
    expect((await place.dandori('stats', '--since', '30d', '--json')).code).toBe(0);
  });
});
