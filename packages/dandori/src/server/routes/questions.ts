import { createRoute, z } from '@hono/zod-openapi';
import type { RunQuestion } from '../../engine/open-questions.ts';
import { described } from '../described.ts';
import type { Routes } from '../parts.ts';
import { json, problems } from '../schemas.ts';
import { runQuestionShape } from '../shapes.ts';

const list = createRoute({
  method: 'get',
  path: '/api/questions',
  summary: 'The open questions of your runs and those that name you as one who may answer; for admins all',
  responses: {
    200: json(
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
