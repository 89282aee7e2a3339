import { createRoute, type z } from '@hono/zod-openapi';
import { namedPlanSchema, type Said } from '../../conversation/index.ts';
import {
  acknowledgedSchema,
  acknowledgeRequest,
  cancelRequest,
  chosenModelSchema,
  conversationAnswerRequest,
  doneSchema,
  modelRequest,
  planRequest,
  type SayResult,
  sayRequest,
  sayResultSchema,
  stoppedRunsSchema,
  tellRequest,
} from '../api.ts';
import { cancelAll, refuseOtherModel } from '../conversations.ts';
import type { Routes } from '../parts.ts';
import { refuseStopping } from '../problem.ts';
import { conversationParams, idempotency, jsonBody, jsonContent, problems } from '../schemas.ts';

function command<B extends z.ZodType, R extends z.ZodType>(
  path: string,
  summary: string,
  [body, result]: [B, R],
) {
  return createRoute({
    method: 'post',
    path: `/api/conversations/{conversation}/${path}`,
    summary,
    request: { params: conversationParams, headers: idempotency, body: jsonBody(body) },
    responses: { 200: jsonContent('It is written down', result), ...problems },
  });
}

const say = command(
  'say',
  'Say something: it becomes a run, or the answer to the question that is open. With an Idempotency-Key what is sent twice is said once',
  [sayRequest, sayResultSchema],
);
const answer = command('answer', 'Answer a question of one of its runs, where words alone do not say which', [
  conversationAnswerRequest,
  sayResultSchema,
]);
const tell = command(
  'tell',
  'Tell a run something: a no with its reason to a plan that waits, the answer to a question that takes any words, or a note',
  [tellRequest, doneSchema],
);
const cancel = command('cancel', 'Stop one of its runs, or without one all that have not ended', [
  cancelRequest,
  stoppedRunsSchema,
]);
const acknowledge = command(
  'acknowledge',
  'Messages of the agent were really shown; they are not told again. To say so twice does no harm',
  [acknowledgeRequest, acknowledgedSchema],
);
const plan = command('plan', 'Make a plan of the conversation the active one', [
  planRequest,
  namedPlanSchema,
]);
const model = command('model', 'Choose the model for the runs that follow', [
  modelRequest,
  chosenModelSchema,
]);

export const messageRoutes: Routes = (app, { conversations, driving, config }) => {
  app.openapi(say, async (c) => {
    refuseStopping(driving);
    const { text, seen } = c.req.valid('json');
    const key = c.req.valid('header')['idempotency-key'];
    const { id: by } = c.get('user');
    const said = await conversations.use(c.req.valid('param').conversation, (it) =>
      it.say(text, { by, seen, waits: false, ...(key !== undefined && { key }) }),
    );
    return c.json(heard(said), 200);
  });

  app.openapi(answer, async (c) => {
    const { run, question, answer: value = null, ...how } = c.req.valid('json');
    const { id: by } = c.get('user');
    const said = await conversations.use(c.req.valid('param').conversation, (it) =>
      it.answer({ run, question }, value, { ...how, by, waits: false }),
    );
    driving.take(run);
    return c.json(heard(said), 200);
  });

  app.openapi(tell, async (c) => {
    const { run, text } = c.req.valid('json');
    const { id: by } = c.get('user');
    await conversations.use(c.req.valid('param').conversation, (it) => it.tell(run, text, { by }));
    driving.take(run);
    return c.json({ run }, 200);
  });

  app.openapi(cancel, async (c) => {
    const { run, reason = 'cancelled by the user' } = c.req.valid('json');
    const { id: by } = c.get('user');
    const runs = await conversations.use(c.req.valid('param').conversation, async (it) => {
      if (run === undefined) return cancelAll(it, { reason, by });
      await it.cancel(run, reason, { by });
      return [run];
    });
    for (const one of runs) driving.take(one);
    return c.json({ runs }, 200);
  });

  app.openapi(acknowledge, async (c) => {
    const { messages } = c.req.valid('json');
    const first = await conversations.use(c.req.valid('param').conversation, async (it) => {
      const fresh: string[] = [];
      for (const message of messages) if (await it.acknowledge(message)) fresh.push(message);
      return fresh;
    });
    return c.json({ messages: first }, 200);
  });

  app.openapi(plan, async (c) => {
    const { plan: wanted } = c.req.valid('json');
    const active = await conversations.use(c.req.valid('param').conversation, (it) =>
      it.activatePlan(wanted),
    );
    return c.json(active, 200);
  });

  app.openapi(model, async (c) => {
    const { model: name } = c.req.valid('json');
    refuseOtherModel(name, c.get('user'), config);
    const chosen = await conversations.use(c.req.valid('param').conversation, async (it) => {
      await it.useModel(name);
      return it.model;
    });
    return c.json({ model: chosen }, 200);
  });
};

/** Leaves out the run's status, because the stream sends it. */
function heard(said: Said): SayResult {
  if (said.kind === 'unclear') return said;
  const { standing: _, ...rest } = said;
  return rest;
}
