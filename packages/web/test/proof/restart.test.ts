import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../../dandori/src/testing/index.ts';
import { IS_LONG } from '../../../dandori/test/long.ts';
import { act, answer, say } from '../../../dandori/test/requirements/home.ts';
import { until } from '../../../dandori/test/server/standing.ts';
import { type Proving, prove } from './proving.ts';

/** Sends, then reads and waits there. */
const SENDER: ModelScript = ({ promptText, body }) => {
  const goal = /Goal:\n(\w+)/.exec(promptText)?.[1] ?? '';
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (/<result/.test(last)) return answer(`${goal} is done.`);
  return say([
    act('send', 'counter.send', { name: goal }),
    act('look', 'counter.look', { name: `${goal} looks`, slow: true }, { after: ['send'] }),
  ]);
};

let proving: Proving;
const file = (name: string) => join(proving.place.folder, name);
const linesOf = async (name: string) =>
  (await readFile(file(name), 'utf8').catch(() => '')).split('\n').filter(Boolean);

beforeAll(async () => {
  proving = await prove(SENDER);
});
afterAll(() => proving[Symbol.asyncDispose]());

// To the page both are a lost connection; what the server does at SIGTERM is tried in `server/process.test.ts`.
describe.each(IS_LONG ? (['SIGKILL', 'SIGTERM'] as const) : (['SIGKILL'] as const))(
  'a page whose server gets %s in the middle of a run',
  (signal) => {
    it('says so, reconnects by itself, and shows the whole run', async () => {
      const run = await proving.client.start(signal, { mode: 'planned' });
      const page = await proving.open(`/runs/${run}`);
      const look = page.locator('.react-flow__node-task', { hasText: 'counter.look' });
      await look.getByText('Running').waitFor();
      await until(async () => (await linesOf('effects.txt.calls')).includes(`${signal} looks`));
      const ending = proving.end(signal);
      if (signal === 'SIGTERM') {
        // The call must end after the server has begun to stop; otherwise there is nothing to resume.
        await until(async () => (await fetch(`${proving.url}/readyz`)).status === 503);
        await writeFile(file('effects.txt.go'), '');
      }
      await ending;
      await page.getByText('Connection lost.').waitFor();
      await writeFile(file('effects.txt.go'), '');
      await proving.begin();
      await page.getByText('Reconnected').waitFor();
      await page.getByRole('region', { name: 'Activity' }).getByText(`${signal} is done.`).waitFor();
      await look.getByText('Done').waitFor();
      const events = await proving.client.events(run);
      expect(events.map(({ type }) => type)).toContain('run_resumed');
      expect(await page.getByRole('slider', { name: 'Event' }).getAttribute('max')).toBe(
        String(events.length),
      );
      expect((await linesOf('effects.txt')).filter((name) => name === signal)).toEqual([signal]);
      await rm(file('effects.txt.go'));
      await page.close();
      expect(proving.wrongs).toEqual([]);
    });
  },
);
