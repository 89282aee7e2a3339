import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mind } from '../../../dandori/src/mind/mind.ts';
import { look, stand, take } from '../../../dandori/test/server/standing.ts';
import { barriers, isTooWide, type Visit, visit } from '../visit.ts';

const isRead = Promise.withResolvers<void>();

/** Misspells the name of a tool at first. */
const mind: Mind = {
  name: 'learning',
  async think({ state: { decisions, goal }, onText }) {
    if (goal === 'write') {
      // A page that opens later does not get earlier deltas.
      const writing = setInterval(() => onText?.('The tea is '), 50);
      await isRead.promise;
      clearInterval(writing);
    }
    if (goal === 'fail') {
      const message = 'The server of a/model failed (500): no disk';
      return { kind: 'failed', failure: { kind: 'model_error', message, retryable: false } };
    }
    const usage = { inputTokens: 1200, outputTokens: 34 };
    const said = { kind: 'decided', model: 'a/model', usage } as const;
    if (goal !== 'think' || decisions.length > 1)
      return {
        ...said,
        actions: [{ id: 'z', operation: 'answer', args: { text: 'Done:\n\n- one\n- two' } }],
      };
    const operation = decisions.length === 0 ? 'shop.gaze' : 'shop.look';
    const action = { id: 'a', operation, args: { item: 'tea' } };
    return { ...said, reasoning: `I try **${operation}**`, repaired: 'a comma', actions: [action] };
  },
};

let visiting: Visit;
const client = () => visiting.standing.client;
const RICE = 'rice '.repeat(20_000);

beforeAll(async () => {
  visiting = await visit({}, await stand({}, { mind }));
});
afterAll(() => visiting[Symbol.asyncDispose]());

async function ended(goal: string, tasks?: Parameters<ReturnType<typeof client>['start']>[1]) {
  const run = await client().start(goal, tasks);
  await client().settled(run);
  return run;
}

describe('a run that failed', () => {
  it('says why in the language of the page, and offers only what there is to do', async () => {
    const page = await visiting.open(`/runs/${await ended('fail')}`, { locale: 'ja-JP' });
    await page.getByText('a/model のサーバーでエラーが発生しました（500）：no disk').waitFor();
    await page.getByRole('button', { name: 'もう一度実行' }).waitFor();
    expect(await page.getByText('失敗したタスクから').count()).toBe(0);
  });
});

describe('the tasks', () => {
  it('are a table with only the visible rows in the DOM, which can be searched and sorted', async () => {
    const tasks = Array.from({ length: 1_000 }, (_, index) => look(`tea ${index}`, `t${index + 1}`));
    const run = await ended('many', { tasks: [...tasks, take('${t7.item}', 'last')] });
    const page = await visiting.open(`/runs/${run}/tasks`);
    await page.getByText('1001 tasks').waitFor();
    const table = page.getByRole('table', { name: 'Tasks of the run' });
    expect(await table.getAttribute('aria-rowcount')).toBe('1002');
    expect(await table.getByRole('row').count()).toBeLessThan(60);
    await page.getByTitle('Sort by Effect').click();
    await page.getByTitle('Sort by Effect').click();
    await table.getByRole('row').nth(1).getByText('shop.take').waitFor();
    await page.getByRole('searchbox', { name: 'Search tasks' }).fill('last');
    await page.getByText('1 of 1001 tasks').waitFor();
    await table.getByRole('button', { name: 'last' }).click();
    await page.getByRole('heading', { name: 'last shop.take' }).waitFor();
    await page.getByRole('tree', { name: 'Arguments as sent' }).getByText('tea 6').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: '${t7.item}' }).click();
    await page.getByRole('heading', { name: 't7 shop.look' }).waitFor();
    await page.close();
  });

  it('have results that the arrow keys navigate', async () => {
    const run = await ended('tree', { tasks: [look('tea')] });
    const page = await visiting.open(`/runs/${run}/tasks`);
    await page.getByRole('button', { name: 't1' }).click();
    const result = page.getByRole('tree', { name: 'Result' });
    await result.getByRole('treeitem').first().focus();
    expect(await result.getByRole('treeitem').count()).toBe(2);
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('item: "tea"');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await result.getByRole('treeitem').count()).toBe(1);
    expect(await result.getByRole('treeitem').getAttribute('aria-expanded')).toBe('false');
    await page.close();
  });

  it('have large results in pages', async () => {
    const run = await ended('large', { tasks: [look(RICE)] });
    const page = await visiting.open(`/runs/${run}/tasks`);
    await page.getByRole('button', { name: 't1' }).click();
    await page.getByRole('button', { name: 'Text (100000 characters)' }).click();
    await page.getByText('Characters 1–20000 of 100000').waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('Characters 20001–40000 of 100000').waitFor();
    await page.close();
  });
});

