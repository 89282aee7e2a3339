import { DandoriError } from '../model/error.ts';
import type { JsonObject } from '../model/json.ts';
import { isRepeatable, type SchemaCheck, type Tool, type ToolPolicy } from '../model/tool.ts';
import { isWayOut } from '../run/trust/aim.ts';
import { toAmbiguous } from './ambiguity.ts';
import type { McpServers } from './mcp/config.ts';
import type { McpServer } from './mcp/server.ts';
import { checkCalls, refusedCall, type Service, type ServiceMethod } from './service.ts';
import { withInput } from './service-call.ts';
import { type Call, type CallOutcome, clipped, failed, stopped, type Toolbox } from './toolbox.ts';

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

  const dispatch = async (call: Call, depth: number): Promise<CallOutcome> => {
    if (depth > MAX_DEPTH)
      return failed('tool_error', `services call each other more than ${MAX_DEPTH} deep`);
    // Without this, a tool that does not know previews would make the call.
    if (call.preview !== undefined && allTools().get(call.operation)?.preview !== true)
      return failed('not_possible', `${call.operation} has no preview`);
    const method = methods.get(call.operation);
    if (method !== undefined) return callMethod(method, call, depth);
    const server = ownerOf(call.operation, servers);
    return server?.call(call) ?? failed('unavailable', `there is no tool ${call.operation}`);
  };

  /** After an answer the whole method runs again, including everything it did before it asked. */
  async function callMethod(
    { tool, call: run }: ServiceMethod,
    call: Call,
    depth: number,
  ): Promise<CallOutcome> {
    let done: string | undefined;
    let hasHeardStrangers = false;
    const underWay = new Set<Promise<CallOutcome>>();
    const make = async (inner: Call): Promise<CallOutcome> => {
      const tools = allTools();
      const refused = refusedCall(tool.name, inner.operation, tools);
      if (refused !== undefined) return failed('tool_error', refused);
      const { key, operation, args } = inner;
      const effect = tools.get(operation)?.effect ?? 'write';
      if (call.preview !== undefined && effect !== 'read')
        return failed('not_possible', `the preview of ${tool.name} may only read, and ${operation} writes`);
      // A trusted method vouches for its own words. It does not pass on the questions of a tool that is not trusted,
      // and its failure counts as external content after such a call: an error can quote what it was about, and the
      // calls that were made before it are told with their arguments.
      const isStranger = tools.get(tool.name)?.trusted === true && tools.get(operation)?.trusted !== true;
      const asking = isStranger ? { ...inner, elicit: undefined } : inner;
      const send = async () => clipped(await withInput(asking, (one) => dispatch(one, depth + 1)));
      const ended = (async () =>
        (await call.inner?.({ key, operation, args, effect }, send)) ?? (await send()))();
      if (effect !== 'read') {
        underWay.add(ended);
        void ended.finally(() => underWay.delete(ended)).catch(() => {});
      }
      const how = await ended;
      const isDone = how.kind === 'succeeded' || how.kind === 'lost';
      if (isDone && !isRepeatable(effect)) done ??= operation;
      if (!isStranger) return how;
      hasHeardStrangers = true;
      return how.kind === 'ambiguous' ? failed('tool_error', notPassedOn(operation, tool)) : how;
    };
    let outcome = await run(call, make);
    // A method may end before its calls do, for example when Promise.all fails. The effects of those calls
    // still belong to it.
    while (underWay.size > 0) {
      if (call.signal.aborted) {
        outcome = stopped(call.signal, tool.name);
        break;
      }
      await Promise.allSettled(underWay);
      await new Promise(setImmediate);
    }
    if (hasHeardStrangers && (outcome.kind === 'failed' || outcome.kind === 'lost'))
      return inOthersWords(outcome, call);
    if (outcome.kind !== 'ambiguous') return outcome;
    // The configuration may say whether it is trusted.
    if (done === undefined) return toAmbiguous(outcome, allTools().get(tool.name) ?? tool);
    const why = `${tool.name} asks (${outcome.question}) after it has called ${done}. It would call it again`;
    return failed(
      'tool_error',
      `${why}. The user was not asked: a method must ask before it changes anything.`,
    );
  }

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
    call: async (call) => clipped(await dispatch(call, 0)),
    async close() {
      open = false;
      stopAtExit();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function notPassedOn(operation: string, { name }: Tool): string {
  return `it asked a question. The user was not asked: ${name} is trusted and ${operation} is not, so ${name} cannot pass it on.`;
}

/** The failure of a trusted method may have the words of a tool that is not trusted. A preview cannot say so. */
function inOthersWords(
  outcome: CallOutcome & { kind: 'failed' | 'lost' },
  { operation, preview }: Call,
): CallOutcome {
  return preview === undefined
    ? { ...outcome, hasHeardStrangers: true }
    : failed('not_possible', `the preview of ${operation} failed`);
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
