import type { JsonObject } from '../../model/json.ts';
import { redact } from '../../model/redact.ts';
import type { Effect } from '../../model/tool.ts';
import { secretsIn, withForms } from '../../secrets/index.ts';
import { tokensSeen } from './oauth.ts';

/** How to reach the servers, and what to assume about them. Variables in the texts are already expanded. */
export type McpServers = Readonly<Record<string, McpServerConfig>>;
export type McpServerConfig = StdioServerConfig | HttpServerConfig;

interface ServerConfig {
  /** Milliseconds until the server must have started and listed its tools. */
  readonly timeoutMs?: number;
  /** By tool name. Overrides what the server says about its own tools. */
  readonly effects?: Readonly<Record<string, Effect>>;
  /** True if its results never contain words of other people. */
  readonly trusted?: boolean;
  /** The hash of its tools as the user saw them, or `external` if they never count as seen. */
  readonly descriptions?: string | undefined;
}

export interface StdioServerConfig extends ServerConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The tools as the server would list them, if they are known. It then starts with its first call. */
  readonly listed?: readonly JsonObject[] | undefined;
  /** The shipped server whose short calls we answer ourselves. Only with `listed`. */
  readonly inProcess?: string | undefined;
}

export interface HttpServerConfig extends ServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It only speaks HTTP with SSE, the transport of 2024. */
  readonly isLegacy?: boolean;
}

export function isHttp(config: McpServerConfig): config is HttpServerConfig {
  return 'url' in config;
}

export type Redact = (text: string) => string;

/** A server may repeat its secrets on stderr or in an error, and reasons and failures are journaled. */
export function createRedaction(config: McpServerConfig, more: readonly string[] = []): Redact {
  const secrets = [...withForms(secretsIn(config)), ...more];
  return (text) => redact(text, [...secrets, ...tokensSeen()]);
}

/** The address of a server without its secret parts. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return 'its url';
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
