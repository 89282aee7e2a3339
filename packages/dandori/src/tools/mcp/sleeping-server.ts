import * as z from 'zod';
import { parseJson, stringifyJson } from '../../model/json.ts';
import type { Call, CallOutcome } from '../toolbox.ts';
import type { McpServer, McpServerOptions } from './server.ts';
import { type ListedTool, listedTool, resultOutcome, toolResult, toTools } from './tools.ts';

const list = z.array(listedTool);

/**
 * A server whose tools are known. It starts with its first call, and so does the MCP client. A run that uses one of five
 * servers starts one process. Short calls of some shipped servers start none.
 */
export function createSleepingServer(options: McpServerOptions, listed: unknown): McpServer {
  const { name, config, secrets } = options;
  const found: readonly ListedTool[] = list.parse(listed);
  const known = toTools(found, { server: name, config, secrets }, []);
  options.onFound(known);
  let server: McpServer | undefined;
  let starting: Promise<McpServer> | undefined;
  const wake = async (): Promise<McpServer> => {
    const { startServer } = await import('./server.ts');
    server = await startServer({ ...options, known });
    return server;
  };
  const tools = () => server?.tools() ?? known;
  /** Undefined if the server must be asked. Only successful reads are answered here. */
  const answered = async ({ operation, args, signal, preview, inputs }: Call) => {
    const shipped = 'inProcess' in config ? config.inProcess : undefined;
    const tool = tools().find((one) => one.name === operation);
    if (shipped === undefined || tool === undefined || signal.aborted) return undefined;
    if (preview !== undefined || inputs !== undefined) return undefined;
    const { answerInProcess } = await import('@dandori/servers/in-process');
    const result = answerInProcess(shipped, operation.slice(name.length + 1), args);
    // Read as from the server: the exact integers of a result depend on how it is written.
    const read = toolResult.safeParse(result && parseJson(stringifyJson(result)));
    return read.success ? resultOutcome(read.data, tool, options.check) : undefined;
  };
  return {
    name,
    tools,
    missing: () => server?.missing(),
    async call(call): Promise<CallOutcome> {
      const outcome = await answered(call);
      if (outcome?.kind === 'succeeded') return outcome;
      starting ??= wake();
      return (await starting).call(call);
    },
    close: async () => (await starting)?.close(),
    kill: () => server?.kill(),
  };
}
