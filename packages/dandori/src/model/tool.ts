import * as z from 'zod';
import { type Json, type JsonObject, jsonObject } from './json.ts';
import type { Work } from './work-budget.ts';

/**
 * What a call does to the world, from harmless to irreversible. The effect decides which calls may overlap,
 * which may be retried, and which need an approval.
 */
export const effect = z.enum(['read', 'idempotent', 'write', 'destructive']);
export type Effect = z.infer<typeof effect>;

/** A read that finds out whether a call in doubt took effect. */
const probe = z.object({
  /** A read, by full name. */
  tool: z.string(),
  /** `{to}` stands for the argument `to` of the call in doubt, `{idempotency_key}` for its key. */
  args: jsonObject,
  /** JMESPath on the result of the probe: true if the call took effect, false if it did not. */
  settledWhen: z.string(),
  /** JMESPath on the same result, for the result of the call. Without it the task has no result. */
  result: z.string().optional(),
  /** Milliseconds to wait before the probe, because a lost request may still arrive. */
  wait: z.number().describe('Milliseconds'),
});
export type Probe = Readonly<z.infer<typeof probe>>;

/** What the configuration says about a tool. It overrides what the server says. */
const toolPolicy = z.object({
  effect: effect.optional(),
  /** The resource that a call uses, with arguments filled in: `path:{path}`. Without it, the whole server. */
  resource: z.string().optional(),
  /** True if its calls do not affect each other, although they write. */
  independent: z.boolean().optional(),
  cost: z.number().optional().describe('US dollars per call'),
  trusted: z.boolean().optional(),
  preview: z.boolean().optional().describe('Whether it can say, without any effect, what a call would do'),
  probe: probe.optional(),
});
export type ToolPolicy = Readonly<z.infer<typeof toolPolicy>>;

/** A tool of an MCP server or a service. */
export const toolSchema = toolPolicy.extend({
  /** `server.tool` or `service.method`. */
  name: z.string(),
  /** The server or service that offers it. */
  server: z.string(),
  title: z.string().optional(),
  description: z.string(),
  /** The user has not seen what the server now says about its tools. */
  unseen: z.literal(true).optional(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  effect,
  calls: z
    .array(z.string())
    .readonly()
    .optional()
    .describe(
      'The only tools that it may call itself. For ordering, it counts as using their resources too.',
    ),
  trusted: z.boolean().describe('False if its results may hold external content'),
  trustMissing: z
    .literal(true)
    .optional()
    .describe('Its program does not say whether it is trusted, so it is not'),
  openWorld: z
    .boolean()
    .optional()
    .describe('Whether a read contacts external systems, if the server says so (`openWorldHint`)'),
});
export type Tool = Readonly<z.infer<typeof toolSchema>>;

/** A configured server whose tools are not available, and why. */
export const missingServerSchema = z.object({ server: z.string(), reason: z.string() });
export type MissingServer = Readonly<z.infer<typeof missingServerSchema>>;

/** Whether the first effect does more to the world than the second. */
export function isWorse(one: Effect, other: Effect): boolean {
  return effect.options.indexOf(one) > effect.options.indexOf(other);
}

/** Repeating such a call is harmless: a read changes nothing, and an idempotent call has the same key. */
export function isRepeatable(of: Effect): boolean {
  return of === 'read' || of === 'idempotent';
}

/** One way in which a value does not fit a JSON Schema. */
export interface SchemaIssue {
  readonly path: (string | number)[];
  readonly keyword: string;
  readonly message: string;
  /** Whether the issue applies only on a branch that another value selects. */
  readonly isConditional?: boolean;
  /** The property that is missing or not allowed, if the issue is about one. */
  readonly property?: string;
}

/** `rows.0.amount must be a number`; without a place if the issue is about the whole value. */
export function issueText({ path, message }: Pick<SchemaIssue, 'path' | 'message'>): string {
  return path.length === 0 ? message : `${path.join('.')} ${message}`;
}

/**
 * Checks a value against a tool's JSON Schema. The checker is passed to the core, because fast checkers
 * generate code, which a page with a strict content policy forbids. Must not throw: an invalid schema accepts
 * everything, and is reported when its tool is discovered.
 */
export interface SchemaCheck {
  /** `work`: a budget that checks share. If it runs out, the only issue has the keyword `unchecked`. */
  (schema: JsonObject, value: Json, work?: Work): readonly SchemaIssue[];
  /** What is wrong with the schema itself; undefined if it is usable. */
  readonly problem?: (schema: JsonObject) => string | undefined;
}

/** The budget for all checks of one plan: it may have thousands of tasks, each with a costly schema. */
const PLAN_WORK = 30_000_000;

/** The same check, with one budget for all its calls. */
export function withinOneLimit(check: SchemaCheck): SchemaCheck {
  const work = { left: PLAN_WORK };
  return Object.assign((schema: JsonObject, value: Json) => check(schema, value, work), {
    ...(check.problem && { problem: check.problem }),
  });
}

/**
 * The server of a tool, whose limit of concurrent calls applies. A server's name may contain dots. So a
 * server with a limit wins over the part up to the first dot, and a longer name wins over a shorter one.
 */
export function laneOf(operation: string, limits?: Readonly<Record<string, unknown>>): string {
  const dot = operation.indexOf('.');
  if (limits === undefined || dot === operation.lastIndexOf('.'))
    return dot === -1 ? operation : operation.slice(0, dot);
  const parts = operation.split('.');
  for (let length = parts.length - 1; length > 1; length--) {
    const server = parts.slice(0, length).join('.');
    if (Object.hasOwn(limits, server)) return server;
  }
  return parts[0] ?? operation;
}

/** The servers whose words about their tools the user has not seen. */
export function unseenServers(tools: ReadonlyMap<string, Tool>): string[] {
  const servers = tools.values().flatMap(({ unseen, server }) => (unseen === true ? [server] : []));
  return [...new Set(servers)];
}
