import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../src/model/json.ts';
import { fold } from '../../src/run/state/apply.ts';
import { createMemoryStore } from '../../src/store/store.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { defineService } from '../../src/tools/service.ts';
import { report as reportOf } from '../../src/views/report.ts';
import { openPlace } from '../cli/command.ts';
import { act, answer, facts, openHome, own, say, told } from './home.ts';

const locate = (id: string, ip = '203.0.113.7', more: JsonObject = {}) =>
  act(id, 'travel.locate', { ip }, more);
const weather = (id: string, city: string) => act(id, 'travel.weather', { city });
const closed = (id: string, city: string) => act(id, 'travel.closed', { city });
const mend = (reason: string, task: JsonObject) => [
  own('reflect', { status: 'partial', evaluation: `judged: ${reason}`, revision_needed: true }),
  own('plan.revise', { reason, replace: [task] }),
];
const PLANNED = 'execution: { mode: planned }\n';
const BROKEN_PLAN = say([locate('t1'), closed('t2', '${t1.city}')]);

describe('Autonomous runs (docs/REQUIREMENTS.md, D)', () => {
  it('planning, execution, monitoring and evaluation go round until success, or end surely (D1)', async () => {
    await using home = await openHome({
      yaml: PLANNED,
      script: [
        BROKEN_PLAN,
        say(mend('try the next town', closed('t2', 'Nara') as JsonObject)),
        say(mend('take the other line', weather('t2_2', '${t1.city}') as JsonObject)),
        answer('Sun.'),
      ],
    });
    const report = await home.run('weather?');
    expect(report).toMatchObject({ outcome: 'answered', answer: 'Sun.', usage: { modelCalls: 4 } });
    expect(report.plan?.revisions).toHaveLength(2);
    // A model that never comes to an end is brought to one.
    await using endless = await openHome({
      yaml: 'execution: { mode: adaptive, max_steps: 4 }\n',
      script: (_, index) => say([locate(`t${index}`, String(index))]),
    });
    expect((await endless.run('go on for ever')).outcome).toBe('exhausted');
    expect(endless.calls).toHaveLength(4);
  });

  it('planner, tools, clock and journal are parts that can be exchanged, and the state is the fold of the journal (D2)', async () => {
    await using home = await openHome({ script: [answer('by the model')] });
    const first = await home.run('go');
    expect(reportOf(fold(await home.events(first.run)) as never)).toEqual(first);
    const clock = createStepClock();
    const toolbox = createFunctionToolbox(clock, { 'a.get': { takes: 50, run: () => 1 } });
    const mind = createScriptedMind([
      [{ operation: 'a.get' }],
      [{ operation: 'answer', args: { text: 'by another planner' } }],
    ]);
    const store = createMemoryStore();
    const other = await home.reopen(undefined, { mind, toolbox, clock, store });
    const second = await clock.runUntil(other.run('go'));
    expect(second).toMatchObject({ answer: 'by another planner', tasks: { t1: { ms: 50 } } });
    expect(reportOf(fold(await store.journal.read(second.run)) as never)).toEqual(second);
    mind.verify();
  });

  it('a step has a tool, arguments, an expected outcome that is checked and a timeout that is kept (D3)', async () => {
    await using home = await openHome({
      yaml: PLANNED,
      script: [
        say([locate('t1', '203.0.113.7', { expect: "starts_with(city, 'Nara')", timeout: 5 })]),
        answer('It is not Nara.', { achieved: false, expect: told(/Nara/, /expect/) }),
      ],
    });
    const report = await home.run('is it Nara?');
    expect(report.tasks.t1).toMatchObject({ status: 'failed', failure: { kind: 'unexpected' } });
    const [plan] = facts(await home.events(report.run), 'plan_proposed');
    expect(plan?.tasks[0]).toMatchObject({ timeoutMs: 5000, expect: "starts_with(city, 'Nara')" });
    const clock = createStepClock();
    const toolbox = createFunctionToolbox(clock, { 'a.get': { faults: [{ kind: 'hang' }], run: () => 1 } });
    const config = { ...home.dandori.config, model: undefined };
    const timed = await home.reopen(undefined, { clock, toolbox, config, store: createMemoryStore() });
    const task = { id: 't1', operation: 'a.get', args: {}, timeoutMs: 7000 };
    const { run, tasks } = await clock.runUntil(timed.run('wait', { tasks: [task] }));
    expect(tasks.t1).toMatchObject({ status: 'succeeded', attempts: 2 });
    const [start, end] = (await timed.events(run)).filter(({ type }) =>
      ['task_started', 'task_failed', 'task_in_doubt'].includes(type),
    );
    expect((end?.at ?? 0) - (start?.at ?? 0)).toBe(7000);
  });

  it('the feedback of an evaluation goes into the next plan, and is part of the state with the history (D4)', async () => {
    await using home = await openHome({
      yaml: PLANNED,
      script: [
        BROKEN_PLAN,
        say(mend('try the next town', closed('t2', 'Nara') as JsonObject), {
          expect: told('the line is closed for the night'),
        }),
        say(mend('take the other line', weather('t2_2', 'Nara') as JsonObject), {
          expect: ({ promptText }) => expect(promptText).toContain('judged: try the next town'),
        }),
        answer('Sun.'),
      ],
    });
    const { run, plan } = await home.run('weather?');
    expect(plan?.reflections?.map(({ evaluation }) => evaluation)).toEqual([
      'judged: try the next town',
      'judged: take the other line',
    ]);
    const state = fold(await home.events(run));
    expect(state?.reflections).toHaveLength(2);
    expect(state?.decisions).toHaveLength(4);
  });

  it('a run is cancelled with a reason by the user, by a budget or by evaluation, and running calls are told (D5)', async () => {
    let begun: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let isTold = false;
    const slow = defineService({
      name: 'slow',
      methods: {
        wait: {
          description: 'Waits until it is told to stop',
          input: z.object({}),
          effect: 'read',
          trusted: true,
          run: (_, { signal }) =>
            new Promise((resolve) => {
              signal.addEventListener('abort', () => {
                isTold = true;
                resolve(null);
              });
              begun();
            }),
        },
      },
    });
    await using byUser = await openHome({ script: [say([act('t1', 'slow.wait')])], services: [slow] });
    const run = await byUser.dandori.start('wait');
    const driving = byUser.dandori.drive(run);
    await hasBegun;
    await byUser.dandori.cancel(run, 'changed my mind');
    expect(await driving).toMatchObject({ outcome: 'cancelled' });
    expect(isTold).toBe(true);
    expect(facts(await byUser.events(run), 'cancel_requested')).toMatchObject([
      { reason: 'changed my mind' },
    ]);
    await using byBudget = await openHome({
      yaml: 'execution: { mode: adaptive, max_model_calls: 2 }\n',
      script: (_, index) => say([locate(`t${index}`, String(index))]),
    });
    const spent = await byBudget.run('go');
    expect(spent.outcome).toBe('exhausted');
    expect(spent.missing?.[0]).toMatch(/max_model_calls/);
    await using byJudgement = await openHome({
      yaml: PLANNED,
      script: [BROKEN_PLAN, answer('The line is closed; it cannot be done.', { achieved: false })],
    });
    expect(await byJudgement.run('weather?')).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'tool_error' },
      answer: 'The line is closed; it cannot be done.',
    });
  });

  it('completion, revisions, model calls, cost, time-outs, errors and ratings are measured and shown (D7)', async () => {
    await using home = await openHome({
      yaml: PLANNED,
      script: [
        BROKEN_PLAN,
        say(mend('take the other line', weather('t2', '${t1.city}') as JsonObject)),
        answer('Sun.'),
        answer('I cannot.', { achieved: false }),
      ],
    });
    const { run } = await home.run('weather?');
    await home.run('fly');
    await home.dandori.rate(run, { rating: 4, comment: 'right' });
    const counted = await home.dandori.statistics();
    expect(counted).toMatchObject({
      runs: 2,
      outcomes: { answered: 1, failed: 1 },
      completionRate: 0.5,
      revisions: { total: 1 },
      modelCalls: { total: 4, perRun: 2 },
      timeouts: 0,
      tools: { 'travel.closed': { calls: 1, failed: 1, errorRate: 1 } },
      satisfaction: { mean: 4, count: 1 },
    });
    expect(counted.cost).toBeGreaterThan(0);
    await using place = await openPlace();
    const config = ['--config', join(home.folder, 'dandori.yaml')];
    expect(JSON.parse((await place.dandori('stats', '--json', ...config)).stdout)).toEqual(counted);
    const { stdout } = await place.dandori('stats', ...config);
    for (const shown of ['50%', '4.0 of 5', 'travel.closed', 'Timeouts', 'Revisions', '$'])
      expect(stdout).toContain(shown);
  });
});
