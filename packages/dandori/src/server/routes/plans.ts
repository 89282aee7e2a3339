import { createRoute, z } from '@hono/zod-openapi';
import type { CheckedPlan, PlanOfRun } from '../../client/api.ts';
import { parsePlan } from '../../config/plan-file.ts';
import { writePlan } from '../../config/plan-writer.ts';
import { fold } from '../../core/apply.ts';
import type { Lifted } from '../../core/lift.ts';
import type { Routes } from '../parts.ts';
import { json, jsonBody, problems, runParams } from '../schemas.ts';

const planSchema = z.custom<PlanOfRun>().openapi('Plan', {
  type: 'object',
  required: ['goal', 'tasks'],
  properties: { goal: { type: 'string' }, tasks: { type: 'array', items: { type: 'object' } } },
});
const YAML = z.object({ format: z.enum(['json', 'yaml']).default('json') });
const plans = {
  200: {
    description: 'The plan',
    content: { 'application/json': { schema: planSchema }, 'application/yaml': { schema: z.string() } },
  },
  ...problems,
};

const get = createRoute({
  method: 'get',
  path: '/api/runs/{run}/plan',
  summary: 'The plan of a run as it was accepted, or else as it was proposed',
  request: { params: runParams, query: YAML },
  responses: plans,
});

const lift = createRoute({
  method: 'get',
  path: '/api/runs/{run}/lift',
  summary: 'A plan that does again what the run has done',
  request: { params: runParams },
  responses: {
    200: json('The plan and what was inferred', z.custom<Lifted>().openapi('Lifted', { type: 'object' })),
    ...problems,
  },
});

const check = createRoute({
  method: 'post',
  path: '/api/plans/check',
  summary: 'Compile a plan without running it: its diagnostics, or what it will take',
  request: {
    body: jsonBody(
      z.strictObject({ plan: z.string().openapi({ description: 'A plan file, as YAML or JSON' }) }),
    ),
  },
  responses: {
    200: json(
      'What the compiler says',
      z.custom<CheckedPlan>().openapi('Compiled', {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          goal: { type: 'string' },
          diagnostics: { type: 'array', items: { type: 'object' } },
          warnings: { type: 'array', items: { type: 'object' } },
          estimate: { type: 'object' },
        },
      }),
    ),
    ...problems,
  },
});

export const planning: Routes = (app, { dandori }) => {
  app.openapi(get, async (c) => {
    const { run } = c.req.valid('param');
    const state = fold(await dandori.events(run));
    const accepted = [...(state?.tasks.values() ?? [])].map(({ task }) => task);
    const tasks = accepted.length > 0 ? accepted : (state?.draft?.tasks ?? []);
    const plan = { goal: state?.goal ?? '', tasks };
    if (c.req.valid('query').format === 'json') return c.json(plan, 200);
    return c.body(writePlan(plan), 200, { 'Content-Type': 'application/yaml' });
  });

  app.openapi(lift, async (c) => c.json(await dandori.lift(c.req.valid('param').run), 200));

  app.openapi(check, async (c) => {
    const { goal, tasks, locate } = parsePlan(c.req.valid('json').plan, 'plan');
    const compiled = await dandori.check(tasks);
    const about = goal === undefined ? {} : { goal };
    if (!compiled.ok) {
      const diagnostics = compiled.diagnostics.map((one) => {
        const { line, column } = locate(one.task, one.path);
        return { ...one, line, column };
      });
      return c.json({ ok: false, ...about, diagnostics }, 200);
    }
    const { warnings } = compiled;
    return c.json({ ok: true, ...about, warnings, estimate: compiled.estimate() }, 200);
  });
};
