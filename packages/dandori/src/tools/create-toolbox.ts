import { DandoriError } from '../model/error.ts';
import type { JsonObject } from '../model/json.ts';
import type { SchemaCheck, Tool, ToolPolicy } from '../model/tool.ts';
import { OWN_OPERATIONS } from '../run/actions/own-operations.ts';
import { isWayOut } from '../run/trust/aim.ts';
import { callMethod } from './call-method.ts';
import type { McpServers } from './mcp/config.ts';
import type { McpServer } from './mcp/server.ts';
import { checkCalls, type Service, type ServiceMethod } from './service.ts';
import { type Call, type CallOutcome, clipped, failed, type Toolbox } from './toolbox.ts';

export interface ToolboxOptions {
  readonly mcpServers?: McpServers;
  readonly services?: readonly Service[];
  /** By full name (`server.tool`). Overrides what servers and services say about their tools. */
  readonly effects?: Readonly<Record<string, ToolPolicy>>;
  /** If it can tell what is wrong with a schema itself, the toolbox logs that when it finds a tool. */
  readonly schemaCheck: SchemaCheck & { readonly problem?: (schema: JsonObject) => string | undefined };
  /** Never shown in a reason or a failure. The same is true for each server's own environment and headers. */
  readonly secrets?: readonly string[];
  /** The maximum size of one message from a server. */
  readonly maxResultBytes?: number;
  /** Called when the tools or the missing servers change. */
  readonly onChange?: () => void;
  readonly log?: (message: string) => void;
}

const MAX_RESULT_BYTES = 64 * 1024 * 1024;
/** Without this limit, services that call each other endlessly would crash the process. */
const MAX_DEPTH = 16;

