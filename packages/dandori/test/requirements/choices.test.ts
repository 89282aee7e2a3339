import { describe, expect, it } from 'vitest';
import { act, answer, facts, openHome, say, told } from './home.ts';

/** With a stock of its own, as the choice takes something out of it. */
const KITCHEN =
  'mcpServers: { kitchen: { shipped: kitchen, env: { DANDORI_KITCHEN_PATH: kitchen.db } } }\nexecution: { approval: never }\n';
const remove = (name: string) => act('m', 'kitchen.remove_item', { name });
const stock = act('s', 'kitchen.list_inventory', {});

describe('Choices (docs/REQUIREMENTS.md, C)', () => {
  it('a tool that finds two milks asks with a context and options, and only what depends on the answer waits (C6)', async () => {
    const weather = act('w', 'travel.weather', { city: 'Kyoto' });
    await using home = await openHome({
      yaml: KITCHEN,
      script: [say([remove('牛乳'), { ...stock, after: ['m'] }, weather])],
    });
    const report = await home.run('牛乳を捨てて、京都の天気も教えて');
    expect(report.outcome).toBe('waiting');
    expect(report.questions).toMatchObject([
      {
        kind: 'ambiguity',
        text: '「牛乳」に当てはまるものが 2 つあります。どれを削除しますか？',
        context: { operation: 'kitchen.remove_item', args: { name: '牛乳' } },
        blocks: ['m', 's'],
      },
    ]);
    expect(report.questions[0]?.options).toHaveLength(2);
    expect(report.tasks.w?.status).toBe('succeeded');
    expect(report.tasks.s?.status).toBe('pending');
    await home.dandori.cancel(report.run, 'やめます');
    expect(await home.dandori.drive(report.run)).toMatchObject({
      outcome: 'cancelled',
      failure: { message: 'やめます' },
    });
  });

  it('the choice changes the task and the run goes on, in another process; the model is told of the choice (C7)', async () => {
    await using home = await openHome({
      yaml: KITCHEN,
      script: [
        say([remove('milk')]),
        answer('Removed.', { expect: told('Which one should be removed', 'The user chose') }),
      ],
    });
    const { run, questions } = await home.run('throw the milk away');
    const [, second] = questions[0]?.options ?? [];
    await home.dandori.close();
    const other = await home.reopen();
    await other.answer(run, 'q1', second?.value ?? null);
    // There are two cartons, and choosing one of the milks does not remove both.
    const [asked] = (await other.drive(run)).questions;
    expect(asked).toMatchObject({
      kind: 'ambiguity',
      text: 'There are 2 in stock: whole milk. How many should be removed?',
    });
    await other.answer(run, 'q2', asked?.options?.[0]?.value ?? null);
    const report = await other.drive(run);
    expect(report).toMatchObject({ outcome: 'answered', answer: 'Removed.' });
    const [started, again] = facts(await other.events(run), 'task_started');
    expect(started?.args).toBeUndefined();
    expect(report.tasks.m?.result).toMatchObject({
      item: { item_id: second?.args?.item_id },
      removed: 1,
      remaining: 1,
    });
    expect(again?.attempt).toBe(2);
  });
});

describe('a destructive call on an ambiguous thing (C11)', () => {
  it('asks which one first, and then once for the approval, in the words of the user', async () => {
    await using home = await openHome({
      yaml: KITCHEN.replace('approval: never', 'approval: destructive'),
      script: [say([remove('牛乳')]), answer('捨てました。')],
    });
    const first = await home.run('牛乳を捨てて');
    expect(first.questions).toMatchObject([{ kind: 'ambiguity' }]);
    await home.dandori.answer(first.run, 'q1', first.questions[0]?.options?.[0]?.value ?? null);
    const second = await home.dandori.drive(first.run);
    expect(second.questions).toMatchObject([
      {
        kind: 'approval',
        text: '牛乳 (低脂肪) 1 本を捨てます。承認しますか？（kitchen.remove_item、取り消し不可）',
        context: { args: { name: '牛乳', item_id: 1, quantity: 1 }, preview: { reversible: false } },
      },
    ]);
    await home.dandori.approve(first.run);
    const report = await home.dandori.drive(first.run);
    expect(report).toMatchObject({ outcome: 'answered', answer: '捨てました。' });
    expect(report.tasks.m?.result).toMatchObject({ removed: 1, remaining: 0 });
  });
});

describe('steering', () => {
  it('what a person says meanwhile reaches the next decision, and an answer that was decided before is not given', async () => {
    await using home = await openHome({
      script: [
        { ...answer('Sun.'), hold: () => home.dandori.tell(run, 'in French, please', { by: 'anna' }) },
        answer('Soleil.', { expect: told('in French, please', 'anna') }),
      ],
    });
    const run = await home.dandori.start('weather?');
    expect(await home.dandori.drive(run)).toMatchObject({ outcome: 'answered', answer: 'Soleil.' });
  });
});
