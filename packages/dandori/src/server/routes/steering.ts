import { createRoute, z } from '@hono/zod-openapi';
import type { Routes } from '../parts.ts';
import { done, given, hasAnswer, json, jsonBody, NO_ANSWER, problems, runParams } from '../schemas.ts';

/** A request to a run, which becomes a fact or is refused. */
function command<T extends z.ZodType>(path: string, summary: string, body: T) {
  return createRoute({
    method: 'post',
    path: `/api/runs/{run}/${path}`,
    summary,
    request: { params: runParams, body: jsonBody(body) },
    responses: { 200: json('It is written down', done), ...problems },
  });
}

const text = z.string().max(10_000);

const answer = command(
  'answer',
  'Answer a question; the run goes on by itself',
  z.strictObject({ question: z.string().max(200), ...given }).refine(hasAnswer, NO_ANSWER),
);
const cancel = command(
  'cancel',
  'Stop a run; its running calls are told',
  z.strictObject({ reason: text.optional() }),
);
const amount = z.number().int().positive().optional();
const budget = command(
  'budget',
  'Raise the limits of a run; one that was exhausted goes on. `time` is in milliseconds',
  z
    .strictObject({
      steps: amount,
      calls: amount,
      tasks: amount,
      tokens: amount,
      revisions: amount,
      time: z.number().positive().optional(),
      cost: z.number().positive().optional(),
    })
    .refine((amounts) => Object.keys(amounts).length > 0, { error: 'names no amount' }),
);
const rate = command(
  'rate',
  'What you think of a run that has ended, from 1 to 5',
  z.strictObject({ rating: z.number().int().min(1).max(5), comment: text.optional() }),
);
const resume = command(
  'resume',
  'Go on with a run that was paused, or that nobody drives',
  z.strictObject({}),
);
const note = command(
  'note',
  'Say something to a run that is under way; its next decision is told',
  z.strictObject({ text }),
);
const pause = command(
  'pause',
  'Begin nothing more until the run is resumed; what runs comes to its end',
  z.strictObject({ reason: text.optional() }),
);

export const steering: Routes = (app, { dandori, driving, metrics }) => {
  app.openapi(answer, async (c) => {
    const { run } = c.req.valid('param');
    const { question, answer: given = null, comment, declined } = c.req.valid('json');
    await dandori.answer(run, question, given, {
      ...by(c.get('user').id),
      ...(comment !== undefined && { comment }),
      ...(declined !== undefined && { declined }),
    });
    driving.wake(run);
    return c.json({ run }, 200);
  });

  app.openapi(cancel, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.cancel(run, c.req.valid('json').reason ?? 'cancelled by the user', by(c.get('user').id));
    driving.wake(run);
    return c.json({ run }, 200);
  });

  app.openapi(budget, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.addBudget(run, { ...c.req.valid('json'), ...by(c.get('user').id) });
    driving.wake(run);
    return c.json({ run }, 200);
  });

  app.openapi(rate, async (c) => {
    const { run } = c.req.valid('param');
    const { rating, comment } = c.req.valid('json');
    await dandori.rate(run, { rating, ...(comment !== undefined && { comment }), ...by(c.get('user').id) });
    metrics.rated(rating);
    return c.json({ run }, 200);
  });

  app.openapi(resume, async (c) => {
    const { run } = c.req.valid('param');
    if ((await dandori.report(run)).outcome === 'paused') await dandori.continue(run, by(c.get('user').id));
    driving.wake(run);
    return c.json({ run }, 200);
  });

  app.openapi(note, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.tell(run, c.req.valid('json').text, by(c.get('user').id));
    driving.wake(run);
    return c.json({ run }, 200);
  });

  app.openapi(pause, async (c) => {
    const { run } = c.req.valid('param');
    const { reason } = c.req.valid('json');
    await dandori.pause(run, { ...(reason !== undefined && { reason }), ...by(c.get('user').id) });
    driving.wake(run);
    return c.json({ run }, 200);
  });
};

/** Where there are no tokens nobody knows who it was. */
export function by(id: string | undefined): { by?: string } {
  return id === undefined ? {} : { by: id };
}