/** All tools of all servers and services. Resolves when each server is connected or known to be missing. */
export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { mcpServers = {}, services = [], effects = {} } = options;
  checkNames(mcpServers, services);
  const methods = new Map(
    services.flatMap((service) => service.methods).map((method) => [method.tool.name, method]),
  );
  const servers: McpServer[] = [];
  let tools: ReadonlyMap<string, Tool> | undefined;
  let open = false;

  const changed = () => {
    tools = undefined;
    try {
      if (open) options.onChange?.();
    } catch (error) {
      // A failing listener must not stop a server.
      options.log?.(`onChange failed: ${error}`);
    }
  };

  const allTools = () => {
    tools ??= collect(methods, servers, effects);
    return tools;
  };

  const dispatch = (call: Call, depth: number): CallOutcome | Promise<CallOutcome> => {
    if (depth > MAX_DEPTH)
      return failed('tool_error', `services call each other more than ${MAX_DEPTH} deep`);
    // Without this, a tool that does not know previews would make the call.
    if (call.preview !== undefined && allTools().get(call.operation)?.preview !== true)
      return failed('not_possible', `${call.operation} has no preview`);
    const method = methods.get(call.operation);
    if (method !== undefined)
      return callMethod(method, call, {
        tools: allTools,
        dispatch: async (inner) => dispatch(inner, depth + 1),
      });
    const server = ownerOf(call.operation, servers);
    return server?.call(call) ?? failed('unavailable', `there is no tool ${call.operation}`);
  };

  servers.push(...(await startServers(mcpServers, options, changed)));
  try {
    checkCalls(allTools());
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
  open = true;
  const stopAtExit = killAtExit(servers);

  return {
    tools: allTools,
    missing: () =>
      servers.flatMap((server) => {
        const reason = server.missing();
        return reason === undefined ? [] : [{ server: server.name, reason }];
      }),
    call(call) {
      const outcome = dispatch(call, 0);
      return outcome instanceof Promise ? outcome.then(clipped) : Promise.resolve(clipped(outcome));
    },
    async close() {
      open = false;
      stopAtExit();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function checkNames(mcpServers: McpServers, services: readonly Service[]): void {
  const seen = new Set(Object.keys(mcpServers));
  for (const { name } of services) {
    if (seen.has(name)) {
      const fix = 'Give one of them another name: it is the first part of the names of its tools.';
      throw new DandoriError('service-invalid', `There are two servers or services named "${name}".`, {
        fix,
      });
    }
    seen.add(name);
  }
  for (const { tool } of services.flatMap(({ methods }) => methods)) {
    // The engine performs such an action itself, so that the tool would never be called.
    if (!OWN_OPERATIONS.has(tool.name)) continue;
    throw new DandoriError(
      'service-invalid',
      `A tool cannot be named "${tool.name}": Dandori has an operation of this name.`,
      {
        fix: 'Give it another name, such as a verb and its object: write_report.',
      },
    );
  }
}

async function startServers(
  mcpServers: McpServers,
  options: ToolboxOptions,
  changed: () => void,
): Promise<McpServer[]> {
  const {
    schemaCheck: { problem },
    log,
  } = options;
  return Promise.all(
    Object.entries(mcpServers).map(async ([name, config]) => {
      const about = {
        name,
        config,
        secrets: options.secrets ?? [],
        check: options.schemaCheck,
        maxResultBytes: options.maxResultBytes ?? MAX_RESULT_BYTES,
        onChange: changed,
        onFound: (tools: readonly Tool[]) => problem && log && reportSchemas(tools, { problem, log }),
        log: log ?? (() => {}),
      };
      // The MCP client is slower to load than everything else. A process without servers does not load it.
      if (!('listed' in config) || config.listed === undefined)
        return (await import('./mcp/server.ts')).startServer(about);
      const { createSleepingServer } = await import('./mcp/sleeping-server.ts');
      return createSleepingServer(about, config.listed);
    }),
  );
}

/** Tool and server names may both contain dots, so the longest matching server name wins. */
function ownerOf(operation: string, servers: readonly McpServer[]): McpServer | undefined {
  return servers
    .filter(({ name }) => operation.startsWith(`${name}.`))
    .reduce<McpServer | undefined>(
      (best, one) => (best === undefined || one.name.length > best.name.length ? one : best),
      undefined,
    );
}

function collect(
  methods: ReadonlyMap<string, ServiceMethod>,
  servers: readonly McpServer[],
  policies: Readonly<Record<string, ToolPolicy>>,
): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  const add = (tool: Tool) => {
    const policy = policies[tool.name];
    // A tool without a policy stays the same object, because its compiled schemas are cached by object.
    tools.set(tool.name, policy === undefined ? tool : withPolicy(tool, policy));
  };
  for (const { tool } of methods.values()) add(tool);
  // `a.b.c` can be a tool of the server `a` and of `a.b`. What is said about it must come from the one that is called.
  for (const server of servers)
    for (const tool of server.tools())
      if (!methods.has(tool.name) && ownerOf(tool.name, servers) === server) add(tool);
  for (const name of methods.keys()) {
    const tool = tools.get(name);
    if (tool === undefined) continue;
    if (tool.openWorld === undefined && reachesOut(name, tools))
      tools.set(name, { ...tool, openWorld: true });
  }
  return tools;
}

/** Whether a method can carry data out by a read that it calls. */
function reachesOut(method: string, tools: ReadonlyMap<string, Tool>): boolean {
  const seen = new Set([method]);
  // A set also visits what is added to it while it is visited.
  for (const name of seen) {
    const tool = tools.get(name);
    if (name !== method && tool !== undefined && isWayOut(tool)) return true;
    for (const called of tool?.calls ?? []) seen.add(called);
  }
  return false;
}

function withPolicy({ trustMissing, ...tool }: Tool, policy: ToolPolicy): Tool {
  return {
    ...tool,
    ...(policy.trusted === undefined && trustMissing && { trustMissing }),
    ...policy,
    // The configuration can only switch a preview off: a tool that announces none would make the call.
    preview: tool.preview === true && policy.preview !== false,
  };
}

/** Servers end when their input closes. One that ignores this would outlive a call of `process.exit`. */
function killAtExit(servers: readonly McpServer[]): () => void {
  const kill = () => servers.forEach((server) => void server.kill());
  process.once('exit', kill);
  return () => process.removeListener('exit', kill);
}

interface SchemaReport {
  readonly problem: (schema: JsonObject) => string | undefined;
  readonly log: (message: string) => void;
}

/**
 * Logs which schemas are unusable, because nothing is checked against them. Checks one tool at a time, after
 * all other pending work: compiling a schema takes a few milliseconds, and a server may have hundreds.
 */
function reportSchemas(tools: readonly Tool[], { problem, log }: SchemaReport): void {
  const [tool, ...others] = tools;
  if (tool === undefined) return;
  setImmediate(() => {
    for (const [kind, schema] of Object.entries({ input: tool.inputSchema, output: tool.outputSchema })) {
      const found = schema === undefined ? undefined : problem(schema);
      if (found !== undefined)
        log(`the ${kind} schema of ${tool.name} cannot be used and is ignored: ${found}`);
    }
    reportSchemas(others, { problem, log });
  });
}
