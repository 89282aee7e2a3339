import { createRoute } from '@hono/zod-openapi';
import type { Conversation, Written } from '../../conversation/index.ts';
import type { ConversationSummary } from '../../store/index.ts';
import {
  beginRequest,
  conversationFilters,
  conversationNowSchema,
  conversationPageSchema,
  conversationRange,
  messagePageSchema,
  messageRange,
  startedConversationSchema,
} from '../api.ts';
import { refuseOtherModel } from '../conversations.ts';
import type { Routes } from '../parts.ts';
import { refuseStopping } from '../problem.ts';
import {
  acceptedLanguage,
  conversationParams,
  filesIn,
  idempotency,
  jsonBody,
  jsonContent,
  pageOf,
  problems,
} from '../schemas.ts';

const list = createRoute({
  method: 'get',
  path: '/api/conversations',
  summary: 'Your conversations, newest first. Admins see all',
  request: { query: conversationFilters },
  responses: { 200: jsonContent('A page of conversations', conversationPageSchema), ...problems },
});

const begin = createRoute({
  method: 'post',
  path: '/api/conversations',
  summary:
    'Start a conversation with its first message. Requests with the same Idempotency-Key start one conversation',
  request: { headers: idempotency, body: jsonBody(beginRequest) },
  responses: {
    201: jsonContent(
      'The message is stored. Its run starts as soon as the server has capacity',
      startedConversationSchema,
    ),
    ...problems,
  },
});

const get = createRoute({
  method: 'get',
  path: '/api/conversations/{conversation}',
  summary: 'A conversation: its last messages, messages not yet acknowledged, and its runs with their status',
  request: { params: conversationParams, query: conversationRange },
  responses: { 200: jsonContent('The conversation', conversationNowSchema, 'Conversation'), ...problems },
});

const earlier = createRoute({
  method: 'get',
  path: '/api/conversations/{conversation}/messages',
  summary: 'The messages before a given one, or the last messages',
  request: { params: conversationParams, query: messageRange },
  responses: { 200: jsonContent('Messages in order', messagePageSchema, 'Messages'), ...problems },
});

export const conversationRoutes: Routes = (app, { dandori, conversations, runStatus, driving, config }) => {
  app.openapi(list, async (c) => {
    const { limit, before, user: wanted } = c.req.valid('query');
    const { id, role } = c.get('user');
    const { items, ...next } = await pageOf<ConversationSummary>({
      limit,
      before,
      list: dandori.conversations,
      idOf: ({ conversation }) => conversation,
      isWanted: ({ userId }) =>
        (role === 'admin' || (id !== undefined && userId === id)) &&
        (wanted === undefined || userId === wanted),
    });
    return c.json({ conversations: items, ...next }, 200);
  });

  app.openapi(begin, async (c) => {
    refuseStopping(driving);
    const user = c.get('user');
    const { text, model, attachments } = c.req.valid('json');
    const key = c.req.valid('header')['idempotency-key'];
    if (model !== undefined) refuseOtherModel(model, user, config);
    const begun = await conversations.useNew({ userId: user.id ?? config.userId, key }, async (it) => {
      if (model !== undefined && it.state === undefined) await it.useModel(model);
      const language = acceptedLanguage(c.req.header('accept-language'));
      const said = await it.say(text, {
        attachments: filesIn(attachments),
        waits: false,
        language,
        ...(key !== undefined && { key }),
      });
      return { conversation: it.id, run: 'run' in said ? said.run : '' };
    });
    return c.json(begun, 201, { Location: `/api/conversations/${begun.conversation}` });
  });

  app.openapi(get, async (c) => {
    const { messages } = c.req.valid('query');
    const now = await conversations.use(c.req.valid('param').conversation, async (it) => ({
      ...headOf(it),
      ...pageBefore(it.messages(), undefined, messages),
      undelivered: it.undelivered(),
      runs: runStatus.of(it),
      plans: [...it.plans()],
    }));
    return c.json(now, 200);
  });

  app.openapi(earlier, async (c) => {
    const { before, limit } = c.req.valid('query');
    const page = await conversations.use(c.req.valid('param').conversation, async (it) =>
      pageBefore(it.messages(), before, limit),
    );
    return c.json(page, 200);
  });
};

function headOf({ id, state, model }: Conversation) {
  const { title = '', language, userId, startedAt = 0, lastAt = 0, seq = 0 } = state ?? {};
  return {
    conversation: id,
    title,
    ...(language !== undefined && { language }),
    ...(userId !== undefined && { userId }),
    startedAt,
    lastAt,
    seq,
    model,
  };
}

function pageBefore(
  all: readonly Written[],
  before: string | undefined,
  limit: number,
): { messages: Written[]; earlier?: string } {
  const found = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
  const end = Math.max(0, found);
  const start = Math.max(0, end - limit);
  const first = all[start];
  return {
    messages: all.slice(start, end),
    ...(start > 0 && first !== undefined && { earlier: first.id }),
  };
}
