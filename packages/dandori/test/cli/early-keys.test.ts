import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOWN, ENTER } from './terminal.ts';

const PROMPTS = join(import.meta.dirname, '../../src/cli/questions/prompts.ts');
const TEXTS = join(import.meta.dirname, '../../src/cli/texts.ts');

/** Shows a question, and begins to listen to the answer once keys have come. */
const ASKS = `
import { once } from 'node:events';
import { choose, dropEarlyKeys } from ${JSON.stringify(PROMPTS)};
import { textsFor } from ${JSON.stringify(TEXTS)};
process.on('SIGINT', () => { console.log('[stopped]'); process.exit(0); });
const dropped = dropEarlyKeys(once(process.stdin, 'data'));
console.log('[shown]');
await dropped;
const items = [{ value: 'yes', label: 'Yes' }, { value: 'no', label: 'No' }];
console.log('[chosen ' + await choose({ message: 'Pay?', texts: textsFor({}) }, items) + ']');
`;

async function ask(steps: readonly (readonly [sees: string, types: string])[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'early-'));
  await writeFile(join(folder, 'asks.ts'), ASKS);
  const child = spawn(
    'script',
    ['-qfec', `stty cols 200 rows 50; exec '${process.execPath}' asks.ts`, '/dev/null'],
    { cwd: folder },
  );
  let all = '';
  let next = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    const [sees, types] = steps[next] ?? [];
    if (sees === undefined || !all.includes(sees)) return;
    next++;
    child.stdin.write(types);
  });
  await once(child, 'close');
  await rm(folder, { recursive: true });
  return all;
}

it('a key that comes before a question is shown does not answer it', async () => {
  const all = await ask([
    ['[shown]', ENTER],
    ['Pay?', DOWN + ENTER],
  ]);
  expect(all).toContain('[chosen no]');
});

it('Ctrl-C stops even then', async () => {
  expect(await ask([['[shown]', '\u0003']])).toContain('[stopped]');
});
