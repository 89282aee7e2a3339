import type { Effect } from '../../model/tool.ts';
import { createRedaction, type McpServerConfig } from './config.ts';
import { ConnectFailure, connect } from './connection.ts';
import { isLoginNeeded } from './errors.ts';
import { type EffectSource, inferEffect, seenHash, toTools } from './tools.ts';

export interface InspectedTool {
  /** With the name of its server. */
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly from: EffectSource;
  /** For a tool without hints: what its name suggests. */
  readonly proposed?: Effect;
}

export interface Inspected {
  readonly tools: readonly InspectedTool[];
  /** Identifies what the server says about them. */
  readonly descriptions: string;
}

export interface InspectOptions {
  readonly name: string;
  readonly secrets: readonly string[];
  /** Effects that the configuration sets, by full name. */
  readonly effects?: Readonly<Record<string, { readonly effect?: Effect }>>;
  readonly signal?: AbortSignal;
}

/** Milliseconds. `npx` downloads a server first, which takes longer than a connection. */
const CONNECT_TIMEOUT = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Connects once, lists the tools and disconnects. Rejects with a `ConnectFailure` that says why it cannot. */
export async function inspectServer(
  config: McpServerConfig,
  { name, secrets, effects = {}, signal }: InspectOptions,
): Promise<Inspected> {
  const connection = await connect(config, {
    timeout: config.timeoutMs ?? CONNECT_TIMEOUT,
    maxResultBytes: MAX_BYTES,
    onListChanged: () => {},
    redact: createRedaction(config, secrets),
    onElicitation: async () => ({ action: 'decline' }),
    signal: signal ?? new AbortController().signal,
  });
  try {
    const tools = connection.tools.map((listed): InspectedTool => {
      const { effect, from } = inferEffect(listed);
      const full = `${name}.${listed.name}`;
      const proposed =
        from === 'none' && effects[full]?.effect === undefined ? proposedEffect(listed.name) : undefined;
      return {
        name: full,
        description: listed.description ?? listed.title ?? '',
        effect: effects[full]?.effect ?? effect,
        from,
        ...(proposed !== undefined && { proposed }),
      };
    });
    const told = toTools(connection.tools, { server: name, config, secrets }, []);
    return { tools, descriptions: seenHash(told) };
  } finally {
    await connection.close().catch(() => {});
  }
}

/** Whether a server refused the connection because the user is not logged in. */
export function wantsLogin(error: unknown, config: McpServerConfig): boolean {
  return error instanceof ConnectFailure && isLoginNeeded(error.cause, config);
}

const READS =
  /^(get|list|read|search|find|fetch|query|show|describe|count|check|lookup|look|view|explain|preview|stat|status|head|tail|grep|glob|info|inspect|validate|calculate|compute|convert|echo|ping)$/;
/** Such a word anywhere makes a read doubtful: `write_query`, `find_and_replace`. */
const CHANGES =
  /^(write|create|update|set|add|insert|put|post|send|execute|exec|run|edit|move|rename|save|upload|download|apply|merge|push|replace|resolve|close|open|start|stop|submit|publish|import|upsert|patch|modify|mark|assign|book|order|pay|toggle|click|type|fill|press)$/;
const DESTROYS =
  /^(delete|remove|drop|destroy|purge|truncate|wipe|erase|kill|terminate|revoke|uninstall|reset|clear|unpublish)$/;

/** A name such as `list_issues`, `getUser` or `issue.delete`. A destructive word anywhere counts more. */
export function proposedEffect(name: string): Effect | undefined {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words.some((word) => DESTROYS.test(word))) return 'destructive';
  if (words.some((word) => CHANGES.test(word))) return undefined;
  return READS.test(words[0] ?? '') || READS.test(words.at(-1) ?? '') ? 'read' : undefined;
}
