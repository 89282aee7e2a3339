import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Runtime } from '../app/index.ts';
import type { Config } from '../config/index.ts';
import type { Language } from '../model/text.ts';
import type { Working } from '../store/index.ts';
import type { Workers } from '../workers/index.ts';
import type { Owners, User, Users } from './access.ts';
import type { OpenConversations } from './conversations.ts';
import type { EventStreams } from './event-streams.ts';
import type { LiveUpdates, RunStatusFeed } from './live-updates.ts';
import type { Metrics } from './metrics.ts';

/** The parts of the server that its routes use. */
export interface ServerParts {
  readonly config: Config;
  readonly dandori: Runtime;
  readonly driving: Working;
  /** The processes that drive for this server, if it has some. */
  readonly workers: Workers | undefined;
  readonly liveUpdates: LiveUpdates;
  readonly conversations: OpenConversations;
  readonly runStatus: RunStatusFeed;
  readonly runStreams: EventStreams;
  readonly conversationStreams: EventStreams;
  readonly metrics: Metrics;
  readonly ownRuns: Owners;
  readonly ownConversations: Owners;
  readonly users: Users;
}

export interface Env {
  Bindings: HttpBindings;
  /**
   * `isFromForm`: the body was a form, whose size and depth are checked. `language`: of the client or, if it does not
   * say, of the configuration.
   */
  Variables: { user: User; isFromForm?: boolean; language?: Language | undefined };
}
export type App = OpenAPIHono<Env>;

/** Adds routes. The guards have already checked the user and the owner of the run. */
export type Routes = (app: App, parts: ServerParts) => void;
