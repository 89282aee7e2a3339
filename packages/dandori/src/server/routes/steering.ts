import { createRoute, z } from '@hono/zod-openapi';
import type { RunQuestion } from '../../history/all-runs.ts';
import { parsePlan } from '../../plan/read.ts';
import type { Routes } from '../parts.ts';
import {
  described,
  done,
  given,
  hasAnswer,
  jsonBody,
  jsonContent,
  NO_ANSWER,
  problems,
  runParams,
} from '../schemas.ts';
import { runQuestionShape } from '../shapes.ts';

/** A request to a run, which becomes a fact or is refused. */
function command<T extends z.ZodType>(path: string, summary: string, body: T) {
  return createRoute({
    method: 'post',
    path: `/api/runs/{run}/${path}`,
    summary,
    request: { params: runParams, body: jsonBody(body) },
    responses: { 200: jsonContent('It is written down', done), ...problems },
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

const answered = jsonContent(
  'The question that it answers',
  z.object({ run: z.string(), question: z.string() }),
);
const question = z.string().max(200).optional().openapi({ description: 'Needed where more than one waits' });

const approve = createRoute({
  method: 'post',
  path: '/api/runs/{run}/approve',
  summary: 'A yes to a call or a plan that waits, or to a plan as you have edited it',
  request: {
    params: runParams,
    body: jsonBody(
      z.strictObject({
        question,
        plan: z.string().optional().openapi({
          description: 'A plan file (YAML or JSON) in place of the plan that was asked about',
        }),
      }),
    ),
  },
  responses: { 200: answered, ...problems },
});

const reject = createRoute({
  method: 'post',
  path: '/api/runs/{run}/reject',
  summary: 'A no to a call or a plan that waits; the mind is told the reason',
  request: {
    params: runParams,
    body: jsonBody(z.strictObject({ question, reason: z.string().max(10_000).optional() })),
  },
  responses: { 200: answered, ...problems },
});

export const approving: Routes = (app, { dandori, driving }) => {
  app.openapi(approve, async (c) => {
    const { run } = c.req.valid('param');
    const { question: asked, plan } = c.req.valid('json');
    const edited = plan === undefined ? {} : { tasks: parsePlan(plan, 'plan').tasks };
    const id = await dandori.approve(run, asked, { ...edited, ...by(c.get('user').id) });
    driving.wake(run);
    return c.json({ run, question: id }, 200);
  });

  app.openapi(reject, async (c) => {
    const { run } = c.req.valid('param');
    const { question: asked, reason } = c.req.valid('json');
    const why = reason === undefined ? {} : { reason };
    const id = await dandori.reject(run, asked, { ...why, ...by(c.get('user').id) });
    driving.wake(run);
    return c.json({ run, question: id }, 200);
  });
};

const list = createRoute({
  method: 'get',
  path: '/api/questions',
  summary: 'The open questions of your runs and those that name you as one who may answer; for admins all',
  responses: {
    200: jsonContent(
      'Questions, those of the newest run first',
      z.object({
        questions: z.array(described<RunQuestion>('RunQuestion', runQuestionShape)),
      }),
    ),
    ...problems,
  },
});

export const questions: Routes = (app, { dandori, ownRuns }) => {
  app.openapi(list, async (c) => {
    const user = c.get('user');
    const found: RunQuestion[] = [];
    for (const question of await dandori.questions()) {
      const isNamed = user.id !== undefined && question.answerers?.includes(user.id) === true;
      if (isNamed || (await ownRuns.isOwn(question.run, user))) found.push(question);
    }
    return c.json({ questions: found }, 200);
  });
};
