import { afterAll, beforeAll, expect, it } from 'vitest';
import { look, stand } from '../../../dandori/test/server/standing.ts';
import { type Visit, visit } from '../visit.ts';

let visiting: Visit;
beforeAll(async () => {
  visiting = await visit({}, await stand());
});
afterAll(() => visiting[Symbol.asyncDispose]());

it('a page that was loaded before an upgrade says so when it hears of an event that it does not know', async () => {
  const { client } = visiting.standing;
  const run = await client.start('tea', { tasks: [look('tea')] });
  await client.settled(run);
  const [first] = await client.events(run);
  const lines = [first, { ...first, seq: 2, type: 'moon_landed', data: {} }];
  const page = await visiting.open('/');
  await page.route('**/api/runs/*/stream*', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: lines.map((event) => `id: ${event?.seq}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    }),
  );
  await page.goto(`${visiting.standing.url}/runs/${run}`);
  const alert = page.getByRole('alert').filter({ hasText: 'updated after this page was loaded' });
  await alert.waitFor();
  expect(await alert.textContent()).toContain('Reload the page.');
  await page.close();
});

it('a view whose file is gone after an upgrade offers to reload the page', async () => {
  const page = await visiting.open('/');
  await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: 'gone' }));
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText('could not be loaded').waitFor();
  await page.unroute('**/assets/*.js');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard');
  await page.close();
});
