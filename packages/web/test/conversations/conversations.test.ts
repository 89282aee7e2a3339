import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelScript, type ModelServer, startModelServer } from '../../../dandori/src/testing/index.ts';
import { PLAN } from '../../../dandori/test/conversation/script.ts';
import { act, answer, own, say } from '../../../dandori/test/requirements/home.ts';
import { stand } from '../../../dandori/test/server/standing.ts';
import { barriers, isTooWide, type Visit, visit } from '../visit.ts';

/** Replies by goal. A trip is a plan of two steps; the first waits until the shop opens. */
const SHOPPING: ModelScript = ({ promptText, body }) => {
  const goal = /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (/capital of France/.test(goal)) return answer('It is Paris.');
  if (/buy/.test(goal) && !/<result/.test(last)) return say([act('t1', 'shop.take', { item: 'milk' })]);
  if (/Steps: s1/.test(last)) return say([act('t1', 'shop.wait', { item: 'bread' })]);
  if (/Steps: s2/.test(last))
    return say([
      own('report', { step: 's1', text: 'The bread is here.' }),
      act('t2', 'shop.take', { item: 'salt' }),
    ]);
  if (/<result/.test(last)) return answer('All is bought.');
  return say([own('plan.propose', PLAN)]);
};

let visiting: Visit;
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer(SHOPPING, { chunkSize: 9 });
  const { url: base_url } = model;
  const standing = await stand({ model: { provider: 'openai-compatible', name: 'scripted', base_url } });
  visiting = await visit({}, standing);
});
afterAll(async () => {
  await visiting[Symbol.asyncDispose]();
  await model.close();
});

describe('a conversation on the page', () => {
  it('starts with a message, gets a reply, and acknowledges the reply when it was shown', async () => {
    const { client } = visiting.standing;
    const page = await visiting.open('/conversations');
    await page.getByText('No conversations yet').waitFor();
    await page.getByRole('textbox').fill('What is the capital of France');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/conversations\/.+/);
    const log = page.getByRole('log');
    await log.getByText('It is Paris.').waitFor();
    // The focus is in the message field.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await expect.poll(() => page.title()).toBe('What is the capital of France · Dandori');
    const { conversations } = await client.conversations.list();
    const id = conversations[0]?.conversation ?? '';
    await expect.poll(async () => (await client.conversations.get(id)).undelivered).toEqual([]);
    await page.goto(`${visiting.standing.url}/conversations`);
    await page.getByRole('link', { name: /capital of France/ }).click();
    await log.getByText('It is Paris.').waitFor();
    expect(await log.getByText('New', { exact: true }).count()).toBe(0);
  });

  it('takes files with a message, and shows their names', async () => {
    const page = await visiting.open('/conversations');
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Remove list.csv' }).waitFor();
    await page.getByRole('textbox').fill('What is the capital of France');
    await page.keyboard.press('Control+Enter');
    const log = page.getByRole('log');
    await log.getByText('list.csv text/csv, 4 B').waitFor();
    await page.locator('input[type=file]').setInputFiles({ ...file, name: 'other.csv' });
    await page.getByRole('textbox').fill('And the capital of France again');
    await page.keyboard.press('Control+Enter');
    await log.getByText('other.csv text/csv, 4 B').waitFor();
    // The form is empty again, once the request has ended. The message may come before that.
    await expect.poll(() => page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
  });

  it('asks for approval of a plan, shows its progress and reports, and takes other messages meanwhile', async () => {
    const page = await visiting.open('/conversations');
    await page.getByRole('textbox').fill('plan a trip');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    const log = page.getByRole('log');
    await log.getByText('Or write below what to change.').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Write a message' }).fill('yes');
    await page.keyboard.press('Control+Enter');
    await log.getByText('Answered').waitFor();
    await log.getByText('0 of 2 steps done').waitFor();
    await log.getByText('In the background').waitFor();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('buy milk');
    await page.keyboard.press('Control+Enter');
    // The question shows the call.
    await log.getByText('shop.take').waitFor();
    await log.getByRole('button', { name: 'skimmed' }).click();
    await log.getByText('All is bought.').waitFor();
    // The button is gone, but the focus stays at its place.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch('Answered');
    expect(visiting.standing.taken).toContain('skimmed milk');
    visiting.standing.open();
    await log.getByText('The bread is here.').waitFor();
    // After other messages it names its run.
    await log.getByText('About “plan a trip”').first().waitFor();
    await expect.poll(() => log.getByText('All is bought.').count()).toBe(2);
    await log.getByText('2 of 2 steps done').first().waitFor();
    await log
      .getByRole('link', { name: /Open run/ })
      .last()
      .click();
    await page.waitForURL(/\/runs\//);
  });

  it('marks messages that arrived while it was closed, also on a phone', async () => {
    const { client } = visiting.standing;
    const { conversation } = await client.conversations.begin('the capital of France, please');
    await expect.poll(async () => (await client.conversations.get(conversation)).undelivered.length).toBe(1);
    const page = await visiting.open(`/conversations/${conversation}`, {
      viewport: { width: 375, height: 700 },
      colorScheme: 'dark',
    });
    await page.getByRole('log').getByText('New', { exact: true }).waitFor();
    expect(await isTooWide(page)).toBe(false);
    await expect.poll(async () => (await client.conversations.get(conversation)).undelivered).toEqual([]);
  });

  it('asks for confirmation and a reason before it cancels a run', async () => {
    const page = await visiting.open('/conversations');
    await page.getByRole('textbox').fill('buy milk');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await page.getByRole('button', { name: 'Cancel run: buy milk' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('not today');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('log').getByText('not today').first().waitFor();
  });

  it('says that a conversation does not exist', async () => {
    const page = await visiting.open('/conversations/20260101-000000000-aaaa');
    await page.getByRole('alert').getByText('or it is not yours').waitFor();
  });
});