describe('the decisions', () => {
  it('show reasoning, problems, repairs and usage', async () => {
    const run = await ended('think', { mode: 'planned' });
    const page = await visiting.open(`/runs/${run}/decisions`);
    const story = page.getByRole('list', { name: 'Decisions by time' });
    await story.getByText('Has problems').waitFor();
    await story.getByText('unknown-operation').waitFor();
    await story.locator('strong', { hasText: 'shop.look' }).waitFor();
    expect(await story.getByText('1,200 tokens in, 34 out').count()).toBeGreaterThan(1);
    await story.getByText("Repaired in the model's output: a comma").first().waitFor();
    await page.getByRole('region', { name: 'Activity' }).getByRole('listitem').first().waitFor();
    await page.close();
  });
});

describe('the answer', () => {
  it('appears while it is written, and is announced once', async () => {
    const run = await client().start('write', { mode: 'adaptive' });
    const page = await visiting.open(`/runs/${run}`);
    const conversation = page.getByRole('region', { name: 'Activity' });
    await conversation.getByText('The tea is The tea is').waitFor();
    expect(await page.locator('[role=status]', { hasText: 'The tea is' }).count()).toBe(0);
    await page.getByRole('status').getByText('Writing the final answer').waitFor();
    isRead.resolve();
    await conversation.getByRole('listitem').getByText('two').waitFor();
    await page.getByRole('status').getByText('The run is done.').waitFor();
    await client().rate(run, { rating: 4, comment: 'well said' });
    await conversation.getByText('Rated 4 of 5').waitFor();
    await page.close();
  });
});

describe('the events', () => {
  it('can be filtered, searched and opened, and lead to the state at an event', async () => {
    const run = await ended('events', { tasks: [look('tea'), look('rice', 't2')] });
    const page = await visiting.open(`/runs/${run}/events`);
    const list = page.getByRole('list', { name: 'Events of the run' });
    await list.getByText('run_finished').waitFor();
    await page.getByLabel('Type').selectOption('task_succeeded');
    await page.getByText(/^2 of \d+ events$/).waitFor();
    await page.getByRole('searchbox', { name: 'Search events' }).fill('rice');
    await page.getByText(/^1 of \d+ events$/).waitFor();
    await list.getByRole('button', { name: /^Full event/ }).click();
    await list.getByRole('tree').getByText('"rice"').waitFor();
    await list.getByRole('link').click();
    await page.waitForURL(/\?at=\d+$/);
    await list.getByText('Shown now').waitFor();
    await page.close();
  });
});

describe('the plan of a run that has ended', () => {
  it('can be read, and edited in a fork', async () => {
    const run = await ended('fork', { tasks: [look('tea')] });
    const page = await visiting.open(`/runs/${run}/plan`);
    const source = page.getByRole('textbox', { name: 'Plan as YAML' });
    expect(await source.inputValue()).toContain('operation: shop.look');
    expect(await source.getAttribute('readonly')).toBe('');
    await page.getByRole('button', { name: 'Fork and edit' }).click();
    const written = await source.inputValue();
    await source.fill(written.replace('item: tea', 'item: rice'));
    await page.getByRole('button', { name: /duplicate-id.*t1 has started/ }).waitFor();
    await source.fill(`${written}  - { id: t2, operation: shop.take, args: { item: "\${t1.item}" } }\n`);
    await page.getByText('Plan is valid').waitFor();
    await page.getByRole('button', { name: 'Fork with this plan' }).click();
    await page.waitForURL((url) => !url.pathname.includes(run));
    await page.getByText('Forked from').waitFor();
    await expect.poll(() => visiting.standing.taken).toEqual(expect.arrayContaining(['tea']));
    await page.close();
  });
});

describe('a narrow screen', () => {
  it('fits every view', async () => {
    const run = await ended('think', { mode: 'planned' });
    const page = await visiting.open('/', { viewport: { width: 375, height: 800 } });
    for (const view of ['decisions', 'tasks', 'plan', 'events']) {
      await page.goto(`${visiting.standing.url}/runs/${run}/${view}`);
      await page.getByText('one', { exact: true }).first().waitFor();
      expect(await isTooWide(page), view).toBe(false);
    }
    await page.close();
  });
});
