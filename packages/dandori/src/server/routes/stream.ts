import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Conversation } from '../../conversation/index.ts';
import { DandoriError } from '../../model/error.ts';
import { isAtEnd } from '../../model/event-kinds.ts';
import type { Entry } from '../../store/index.ts';
import { createStreamPlaces } from '../event-streams.ts';
import { SECURITY_HEADERS } from '../guard.ts';
import { drivingNow } from '../live-updates.ts';
import type { Env, Routes } from '../parts.ts';
import { conversationParams, problems, runParams } from '../schemas.ts';

const seq = z.coerce.number().int().min(0).optional();
const lastEventId = z.object({ 'last-event-id': seq });
const after = seq.openapi({ description: 'Instead of Last-Event-ID' });
const events = { description: 'Events', content: { 'text/event-stream': { schema: z.string() } } };

const ofRun = createRoute({
  method: 'get',
  path: '/api/runs/{run}/stream',
  summary:
    'The events of a run as server-sent events. Journaled events have an id and no name. task_progress, answer_text, action_written and driving are live and are not repeated. A client that connects while an answer is being written gets answer_so_far',
  request: {
    params: runParams,
    headers: lastEventId,
    query: z.object({
      after,
      until: z.enum(['end']).optional().openapi({ description: 'Close when the run has ended' }),
    }),
  },
  responses: {
    200: events,
    204: { description: 'With until=end: the run has ended and there is nothing more' },
    ...problems,
  },
});

const ofConversation = createRoute({
  method: 'get',
  path: '/api/conversations/{conversation}/stream',
  summary:
    'The events of a conversation as server-sent events. Messages have an id and no name. run (the status of a run), answer_text, task_progress, action_written and driving are live and are not repeated. A client that connects while an answer is being written gets answer_so_far',
  request: { params: conversationParams, headers: lastEventId, query: z.object({ after }) },
  responses: { 200: events, ...problems },
});

export const streamRoutes: Routes = (app, parts) => {
  const { dandori, driving, liveUpdates, runStreams, conversations, conversationStreams, runStatus, config } =
    parts;
  const places = createStreamPlaces(config.server.maxStreams);

  app.openapi(ofRun, async (c) => {
    const { run } = c.req.valid('param');
    const { after: asked, until } = c.req.valid('query');
    const from = c.req.valid('header')['last-event-id'] ?? asked ?? 0;
    const untilEnd = until === 'end';
    const last = lastOf(await dandori.events(run, Math.max(0, from - 1)), from);
    if (untilEnd && last.seq === from && isAtEnd(last)) return c.body(null, 204);
    const elsewhere = await drivingNow(run, parts);
    const snapshot = () => [
      [
        'driving',
        { run, state: driving.stateOf(run) === 'idle' ? elsewhere : driving.stateOf(run) },
      ] as const,
      ...liveUpdates.soFar(run),
    ];
    return follow(c, (response) => runStreams.join(run, { response, after: from, untilEnd, snapshot }));
  });

  app.openapi(ofConversation, async (c) => {
    const { conversation } = c.req.valid('param');
    const from = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after ?? 0;
    lastOf(await dandori.conversationEvents(conversation, Math.max(0, from - 1)), from);
    // The conversation stays open while the client follows it.
    return follow(c, (response) =>
      conversations.use(conversation, (it) => {
        const snapshot = () => openRuns(it);
        return conversationStreams.join(conversation, { response, after: from, untilEnd: false, snapshot });
      }),
    );
  });

  function follow(c: Context<Env>, join: (response: ServerResponse) => Promise<void>): Response {
    // A HEAD response has no body to stream.
    if (c.req.method === 'HEAD') return c.body(null, 200);
    const { outgoing: response } = c.env;
    places.take(c.get('user').id, response);
    begin(response);
    void join(response).catch(() => response.destroy());
    return RESPONSE_ALREADY_SENT;
  }

  function openRuns(conversation: Conversation) {
    const open = runStatus.of(conversation).filter(({ standing }) => standing !== 'ended');
    return open.flatMap((run) => [['run', run] as const, ...liveUpdates.soFar(run.run)]);
  }
};

function begin(response: ServerResponse): void {
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
  });
  // Send each event at once, instead of waiting to fill a packet.
  response.socket?.setNoDelay(true);
}

/** The last event, of all or of those after `after`. If there is none, this journal never issued that id. */
function lastOf<E extends Entry>(found: readonly E[], after: number): E {
  const last = found.at(-1);
  if (last !== undefined) return last;
  throw new DandoriError('request-invalid', `There is no event ${after} in it.`, {
    fix: 'Read it again from the beginning.',
  });
}
