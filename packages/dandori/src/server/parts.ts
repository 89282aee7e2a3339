import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Dandori } from '../app/dandori.ts';
import type { Config } from '../config/config.ts';
import type { Owners, User, Users } from './access.ts';
import type { OpenConversations } from './conversations.ts';
import type { Driving } from './driving.ts';
import type { EventStreams } from './event-streams.ts';
import type { Metrics } from './metrics.ts';
import type { News, Standings } from './run-status.ts';

/** What the server is made of, for its routes. */
export interface ServerParts {
  readonly config: Config;
  readonly dandori: Dandori;
  readonly driving: Driving;
  readonly news: News;
  readonly conversations: OpenConversations;
  readonly standings: Standings;
  readonly runStreams: EventStreams;
  readonly conversationStreams: EventStreams;
  readonly metrics: Metrics;
  readonly ownRuns: Owners;
  readonly ownConversations: Owners;
  readonly users: Users;
}

export interface Env {
  Bindings: HttpBindings;
  Variables: { user: User };
}
export type App = OpenAPIHono<Env>;

/** Adds its routes. Who may call them, and whose run it is, has been seen to before they are reached. */
export type Routes = (app: App, parts: ServerParts) => void;
