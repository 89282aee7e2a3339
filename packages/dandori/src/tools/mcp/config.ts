import { secretsIn, withForms } from '../../model/declared-secrets.ts';
import { redact } from '../../model/redact.ts';
import type { Effect } from '../../model/tool.ts';

/** How a server is reached and what is held of it. Variables in the texts are expanded already. */
export type McpServers = Readonly<Record<string, McpServerConfig>>;
export type McpServerConfig = StdioServerConfig | HttpServerConfig;

interface ServerConfig {
  /** Milliseconds until the server must have started and listed its tools. */
  readonly timeout?: number;
  /** By tool name; what the server says about its own tools is overruled. */
  readonly effects?: Readonly<Record<string, Effect>>;
  /** True where what its tools return holds nobody else's words. */
  readonly trusted?: boolean;
}

export interface StdioServerConfig extends ServerConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpServerConfig extends ServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isHttp(config: McpServerConfig): config is HttpServerConfig {
  return 'url' in config;
}

export type Redact = (text: string) => string;

/** What a server says on stderr or in an error may repeat what it was given; reasons and failures are journaled. */
export function createRedaction(config: McpServerConfig, more: readonly string[] = []): Redact {
  const secrets = [...withForms(secretsIn(config)), ...more];
  return (text) => redact(text, secrets);
}

/** Where a server is, without what may be secret about it. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return 'its url';
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
