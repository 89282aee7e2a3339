import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import { DandoriError } from '../../domain/error.ts';
import { SECURITY_HEADERS } from '../guard.ts';
import type { Routes } from '../parts.ts';
import { count, problems, runParams } from '../schemas.ts';

const stream = createRoute({
  method: 'get',
  path: '/api/runs/{run}/stream',
  summary:
    'The events of a run as they come (server-sent events). Events of the journal have an id and no name; task_progress, answer_text, action_written and driving are live and are not repeated',
  request: {
    params: runParams,
    headers: z.object({ 'last-event-id': count.min(0).optional() }),
    query: z.object({
      after: count.min(0).optional().openapi({ description: 'In place of Last-Event-ID' }),
      until: z.enum(['end']).optional().openapi({ description: 'Close when the run has ended' }),
    }),
  },
  responses: {
    200: { description: 'Events', content: { 'text/event-stream': { schema: z.string() } } },
    204: { description: 'With until=end: the run has ended and there is nothing more' },
    ...problems,
  },
});

export const streaming: Routes = (app, { dandori, driving, streams }) => {
  app.openapi(stream, async (c) => {
    const { run } = c.req.valid('param');
    const { after: asked, until } = c.req.valid('query');
    const after = c.req.valid('header')['last-event-id'] ?? asked ?? 0;
    const untilEnd = until === 'end';
    const last = await lastEvent(run, after);
    if (untilEnd && last.seq === after && (last.type === 'run_finished' || last.type === 'run_rated'))
      return c.body(null, 204);
    // Without a body there is nothing to follow.
    if (c.req.method === 'HEAD') return c.body(null, 200);
    const { outgoing: response } = c.env;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
    });
    // In place of many small packets.
    response.socket?.setNoDelay(true);
    void streams
      .join(run, { response, after, untilEnd, state: driving.stateOf(run) })
      .catch(() => response.destroy());
    return RESPONSE_ALREADY_SENT;
  });

  /** Of the run, or of the part behind `after`. One that is not there was not given by this journal. */
  async function lastEvent(run: string, after: number) {
    const last = (await dandori.events(run, Math.max(0, after - 1))).at(-1);
    if (last === undefined)
      throw new DandoriError('request-invalid', `The run ${run} has no event ${after}.`, {
        fix: 'Read it again from the beginning.',
      });
    return last;
  }
};
