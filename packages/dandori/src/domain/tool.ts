import type { Effect } from './effect.ts';
import type { JsonObject } from './json.ts';

/** A tool as the core sees it, wherever it comes from. */
export interface Tool {
  /** `server.tool` or `service.method`. */
  readonly name: string;
  /** The server or service that offers it. */
  readonly server: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
  /** False where what it returns may hold somebody else's words. */
  readonly trusted: boolean;
}
