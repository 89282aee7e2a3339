import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../dandori/test/server/standing.ts';
import { openBrowser, type Windows } from '../browser.ts';
import { buildMill, type Mill, millPlan } from '../mill.ts';

const TASKS = 1_000;
const WAITING = TASKS / 5;

let mill: Mill;
let browser: Windows;
beforeAll(async () => {
  [mill, browser] = await Promise.all([buildMill(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await mill[Symbol.asyncDispose]();
});

async function halfDone(): Promise<string> {
  const { client } = mill;
  const run = await client.start('grind', { tasks: millPlan(TASKS) });
  await until(async () => {
    const events = await client.events(run);
    return events.filter(({ type }) => type === 'task_succeeded').length === TASKS - WAITING;
  });
  return run;
}

describe('a graph of 1,000 tasks', () => {
  it('has only legible tasks in the DOM, and updates only changed ones', async () => {
    const run = await halfDone();
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${mill.url}/runs/${run}`);
    const nodes = page.locator('.react-flow__node');
    await nodes.first().waitFor();
    expect(await nodes.count()).toBeLessThan(TASKS / 5);

    await page.getByRole('button', { name: 'Show all' }).click();
    await nodes.first().waitFor({ state: 'detached' });
    expect(await page.locator('.react-flow path').count()).toBe(0);
    const sheet = await page.locator('.react-flow').boundingBox();
    if (sheet === null) throw new Error('There is no graph.');
    const details = page.getByRole('complementary', { name: /^Details of t\d+$/ });
    // Clicks from left to right until a task is hit. On a busy machine the tasks may not be painted at first.
    for (let x = 100; (await details.count()) === 0; x = x > sheet.width - 100 ? 100 : x + 3)
      await page.mouse.click(sheet.x + x, sheet.y + sheet.height / 2);
    await page.keyboard.press('Escape');

    await page.getByRole('application', { name: 'Plan graph' }).focus();
    await page.keyboard.press('End');
    await page.getByText(new RegExp(`^t${TASKS - 1}, mill.wait, Running`)).waitFor();
    // The observer starts before the run continues.
    const touched = await page.evaluateHandle(() => {
      const ids = new Set<string>();
      const all = new Promise<string[]>((resolve) => {
        new MutationObserver((changes) => {
          for (const { target } of changes) {
            const element = target instanceof Element ? target : target.parentElement;
            const id = element?.closest('.react-flow__node')?.getAttribute('data-id');
            if (typeof id === 'string') ids.add(id);
          }
          if (ids.size > 0) resolve([...ids]);
        }).observe(document.querySelector('.react-flow__nodes') as Element, {
          subtree: true,
          childList: true,
          characterData: true,
          attributes: true,
        });
      });
      return { all };
    });
    mill.open();
    const changed = await touched.evaluate(({ all }) => all);
    expect(changed.filter((id) => Number(id.slice(1)) % 5 !== 4)).toEqual([]);
    await page.getByRole('button', { name: 'Rate' }).waitFor();
  });
});
