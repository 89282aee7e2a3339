import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../dandori/src/domain/json.ts';
import type { Mind } from '../../../dandori/src/ports/mind.ts';
import { look, stand, take } from '../../../dandori/test/server/standing.ts';
import { barriers, type Visit, visit } from '../visit.ts';

const FORM = {
  type: 'object',
  required: ['city', 'count'],
  properties: {
    city: { type: 'string', title: 'City' },
    count: { type: 'integer', title: 'How many', maximum: 9 },
    gift: { type: 'boolean', title: 'A gift' },
  },
};
const HOSTILE =
  '<img src=x onerror="document.title=1"> [x](javascript:alert(1)) **<script>alert(1)</script>**';

/** Asks what its goal is about, then says how it ended. */
const mind: Mind = {
  name: 'asking',
  async think({ state: { goal, questions } }) {
    const asked = ASKED[goal];
    const isAnswered = questions.size > 0 || asked === undefined;
    const action = isAnswered
      ? {
          id: 'a',
          operation: 'answer',
          args: { text: goal === 'be careful' ? HOSTILE : 'It is on its way.' },
        }
      : { id: 'q', operation: 'ask', args: asked };
    return { kind: 'decided', actions: [action] };
  },
};
const ASKED: Readonly<Record<string, JsonObject>> = {
  'send it': { question: 'Where to?', form: FORM },
  'be careful': { question: HOSTILE, options: ['<b>yes</b>', 'no', 'a', 'b', 'c'] },
};

let visiting: Visit;
const client = () => visiting.standing.client;

beforeAll(async () => {
  visiting = await visit({}, await stand({}, { mind }));
});
afterAll(() => visiting[Symbol.asyncDispose]());

describe('a question with options', () => {
  it('is answered with a button, and goes away elsewhere with a notice', async () => {
    const run = await client().start('milk', { tasks: [take('milk')] });
    await client().settled(run);
    const [here, there] = [await visiting.open(`/runs/${run}`), await visiting.open(`/runs/${run}`)];
    await there.getByRole('heading', { name: 'Which milk?' }).waitFor();
    expect(await barriers(here)).toEqual([]);
    await here.getByRole('button', { name: 'skimmed' }).click();
    await there.getByText('Answered meanwhile by somebody').waitFor();
    await here.getByText('1 answered question').click();
    await here.getByText('skimmed ·').first().waitFor();
    expect(await here.getByText('Answered meanwhile').count()).toBe(0);
    expect(await here.getByRole('heading', { name: 'Which milk?' }).count()).toBe(0);
    await Promise.all([here.close(), there.close()]);
    await client().settled(run);
    expect(visiting.standing.taken).toEqual(['skimmed milk']);
  });
});

describe('a question with a form', () => {
  it('says at the field what is wrong, and sends values of their types', async () => {
    const run = await client().start('send it', { mode: 'adaptive' });
    await client().settled(run);
    const page = await visiting.open(`/runs/${run}`);
    await page.getByLabel('How many').fill('12');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('2 fields need another look.').waitFor();
    const city = page.getByLabel('City');
    expect(await city.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('This must be at most 9.').waitFor();
    expect(await barriers(page)).toEqual([]);
    await city.fill('Nara');
    await page.getByLabel('How many').fill('2');
    await page.getByLabel('A gift').selectOption('Yes');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('It is on its way.').waitFor();
    const given = (await client().events(run)).find(({ type }) => type === 'question_answered');
    expect(given?.data).toMatchObject({ answer: { city: 'Nara', count: 2, gift: true } });
    await page.close();
  });
});

describe('what a model writes', () => {
  it('is shown and never becomes a part of the page', async () => {
    const run = await client().start('be careful', { mode: 'adaptive' });
    await client().settled(run);
    const page = await visiting.open(`/runs/${run}`);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByRole('radio', { name: '<b>yes</b>' }).check();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.locator('strong', { hasText: '<script>alert(1)</script>' }).last().waitFor();
    const main = page.getByRole('main');
    expect(await main.locator('img, script, b, a[href^="javascript"]').count()).toBe(0);
    await page.close();
  });
});

describe('a plan that waits', () => {
  const plan = [look('tea', 'a'), take('${a.item}', 'b')];
  const open = async () => {
    const run = await client().start('tea', { tasks: plan, approval: 'plan' });
    await client().settled(run);
    return { run, page: await visiting.open(`/runs/${run}`) };
  };

  it('shows what it takes and is edited with the compiler looking on, also after a reload', async () => {
    const { run, page } = await open();
    await page.getByText('2: 1 read, 1 write').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Edit the plan' }).click();
    const source = page.getByRole('textbox', { name: 'The plan as YAML' });
    await page.getByText('The plan compiles.').waitFor();
    const written = await source.inputValue();
    await source.fill(written.replace('shop.take', 'shop.tak').replace('${a.item}', 'green tea'));
    const problem = page.getByRole('button', { name: /unknown-operation.*line 8/ });
    await problem.waitFor();
    await page.reload();
    await problem.click();
    expect(
      await source.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart)),
    ).toMatch(/^shop\.tak\n/);
    expect(await page.getByRole('button', { name: 'Approve with these changes' }).isDisabled()).toBe(true);
    await page.getByText('You have changed this plan').waitFor();
    await source.fill((await source.inputValue()).replace('shop.tak\n', 'shop.take\n'));
    await page.getByRole('button', { name: 'Approve with these changes' }).click();
    await client().settled(run);
    expect(visiting.standing.taken).toContain('green tea');
    await page.getByText('1 answered question').click();
    await page.getByText('approved with changes').first().waitFor();
    await page.close();
  });

  it('has a field in which Tab indents and that the keyboard can leave', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'Edit the plan' }).click();
    const source = page.getByRole('textbox', { name: 'The plan as YAML' });
    await source.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Tab');
    expect(await source.inputValue()).toMatch(/^ {2}goal/);
    await page.keyboard.press('Control+z');
    expect(await source.inputValue()).toMatch(/^goal/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await source.evaluate((field) => field === document.activeElement)).toBe(false);
    await page.close();
  });

  it('is rejected with a reason', async () => {
    const { run, page } = await open();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel(/Reason/).fill('no tea today');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('1 answered question').waitFor();
    const given = (await client().events(run)).find(({ type }) => type === 'question_answered');
    expect(given?.data).toMatchObject({ answer: 'reject', comment: 'no tea today' });
  });
});
