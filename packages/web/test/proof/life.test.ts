import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../../dandori/src/testing/index.ts';
import { IS_LONG } from '../../../dandori/test/long.ts';
import { act, answer, say } from '../../../dandori/test/requirements/home.ts';
import { barriers } from '../visit.ts';
import { type Proving, prove } from './proving.ts';

const half = Promise.withResolvers<void>();

/** Cooks by the recipe. Its first answer stops in the middle until the test continues it. */
const COOK: ModelScript = ({ promptText, body }) => {
  const goal = /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (/Wait/.test(goal)) return say([act('slow', 'counter.look', { name: 'slow', slow: true })]);
  if (!/<result/.test(last))
    return say([
      act('list', 'pantry.shopping_list', { dish: 'omelette', servings: 1 }),
      act('cook', 'pantry.cook', { dish: '${list.dish}', servings: '${list.servings}' }),
    ]);
  const reply = answer('The omelette stands on the table. Enjoy it while it is warm.');
  return { ...reply, hold: (text) => (/on the table/.test(text) ? half.promise : undefined) };
};

let proving: Proving;
const client = () => proving.client;

beforeAll(async () => {
  proving = await prove(COOK);
});
afterAll(() => proving[Symbol.asyncDispose]());

const MILK = 'Which milk should be used?';
const runOf = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? '';
const conversation = (page: Page) => page.getByRole('region', { name: 'Activity' });

async function start(page: Page, goal: string, approval = 'Default'): Promise<string> {
  await page.goto(proving.url);
  await page.getByRole('textbox', { name: 'Goal' }).fill(goal);
  await page.getByLabel('Mode').selectOption('Planned');
  await page.getByLabel('Approval').selectOption(approval);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/runs\//);
  return runOf(page);
}

