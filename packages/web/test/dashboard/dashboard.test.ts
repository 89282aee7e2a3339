import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, take } from '../../../dandori/test/server/standing.ts';
import { barriers, type Visit, visit } from '../visit.ts';

let visiting: Visit;

beforeAll(async () => {
  visiting = await visit();
  const { client } = visiting.standing;
  for (const item of ['tea', 'salt', 'rice']) {
    const run = await client.start(item, { tasks: [look(item)] });
    await client.settled(run);
    await client.rate(run, { rating: 4 });
  }
  await client.settled(await client.start('milk', { tasks: [take('milk')] }));
});
afterAll(() => visiting[Symbol.asyncDispose]());

describe('the dashboard', () => {
  it('shows every figure as a named chart and as a table', async () => {
    const page = await visiting.open('/dashboard');
    await page.getByRole('img', { name: 'Completion rate: 100%' }).waitFor();
    expect(await page.getByRole('img').count()).toBe(10);
    await page.getByRole('img', { name: 'Average rating: 4 of 5 (3)' }).waitFor();
    const runs = page.getByRole('region', { name: 'Runs', exact: true }).first();
    await runs.getByText('Show table').click();
    const last = runs.getByRole('row').last();
    expect((await last.innerText()).split(/\s+/).slice(-5)).toEqual(['3', '0', '0', '0', '1']);
    const tool = page.getByRole('row').filter({ hasText: 'shop.look' });
    expect((await tool.innerText()).split(/\s+/)).toEqual(['shop.look', '3', '0', '0', '0', '0%']);
    expect(await barriers(page)).toEqual([]);
  });

  it('shows the values at the pointer', async () => {
    const page = await visiting.open('/dashboard?range=7d');
    const runs = page.getByRole('region', { name: 'Runs', exact: true }).first();
    const box = await runs.getByRole('img').boundingBox();
    if (box === null) throw new Error('There is no picture.');
    await page.mouse.move(box.x + box.width - 20, box.y + 60);
    await runs.getByText('Done 3').waitFor();
  });

  it('keeps its range in the address', async () => {
    const page = await visiting.open('/dashboard');
    await page.getByRole('link', { name: '1 day' }).click();
    await page.waitForURL('**/dashboard?range=1d');
    const table = page.getByRole('region', { name: 'Runs', exact: true }).first();
    await table.getByText('Show table').click();
    await expect.poll(() => table.getByRole('row').count()).toBe(25);
    await page.reload();
    expect(await page.getByRole('link', { name: '1 day' }).getAttribute('aria-current')).toBe('true');
  });
});
