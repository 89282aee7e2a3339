import { expect, it } from 'vitest';
import * as z from 'zod';
import { createClient } from '../../src/client/client.ts';
import { namedPlanSchema } from '../../src/conversation/state.ts';
import { countedSchema } from '../../src/history/all-runs.ts';
import { runDiffSchema } from '../../src/history/diff.ts';
import { forkedSchema } from '../../src/history/fork.ts';
import { historyLineSchema } from '../../src/history/history-lines.ts';
import { planHistorySchema } from '../../src/history/plan-history.ts';
import { replayedSchema } from '../../src/history/replay.ts';
import { liftedSchema } from '../../src/history/save-as-plan.ts';
import { recordedSchema } from '../../src/history/save-as-test.ts';
import { examinedSchema } from '../../src/model/finding.ts';
import { parseJson } from '../../src/model/json.ts';
import * as api from '../../src/server/api.ts';
import { openApiSchema } from '../../src/server/schemas.ts';
import { overviewSchema } from '../../src/store/dispatcher/worker-overview.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { resultPartSchema } from '../../src/views/result-page.ts';
import { type Document, routesOf } from '../fuzz/document.ts';
import { act, answer, say } from '../requirements/home.ts';
import { look, stand, take, until } from './standing.ts';

/** What each route that sends JSON sends. The client has its types from the same objects. */
const SENT: Readonly<Record<string, z.ZodType>> = {
  'GET /healthz': z.object({ status: z.literal('ok') }),
  'GET /readyz': z.object({ status: z.literal('ready'), retrying: z.number().int() }),
  'GET /api/user': api.serverUserSchema,
  'GET /api/tools': api.toolListSchema,
  'GET /api/doctor': examinedSchema,
  'GET /api/statistics': countedSchema,
  'GET /api/workers': overviewSchema,
  'GET /api/questions': api.questionListSchema,
  'GET /api/approvals': api.approvalListSchema,
  'DELETE /api/approvals/{approval}': z.object({ approval: z.string() }),
  'GET /api/runs': api.runPageSchema,
  'POST /api/runs': api.doneSchema,
  'POST /api/plans/check': api.checkedPlanSchema,
  'GET /api/runs/{run}': api.runNowSchema,
  'GET /api/runs/{run}/events': api.eventPageSchema,
  'GET /api/runs/{run}/plan': api.planSchema,
  'GET /api/runs/{run}/lift': liftedSchema,
  'GET /api/runs/{run}/history': planHistorySchema,
  'GET /api/runs/{run}/replay': replayedSchema,
  'GET /api/runs/{run}/record': recordedSchema,
  'GET /api/runs/{run}/diff/{other}': runDiffSchema,
  'GET /api/runs/{run}/tasks/{task}/result': resultPartSchema,
  'POST /api/runs/{run}/fork': forkedSchema,
  'POST /api/runs/{run}/rate': api.doneSchema,
  'POST /api/runs/{run}/note': api.doneSchema,
  'POST /api/runs/{run}/pause': api.doneSchema,
  'POST /api/runs/{run}/resume': api.doneSchema,
  'POST /api/runs/{run}/budget': api.doneSchema,
  'POST /api/runs/{run}/answer': api.doneSchema,
  'POST /api/runs/{run}/cancel': api.doneSchema,
  'POST /api/runs/{run}/approve': api.answeredSchema,
  'POST /api/runs/{run}/reject': api.answeredSchema,
  'GET /api/conversations': api.conversationPageSchema,
  'POST /api/conversations': api.startedConversationSchema,
  'GET /api/conversations/{conversation}': api.conversationNowSchema,
  'GET /api/conversations/{conversation}/messages': api.messagePageSchema,
  'POST /api/conversations/{conversation}/say': api.sayResultSchema,
  'POST /api/conversations/{conversation}/answer': api.sayResultSchema,
  'POST /api/conversations/{conversation}/tell': api.doneSchema,
  'POST /api/conversations/{conversation}/cancel': api.stoppedRunsSchema,
  'POST /api/conversations/{conversation}/acknowledge': api.acknowledgedSchema,
  'POST /api/conversations/{conversation}/plan': namedPlanSchema,
  'POST /api/conversations/{conversation}/model': api.chosenModelSchema,
};

