import { createRoute, z } from '@hono/zod-openapi';
import { parsePlan } from '../../config/plan-file.ts';
import type { Routes } from '../parts.ts';
import { json, jsonBody, problems, runParams } from '../schemas.ts';
import { by } from './steering.ts';

const answered = json('The question that it answers', z.object({ run: z.string(), question: z.string() }));
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
