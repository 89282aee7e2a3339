import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { openPlace, type Place } from './command.ts';

const TAIL = '{"v":1,"half a li';

async function withRun(goal: string): Promise<{ place: Place; run: string; file: string }> {
  const place = await openPlace();
  await place.write('dandori.yaml', 'mcpServers: {}\n');
  const mind = createScriptedMind([[{ operation: 'answer', args: { text: '3' } }]]);
  await using dandori = await openRuntime({ cwd: place.folder, mind });
  await dandori.run(goal);
  const [run = ''] = await place.runs();
  return { place, run, file: join(place.folder, '.dandori', 'runs', `${run}.jsonl`) };
}

describe('a journal whose last line a crash has cut short', () => {
  it.each([
    ['What is 1 + 2?', /! The journal ends with an incomplete event \(17 bytes\)/],
    ['1 + 2を計算', /! ジャーナルの末尾に、異常終了で途切れたイベント（17 バイト）があります/],
  ])('is reported once to the reader: %s', async (goal, told) => {
    const { place, run, file } = await withRun(goal);
    await using _ = place;
    await appendFile(file, TAIL);
    for (const command of ['show', 'resume']) {
      const { code, stderr } = await place.dandori(command, run);
      expect(code, stderr).toBe(0);
      expect(stderr.match(new RegExp(told, 'g')), `${command}: ${stderr}`).toHaveLength(1);
    }
    const logged = await place.dandori('log', run, '--json');
    expect(logged.stderr).toContain('17');
    expect(logged.stdout.trim().split('\n').at(-1)).toContain('run_finished');
  });

  it('is reported to a program by onTorn', async () => {
    const { place, run, file } = await withRun('What is 1 + 2?');
    await using _ = place;
    await appendFile(file, TAIL);
    const torn: object[] = [];
    await using dandori = await openRuntime({
      cwd: place.folder,
      tools: false,
      onTorn: (tail) => torn.push(tail),
    });
    await dandori.report(run);
    await dandori.events(run);
    expect(torn).toEqual([{ run, bytes: 17 }]);
  });
});

describe('a journal that holds nothing at all', () => {
  it.each(['show', 'log', 'resume'])('is an error of %s', async (command) => {
    const { place, run, file } = await withRun('What is 1 + 2?');
    await using _ = place;
    await writeFile(file, '');
    const { code, stdout, stderr } = await place.dandori(command, run);
    expect(stderr).toMatch(/error\[journal-damaged\]: The run .* has no events\.\nFix: Restore its file/);
    expect([code, stdout]).toEqual([2, '']);
  });
});
