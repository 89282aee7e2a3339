import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, take, wait } from '../../../dandori/test/server/standing.ts';
import { type Visit, visit } from '../visit.ts';

const PLAN = 'goal: tea\ntasks:\n  - { operation: shop.look, args: { item: tea } }\n';
let visiting: Visit;

beforeAll(async () => {
  visiting = await visit();
});
afterAll(() => visiting[Symbol.asyncDispose]());

const started = async () => (await visiting.standing.client.runs({ limit: 200 })).runs.length;

describe('the home of the page', () => {
  it('helps a user without runs to start', async () => {
    const page = await visiting.open('/');
    await page.getByText('4 tools are connected.').waitFor();
    await page.getByRole('button', { name: 'Calculate 100 + 200' }).click();
    const goal = page.getByRole('textbox', { name: 'Goal' });
    expect(await goal.inputValue()).toBe('Calculate 100 + 200');
    expect(await goal.evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it('shows the problems of a plan while it is typed, jumps to them, and starts a valid plan', async () => {
    const page = await visiting.open('/');
    await page.getByRole('button', { name: 'Use a plan file' }).click();
    const plan = page.getByRole('textbox', { name: 'Plan as YAML' });
    await plan.fill(PLAN.replace('look', 'loo'));
    await page.getByText('1 problem').waitFor();
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: /line 3/i }).click();
    expect(await plan.evaluate((field: HTMLTextAreaElement) => field.selectionStart)).toBeGreaterThan(15);
    await plan.fill(PLAN);
    await page.getByText('Plan is valid').waitFor();
    await plan.press('Control+Enter');
    await page.waitForURL(/\/runs\//);
    const [run] = (await visiting.standing.client.runs()).runs;
    expect(run).toMatchObject({ goal: 'tea' });
    expect(page.url()).toContain(run?.run);
  });

  it('starts one run even if the response of the server was lost', async () => {
    const page = await visiting.open('/');
    const before = await started();
    let lost = 0;
    await page.route('**/api/runs', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('textbox', { name: 'Goal' }).fill('look at\nthe shelf');
    await page.getByLabel('Mode').selectOption('planned');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/runs\//);
    expect(await started()).toBe(before + 1);
    expect(lost).toBe(2);
  });

  it('shows the status of runs live, and their questions at the top', async () => {
    const { client } = visiting.standing;
    const run = await client.start('buy milk', { tasks: [take('milk')] });
    await client.settled(run);
    const page = await visiting.open('/');
    const asked = page.getByRole('region', { name: 'Waiting for you' });
    await asked.getByRole('link', { name: /Which milk/ }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'buy milk' }).last();
    await row.getByText('Waiting for an answer').waitFor();
    await client.answer(run, 'q1', 'whole');
    await row.getByText('Done').waitFor();
    await asked.waitFor({ state: 'hidden' });
    await row.getByRole('link').click();
    await page.waitForURL(`**/runs/${run}`);
  });

  it('filters runs by status, text and day, and keeps the filters in the address', async () => {
    const { client } = visiting.standing;
    const waiting = await client.start('wait for a bus', { tasks: [wait('bus')] });
    const page = await visiting.open('/');
    const rows = page.getByRole('region', { name: 'All runs' }).getByRole('listitem');
    await page.getByLabel('Status').selectOption('open');
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('wait for a bus')]);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('searchbox', { name: 'Search goals' }).fill('MILK');
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('buy milk')]);
    await page.getByLabel('To').fill('2020-01-01');
    await page.getByText('No matching runs').waitFor();
    expect(page.url()).toContain('?text=MILK&until=2020-01-01');
    await client.cancel(waiting);
  });

  it('shows hundreds of runs page by page, with only the visible rows in the DOM', async () => {
    const { client } = visiting.standing;
    for (let count = 0; count < 60; count++) await client.start(`look ${count}`, { tasks: [look('tea')] });
    const page = await visiting.open('/');
    await page.getByText('50+ runs').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText(`${await started()} runs`).waitFor();
    const rows = page.getByRole('region', { name: 'All runs' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(45);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page
      .getByRole('link', { name: 'look 0' })
      .or(rows.filter({ hasText: 'tea' }))
      .first()
      .waitFor();
    await expect.poll(() => rows.last().getAttribute('aria-posinset')).toBe(String(await started()));
  });
});
