import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { look, take, until, wait } from '../../../dandori/test/server/standing.ts';
import { barriers, isTooWide, type Visit, visit } from '../visit.ts';

let visiting: Visit;

beforeAll(async () => {
  visiting = await visit();
});
afterAll(() => visiting[Symbol.asyncDispose]());

const opened: Page[] = [];
/** Frees the connection of the page: a browser has only a few per server. */
afterEach(async () => {
  for (const page of opened.splice(0)) await page.goto('about:blank');
});

async function open(...where: Parameters<Visit['open']>): Promise<Page> {
  const page = await visiting.open(...where);
  opened.push(page);
  return page;
}

const chain = [
  look('tea', 'first'),
  { ...look('${first.item}', 'second') },
  { ...take('bread', 'third'), after: ['second'] },
];

async function ended(tasks = chain): Promise<string> {
  const { client } = visiting.standing;
  const run = await client.start('tea and bread', { tasks });
  await client.settled(run);
  return run;
}

const outcomeOf = async (run: string) => (await visiting.standing.client.run(run)).report.outcome;
const nodes = (page: Page) => page.locator('.react-flow__node-task');

describe('the page of a run', () => {
  it('shows the plan as a graph with keyboard control, and opens the details of a task', async () => {
    const run = await ended();
    const page = await open(`/runs/${run}`);
    await nodes(page).nth(2).waitFor();
    expect(await nodes(page).allInnerTexts()).toEqual([
      expect.stringMatching(/Done[\s\S]*first[\s\S]*shop\.look/),
      expect.stringMatching(/Done[\s\S]*second[\s\S]*shop\.look/),
      expect.stringMatching(/Done[\s\S]*third[\s\S]*shop\.take[\s\S]*Write/),
    ]);
    await page.getByRole('application', { name: 'Plan graph' }).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await page.getByText('third, shop.take, Done, Write, 2 before, 0 after').waitFor();
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'Details of third' });
    await details.waitFor();
    await details.getByRole('button', { name: 'Close' }).click();
    await details.waitFor({ state: 'detached' });
    expect(await barriers(page)).toEqual([]);
  });

  it('shows the graph as a list', async () => {
    const page = await open(`/runs/${await ended()}`);
    await page.getByLabel('Show as').selectOption('list');
    await page.getByRole('button', { name: /third.*shop\.take.*Write.*Needs: second/ }).waitFor();
  });

  it('has a timeline with the critical path, as a chart and as a table', async () => {
    const page = await open(`/runs/${await ended()}`);
    await page.getByRole('tab', { name: 'Graph' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/\/timeline$/);
    await page.getByRole('button', { name: /^third, Done, .*Critical path$/ }).waitFor();
    await page.getByRole('application', { name: 'Timeline' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: /Details of/ }).waitFor();
    await page.getByLabel('Show as').selectOption('table');
    expect(await page.getByRole('row', { name: /first/ }).first().innerText()).toContain('Done');
  });

  it('goes back to any event by keyboard, keeps it in the address, and returns to now', async () => {
    const run = await ended();
    const page = await open(`/runs/${run}`);
    await nodes(page).nth(2).waitFor();
    const slider = page.getByRole('slider', { name: 'Event' });
    const last = Number(await slider.getAttribute('max'));
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(new RegExp(`at=${last - 1}$`));
    await page.keyboard.press('Home');
    await page.waitForURL(/at=1$/);
    await page.getByText('No plan').waitFor();
    await page.getByRole('button', { name: 'Next decision' }).click();
    await page.waitForURL(
      (address) => Number(new URL(address).searchParams.get('at')) > 1 || address.search === '',
    );
    await page.goto(`${visiting.standing.url}/runs/${run}?at=4`);
    await page.getByText(/^4\/\d+/).waitFor();
    expect(await page.getByRole('button', { name: 'Rate' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.waitForURL(new RegExp(`/runs/${run}$`));
    await page.getByRole('button', { name: 'Rate' }).waitFor();
  });

  it('forks at an event, warns of calls that may be repeated, and shows the differences', async () => {
    const { client } = visiting.standing;
    const run = await ended([take('milk', 'milk')]);
    await client.answer(run, 'q1', 'whole');
    await client.settled(run);
    const asked = (await client.events(run)).find(({ type }) => type === 'question_asked');
    const page = await open(`/runs/${run}?at=1`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Fork from here' }).click();
    // The first two events were written together, so a fork shares both.
    await dialog.getByRole('heading', { name: 'Fork at event 2' }).waitFor();
    expect((await client.fork(run, { at: 1, drive: false })).forkedFrom.seq).toBe(2);
    await page.goto(`${visiting.standing.url}/runs/${run}?at=${asked?.seq}`);
    await page.getByRole('button', { name: 'Fork from here' }).click();
    await page.getByText('milk shop.take (Write)').waitFor();
    await dialog.getByLabel('Which milk?').selectOption('skimmed');
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.waitForURL(
      (address) => !address.pathname.includes(run) && address.pathname.startsWith('/runs/'),
    );
    await page.getByText(`Forked at event ${asked?.seq} of`).waitFor();
    await until(() => visiting.standing.taken.includes('skimmed milk'));
    await until(
      async () => (await outcomeOf(new URL(page.url()).pathname.split('/')[2] ?? '')) === 'answered',
    );
    await page.getByRole('button', { name: 'Differences' }).click();
    const results = dialog.getByRole('region', { name: 'Results' });
    await results.getByText('whole milk').waitFor();
    await results.getByText('skimmed milk').waitFor();
  });

  it('pauses and resumes a run, adds a note, and cancels it with a reason', async () => {
    const { client } = visiting.standing;
    const run = await client.start('wait for it', { tasks: [wait('tea', 'slow'), look('tea', 'fast')] });
    const page = await open(`/runs/${run}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page
      .getByText(/^Paused/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByLabel('For the next decision').fill('the green one');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await until(async () =>
      (await client.run(run)).report.notes?.some(({ text }) => text === 'the green one'),
    );
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByLabel('Reason (optional)').fill('not today');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled: not today').first().waitFor();
    await until(async () => (await outcomeOf(run)) === 'cancelled');
  });

  it('rates a run, and saves its journal and its plan', async () => {
    const run = await ended();
    const page = await open(`/runs/${run}`);
    await page.getByRole('button', { name: 'Rate' }).click();
    await page.getByRole('radio', { name: /Good/ }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Rated 4 of 5' }).waitFor();
    // The dialog gave the focus back.
    await page.locator('button:focus', { hasText: 'Rate' }).waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download journal' }).click();
    const journal = await readFile(await (await saving).path(), 'utf8');
    expect(journal.trim().split('\n')).toHaveLength((await visiting.standing.client.events(run)).length);
    await page.getByRole('button', { name: 'Save as plan' }).click();
    const plan = JSON.parse(await page.locator('dialog pre').innerText());
    expect(plan.tasks.map(({ id }: { id: string }) => id)).toEqual(['first', 'second', 'third']);
    expect((await visiting.standing.client.check(JSON.stringify(plan))).ok).toBe(true);
  });

  it('works in Japanese, in the dark theme and on a phone', async () => {
    const run = await ended();
    const phone = { locale: 'ja-JP', colorScheme: 'dark', viewport: { width: 375, height: 700 } } as const;
    for (const view of ['', '/timeline']) {
      const page = await open(`/runs/${run}${view}`, phone);
      await page.getByRole('tab', { name: 'タイムライン' }).waitFor();
      await page.getByRole('application', { name: /計画のグラフ|タイムライン/ }).waitFor();
      expect(await isTooWide(page)).toBe(false);
      expect(await barriers(page)).toEqual([]);
    }
  });
});
