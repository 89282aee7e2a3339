import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export interface Outcome {
  isError: boolean;
  text: string;
  data: Record<string, unknown>;
  meta: Record<string, unknown> | undefined;
}

/** A real MCP host with one server as a child process, in a data directory of its own. */
export class Host {
  readonly client: Client;
  readonly dataDirectory: string;
  readonly transport: StdioClientTransport;
  readonly stderr: string[] = [];
  readonly #ownsDirectory: boolean;

  private constructor(
    client: Client,
    transport: StdioClientTransport,
    dataDirectory: string,
    ownsDirectory: boolean,
  ) {
    this.client = client;
    this.transport = transport;
    this.dataDirectory = dataDirectory;
    this.#ownsDirectory = ownsDirectory;
  }

  static async start(
    server: string,
    {
      env = {},
      args = [],
      directory,
      node = process.execPath,
    }: { env?: Record<string, string>; args?: string[]; directory?: string; node?: string } = {},
  ): Promise<Host> {
    const dataDirectory = directory ?? (await mkdtemp(join(tmpdir(), `dandori-${server}-`)));
    const transport = new StdioClientTransport({
      command: node,
      args: [join(import.meta.dirname, '..', 'src', server, 'main.ts'), ...args],
      env: {
        PATH: process.env.PATH ?? '',
        TZ: 'Asia/Tokyo',
        DANDORI_DATA_DIR: dataDirectory,
        NODE_DISABLE_COMPILE_CACHE: '1',
        ...env,
      },
      stderr: 'pipe',
    });
    const host = new Host(
      new Client({ name: 'test-host', version: '1.0.0' }),
      transport,
      dataDirectory,
      !directory,
    );
    transport.stderr?.on('data', (chunk: Buffer) => host.stderr.push(chunk.toString()));
    await host.client.connect(transport);
    // The client checks results against outputSchema only for tools it has seen.
    await host.client.listTools();
    return host;
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<Outcome> {
    const result = await this.client.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) });
    const [content] = result.content;
    return {
      isError: result.isError === true,
      text: content?.type === 'text' ? content.text : '',
      data: (result.structuredContent ?? {}) as Record<string, unknown>,
      meta: result._meta,
    };
  }

  async stop(): Promise<void> {
    await this.client.close();
    if (this.#ownsDirectory) await rm(this.dataDirectory, { recursive: true, force: true });
  }
}
