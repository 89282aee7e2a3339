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
import { conversationParams, filesIn, idempotency, jsonBody, jsonContent, problems } from '../schemas.ts';

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
    responses: { 200: jsonContent('The request is stored', result), ...problems },
  });
}

const say = command(
  'say',
  'Send a message. It starts a run or answers an open question. Requests with the same Idempotency-Key count once',
  [sayRequest, sayResultSchema],
);
const answer = command('answer', 'Answer a given question of one of its runs', [
  conversationAnswerRequest,
  sayResultSchema,
]);
const tell = command(
  'tell',
  'Tell a run something. It rejects a waiting plan with this reason, answers a question without options, or adds a note',
  [tellRequest, doneSchema],
);
const cancel = command('cancel', 'Cancel one of its runs. Without `run`, cancel all that have not ended', [
  cancelRequest,
  stoppedRunsSchema,
]);
const acknowledge = command(
  'acknowledge',
  'Acknowledge messages of the agent that were shown, so that they are not delivered again. Repeating it is harmless',
  [acknowledgeRequest, acknowledgedSchema],
);
const plan = command('plan', 'Make a plan of the conversation its active plan', [
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
    const { text, seen, attachments } = c.req.valid('json');
    const key = c.req.valid('header')['idempotency-key'];
    const { id: by } = c.get('user');
    const said = await conversations.use(c.req.valid('param').conversation, (it) =>
      it.say(text, {
        by,
        seen,
        attachments: filesIn(attachments),
        waits: false,
        ...(key !== undefined && { key }),
      }),
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
