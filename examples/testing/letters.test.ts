import { createMemoryStore, openDandori } from 'dandori';
import {
  brokenLaws,
  createFunctionToolbox,
  createScriptedMind,
  createStepClock,
  createTemporaryJournal,
  startModelServer,
} from 'dandori/testing';
import { describe, expect, it } from 'vitest';
import letters from '../services/letters.ts';

/** No MCP servers, only what the test provides. */
const config = `${import.meta.dirname}/dandori.yaml`;

describe('the letters service', () => {
  // #region mind
  it('asks which Hanako is meant, and continues with the answer', async () => {
    await using temporary = await createTemporaryJournal();
    const mind = createScriptedMind([
      [{ operation: 'letters.find_person', args: { name: 'Hanako' } }],
      (thought) => [{ operation: 'answer', args: { text: `Found: ${thought.resultText('t1')}` } }],
    ]);
    await using dandori = await openDandori({
      config,
      tools: { letters },
      model: mind,
      store: temporary.store,
    });

    const run = dandori.run('Find Hanako');
    expect(await run.report()).toMatchObject({
      outcome: 'waiting',
      questions: [{ id: 'q1', kind: 'ambiguity' }],
    });
    await run.answer('q1', 'p2');

    expect(await run.output()).toBe('Found: {"id":"p2","name":"Hanako Suzuki"}');
    expect(brokenLaws(await Array.fromAsync(run))).toEqual([]);
    mind.verify();
  });
  // #endregion

  // #region model
  it('is found by a language model', async () => {
    await using temporary = await createTemporaryJournal();
    await using server = await startModelServer([
      {
        actions: [{ id: 't1', operation: 'letters.find_person', args: { name: 'Taro' } }],
        expect: 'letters.find_person',
      },
      {
        actions: [{ id: 't2', operation: 'answer', args: { text: 'Taro Tanaka is p3.' } }],
        expect: 'Taro Tanaka',
      },
    ]);
    process.env.SCRIPTED_MODEL_URL = server.url;
    await using dandori = await openDandori({
      config: `${import.meta.dirname}/model.yaml`,
      tools: { letters },
      store: temporary.store,
    });

    const report = await dandori.run('What is the id of Taro?').report();

    expect(report).toMatchObject({
      outcome: 'answered',
      answer: 'Taro Tanaka is p3.',
      usage: { modelCalls: 2 },
    });
    server.verify();
  });
  // #endregion
});

// #region faults
it('does not order twice when the answer of the shop is lost', async () => {
  await using temporary = await createTemporaryJournal();
  const shop = createFunctionToolbox(createStepClock(), {
    'shop.order': { effect: 'write', run: () => ({ order: 1 }), faults: [{ kind: 'lost_after' }] },
  });
  await using dandori = await openDandori({ toolbox: shop, store: temporary.store });

  const run = dandori.run('Order', { tasks: [{ id: 't1', operation: 'shop.order', args: {} }] });
  expect((await run.report()).questions[0]).toMatchObject({ kind: 'in_doubt', task: 't1' });
  await run.answer('q1', 'happened');
  await run.report();

  expect(shop.effects('shop.order')).toBe(1);
});
// #endregion

// #region clock
it('retries a slow shop after a minute, without taking real time', async () => {
  const clock = createStepClock();
  const shop = createFunctionToolbox(clock, {
    'shop.look': { takes: 50_000, run: () => ({ open: true }), faults: [{ kind: 'hang' }] },
  });
  await using dandori = await openDandori({ toolbox: shop, clock, store: createMemoryStore() });

  const tasks = [{ id: 't1', operation: 'shop.look', args: {} }];
  const report = await clock.runUntil(dandori.run('Look', { tasks }).report());

  expect(report.tasks.t1).toMatchObject({ attempts: 2, result: { open: true } });
  expect(report.usage.ms).toBe(60_000 + 500 + 50_000);
});
// #endregion