describe('a goal on the page', () => {
  let run = '';
  /** The id of an item in the kitchen. */
  const idOf = async (name: string) => {
    const asked = (await client().events(run)).find(({ type }) => type === 'question_asked');
    const options = asked?.type === 'question_asked' ? (asked.data.question.options ?? []) : [];
    return options.find(({ label }) => label.includes(name))?.value;
  };

  it('is watched by two users, asks both which milk, is answered by one, and survives a reload', async () => {
    const [here, there] = [await proving.open('/'), await proving.open('/')];
    run = await start(here, 'Cook an omelette');
    await there.getByRole('link', { name: /Which milk/ }).click();
    await there.waitForURL(`**/runs/${run}`);
    for (const page of [here, there]) await page.getByRole('heading', { name: MILK }).waitFor();
    await expect.poll(() => here.title()).toBe('(1) Cook an omelette · Dandori');
    await here.getByRole('button', { name: /whole milk/ }).click();
    await there.getByText('already answered').waitFor();
    expect(await there.getByRole('heading', { name: MILK }).count()).toBe(0);
    for (const page of [here, there]) await conversation(page).getByText('on the table').waitFor();
    await here.reload();
    await conversation(here).getByText('on the table').waitFor();
    expect(await conversation(here).getByText('while it is warm').count()).toBe(0);
    half.resolve();
    for (const page of [here, there]) await conversation(page).getByText('while it is warm').waitFor();
    await here.locator('.react-flow__node-task', { hasText: 'pantry.cook' }).getByText('Done').waitFor();
    await here.getByRole('button', { name: 'Rate' }).click();
    await here.getByRole('radio', { name: /Great/ }).check();
    await here.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    // The page closes the stream of an ended run and reads it again when it becomes visible.
    await there.reload();
    await there.getByRole('button', { name: 'Rated 5 of 5' }).waitFor();
    await Promise.all([here.close(), there.close()]);
  });

  it('is viewed in an earlier state, and continues differently in a fork', async () => {
    const events = await client().events(run);
    const begun = events.find(({ type, data }) => type === 'task_started' && data.task === 'cook')?.seq ?? 0;
    const page = await proving.open(`/runs/${run}`);
    await page.getByLabel('Jump to').selectOption('question');
    await page.getByRole('button', { name: 'Previous question' }).click();
    await page.getByText('You can answer questions only in the current state.').waitFor();
    await page.getByRole('slider', { name: 'Event' }).fill(String(begun - 1));
    await page.waitForURL(new RegExp(`at=${begun - 1}$`));
    await page.locator('.react-flow__node-task', { hasText: 'pantry.cook' }).getByText('Ready').waitFor();
    await page.getByRole('button', { name: 'Fork from here' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('cook pantry.cook (Destructive)').waitFor();
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(run));
    await page.getByText(`Forked at event ${begun - 1} of`).waitFor();
    await page.getByRole('button', { name: /low-fat milk/ }).click();
    await conversation(page).getByText('while it is warm').waitFor();
    await page.getByRole('button', { name: 'Differences' }).click();
    const results = dialog.getByRole('region', { name: 'Results' });
    await results.getByText(/whole milk/).waitFor();
    await results.getByText(/low-fat milk/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  it('has a plan that is checked while it is edited, and runs as it was approved', async () => {
    const page = await proving.open('/');
    const edited = await start(page, 'Cook an omelette for me', 'Plan');
    await page.getByText('2: 1 read, 1 write').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Edit plan' }).click();
    const source = page.getByRole('textbox', { name: 'Plan as YAML' });
    await page.getByText('Plan is valid').waitFor();
    const written = await source.inputValue();
    const line = written.split('\n').findIndex((text) => text.includes('pantry.cook')) + 1;
    await source.fill(written.replace('pantry.cook', 'pantry.cok'));
    const problem = page.getByRole('button', { name: new RegExp(`unknown-operation.*line ${line},`) });
    await problem.waitFor();
    await page.reload();
    await problem.click();
    const chosen = source.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart));
    expect(await chosen).toMatch(/^pantry\.cok\n/);
    const approve = page.getByRole('button', { name: 'Approve with changes' });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByText('You changed this plan').waitFor();
    await source.fill(`${written}      items: { milk: ${await idOf('whole milk')} }\n`);
    await approve.click();
    await conversation(page).getByText('while it is warm').waitFor();
    await page.getByText('1 answered question').click();
    await page.getByText('Approved with changes').first().waitFor();
    const { tasks } = (await client().run(edited)).report;
    expect(JSON.stringify(tasks.cook)).toContain('whole milk');
    await page.close();
  });

  it('is cancelled with a reason while a call is running', async () => {
    const page = await proving.open('/');
    await start(page, 'Wait for it');
    await page.locator('.react-flow__node-task', { hasText: 'counter.look' }).getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByLabel('Reason (optional)').fill('not today');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled: not today').first().waitFor();
    await page.getByRole('status').getByText('Cancelled').first().waitFor();
    await writeFile(join(proving.place.folder, 'effects.txt.go'), '');
    await page.close();
  });

  describe('has accessible views', () => {
    const at: Record<string, string> = {};
    let page: Page;

    beforeAll(async () => {
      at.talk = (await client().conversations.begin('Cook an omelette, please')).conversation;
      at.asking = await client().start('Cook an omelette', { mode: 'planned' });
      await client().settled(at.asking);
      at.run = run;
      page = await proving.open('/');
    });
    afterAll(() => page.close());

    /** Checked in the light by the tests of these views. */
    const ELSEWHERE = ['/conversations/:talk', '/dashboard', '/tools', '/runs/:asking', '/runs/:run/tasks'];
    const IN_THE_DARK = ['/', '/conversations/:talk', '/runs/:run', '/runs/:run/timeline', '/runs/:run/plan'];
    const VIEWS = [
      ...[
        '/',
        '/conversations',
        '/conversations/:talk',
        '/dashboard',
        '/tools',
        '/runs/:asking',
        '/runs/:run',
      ],
      ...['timeline', 'decisions', 'tasks', 'plan', 'events', 'graph?at=6'].map(
        (view) => `/runs/:run/${view}`,
      ),
    ];
    const isTried = (path: string) => IS_LONG || IN_THE_DARK.includes(path) || !ELSEWHERE.includes(path);
    it.each(VIEWS.filter(isTried))('%s, in the light and in the dark', async (path) => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(proving.url + path.replace(/:(\w+)/, (_, name) => at[name] ?? ''));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading').first().waitFor({ state: 'hidden' });
      if (IS_LONG || !ELSEWHERE.includes(path)) expect(await barriers(page)).toEqual([]);
      if (!IS_LONG && !IN_THE_DARK.includes(path)) return;
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await barriers(page, ['color-contrast'])).toEqual([]);
    });
  });

  it('has sent no request to another host, thrown no error, and kept its content policy', () => {
    expect(proving.wrongs).toEqual([]);
  });
});
