import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { take, tokenOf } from '../../../dandori/test/server/standing.ts';
import { barriers, isTooWide, type Visit, visit } from '../visit.ts';

const admin = tokenOf('hanako', 'admin');
const other = tokenOf('taro', 'operator');
const guest = tokenOf('vera', 'viewer');
let open: Visit['open'];
let visiting: Visit;

beforeAll(async () => {
  visiting = await visit({ server: { tokens: [admin.entry, other.entry, guest.entry] } });
  open = visiting.open;
});
afterAll(() => visiting[Symbol.asyncDispose]());

/** Signs in with a token. */
async function enter(path: string, options?: Parameters<Visit['open']>[1], token = admin.token) {
  const page = await open(path, options);
  await page.getByLabel(/Access token|アクセストークン/).fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
  return page;
}

describe('the frame of the page', () => {
  it('tells a viewer that the token is view only', async () => {
    const page = await enter('/', {}, guest.token);
    await page.getByText('View only.').waitFor();
    await page.close();
  });

  it('requires an access token, refuses a wrong one and accepts the right one', async () => {
    const page = await open('/');
    await page.getByLabel('Access token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel('Access token').fill(admin.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await page.evaluate(() => sessionStorage.setItem('dandori.draft.plan.1', 'a plan that was edited'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  });

  it('leads to every room by keyboard, and sets the title of the tab', async () => {
    const page = await enter('/');
    for (const [link, title] of [
      ['Tools', 'Tools · Dandori'],
      ['Dashboard', 'Dashboard · Dandori'],
      ['Conversations', 'Conversations · Dandori'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: link }).waitFor();
      await expect.poll(() => page.title()).toBe(title);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    }
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await page.goto(`${visiting.standing.url}/tools/`);
    await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    await page.goto(`${visiting.standing.url}/tools/nothing`);
    await page.getByText('Page not found').waitFor();
  });

  it('speaks the language of the browser, and remembers another choice', async () => {
    const page = await enter('/tools', { locale: 'ja-JP' });
    await page.getByRole('heading', { level: 1, name: 'ツール' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('ja');
    await page.getByLabel('言語').selectOption('en');
    await page.getByLabel('Theme').selectOption('dark');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  });

  it("counts the open questions of the user's own runs in the navigation and the tab", async () => {
    const client = visiting.standing.as(other.token);
    const run = await client.start('milk', { tasks: [take('milk')] });
    await client.settled(run);
    const page = await enter('/tools', {}, other.token);
    await page.getByRole('link', { name: 'Runs 1 open question' }).waitFor();
    await expect.poll(() => page.title()).toBe('(1) Tools · Dandori');
    await client.answer(run, 'q1', 'whole');
    await expect.poll(() => page.title()).toBe('Tools · Dandori');
  });

  it('fits on a phone', async () => {
    const rooms = {
      '/': 'All runs',
      '/tools': 'Servers',
      '/dashboard': 'Dashboard',
      '/conversations': 'Conv',
    };
    const page = await enter('/', { viewport: { width: 375, height: 700 } });
    for (const [path, heading] of Object.entries(rooms)) {
      await page.goto(visiting.standing.url + path);
      await page.getByRole('heading', { name: heading }).first().waitFor();
      expect(await isTooWide(page), path).toBe(false);
    }
  });
});
