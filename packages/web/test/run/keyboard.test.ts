import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, take, wait } from '../../../dandori/test/server/standing.ts';
import { type Visit, visit } from '../visit.ts';

let visiting: Visit;
beforeAll(async () => {
  visiting = await visit();
});
afterAll(() => visiting[Symbol.asyncDispose]());

const client = () => visiting.standing.client;
const hasFocus = (page: Page, label: string) =>
  page.waitForFunction((name) => document.activeElement?.getAttribute('aria-label') === name, label);

describe('a user of the keyboard', () => {
  it('continues at the place of the question after an answer', async () => {
    const run = await client().start('milk', { tasks: [take('milk')] });
    await client().settled(run);
    const page = await visiting.open(`/runs/${run}`);
    await page.getByRole('button', { name: 'skimmed' }).press('Enter');
    await hasFocus(page, '1 answered question');
  });

  it('types into a dialog at once', async () => {
    const run = await client().start('wait', { tasks: [wait('bread')] });
    const page = await visiting.open(`/runs/${run}`);
    await page.getByRole('button', { name: 'Cancel run' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('not today');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Cancelled: not today').first().waitFor();
  });

  it('approves a changed plan without a notice that it was answered', async () => {
    const run = await client().start('take', { tasks: [take('tea')], approval: 'plan' });
    await client().settled(run);
    const page = await visiting.open(`/runs/${run}/plan`);
    const source = page.getByRole('textbox', { name: 'Plan as YAML' });
    await source.fill((await source.inputValue()).replace('tea', 'bread'));
    await page.getByRole('button', { name: 'Approve with changes', disabled: false }).press('Enter');
    await hasFocus(page, '1 answered question');
    expect(await page.getByText('already answered').count()).toBe(0);
  });
});

it('separates the name of a tab from its count', async () => {
  const run = await client().start('look', { tasks: [look('tea')] });
  await client().settled(run);
  const page = await visiting.open(`/runs/${run}`);
  await page.getByRole('tab', { name: 'Tasks 1', exact: true }).click();
  await page.getByText('1 task', { exact: true }).waitFor();
});
