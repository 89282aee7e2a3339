import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mind } from '../../../dandori/src/mind/mind.ts';
import type { JsonObject } from '../../../dandori/src/model/json.ts';
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

/** Asks one question, then answers. */
const mind: Mind = {
  name: 'asking',
  async think({ state: { questions } }) {
    const isAsked = questions.size > 0;
    const args: JsonObject = isAsked ? { text: 'It is on its way.' } : { question: 'Where to?', form: FORM };
    const action = { id: 'a', operation: isAsked ? 'answer' : 'ask', args };
    return { kind: 'decided', actions: [action] };
  },
};

let visiting: Visit;
const client = () => visiting.standing.client;

beforeAll(async () => {
  visiting = await visit({}, await stand({}, { mind }));
});
afterAll(() => visiting[Symbol.asyncDispose]());

describe('a question with a form', () => {
  it('shows issues at the fields, and sends typed values', async () => {
    const run = await client().start('send it', { mode: 'adaptive' });
    await client().settled(run);
    const page = await visiting.open(`/runs/${run}`);
    await page.getByLabel('How many').fill('12');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Check 2 fields.').waitFor();
    const city = page.getByLabel('City');
    expect(await city.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Enter 9 or less.').waitFor();
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

describe('a plan that waits for approval', () => {
  const plan = [look('tea', 'a'), take('${a.item}', 'b')];
  const open = async () => {
    const run = await client().start('tea', { tasks: plan, approval: 'plan' });
    await client().settled(run);
    return { run, page: await visiting.open(`/runs/${run}`) };
  };

  it('has an editor in which Tab indents and Esc, Tab leaves', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'Edit plan' }).click();
    const source = page.getByRole('textbox', { name: 'Plan as YAML' });
    // It opens where the user sees it, ready to type.
    await expect.poll(() => source.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await source.evaluate((field) => field.getBoundingClientRect().top < innerHeight / 2)).toBe(true);
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
