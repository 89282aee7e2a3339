import * as z from 'zod';
import type { Json, JsonObject } from './json.ts';
import type { Work } from './work.ts';

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

/**
 * What a call does to the world, from harmless to irreversible. It decides what may overlap, what may be tried again
 * and what a person is asked about first.
 */
export const effect = z.enum(['read', 'idempotent', 'write', 'destructive']);
export type Effect = z.infer<typeof effect>;

/** Whether the first does more to the world than the second says. */
export function isWorse(one: Effect, other: Effect): boolean {
  return effect.options.indexOf(one) > effect.options.indexOf(other);
}

/** A repeated call of these does no harm: a read changes nothing, an idempotent call carries the same key. */
export function isRepeatable(of: Effect): boolean {
  return of === 'read' || of === 'idempotent';
}

/** One way in which a value does not fit a JSON Schema. */
export interface SchemaIssue {
  readonly path: (string | number)[];
  readonly keyword: string;
  readonly message: string;
  /** Whether it holds only on a branch that another value decides on. */
  readonly isConditional?: boolean;
  /** The property that is missing or not allowed, where the issue is about one. */
  readonly property?: string;
}

/**
 * Checks a value against a tool's JSON Schema. The core is given the checker, because the fast ones generate code,
 * which a page with a strict content policy may not do. Must not throw: a schema that is itself invalid accepts
 * everything, and is reported when its tool is discovered.
 */
export interface SchemaCheck {
  /**
   * `work` is what several checks may cost together. A check that takes too much is given up: its only issue has the keyword
   * `unchecked`.
   */
  (schema: JsonObject, value: Json, work?: Work): readonly SchemaIssue[];
  /** What is wrong with a schema itself; undefined for a usable one. */
  readonly problem?: (schema: JsonObject) => string | undefined;
}

/** What the checks of one plan may cost together: it has thousands of tasks, and a server may make each of them dear. */
const PLAN_WORK = 50_000_000;

/** The same check, whose work is counted over all that it is asked. */
export function withinOneLimit(check: SchemaCheck): SchemaCheck {
  const work = { left: PLAN_WORK };
  return Object.assign((schema: JsonObject, value: Json) => check(schema, value, work), {
    ...(check.problem && { problem: check.problem }),
  });
}

/**
 * The server of a tool: what its limit of calls at once is counted by. A server's name may hold dots, so one that has
 * a limit goes before the part up to the first dot, and a longer one before a shorter.
 */
export function laneOf(operation: string, limits: Readonly<Record<string, unknown>> = {}): string {
  const parts = operation.split('.');
  for (let length = parts.length - 1; length > 1; length--) {
    const server = parts.slice(0, length).join('.');
    if (Object.hasOwn(limits, server)) return server;
  }
  return parts[0] ?? operation;
}
