import { createRoute, z } from '@hono/zod-openapi';
import { ProblemsError } from '../../documents/problem.ts';
import { liftedSchema } from '../../history/index.ts';
import type { Diagnostic } from '../../model/plan.ts';
import { type PlanFile, parsePlan } from '../../plan/read.ts';
import { writePlan } from '../../plan/write.ts';
import { fold } from '../../run/state/apply.ts';
import { planTasks } from '../../views/plan.ts';
import { checkedPlanSchema, checkRequest, type PlacedDiagnostic, planSchema } from '../api.ts';
import type { Routes } from '../parts.ts';
import { jsonBody, jsonContent, problems, runParams } from '../schemas.ts';

const YAML = z.object({ format: z.enum(['json', 'yaml']).default('json') });

const get = createRoute({
  method: 'get',
  path: '/api/runs/{run}/plan',
  summary:
    'The plan of a run: the one that waits for approval, otherwise the accepted one, otherwise the proposed one',
  request: { params: runParams, query: YAML },
  responses: {
    200: {
      description: 'The plan',
      content: {
        ...jsonContent('', planSchema, 'Plan').content,
        'application/yaml': { schema: z.string() },
      },
    },
    ...problems,
  },
});

const lift = createRoute({
  method: 'get',
  path: '/api/runs/{run}/lift',
  summary: 'Save the calls of a run as a plan',
  request: { params: runParams },
  responses: { 200: jsonContent('The plan, and what was inferred', liftedSchema, 'Lifted'), ...problems },
});

const check = createRoute({
  method: 'post',
  path: '/api/plans/check',
  summary: 'Check a plan without running it: its problems, or its estimate',
  request: { body: jsonBody(checkRequest) },
  responses: { 200: jsonContent('The problems or the estimate', checkedPlanSchema, 'Compiled'), ...problems },
});

export const planRoutes: Routes = (app, { dandori, ownRuns }) => {
  app.openapi(get, async (c) => {
    const { run } = c.req.valid('param');
    const state = fold(await dandori.events(run));
    const plan = { goal: state?.goal ?? '', tasks: state === undefined ? [] : planTasks(state) };
    if (c.req.valid('query').format === 'json') return c.json(plan, 200);
    return c.body(writePlan(plan), 200, { 'Content-Type': 'application/yaml' });
  });

  app.openapi(lift, async (c) => c.json(await dandori.lift(c.req.valid('param').run), 200));

  app.openapi(check, async (c) => {
    const { plan, run, at } = c.req.valid('json');
    if (run !== undefined) await ownRuns.check(run, c.get('user'));
    const read = readPlan(plan);
    if ('diagnostics' in read) return c.json({ ok: false, ...read }, 200);
    const { goal, tasks, locate } = read;
    const about = goal === undefined ? {} : { goal };
    const placed = (found: readonly Diagnostic[]): PlacedDiagnostic[] =>
      found.map((one) => {
        const { line, column } = locate(one.index ?? one.task, one.path, one.at);
        return { ...one, line, column };
      });
    const within = run === undefined ? undefined : { run, ...(at !== undefined && { at }) };
    const compiled = await dandori.check(tasks, within);
    if (!compiled.ok) return c.json({ ok: false, ...about, diagnostics: placed(compiled.diagnostics) }, 200);
    const warnings = placed(compiled.warnings);
    return c.json({ ok: true, ...about, warnings, estimate: compiled.estimate() }, 200);
  });
};

/** A text that is not a plan also gets diagnostics with positions. */
function readPlan(text: string): PlanFile | { readonly diagnostics: readonly PlacedDiagnostic[] } {
  try {
    return parsePlan(text, 'plan');
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    const diagnostics = error.problems.map(({ place, message, hint }) => ({
      code: 'plan-invalid' as const,
      message,
      ...(hint !== undefined && { hint }),
      line: place?.line ?? 1,
      column: place?.column ?? 1,
    }));
    return { diagnostics };
  }
}
