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
  /** How to find out whether a call of it took effect that nobody knows about. */
  readonly probe?: Probe;
}

/** A look before anything is called again. */
export interface Probe {
  /** A read, by full name. */
  readonly tool: string;
  /** `{to}` stands for the argument `to` of the call in doubt, `{idempotency_key}` for its key. */
  readonly args: JsonObject;
  /** JMESPath on what the probe brings: true where the call took effect, false where it did not. */
  readonly settledWhen: string;
  /** JMESPath on the same, for the result of the call; without it the task has none. */
  readonly result?: string;
  /** Milliseconds before the look, as what was lost on its way may still arrive. */
  readonly wait: number;
}
