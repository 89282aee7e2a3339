import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlace, type Place } from './command.ts';

const LETTERS = `${import.meta.dirname}/../../../../examples/services/letters.ts`;

/** One letter after so many look-ups, and one more after that. */
async function prepare(lookUps: number): Promise<Place> {
  const place = await openPlace();
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: {}, services: [LETTERS] }));
  const finds = Array.from({ length: lookUps }, (_, index) => ({
    id: `f${index}`,
    operation: 'letters.find_person',
    args: { name: 'Taro' },
  }));
  const send = { operation: 'letters.send', args: { to: 'p1', text: 'Dear Taro' } };
  const tasks = [
    ...finds,
    { id: 's1', ...send, after: lookUps > 5 ? ['f5', 'f1'] : [] },
    { id: 's2', ...send },
  ];
  await place.write('plan.json', JSON.stringify({ goal: 'post', tasks }));
  return place;
}

describe('the waits of a plan stay readable, however large it is', () => {
  it('ten are named, the most important first, and the rest are counted', async () => {
    await using place = await prepare(30);
    const { stdout, code } = await place.dandori('check', 'plan.json');
    expect(code).toBe(0);
    expect(stdout).toContain('  s1 write after f5, f1, f0, f2, f3, f4, f6, f7, f8, f9 … and 20 more\n');
    expect(stdout).toMatch(/ {2}s2 \S+ after s1\n/);
    expect(stdout).not.toContain('it says after');
  });

  it('all of them are listed on request, with the reasons', async () => {
    await using place = await prepare(3);
    const explained = await place.dandori('check', 'plan.json', '--explain');
    expect(explained.stdout).toContain('      s1: both touch letters');
    const short = await place.dandori('check', 'plan.json', '--json');
    expect(JSON.parse(short.stdout)).not.toHaveProperty('reasons');
    const whole = await place.dandori('check', 'plan.json', '--json', '--explain');
    expect(JSON.parse(whole.stdout)).toHaveProperty('reasons.s2.0.task', 's1');
  });
});

describe('a problem of a plan', () => {
  it.each(['en', 'ja'])(
    'names a page that is there, wherever Dandori is installed (%s)',
    async (language) => {
      await using place = await openPlace();
      await place.write('plan.json', JSON.stringify({ tasks: [{ operation: 'calc.evalute', args: {} }] }));
      for (const args of [
        ['check', 'plan.json'],
        ['run', '--plan', 'plan.json'],
      ]) {
        const { stderr, code } = await place.dandori(...args, '--lang', language);
        const [page = ''] = /\S+\.md/.exec(stderr) ?? [];
        expect(page).toMatch(language === 'ja' ? /ja\/errors\.md$/ : /errors\/unknown-operation\.md$/);
        expect(existsSync(resolve(place.folder, page))).toBe(true);
        expect(code).toBe(2);
      }
    },
  );
});

describe('the module of a service', () => {
  it.each([
    ['in a project of CommonJS, as npm init makes it', '.', /Fix: Write "type": "module" in package\.json/],
    ['inside node_modules', 'node_modules/mine', /Fix: Copy the file out of node_modules/],
  ])('cannot be loaded %s, and the error says what to do', async (_name, folder, fix) => {
    await using place = await openPlace();
    await mkdir(join(place.folder, folder), { recursive: true });
    await place.write(`${folder}/package.json`, '{"type": "commonjs"}');
    await place.write(`${folder}/mine.ts`, "import { defineService } from 'dandori';");
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: {}, services: [`./${folder}/mine.ts`] }));
    const { stderr, code } = await place.begin('tools').finished;
    expect(stderr).toMatch(fix);
    expect(code).toBe(2);
  });
});
