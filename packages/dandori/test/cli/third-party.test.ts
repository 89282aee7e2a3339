import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { freePort } from '../free-port.ts';
import { openPlace } from './command.ts';

const require = createRequire(import.meta.url);
const mainOf = (name: string) =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist/index.js');

describe('MCP servers that others made', () => {
  it('work together with ours under a language model: filesystem and everything', async () => {
    await using server = await startModelServer([
      {
        actions: [
          { id: 'sum', operation: 'everything.get-sum', args: { a: 40, b: 2 } },
          {
            id: 'write',
            operation: 'files.write_file',
            args: { path: 'sum.txt', content: 'The sum: ${sum}' },
          },
          { id: 'read', operation: 'files.read_text_file', args: { path: 'sum.txt' }, after: ['write'] },
        ],
      },
      { actions: [{ operation: 'answer', args: { text: 'written and read' } }], expect: '42' },
    ]);
    await using place = await openPlace();
    await place.write(
      'dandori.yaml',
      JSON.stringify({
        model: { provider: 'openai-compatible', name: 'scripted', base_url: server.url },
        execution: { approval: 'never' },
        mcpServers: {
          files: {
            command: process.execPath,
            args: [mainOf('server-filesystem'), place.folder],
            cwd: place.folder,
          },
          everything: { command: process.execPath, args: [mainOf('server-everything'), 'stdio'] },
        },
      }),
    );
    const { code, stdout, stderr } = await place.dandori(
      'run',
      'write the sum of 40 and 2 to a file',
      '--json',
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'answered',
      answer: 'written and read',
      usage: { modelCalls: 2 },
    });
    expect(await readFile(join(place.folder, 'sum.txt'), 'utf8')).toContain('42');
    expect(code).toBe(0);
  });

  it.each([
    ['Streamable HTTP', 'streamableHttp', 'mcp'],
    ['legacy SSE', 'sse', 'sse'],
  ])('are added by their address and called, over %s', async (_, transport, path) => {
    const port = await freePort();
    const server = spawn(process.execPath, [mainOf('server-everything'), transport], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    try {
      await using place = await openPlace();
      const url = `http://127.0.0.1:${port}/${path}`;
      await expect.poll(() => isListening(port)).toBe(true);
      const added = await place.dandori('add', 'everything', url);
      expect(added.stdout + added.stderr).toContain('everything.get-sum');
      expect(added.code).toBe(0);
      await place.write(
        'sum.plan.yaml',
        'goal: add\ntasks:\n  - { id: s, operation: everything.get-sum, args: { a: 40, b: 2 } }\n',
      );
      const { code, stdout } = await place.dandori('run', '--plan', 'sum.plan.yaml', '--yes');
      expect(stdout).toContain('42');
      expect(code).toBe(0);
    } finally {
      server.kill();
    }
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}
