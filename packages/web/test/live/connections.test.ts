import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mind } from '../../../dandori/src/mind/mind.ts';
import { look, stand, wait } from '../../../dandori/test/server/standing.ts';
import { type Visit, visit } from '../visit.ts';

/** The number of connections a browser opens per server. */
const CONNECTIONS = 6;

/** Repeats the goal. */
const echo: Mind = {
  name: 'echo',
  think: async ({ state: { goal } }) => ({
    kind: 'decided',
    actions: [{ id: 'a', operation: 'answer', args: { text: `You said ${goal}.` } }],
  }),
};

let visiting: Visit;
beforeAll(async () => {
  visiting = await visit({}, await stand({}, { mind: echo }));
});
afterAll(() => visiting[Symbol.asyncDispose]());

async function streams(): Promise<number> {
  const text = await (await visiting.standing.ask('/metrics')).text();
  return Number(/^dandori_stream_clients (\d+)$/m.exec(text)?.[1]);
}

async function hide(page: Page, isHidden = true): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

const tab = async (beside: Page, path: string) => {
  const page = await beside.context().newPage();
  await page.goto(visiting.standing.url + path);
  return page;
};

describe('the connections of a browser', () => {
  it('are closed by tabs in the background, so that many runs can be open, and no event is missed', async () => {
    const { client } = visiting.standing;
    const run = await client.start('wait for it', { tasks: [wait('tea', 'slow')] });
    const first = await visiting.open(`/runs/${run}/events`);
    const others = Array.from({ length: CONNECTIONS - 1 }, () => tab(first, `/runs/${run}/events`));
    const hidden = [first, ...(await Promise.all(others))];
    await expect.poll(streams).toBe(CONNECTIONS);
    await Promise.all(hidden.map((page) => hide(page)));
    await expect.poll(streams).toBe(0);
    const last = await tab(first, `/runs/${run}/events`);
    await last.getByRole('slider', { name: 'Event' }).waitFor();
    await client.tell(run, 'the green one');
    const total = (await client.events(run)).length;
    await expect.poll(() => eventsOn(last)).toBe(total);
    expect(await eventsOn(first)).toBeLessThan(total);
    await hide(first, false);
    await expect.poll(() => eventsOn(first)).toBe(total);
    await Promise.all([...hidden, last].map((page) => page.close()));
    await client.cancel(run);
  });

  it('are not held by ended runs, and a change of an ended run is shown at once', async () => {
    const { client } = visiting.standing;
    const run = await client.start('tea', { tasks: [look('tea')] });
    await client.settled(run);
    const page = await visiting.open(`/runs/${run}`);
    await page.getByRole('button', { name: 'Rate' }).waitFor();
    await expect.poll(streams).toBe(0);
    const beside = await tab(page, `/runs/${run}`);
    await beside.getByRole('button', { name: 'Rate' }).waitFor();
    await expect.poll(streams).toBe(0);
    await page.getByRole('button', { name: 'Rate' }).click();
    await page.getByRole('radio', { name: /Good/ }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Rated 4 of 5' }).waitFor();
    await hide(beside, false);
    await beside.getByRole('button', { name: 'Rated 4 of 5' }).waitFor();
    await expect.poll(streams).toBe(0);
  });

  it('reconnect to a conversation with the messages sent meanwhile', async () => {
    const { client } = visiting.standing;
    const { conversation } = await client.conversations.begin('one');
    const page = await visiting.open(`/conversations/${conversation}`);
    await page.getByText('You said one.').waitFor();
    await hide(page);
    await expect.poll(streams).toBe(0);
    await client.conversations.say(conversation, 'two');
    await hide(page, false);
    await page.getByText('You said two.').waitFor();
    expect(await page.getByText('You said one.').count()).toBe(1);
  });
});

async function eventsOn(page: Page): Promise<number> {
  return Number(await page.getByRole('slider', { name: 'Event' }).getAttribute('max'));
}
