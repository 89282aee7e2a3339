import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Runtime } from '../../app/index.ts';
import { parsePlan } from '../../plan/read.ts';
import type { User } from '../access.ts';
import {
  type ApprovalList,
  answeredSchema,
  answerRequest,
  approvalListSchema,
  approveRequest,
  budgetRequest,
  emptyRequest,
  noteRequest,
  type QuestionList,
  questionListSchema,
  rateRequest,
  reasonRequest,
  rejectRequest,
} from '../api.ts';
import type { Env, Routes } from '../parts.ts';
import { done, jsonBody, jsonContent, problems, runParams } from '../schemas.ts';

/** A request to a run. The server journals it, or refuses it. */
function command<B extends z.ZodType>(path: string, summary: string, body: B) {
  return createRoute({
    method: 'post',
    path: `/api/runs/{run}/${path}`,
    summary,
    request: { params: runParams, body: jsonBody(body) },
    responses: { 200: done, ...problems },
  });
}

/** An approval or a rejection. The route returns the question that it answers. */
function verdict<B extends z.ZodType>(path: string, summary: string, body: B) {
  return createRoute({
    method: 'post',
    path: `/api/runs/{run}/${path}`,
    summary,
    request: { params: runParams, body: jsonBody(body) },
    responses: { 200: jsonContent('The question that was answered', answeredSchema), ...problems },
  });
}

const answer = command('answer', 'Answer a question. The run continues by itself', answerRequest);
const cancel = command('cancel', 'Cancel a run and its calls', reasonRequest);
const budget = command(
  'budget',
  'Raise the limits of a run. A run that reached a limit continues. `time` is in milliseconds',
  budgetRequest,
);
const rate = command('rate', 'Rate an ended run from 1 to 5', rateRequest);
const resume = command('resume', 'Resume a run that is paused or interrupted', emptyRequest);
const note = command('note', 'Add a note to a run. The next decision uses it', noteRequest);
const pause = command('pause', 'Pause a run. Running calls finish', reasonRequest);
const approve = verdict(
  'approve',
  'Approve a waiting call or plan. A plan can be edited first',
  approveRequest,
);
const reject = verdict('reject', 'Reject a waiting call or plan. The model gets the reason', rejectRequest);

export const steeringRoutes: Routes = (app, { dandori, driving, metrics }) => {
  /** Wakes the run, so that it acts on what was just journaled. */
  const woken = (c: Context<Env>, run: string) => {
    driving.take(run);
    return c.json({ run }, 200);
  };

  app.openapi(answer, async (c) => {
    const { run } = c.req.valid('param');
    const { question, answer: value = null, ...how } = c.req.valid('json');
    await dandori.answer(run, question, value, { ...how, ...actingUser(c) });
    return woken(c, run);
  });

  app.openapi(cancel, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.cancel(run, c.req.valid('json').reason ?? 'cancelled by the user', actingUser(c));
    return woken(c, run);
  });

  app.openapi(budget, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.addBudget(run, { ...c.req.valid('json'), ...actingUser(c) });
    return woken(c, run);
  });

  app.openapi(rate, async (c) => {
    const { run } = c.req.valid('param');
    const given = c.req.valid('json');
    await dandori.rate(run, { ...given, ...actingUser(c) });
    metrics.rated(given.rating);
    return c.json({ run }, 200);
  });

  app.openapi(resume, async (c) => {
    const { run } = c.req.valid('param');
    if ((await dandori.report(run)).outcome === 'paused') await dandori.continue(run, actingUser(c));
    return woken(c, run);
  });

  app.openapi(note, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.tell(run, c.req.valid('json').text, actingUser(c));
    return woken(c, run);
  });

  app.openapi(pause, async (c) => {
    const { run } = c.req.valid('param');
    await dandori.pause(run, { ...c.req.valid('json'), ...actingUser(c) });
    return woken(c, run);
  });

  app.openapi(approve, async (c) => {
    const { run } = c.req.valid('param');
    const { question: asked, plan } = c.req.valid('json');
    const edited = plan === undefined ? {} : { tasks: parsePlan(plan, 'plan').tasks };
    const question = await dandori.approve(run, asked, { ...edited, ...actingUser(c) });
    driving.take(run);
    return c.json({ run, question }, 200);
  });

  app.openapi(reject, async (c) => {
    const { run } = c.req.valid('param');
    const { question: asked, reason } = c.req.valid('json');
    const question = await dandori.reject(run, asked, {
      ...(reason !== undefined && { reason }),
      ...actingUser(c),
    });
    driving.take(run);
    return c.json({ run, question }, 200);
  });
};

/** The user, for the journal. A server without access tokens does not know the user. */
export function actingUser(c: Context<Env>): { by?: string } {
  const { id } = c.get('user');
  return id === undefined ? {} : { by: id };
}

const list = createRoute({
  method: 'get',
  path: '/api/questions',
  summary:
    'The open questions of your runs, and those that name you as an answerer, of the newest 1,000 open runs each. Admins see all',
  responses: {
    200: jsonContent('Questions, those of the newest run first', questionListSchema, 'Questions'),
    ...problems,
  },
});

export const questionRoutes: Routes = (app, { dandori }) => {
  app.openapi(list, async (c) => {
    const mine: QuestionList = { questions: await questionsFor(c.get('user'), dandori) };
    return c.json(mine, 200);
  });
};

async function questionsFor(
  { id, role }: User,
  dandori: Pick<Runtime, 'questions'>,
): Promise<QuestionList['questions']> {
  if (role === 'admin') return dandori.questions();
  if (id === undefined) return [];
  const own = await dandori.questions(undefined, id);
  const isOwn = new Set(own.map(({ run }) => run));
  const others = (await dandori.questions()).filter(({ run }) => !isOwn.has(run));
  const named = others.filter(({ answerers }) => answerers?.includes(id) === true);
  return [...own, ...named].sort((a, b) => (a.run < b.run ? 1 : a.run > b.run ? -1 : 0));
}

const standing = createRoute({
  method: 'get',
  path: '/api/approvals',
  summary: 'The approvals that you gave for good',
  responses: { 200: jsonContent('Oldest first', approvalListSchema, 'Approvals'), ...problems },
});

const revoke = createRoute({
  method: 'delete',
  path: '/api/approvals/{approval}',
  summary: 'Revoke an approval; from then on you are asked again, in runs in progress too',
  request: { params: z.object({ approval: z.string().max(64) }) },
  responses: { 200: jsonContent('It is revoked', z.object({ approval: z.string() })), ...problems },
});

export const approvalRoutes: Routes = (app, { dandori }) => {
  app.openapi(standing, async (c) => {
    const mine: ApprovalList = { approvals: await dandori.approvals({ user: c.get('user').id }) };
    return c.json(mine, 200);
  });

  app.openapi(revoke, async (c) => {
    const { approval } = c.req.valid('param');
    await dandori.revokeApproval(approval, { user: c.get('user').id });
    return c.json({ approval }, 200);
  });
};
