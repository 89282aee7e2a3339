import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { started } from '../program.ts';
import { look, stand, take, until, wait } from './standing.ts';

describe('runs over HTTP', () => {
  it('are started, driven and shown without any other request', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('buy bread', { tasks: [take('bread')] });
    const report = await client.settled(run);
    expect(report).toMatchObject({ run, outcome: 'answered', tasks: { t1: { result: { item: 'bread' } } } });
    expect(standing.taken).toEqual(['bread']);
    expect(await client.events(run)).toEqual(await standing.serving.dandori.events(run));
    expect(
      (await client.journal(run))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(await client.events(run));
    expect(await client.plan(run)).toMatchObject({ goal: 'buy bread', tasks: [take('bread')] });
    expect(await (await standing.ask(`/api/runs/${run}/plan?format=yaml`)).text()).toContain(
      'operation: shop.take',
    );
    expect(await client.lift(run)).toMatchObject({ run, tasks: [{ operation: 'shop.take' }] });
  });

  it('speak the language of the page if the goal does not tell one', async () => {
    await using standing = await stand();
    const languageFor = async (goal: string, accepted: string) => {
      const headers = { 'Content-Type': 'application/json', 'Accept-Language': accepted };
      const body = JSON.stringify({ goal, tasks: [look('tea')] });
      const response = await standing.ask('/api/runs', { method: 'POST', headers, body });
      const { run } = (await response.json()) as { run: string };
      const [first] = await standing.client.events(run);
      return first?.type === 'run_started' ? first.data.settings.language : 'none';
    };
    expect(await languageFor('100 + 200', 'ja')).toBe('ja');
    expect(await languageFor('100 + 200', 'fr, ja')).toBeUndefined();
    expect(await languageFor('look at the tea', 'ja')).toBeUndefined();
  });

  it('that are refused are refused in the language of the client, with every problem', async () => {
    await using standing = await stand();
    const detailOf = async (path: string, body: unknown, accepted: string) => {
      const headers = { 'Content-Type': 'application/json', 'Accept-Language': accepted };
      const method = body === undefined ? 'GET' : 'POST';
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await standing.ask(path, {
        method,
        headers,
        ...(body !== undefined && { body: sent }),
      });
      expect(response.status).toBe(400);
      return ((await response.json()) as { detail: string }).detail;
    };
    expect(await detailOf('/api/runs', { goal: 1, mode: 'x' }, 'en')).toMatch(
      /^goal: Invalid input: expected string, received number; mode: Invalid option/,
    );
    expect(await detailOf('/api/runs', { goal: 1, mode: 'x' }, 'ja')).toMatch(
      /^goal：文字列にしてください; mode：.* のいずれかにしてください$/,
    );
    expect(await detailOf('/api/runs', { gaol: 'x' }, 'ja')).toBe('"gaol" というキーはありません');
    expect(await detailOf('/api/runs', '{', 'ja')).toBe('本文の JSON が正しくありません。');
    expect(await detailOf('/api/runs?limit=0', undefined, 'ja')).toBe('limit：1 以上にしてください');
    expect(await detailOf('/api/conversations', {}, 'ja')).toBe('text：必須です');
    const tasks = [{ id: 't1', operation: 'shop.look', args: {}, timeout: 3 }];
    expect(await detailOf('/api/runs', { goal: 'x', tasks }, 'ja')).toMatch(/^tasks\.0\.timeout に単位/);
  });

  it('are listed newest first, by page, and by what is asked for', async () => {
    await using standing = await stand();
    const { client } = standing;
    const ids: string[] = [];
    for (const item of ['tea', 'rice', 'Rice cake', 'salt', 'oil'])
      ids.push(await client.start(`look at ${item}`, { tasks: [look(item)] }));
    for (const run of ids) await client.settled(run);
    const newest = ids.toSorted().reverse();
    const first = await client.runs({ limit: 2 });
    const second = await client.runs({ limit: 2, before: first.next ?? '' });
    const third = await client.runs({ limit: 2, before: second.next ?? '' });
    expect([first, second, third].map(({ runs }) => runs.map(({ run }) => run))).toEqual([
      newest.slice(0, 2),
      newest.slice(2, 4),
      newest.slice(4),
    ]);
    expect(third.next).toBeUndefined();
    expect((await client.runs({ text: 'rice' })).runs.map(({ goal }) => goal).sort()).toEqual([
      'look at Rice cake',
      'look at rice',
    ]);
    expect((await client.runs({ status: 'failed' })).runs).toEqual([]);
    expect((await client.runs({ status: 'answered' })).runs).toHaveLength(5);
    expect((await client.runs({ since: Date.now() + 1000 })).runs).toEqual([]);
    await expect(client.runs({ limit: 0 })).rejects.toMatchObject({ code: 'request-invalid' });
    const unknown = await fetch(`${standing.url}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ goal: 'tea', limt: 1 }),
    });
    expect(await unknown.json()).toMatchObject({ detail: 'Unrecognized key: "limt"' });
  });

  it('are listed as waiting for a person also where other tasks went on behind the question', async () => {
    const fixture = started('cli/fixtures/counter-server.ts');
    const counter = { command: process.execPath, args: [fixture] };
    await using standing = await stand({ mcpServers: { counter } });
    const { client, folder } = standing;
    const slow = { id: 't2', operation: 'counter.look', args: { name: 'bus', slow: true } };
    const run = await client.start('milk and a bus', { tasks: [take('milk'), slow] });
    await until(async () => (await client.run(run)).report.questions.length > 0);
    await writeFile(join(folder, 'effects.txt.go'), '');
    await until(async () => (await client.run(run)).report.tasks.t2?.status === 'succeeded');
    expect((await client.events(run)).at(-1)?.type).toBe('task_succeeded');
    const listed = async (status: 'open' | 'waiting') =>
      (await client.runs({ status })).runs.map((one) => one.run);
    expect(await listed('waiting')).toEqual([run]);
    expect(await listed('open')).toEqual([]);
  });

  it('ask which milk, and continue by themselves after the answer; the wait needs no driver', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('milk', { tasks: [take('milk')] });
    const waiting = await client.settled(run);
    expect(waiting).toMatchObject({ outcome: 'waiting', questions: [{ id: 'q1', text: 'Which milk?' }] });
    expect(await client.run(run)).toMatchObject({ driving: 'idle' });
    await expect(client.answer(run, 'q1', 'goat')).rejects.toMatchObject({
      code: 'answer-invalid',
      fix: 'Answer one of: whole, skimmed.',
    });
    await expect(client.answer(run, 'q7', 'whole')).rejects.toMatchObject({ code: 'question-not-found' });
    await client.answer(run, 'q1', 'skimmed');
    expect(await client.settled(run)).toMatchObject({ outcome: 'answered' });
    expect(standing.taken).toEqual(['skimmed milk']);
    await expect(client.answer(run, 'q1', 'whole')).rejects.toMatchObject({ code: 'run-ended' });
    await client.rate(run, { rating: 4, comment: 'good milk' });
    expect((await client.run(run)).report.rating).toEqual({ rating: 4, comment: 'good milk' });
  });

  it('take a no without an answer, and say where both are missing', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('milk', { tasks: [take('milk')] });
    await client.settled(run);
    const send = (body: object) =>
      standing.ask(`/api/runs/${run}/answer`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const neither = await send({ question: 'q1' });
    expect(neither.status).toBe(400);
    expect(await neither.json()).toMatchObject({
      detail: 'answer must be there, unless "declined" is true',
    });
    expect((await send({ question: 'q1', declined: true, comment: 'no milk' })).status).toBe(200);
    expect((await client.settled(run)).failure?.message).toContain('declined. no milk');
  });

  it('are woken by an answer that another process writes into the journal', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('milk', { tasks: [take('milk')] });
    await client.settled(run);
    const { openRuntime } = await import('../../src/app/dandori.ts');
    await using other = await openRuntime({ cwd: standing.folder, tools: false });
    await other.answer(run, 'q1', 'whole');
    await until(async () => ((await client.run(run)).report.outcome === 'answered' ? true : undefined));
    expect(standing.taken).toEqual(['whole milk']);
  });

  it('are cancelled in the middle of a call, which is told', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('wait', { tasks: [wait('bus')] });
    await until(async () => (await client.events(run)).find(({ type }) => type === 'task_started'));
    await client.cancel(run, 'too late');
    const report = await client.settled(run);
    expect(report.outcome).toBe('cancelled');
    expect(report.failure?.message).toContain('too late');
    await expect(client.cancel(run)).rejects.toMatchObject({ code: 'run-ended' });
  });

  it('wait their turn where more are started than may be driven at once', async () => {
    await using standing = await stand({ server: { max_runs: 2 } });
    const { client } = standing;
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map((number) => client.start(`wait ${number}`, { tasks: [wait(`w${number}`)] })),
    );
    const states = async () =>
      (await Promise.all(ids.map((run) => client.run(run)))).map(({ driving }) => driving);
    expect((await states()).sort()).toEqual(['driving', 'driving', 'queued', 'queued', 'queued']);
    const figures = await (await standing.ask('/metrics')).text();
    expect(figures).toMatch(/^dandori_runs_driving 2$/m);
    expect(figures).toMatch(/^dandori_runs_queued 3$/m);
    standing.open();
    for (const run of ids) expect((await client.settled(run)).outcome).toBe('answered');
    expect(standing.taken.toSorted()).toEqual(['w1', 'w2', 'w3', 'w4', 'w5']);
  });

  it('are paused, told something and resumed', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('milk', { tasks: [take('milk')] });
    await client.settled(run);
    await client.pause(run, 'the shop is closed');
    await client.tell(run, 'take the cheap one');
    await client.answer(run, 'q1', 'whole');
    expect((await client.settled(run)).outcome).toBe('paused');
    expect(standing.taken).toEqual([]);
    await client.resume(run);
    const report = await client.settled(run);
    expect(report).toMatchObject({ outcome: 'answered', notes: [{ text: 'take the cheap one' }] });
    expect(standing.taken).toEqual(['whole milk']);
  });

  it('wait for a yes to a call or a plan, which may be edited first; a no ends there', async () => {
    await using standing = await stand();
    const { client } = standing;
    const first = await client.start('bread', { tasks: [take('bread')], approval: 'writes' });
    const second = await client.start('salt', { tasks: [take('salt')], approval: 'plan' });
    const third = await client.start('oil', { tasks: [take('oil')], approval: 'writes' });
    for (const run of [first, second, third]) expect((await client.settled(run)).outcome).toBe('waiting');
    const asked = await client.questions();
    expect(asked.map(({ run, kind }) => [run, kind]).sort()).toEqual(
      [
        [first, 'approval'],
        [second, 'plan_approval'],
        [third, 'approval'],
      ].sort(),
    );
    expect(await client.approve(first)).toBe('q1');
    await expect(
      client.approve(second, { plan: '- { operation: shop.tak, args: {} }' }),
    ).rejects.toMatchObject({
      code: 'plan-invalid',
      diagnostics: [{ code: 'unknown-operation' }],
    });
    await client.approve(second, { plan: '- { operation: shop.take, args: { item: sea salt } }' });
    await client.reject(third, { reason: 'too fat' });
    expect((await client.settled(first)).outcome).toBe('answered');
    expect((await client.settled(second)).outcome).toBe('answered');
    expect((await client.settled(third)).outcome).toBe('failed');
    expect(standing.taken.toSorted()).toEqual(['bread', 'sea salt']);
    expect(await client.questions()).toEqual([]);
  });

  it('are forked, compared and looked back on', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('milk', { tasks: [take('milk')] });
    await client.settled(run);
    await client.answer(run, 'q1', 'whole');
    await client.settled(run);
    const forked = await client.fork(run, { answers: { q1: 'skimmed' } });
    expect(forked.forkedFrom.run).toBe(run);
    expect((await client.settled(forked.run)).outcome).toBe('answered');
    expect(standing.taken).toEqual(['whole milk', 'skimmed milk']);
    expect(JSON.stringify(await client.diff(run, forked.run))).toContain('skimmed');
    expect(await client.history(run)).toEqual(await standing.serving.dandori.history(run));
  });

  it('go on with more budget', async () => {
    await using standing = await stand({ execution: { max_model_calls: 1 } });
    const { client } = standing;
    const run = await client.start('buy bread', { tasks: [take('milk')] });
    await client.settled(run);
    await client.addBudget(run, { calls: 5, steps: 2 });
    const [added] = (await client.events(run)).filter(({ type }) => type === 'budget_added');
    expect(added?.data).toEqual({ calls: 5, steps: 2 });
    await expect(client.addBudget(run, {})).rejects.toMatchObject({ code: 'request-invalid' });
  });

  it('are not started with a plan that does not compile', async () => {
    await using standing = await stand();
    const { client, folder } = standing;
    const wrong = { id: 't1', operation: 'shop.tak', args: { item: 'x' } };
    await expect(client.start('x', { tasks: [wrong] })).rejects.toMatchObject({ code: 'plan-invalid' });
    await expect(client.start('  ')).rejects.toMatchObject({ code: 'goal-invalid' });
    expect(await readdir(join(folder, '.dandori/runs')).catch(() => [])).toEqual([]);
    const checked = await client.check('tasks:\n  - operation: shop.tak\n    args: { item: x }\n');
    expect(checked).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'unknown-operation', task: 't1', line: 2 }],
    });
    expect(await client.check('- { operation: shop.look, args: { item: x } }')).toMatchObject({
      ok: true,
      estimate: { calls: 1, reads: 1 },
    });
    expect(await client.check('goal: x\ntasks: 5')).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'plan-invalid', line: 2 }],
    });
    expect(await client.check('tasks:\n  - { id: "a')).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'plan-invalid', line: 2 }],
    });
  });

  it('have plans that are checked as they would stand in the run', async () => {
    await using standing = await stand({ execution: { approval: 'plan' } });
    const { client } = standing;
    const plan = [look('tea', 'a'), { ...take('${a.item}', 'b') }];
    const run = await client.start('tea', { tasks: plan });
    await client.settled(run);
    expect((await client.plan(run)).tasks).toEqual(plan);
    const twice = '- { id: a, operation: shop.look, args: { item: tea } }\n'.repeat(2);
    expect(await client.check(twice, { run })).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'duplicate-id', task: 'a', line: 2 }],
    });
    await client.approve(run);
    expect((await client.settled(run)).outcome).toBe('answered');
    const last = (await client.events(run)).find(({ type }) => type === 'run_finished')?.seq ?? 0;
    const within = { run, at: last - 1 };
    // A Ref to what is done stands for itself in the run, and for nothing without it.
    const more = '- { id: c, operation: shop.take, args: { item: "${a.item}" } }';
    expect(await client.check(more)).toMatchObject({ ok: false, diagnostics: [{ code: 'dangling-ref' }] });
    expect(await client.check(more, within)).toMatchObject({ ok: true, estimate: { calls: 1 } });
    const changed = '- { id: a, operation: shop.look, args: { item: rice } }';
    expect(await client.check(`\n${changed}`, within)).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'duplicate-id', task: 'a', line: 2 }],
    });
    await expect(client.check(more, { run: 'nobody' })).rejects.toMatchObject({ code: 'run-not-found' });
  });

  it('have results that are read part by part, however large they are', async () => {
    await using standing = await stand();
    const { client } = standing;
    const rice = 'rice '.repeat(20_000);
    const run = await client.start('rice', { tasks: [look(rice)] });
    const { tasks } = await client.settled(run);
    expect(tasks.t1?.blob?.bytes).toBeGreaterThan(100_000);
    expect(await client.result(run, 't1')).toEqual({
      kind: 'object',
      total: 1,
      items: [{ key: 'item', kind: 'text', total: 100_000 }],
    });
    expect(await client.result(run, 't1', { path: 'item', offset: 99_990, limit: 1 })).toEqual({
      kind: 'text',
      total: 100_000,
      text: 'rice rice ',
    });
    await expect(client.result(run, 't9')).rejects.toMatchObject({ code: 'usage' });
    await expect(client.result(run, 't1', { path: 'items' })).rejects.toMatchObject({ code: 'usage' });
    await expect(client.result(run, 't1', { path: 'a || b' })).rejects.toMatchObject({
      code: 'request-invalid',
    });
  });

  it('are started with a plan file as it is written', async () => {
    await using standing = await stand();
    const { client } = standing;
    const plan = 'goal: tea\ntasks:\n  - { operation: shop.look, args: { item: tea } }\n';
    expect(await client.check(plan)).toMatchObject({ ok: true, goal: 'tea' });
    const run = await client.start('tea', { plan });
    expect(await client.settled(run)).toMatchObject({ tasks: { t1: { result: { item: 'tea' } } } });
    await expect(client.start('tea', { plan, tasks: [look('tea')] })).rejects.toMatchObject({
      code: 'request-invalid',
    });
  });

  it('have the goal of the plan file, unless the request names another', async () => {
    await using standing = await stand();
    const post = (body: object) =>
      standing.ask('/api/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const tasks = 'tasks:\n  - { operation: shop.look, args: { item: tea } }\n';
    const { run } = (await (await post({ plan: `goal: tea\n${tasks}` })).json()) as { run: string };
    expect(await standing.client.settled(run)).toMatchObject({ goal: 'tea', outcome: 'answered' });
    const refused = await post({ plan: tasks });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ detail: 'A run needs a goal.' });
  });
});

describe('an Idempotency-Key', () => {
  it('starts one run however often the request comes, also at the same instant', async () => {
    await using standing = await stand();
    const { client } = standing;
    const started = await Promise.all(
      Array.from({ length: 20 }, () => client.start('bread', { tasks: [take('bread')], key: 'k-1' })),
    );
    expect(new Set(started).size).toBe(1);
    expect(await client.start('bread', { tasks: [take('bread')], key: 'k-1' })).toBe(started[0]);
    await client.settled(started[0] ?? '');
    expect((await client.runs()).runs).toHaveLength(1);
    expect(standing.taken).toEqual(['bread']);
    await expect(client.start('other', { key: 'k-1' })).rejects.toMatchObject({ code: 'key-reused' });
    await expect(client.start(' ', { key: 'k-2' })).rejects.toMatchObject({ code: 'goal-invalid' });
    expect(await client.start('bread', { tasks: [take('bread')], key: 'k-2' })).not.toBe(started[0]);
  });
});

describe('what else is served', () => {
  it('tools, statistics, metrics, the description of the API, and whether it is well', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('look', { tasks: [look('tea')] });
    await client.settled(run);
    await client.rate(run, { rating: 5 });
    expect((await client.tools()).tools.map(({ name }) => name)).toEqual([
      'shop.chatter',
      'shop.look',
      'shop.take',
      'shop.wait',
    ]);
    expect(await client.statistics()).toMatchObject({
      runs: 1,
      completionRate: 1,
      satisfaction: { mean: 5, count: 1 },
    });
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    const { series } = await client.statistics({ since: midnight - 86_400_000, every: 'day' });
    expect(series?.at(-1)).toMatchObject({ outcomes: { answered: 1 }, ratings: { sum: 5, count: 1 } });
    expect((Number(series?.at(-1)?.at) - midnight) % 86_400_000).toBe(0);
    expect((await standing.ask('/api/statistics?every=year')).status).toBe(400);
    const figures = await (await standing.ask('/metrics')).text();
    expect(figures).toMatch(/^dandori_runs_finished_total\{outcome="answered"\} 1$/m);
    expect(figures).toMatch(/^dandori_completion_ratio 1$/m);
    expect(figures).toMatch(/^dandori_tool_calls_total\{tool="shop.look"\} 1$/m);
    expect(figures).toMatch(/^dandori_run_rating_sum 5$/m);
    expect(await (await standing.ask('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await standing.ask('/readyz')).status).toBe(200);
    const document = (await (await standing.ask('/openapi.json')).json()) as {
      openapi: string;
      paths: object;
    };
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(document).toHaveProperty(['components', 'schemas', name ?? '']);
    const page = await (await standing.ask('/docs')).text();
    for (const path of Object.keys(document.paths)) expect(page).toContain(path);
    expect(page).toContain('href="/openapi.json"');
    // It must work where there is no network, and run nothing.
    expect(page).not.toMatch(/https?:\/\/|<script/);
  });
});
