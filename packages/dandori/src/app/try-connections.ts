import type { Config } from '../config/index.ts';
import { messageOf } from '../model/error.ts';
import type { InspectedTool } from '../tools/index.ts';

/** The result of connecting to a server once. */
export interface CheckedServer {
  readonly name: string;
  /** Milliseconds until it had listed its tools, or until it was given up. */
  readonly ms: number;
  readonly tools: readonly InspectedTool[];
  /** Identifies what it says about them. */
  readonly descriptions?: string;
  /** Why it cannot be used. */
  readonly problem?: string;
  /** The user has to log in first. */
  readonly wantsLogin?: boolean;
}

/** Connects to each configured server once, at the same time, and lists its tools. */
export async function checkServers({
  mcpServers,
  effects,
  secrets,
}: Pick<Config, 'mcpServers' | 'effects' | 'secrets'>): Promise<readonly CheckedServer[]> {
  // The MCP client is slow to load.
  const { inspectServer, wantsLogin } = await import('../tools/mcp/inspect.ts');
  return Promise.all(
    Object.entries(mcpServers).map(async ([name, server]): Promise<CheckedServer> => {
      const since = performance.now();
      const ms = () => Math.round(performance.now() - since);
      try {
        const found = await inspectServer(server, { name, secrets, effects });
        return { name, ms: ms(), ...found };
      } catch (error) {
        const isLocked = wantsLogin(error, server);
        return {
          name,
          ms: ms(),
          tools: [],
          problem: messageOf(error),
          ...(isLocked && { wantsLogin: true }),
        };
      }
    }),
  );
}

type RemoteServer = Extract<Config['mcpServers'][string], { transport: 'http' }>;

export interface LoggingIn {
  /** Called with the address that the user has to open, and the code to enter there. */
  readonly open: (url: string, code?: string) => void;
  readonly device?: boolean;
  /** Milliseconds until the user must have logged in. */
  readonly timeout: number;
}

/** Logs the user in to a server by OAuth. Throws an `Error` that says why it cannot. */
export async function logIn(
  server: RemoteServer,
  { open, device = false, timeout }: LoggingIn,
): Promise<void> {
  const { logIn: start } = await import('../tools/mcp/login.ts');
  await start(server, { open, device, signal: AbortSignal.timeout(timeout) });
}

/** Forgets the tokens of a server. Returns whether there were some. */
export async function logOut({ url }: RemoteServer): Promise<boolean> {
  return (await import('../tools/mcp/oauth.ts')).forgetLogin(url);
}

type Model = NonNullable<Config['model']>;

export interface CheckedModel {
  /** `provider/name`. */
  readonly name: string;
  readonly ms: number;
  /** Why it cannot be used, and which setting fixes it. */
  readonly problem?: string;
}

/** One small call. */
export async function checkModel(
  model: Omit<Model, 'fallback'>,
  section?: 'model' | 'model.fallback',
): Promise<CheckedModel> {
  const { checkModel: call } = await import('../mind/language/models.ts');
  const since = performance.now();
  const failure = await call({ ...model, section });
  const ms = Math.round(performance.now() - since);
  const name = `${model.provider}/${model.name}`;
  return failure === undefined ? { name, ms } : { name, ms, problem: failure.message };
}

/** The models that this provider offers, or why the list can't be read. */
export async function listModels(
  model: Omit<Model, 'fallback'>,
): Promise<{ readonly models: readonly string[] } | { readonly problem: string }> {
  const { listModels: list } = await import('../mind/language/models.ts');
  try {
    return { models: await list(model) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
