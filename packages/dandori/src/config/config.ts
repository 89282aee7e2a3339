import type { JsonObject } from '../model/json.ts';
import type { ApprovalPolicy, Provider, Settings } from '../model/settings.ts';
import type { ToolPolicy } from '../model/tool.ts';
import type { DIALECTS, REASONING_EFFORTS } from './file-shape.ts';
import type { ServerConfig, ShippedServer } from './servers.ts';
import type { TelemetryConfig } from './telemetry-shape.ts';

/**
 * The resolved configuration of a process: paths are absolute, times in milliseconds, variables filled in.
 */
export interface Config {
  /** The absolute path of its file; undefined if there is none and everything is a default. */
  readonly file: string | undefined;
  /** The folder that relative paths in the file start from. */
  readonly folder: string;
  /** Undefined for the built-in planner. */
  readonly model: (ModelConfig & { readonly fallback: ModelConfig | undefined }) | undefined;
  readonly settings: Settings;
  readonly planning: PlanningConfig;
  /** The text itself, even if the configuration names a file. */
  readonly instructions: string | undefined;
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Names of servers that are configured but disabled. */
  readonly disabledServers: readonly string[];
  readonly effects: Readonly<Record<string, ToolPolicy>>;
  /** Absolute paths of module files. */
  readonly services: readonly string[];
  /** The absolute path of the folder that stores runs. */
  readonly directory: string;
  /** The database that stores runs instead. */
  readonly store: StoreConfig | undefined;
  /** Undefined if there is no memory. `folder` is absolute. */
  readonly memory: { readonly folder: string; readonly tokens: number } | undefined;
  readonly userId: string | undefined;
  readonly language: 'en' | 'ja' | undefined;
  /** The API that returns settings for each user. */
  readonly userConfigApi: UserConfigApi | undefined;
  readonly server: ServerConfig;
  /** Undefined if no traces are sent. */
  readonly telemetry: TelemetryConfig | undefined;
  /** Values that must never be written to a journal or a log, longest first. */
  readonly secrets: readonly string[];
}

interface StoreConfig {
  readonly type: 'postgres';
  readonly url: string;
  readonly schema: string;
  /** Milliseconds that a driver may be silent before another may take its runs. */
  readonly lease: number;
  /** What brings due runs to workers. */
  readonly dispatcher: 'built-in' | 'pg-boss' | 'restate';
  readonly restate: {
    readonly ingress: string;
    readonly admin: string;
    readonly listen: string;
    readonly address?: string | undefined;
    readonly key?: string | undefined;
  };
}

export interface ModelConfig {
  readonly provider: Provider;
  readonly name: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly reasoningEffort: (typeof REASONING_EFFORTS)[number] | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Milliseconds for one call. */
  readonly timeoutMs: number;
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
  readonly timeoutMs: number;
  /** Milliseconds for which an answer is cached. */
  readonly cache: number;
  /** The sections of the file that a user's configuration may override, as written. */
  readonly over: Readonly<Record<string, unknown>>;
}

/** The rest of the section is in `settings`. */
interface PlanningConfig {
  readonly history: {
    readonly storageType: 'jsonl' | 'memory';
    /** Whether the file names the folder. The planning history is then written there too. */
    readonly isFolderNamed: boolean;
  };
}

interface AnyServer {
  /** False if its results may contain words of other people. */
  readonly trusted: boolean;
  /** The hash of its tools as the user saw them, or `external` if they never count as seen. */
  readonly descriptions: string | undefined;
  /** Milliseconds until it must have started and listed its tools. */
  readonly timeoutMs: number | undefined;
  /** The limit of concurrent calls, if it is lower than the limit for all servers together. */
  readonly concurrency: number | undefined;
  /** Which of its calls a person must approve, if it differs from the general setting. */
  readonly approval: ApprovalPolicy | undefined;
}

export type McpServerConfig = AnyServer &
  (
    | {
        readonly transport: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        /** Added to the variables that the process inherits. */
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string;
        readonly shipped: ShippedServer | undefined;
        /** Its data is the same on every machine. */
        readonly shared?: boolean;
        /** The tools of a shipped server, as it would list them. It then starts with its first call. */
        readonly listed?: readonly JsonObject[] | undefined;
        /** The same name as `shipped`, if short calls need no process of the server. */
        readonly inProcess?: ShippedServer | undefined;
      }
    | {
        readonly transport: 'http';
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** It only speaks HTTP with SSE, the transport of 2024. */
        readonly isLegacy?: boolean;
      }
  );
