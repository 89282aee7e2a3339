import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listModels } from '../../src/mind/language/models.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { openPlace } from './command.ts';
import { sees } from './screen.ts';
import { DOWN, ENTER, openTerminal } from './terminal.ts';

const ANSWER = { actions: [{ operation: 'answer', args: { text: 'OK' } }] };

describe('dandori init', () => {
  it('asks for model, key and servers, tries the model once, and writes the file', async () => {
    await using server = await startModelServer([ANSWER]);
    await using place = await openPlace();
    await using terminal = openTerminal(place, { ...place.env, HOME: place.folder }, 'init');
    await terminal.shows('Which model decides?');
    terminal.type(`${DOWN.repeat(4)}${ENTER}`);
    await terminal.shows('Its address');
    terminal.type(`${server.url}${ENTER}`);
    await terminal.shows('Name of the model');
    terminal.type(ENTER);
    await sees(terminal, /openai-compatible\/scripted: answered in/);
    await sees(terminal, /Which tools\?/);
    terminal.type(ENTER);
    expect(await terminal.code).toBe(0);
    const text = await readFile(join(place.folder, 'dandori.yaml'), 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=.*dandori\.schema\.json\n/);
    expect(parse(text)).toMatchObject({
      model: { provider: 'openai-compatible', name: 'scripted', base_url: server.url },
      mcpServers: { calc: { shipped: 'calc' } },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('asks in Japanese, also which keys to press', async () => {
    await using place = await openPlace();
    await using terminal = openTerminal(place, { ...place.env, HOME: place.folder }, 'init', '--lang', 'ja');
    await terminal.shows('↑/↓ で選び、Enter で決定');
    terminal.type(`${DOWN.repeat(5)}${ENTER}`);
    await terminal.shows('スペースで選択');
    terminal.type(ENTER);
    expect(await terminal.code).toBe(0);
    expect(terminal.output()).not.toMatch(/navigate|confirm/);
  });

  it('asks nothing without a terminal, imports the servers of mcp.json, and says if the model fails', async () => {
    await using place = await openPlace();
    await place.write(
      'mcp.json',
      '{"mcpServers": {"mine": {"command": "node", "env": {"API_KEY": "sk-123456"}}}}',
    );
    const model = ['--model', 'openai/gpt-5-mini'];
    const made = await place.dandori('init', ...model, '--json');
    expect(JSON.parse(made.stdout)).toEqual({
      file: 'dandori.yaml',
      model: { provider: 'openai', name: 'gpt-5-mini' },
      imported: ['mcp.json'],
    });
    expect(made.code).toBe(0);
    const text = await readFile(join(place.folder, 'dandori.yaml'), 'utf8');
    expect(parse(text)).toMatchObject({ model: { provider: 'openai', name: 'gpt-5-mini' } });
    expect(parse(text).mcpServers).toEqual({ mine: { command: 'node', env: { API_KEY: '${API_KEY}' } } });
    expect(statSync(join(place.folder, '.env')).mode & 0o777).toBe(0o600);
    expect((await place.dandori('init', '--yes')).code).toBe(2);
    expect((await place.dandori('init', '--yes', '--model', 'nobody/x')).code).toBe(2);
    const refused = await place.dandori('init', '--yes', '--force', '--model', 'ollama/none');
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('ollama/none') });
    expect(
      (await place.dandori('init', '--yes', '--force', '--no-check', '--model', 'ollama/none')).code,
    ).toBe(0);
  });
});

describe('dandori doctor', () => {
  it('calls the model, connects to each server, looks at the store, and says what to do', async () => {
    await using server = await startModelServer([ANSWER, ANSWER]);
    await using place = await openPlace();
    const config = {
      model: { provider: 'openai-compatible', name: 'scripted', base_url: server.url },
      mcpServers: { calc: { shipped: 'calc' }, gone: { command: 'no-such-program' } },
    };
    await place.write('dandori.yaml', JSON.stringify(config));
    const told = await place.dandori('doctor', '--json');
    expect(told.code).toBe(1);
    expect(JSON.parse(told.stdout)).toMatchObject({
      checks: [
        { check: 'node', status: 'ok' },
        { check: 'config', status: 'ok' },
        { check: 'model', name: 'openai-compatible/scripted', status: 'ok', ms: expect.any(Number) },
        { check: 'server', name: 'calc', status: 'ok' },
        {
          check: 'server',
          name: 'gone',
          status: 'failed',
          fix: expect.stringContaining('dandori remove gone'),
        },
      ],
      findings: [],
    });
    expect(server.requests).toHaveLength(1);
    await place.write(
      'dandori.yaml',
      JSON.stringify({ ...config, mcpServers: { calc: { shipped: 'calc' } } }),
    );
    const healthy = await place.dandori('doctor', '--lang', 'ja');
    expect(healthy.code).toBe(0);
    expect(healthy.stdout).toMatch(/✓ calc：?:? .*ツール 1 個/);
    expect(healthy.stdout).toContain('問題はありません');
  });

  it('names what is missing: a variable, a model that does not answer, a file that others can read', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', 'model: openai/gpt-5-mini\nmcpServers: {}\n');
    const missing = await place.dandori('doctor');
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/✗ Configuration: .*OPENAI_API_KEY is not set/);
    await place.write('.env', 'OPENAI_API_KEY=sk-wrong-12345\n');
    const closed = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error": {"message": "Incorrect API key provided: sk-wrong-12345"}}');
    }).listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1`;
    await place.write(
      'dandori.yaml',
      `model: { provider: openai, name: gpt-5-mini, base_url: ${url} }\nmcpServers: {}\n`,
    );
    const refused = await place.dandori('doctor');
    expect(refused.stdout).toContain('! .env: other users of this machine can read it\n    chmod 600 .env');
    expect(refused.stdout).toMatch(/✗ openai\/gpt-5-mini: .*did not accept the API key \(401\)/);
    expect(refused.stdout).not.toContain('sk-wrong');
    const models = await place.dandori('models');
    expect(models).toMatchObject({ code: 1, stderr: expect.stringContaining('did not accept the API key') });
    expect(models.stderr).not.toContain('sk-wrong');
    closed.closeAllConnections();
    closed.close();
  });
});

describe('dandori models', () => {
  it('lists what the provider offers', async () => {
    await using server = await startModelServer([], { models: ['b', 'a'] });
    await using place = await openPlace();
    const model = { provider: 'openai-compatible', name: 'a', base_url: server.url };
    await place.write(
      'dandori.yaml',
      JSON.stringify({ model, mcpServers: { gone: { command: '${NOT_SET}' } } }),
    );
    expect(await place.dandori('models')).toMatchObject({ code: 0, stdout: 'a\nb\n' });
    const told = await place.dandori('models', 'openai-compatible', '--json');
    expect(JSON.parse(told.stdout)).toEqual({ provider: 'openai-compatible', models: ['a', 'b'] });
    expect((await place.dandori('models', 'nobody')).code).toBe(2);
    expect(existsSync(join(place.folder, '.dandori'))).toBe(false);
  });

  it.each([
    [
      'anthropic',
      (after: URLSearchParams) =>
        after.has('after_id')
          ? { data: [{ id: 'c' }], has_more: false }
          : { data: [{ id: 'a' }, { id: 'b' }], has_more: true, last_id: 'b' },
    ],
    [
      'google',
      (after: URLSearchParams) =>
        after.has('pageToken')
          ? { models: [{ name: 'models/c' }] }
          : { models: [{ name: 'models/a' }, { name: 'models/b' }], nextPageToken: 'x' },
    ],
  ] as const)('reads every page that %s has', async (provider, pageFor) => {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      response.setHeader('content-type', 'application/json').end(JSON.stringify(pageFor(searchParams)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    expect(await listModels({ provider, name: 'a', baseUrl, apiKey: 'k' })).toEqual(['a', 'b', 'c']);
    server.closeAllConnections();
    server.close();
  });
});
