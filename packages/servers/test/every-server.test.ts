import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../../dandori/test/long.ts';
import { Host } from './host.ts';

const TOOLS = {
  calc: ['evaluate'],
  clock: ['get_current_time', 'convert_time'],
  sqlite: ['list_tables', 'get_table_schema', 'execute_safe_query'],
  places: ['locate_ip', 'get_weather'],
  kitchen: ['list_inventory', 'find_recipes', 'add_item', 'remove_item'],
  files: ['list_files', 'read_file', 'search_files', 'write_file', 'edit_file', 'move_file', 'undo_change'],
  shell: ['list_commands', 'run_command'],
};

describe.each(Object.entries(TOOLS))('%s', (server, names) => {
  let host: Host;
  beforeAll(async () => {
    host = await Host.start(server);
  });
  afterAll(() => host.stop());

  test('tells a planner all it needs: words in both languages, schemas and hints', async () => {
    const { tools } = await host.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.description).toMatch(/[\p{Script=Han}\p{Script=Katakana}]/u);
      expect(tool.description).toMatch(/[a-z]{4}/);
      expect(tool.outputSchema?.type).toBe('object');
      expect(Object.values(tool.annotations ?? {}).every((hint) => typeof hint === 'boolean')).toBe(true);
      expect(Object.keys(tool.annotations ?? {}).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      for (const field of Object.values(tool.inputSchema.properties ?? {})) {
        expect(field).toHaveProperty('description');
      }
    }
  });

  // All servers share the code that ends them.
  test.runIf(IS_LONG || server === 'calc')('goes away when its host does', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'src', server, 'main.ts')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, DANDORI_DATA_DIR: host.dataDirectory },
    });
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});

test('serves hosts of the 2026-07-28 protocol as well', async () => {
  const client = new Client({ name: 'modern', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, '..', 'src', 'clock', 'main.ts')],
      env: { NODE_DISABLE_COMPILE_CACHE: '1' },
    }),
  );
  expect((await client.listTools()).tools).toHaveLength(2);
  await client.close();
});
