import type { ApprovalPolicy, Settings, Strategy } from '../model/settings.ts';
import type { ToolPolicy } from '../model/tool.ts';
import type { DIALECTS, PROVIDERS } from './file-shape.ts';
import type { ServerConfig, ShippedServer } from './servers.ts';
import type { TelemetryConfig } from './telemetry-shape.ts';

/** Everything that a process is set up with, resolved: absolute paths, milliseconds, environment variables filled in. */
export interface Config {
  /** The file that it came from, absolute; undefined where there is none and everything is a default. */
  readonly file: string | undefined;
  /** What relative paths in it are relative to. */
  readonly folder: string;
  /** Undefined: the built-in planner. */
  readonly model: (ModelConfig & { readonly fallback: ModelConfig | undefined }) | undefined;
  readonly settings: Settings;
  readonly planning: PlanningConfig;
  /** The text itself, also where the file names a file. */
  readonly instructions: string | undefined;
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Names of servers that are written down and switched off. */
  readonly disabledServers: readonly string[];
  readonly effects: Readonly<Record<string, ToolPolicy>>;
  /** Module files, absolute. */
  readonly services: readonly string[];
  /** Where runs are kept, absolute. */
  readonly directory: string;
  readonly userId: string | undefined;
  readonly language: 'en' | 'ja' | undefined;
  /** Where settings of a user's own come from. */
  readonly userConfigApi: UserConfigApi | undefined;
  readonly server: ServerConfig;
  /** Undefined: nobody is told of anything. */
  readonly telemetry: TelemetryConfig | undefined;
  /** What must never be written to a journal or a log, longest first. */
  readonly secrets: readonly string[];
}

export type Provider = (typeof PROVIDERS)[number];

export interface ModelConfig {
  readonly provider: Provider;
  readonly name: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Milliseconds for one call. */
  readonly timeout: number;
  readonly dialect: (typeof DIALECTS)[number];
  readonly supportsStructuredOutputs: boolean | undefined;
  /** US$ per million tokens. */
  readonly price:
    | { readonly input: number; readonly output: number; readonly cachedInput: number | undefined }
    | undefined;
}

export interface UserConfigApi {
  /** May hold `{user_id}`; otherwise `?user_id=` is added. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until it must have answered. */
  readonly timeout: number;
  /** Milliseconds for which an answer holds. */
  readonly cache: number;
  /** The sections of the file that a user's configuration is laid over, as they are written. */
  readonly over: Readonly<Record<string, unknown>>;
}

interface PlanningConfig {
  readonly enabled: boolean;
  readonly strategy: Strategy;
  readonly maxSubtasks: number;
  readonly decompositionLevel: 'coarse' | 'moderate' | 'fine';
  readonly reflection: {
    readonly enabled: boolean;
    readonly triggerOnError: boolean;
    readonly triggerInterval: number;
  };
  readonly revision: { readonly maxRevisions: number };
  readonly history: { readonly storageType: 'jsonl' | 'memory' };
}

interface AnyServer {
  /** False where what it returns may hold somebody else's words. */
  readonly trusted: boolean;
  /** Milliseconds until it must have started and listed its tools. */
  readonly timeout: number | undefined;
  /** Calls at once, where it is fewer than for all servers together. */
  readonly concurrency: number | undefined;
  /** Which of its calls a person must approve, where it is not as for all. */
  readonly approval: ApprovalPolicy | undefined;
}

export type McpServerConfig = AnyServer &
  (
    | {
        readonly transport: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        /** In addition to what the process inherits. */
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string;
        readonly shipped: ShippedServer | undefined;
      }
    | { readonly transport: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  );
