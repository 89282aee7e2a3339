import type { Effect } from './effect.ts';
import type { JsonObject } from './json.ts';

/** A tool as the core sees it, wherever it comes from. */
export interface Tool extends Omit<ToolPolicy, 'effect'> {
  /** `server.tool` or `service.method`. */
  readonly name: string;
  /** The server or service that offers it. */
  readonly server: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
  /** The only tools that it may call itself, by full name. What they touch counts as touched by it. */
  readonly calls?: readonly string[];
  /** False where what it returns may hold somebody else's words. */
  readonly trusted: boolean;
}

/** What the configuration says about a tool, over what its server says. */
export interface ToolPolicy {
  readonly effect?: Effect;
  /** What a call touches, with arguments filled in: `path:{path}`. Without it, the whole server. */
  readonly resource?: string;
  /** True where its calls do not disturb each other, although they write. */
  readonly independent?: boolean;
  /** US dollars a call. */
  readonly cost?: number;
}
