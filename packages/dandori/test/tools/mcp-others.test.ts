import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Toolbox } from '../../src/tools/toolbox.ts';
import { freePort } from '../free-port.ts';
import { nodeServer, openToolbox, succeeded, toCall, until } from './fixtures/calls.ts';

const require = createRequire(import.meta.url);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dandori-')));
const FILES = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
let http: ChildProcess;
let toolbox: Toolbox;

beforeAll(async () => {
  writeFileSync(join(folder, 'a.txt'), 'seven samurai');
  const port = await freePort();
  http = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  http.stderr?.on('data', (chunk) => (said += chunk));
  await until(() => said.includes('listening'));
  toolbox = await openToolbox({
    mcpServers: {
      files: { command: process.execPath, args: [FILES, folder] },
      everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
      remote: { url: `http://127.0.0.1:${port}/mcp` },
      modern: nodeServer('modern-stdio.ts'),
    },
  });
});
afterAll(async () => {
  await toolbox.close();
  http.kill();
});

const call = (operation: string, args = {}, more = {}) => toolbox.call(toCall(operation, args, more));

describe('servers that other people wrote', () => {
  it('are all there', () => {
    expect(toolbox.missing()).toEqual([]);
    const servers = new Set([...toolbox.tools().values()].map(({ server }) => server));
    expect([...servers]).toEqual(['files', 'everything', 'remote', 'modern']);
  });

  it('files are read and written, and the effects are known', async () => {
    const tools = toolbox.tools();
    expect(tools.get('files.read_text_file')?.effect).toBe('read');
    expect(tools.get('files.write_file')?.effect).toBe('destructive');
    expect(tools.get('files.create_directory')?.effect).toBe('idempotent');
    const read = await call('files.read_text_file', { path: join(folder, 'a.txt') });
    expect(JSON.stringify(succeeded(read))).toContain('seven samurai');
    succeeded(await call('files.write_file', { path: join(folder, 'b.txt'), content: 'ran' }));
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('ran');
    const outside = await call('files.read_text_file', { path: '/etc/passwd' });
    expect(outside).toMatchObject({ kind: 'failed', failure: { kind: 'tool_error' } });
  });

  it.each(['everything', 'remote'])('the reference server works: %s', async (server) => {
    expect(succeeded(await call(`${server}.echo`, { message: 'hi' }))).toBe('Echo: hi');
    expect(succeeded(await call(`${server}.get-structured-content`, { location: 'Chicago' }))).toMatchObject({
      temperature: expect.any(Number),
    });
    expect(succeeded(await call(`${server}.get-tiny-image`))).toEqual(
      expect.arrayContaining([{ type: 'image', mimeType: 'image/png', data: expect.any(String) }]),
    );
    const invalid = await call(`${server}.get-sum`, { a: 'one', b: 2 });
    expect(invalid).toMatchObject({ kind: 'failed', failure: { kind: 'tool_error' } });
  });

  it.each(['everything', 'remote'])('progress and stopping work: %s', async (server) => {
    const controller = new AbortController();
    const outcome = await call(
      `${server}.trigger-long-running-operation`,
      { duration: 20, steps: 200 },
      {
        signal: controller.signal,
        progress: () => controller.abort(),
      },
    );
    expect(outcome).toMatchObject({ kind: 'lost', cause: 'cancelled' });
  });

  it('a server that knows only the protocol of 2026 works as well', async () => {
    expect(succeeded(await call('modern.echo', { text: 'new' }))).toBe('new');
    await call('modern.learn');
    await until(() => toolbox.tools().has('modern.learned'));
  });
});