interface Answer {
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

/** The milk is a question, everything else is bought at once. */
const script = ({
  promptText,
  body,
}: {
  promptText: string;
  body: { messages?: { content?: unknown }[] };
}) =>
  /<result/.test(JSON.stringify(body.messages?.at(-1)?.content ?? ''))
    ? answer('Bought.')
    : say([
        { operation: 'plan.propose', args: { name: 'shopping' } },
        act('t1', 'shop.take', { item: /Goal:\n(\w*)/.exec(promptText)?.[1] ?? '' }),
      ]);

it('every route sends what its schema says and nothing else, so that clients can trust the types and /openapi.json', async () => {
  await using model = await startModelServer(script);
  const named = { provider: 'openai-compatible', name: 'scripted', base_url: model.url };
  await using standing = await stand({ model: named });
  const answers: Answer[] = [];
  const client = createClient({
    url: standing.url,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { pathname } = new URL(String(url));
      if (!pathname.endsWith('/stream')) {
        const request = `${init?.method ?? 'GET'} ${pathname}`;
        answers.push({ request, status: response.status, body: await response.clone().text() });
      }
      return response;
    },
  });
  for (const path of ['/healthz', '/readyz']) {
    const response = await standing.ask(path);
    answers.push({ request: `GET ${path}`, status: response.status, body: await response.text() });
  }

  const bread = await client.start('bread', { approval: 'writes' });
  await client.settled(bread);
  await client.answer(bread, 'q1', 'approve_tool_always');
  await client.settled(bread);
  for (const { id } of await client.approvals()) await client.revokeApproval(id);
  const rye = await client.start('bread', { approval: 'writes' });
  await client.settled(rye);
  await client.approve(rye);
  await client.settled(rye);
  await client.rate(bread, { rating: 4, comment: 'good' });
  const tea = await client.start('tea', { tasks: [look('tea'), take('salt', 't2')] });
  await client.settled(tea);
  const milk = await client.start('milk', { tasks: [take('milk')] });
  await client.settled(milk);
  await client.questions();
  await client.tell(milk, 'fresh, please');
  await client.pause(milk, 'lunch');
  await client.run(milk);
  await client.resume(milk);
  await client.addBudget(milk, { steps: 3, time: 1_000 });
  await client.answer(milk, 'q1', 'whole', { comment: 'as ever' });
  await client.settled(milk);
  const salt = await client.start('salt', { tasks: [take('salt')], approval: 'plan' });
  await client.settled(salt);
  await client.check(JSON.stringify({ tasks: [look('tea')] }), { run: salt });
  await client.check(JSON.stringify({ goal: 'tea', tasks: [{ id: 't', operation: 'shop.lok' }] }));
  await client.check('no plan');
  await client.reject(salt, { reason: 'not now' });
  const later = await client.start('milk', { tasks: [take('milk')] });
  await client.cancel(later, 'no more milk');
  await client.fork(tea, { at: 4, drive: false });
  for (const run of [bread, tea, milk]) {
    await client.run(run);
    await client.events(run);
    await client.plan(run);
    await client.lift(run);
    await client.history(run);
    for (const line of await client.historyLines(run)) historyLineSchema.parse(line);
    await client.replay(run);
    await client.record(run);
    await client.diff(run, tea);
    await client.result(run, 't1');
    await client.result(run, 't1', { path: 'item' });
  }
  await client.user();
  await client.tools();
  await client.doctor();
  await client.statistics({ every: 'day' });
  await client.workers();
  await client.runs({ limit: 2 });

  const { conversations } = client;
  const { conversation, run } = await conversations.begin('milk');
  await until(async () => (await conversations.get(conversation)).runs[0]?.questions[0]);
  await conversations.tell(conversation, { run, text: 'fresh' });
  await conversations.answer(conversation, { run, question: 'q1', answer: 'whole' });
  await until(async () => (await conversations.get(conversation)).undelivered.at(-1)?.kind === 'reply');
  await conversations.say(conversation, 'milk');
  await conversations.messages(conversation, { limit: 1 });
  await conversations.acknowledge(conversation, [run]);
  await conversations.activatePlan(conversation, 'shopping');
  await conversations.useModel(conversation, 'scripted');
  await conversations.cancel(conversation);
  await conversations.list();

  const document = (await (await standing.ask('/openapi.json')).json()) as Document;
  const routes = routesOf(document).filter(({ operation: { responses } }) =>
    Object.values(responses).some(({ content = {} }) => 'application/json' in content),
  );
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(SENT).sort());
  for (const { method, path, operation } of routes) {
    const name = `${method} ${path}`;
    const schema = SENT[name] ?? z.never();
    const form = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const sent = answers.filter(({ request, status }) => form.test(request) && status < 300);
    expect(sent.length, `${name} was not asked`).toBeGreaterThan(0);
    for (const { status, body } of sent) {
      const value = parseJson(body);
      expect({ name, value: schema.parse(value) }).toEqual({ name, value });
      const { $ref = '', ...inline } =
        operation.responses[status]?.content?.['application/json']?.schema ?? {};
      const component = document.components.schemas?.[$ref.split('/').at(-1) ?? ''];
      expect({ name, schema: component ?? inline }).toMatchObject({
        name,
        schema: parseJson(JSON.stringify(openApiSchema(schema))),
      });
    }
  }
});
