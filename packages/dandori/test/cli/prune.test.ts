import { describe, expect, it } from 'vitest';
import { openPlace } from './command.ts';

describe.concurrent('dandori prune', () => {
  it('shows what would be removed, asks for --yes without a terminal, and removes it', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', 'mcpServers: { calc: { shipped: calc } }\n');
    await place.write(
      'plan.yaml',
      'tasks:\n  - id: t1\n    operation: calc.evaluate\n    args: { expression: "1 + 1" }\n',
    );
    await place.dandori('run', '--plan', 'plan.yaml', '--json');
    const [run = ''] = await place.runs();
    const refused = await place.dandori('prune', '--older-than', '0s', '--json');
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: 'usage',
      fix: expect.stringContaining('--yes'),
    });
    const young = await place.dandori('prune', '--older-than', '30d', '--yes');
    expect(young).toMatchObject({ code: 0, stdout: 'Nothing to remove.\n' });
    const dry = await place.dandori('prune', '--older-than', '0s', '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(run);
    expect(dry.stdout).toMatch(/To remove: 1 run and 0 stored results, [\d,]+ bytes\./);
    expect(await place.runs()).toEqual([run]);
    const bytes = Buffer.byteLength(await place.journal(run));
    const pruned = await place.dandori('prune', '--older-than', '0s', '--yes', '--json');
    expect(pruned.code).toBe(0);
    expect(JSON.parse(pruned.stdout)).toMatchObject({
      runs: [{ run, outcome: 'answered', bytes }],
      blobs: { count: 0 },
      bytes,
      left: [],
      dryRun: false,
    });
    expect(await place.runs()).toEqual([]);
  });

  it('speaks Japanese, and names a damaged run that it leaves', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', 'language: ja\nplanning: { history: { directory: . } }\n');
    await place.write('20260101-000000000-aaaa.jsonl', 'broken\n');
    const { code, stdout } = await place.dandori('prune', '--older-than', '1d', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('削除の対象はありません。');
    expect(stdout).toMatch(/残しました（破損）: 20260101-000000000-aaaa/);
    expect((await place.dandori('runs')).stdout).toMatch(/20260101-000000000-aaaa .* 破損 /);
  });

  it.each([
    [['prune']],
    [['prune', '--older-than', 'soon', '--yes']],
    [['prune', '--older-than', '-1d', '--yes']],
  ])('refuses %j', async (args) => {
    await using place = await openPlace();
    const { code, stderr } = await place.dandori(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/older-than/);
  });
});
