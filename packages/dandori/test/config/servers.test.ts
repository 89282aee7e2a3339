import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, refusal } from './workspace.ts';

describe('servers', () => {
  it.each(['mcpServers', 'mcp_servers'])('pasted JSON under %s works', async (key) => {
    const yaml = `${key}: {"fs": {"type": "stdio", "command": "npx", "args": ["-y", "server"], "env": {"A": "b"}}}`;
    const config = await load(yaml);
    expect(config.mcpServers).toEqual({
      fs: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server'],
        env: { A: 'b' },
        cwd: config.folder,
        shipped: undefined,
        trusted: false,
        timeout: undefined,
      },
    });
  });

  it('an empty group means no servers', async () => {
    expect((await load('mcpServers: {}')).mcpServers).toEqual({});
  });

  it('a shipped one takes arguments and another name, and keeps its order rule', async () => {
    const { mcpServers, settings } = await load(
      'mcpServers: { shop: { shipped: sqlite, args: [--database, shop.db] } }',
    );
    expect(mcpServers.shop).toMatchObject({ command: process.execPath, shipped: 'sqlite', trusted: false });
    expect(mcpServers.shop).toHaveProperty('args', [
      expect.stringMatching(/sqlite[\\/]main\.[tj]s$/),
      '--database',
      'shop.db',
    ]);
    expect(settings.order[0]).toEqual({ before: 'shop.list_tables', after: 'shop.get_table_schema' });
  });

  it('short calls need no process of a shipped server without data, unless the file sets a variable or argument', async () => {
    const { mcpServers } = await load(
      `mcpServers:
  calc: { shipped: calc }
  zoned: { shipped: clock, env: { TZ: Asia/Tokyo } }
  given: { shipped: calc, args: [--any] }
  kitchen: { shipped: kitchen }
  own: { command: calc }`,
    );
    const answered = Object.entries(mcpServers).filter(([, server]) => 'inProcess' in server);
    expect(answered.map(([name]) => name)).toEqual(['calc']);
  });

  it('a shipped one is told what our environment says to Dandori, by paths from where the user is, and nothing else', async () => {
    const env = {
      DANDORI_DATA_DIR: 'data',
      DANDORI_PLACES_IP_API: 'https://ip.example.com',
      DANDORI_KITCHEN_PATH: 'ours.db',
      XDG_CACHE_HOME: '/cache',
      OPENAI_API_KEY: 'key-123456',
    };
    const { folder, mcpServers } = await load(
      'mcpServers: { kitchen: { shipped: kitchen, env: { DANDORI_KITCHEN_PATH: mine.db } }, other: { command: c } }',
      { env },
    );
    expect(mcpServers.kitchen).toHaveProperty('env', {
      DANDORI_DATA_DIR: join(folder, 'data'),
      DANDORI_PROJECT_DIR: folder,
      DANDORI_PLACES_IP_API: 'https://ip.example.com',
      DANDORI_KITCHEN_PATH: 'mine.db',
      XDG_CACHE_HOME: '/cache',
    });
    expect(mcpServers.other).toHaveProperty('env', {});
  });

  it('rules of one’s own replace the shipped one, and an empty list takes it away', async () => {
    expect((await load('execution: { order: [] }')).settings.order).toEqual([]);
  });

  it('a program beside the file, in the home of the user, or in PATH', async () => {
    const { mcpServers, folder } = await load(
      'mcpServers: { a: { command: ./serve }, b: { command: ~/bin/serve }, c: { command: serve } }',
    );
    expect(mcpServers).toMatchObject({
      a: { command: join(folder, 'serve') },
      b: { command: join(homedir(), 'bin/serve') },
      c: { command: 'serve' },
    });
  });

  it('a disabled one is known by name, so that its tools can be missed with the right words', async () => {
    const config = await load('mcpServers: { a: { command: c, disabled: true }, b: { command: c, cwd: d } }');
    expect(config.disabledServers).toEqual(['a']);
    expect(config.mcpServers).toMatchObject({ b: { cwd: join(config.folder, 'd') } });
    expect(Object.keys(config.mcpServers)).toEqual(['b']);
  });

  it.each([
    ['{ 1a: { command: c } }', '1:15', '"1a" cannot be the name of a server: it begins with a letter'],
    ['{ "a b": { command: c } }', '1:15', '"a b" cannot be the name of a server'],
    ['{ plan: { command: c } }', '1:15', 'a server cannot be called "plan"'],
    ['{ run: { command: c } }', '1:15', 'a server cannot be called "run"'],
    ['{ a: {} }', '1:15', 'mcpServers.a does not say how to reach the server'],
    [
      '{ a: { command: c, url: http://h } }',
      '1:15',
      'mcpServers.a has command and url, and a server has only one of them',
    ],
    ['{ a: { url: http://h, args: [] } }', '1:35', 'mcpServers.a has url, and args has no effect with it'],
    [
      '{ a: { command: c, headers: {} } }',
      '1:32',
      'mcpServers.a has command, and headers has no effect with it',
    ],
    ['{ a: { command: c, type: http } }', '1:38', 'the type http does not go with it'],
    [
      '{ a: { url: http://h, type: pipe } }',
      '1:41',
      'mcpServers.a.type must be stdio, http, streamable-http or sse, not "pipe"',
    ],
    ['{ a: { command: npx -y server } }', '1:29', 'mcpServers.a.command must be the program alone'],
    ['{ a: { command: c, args: [--port, 80] } }', '1:47', 'mcpServers.a.args[1] must be text'],
    [
      '{ a: { command: c, args: -y } }',
      '1:38',
      'mcpServers.a.args must be a list, such as ["-y", "some-mcp-server"]',
    ],
    ['{ a: { command: c, env: { A: 1 } } }', '1:42', 'mcpServers.a.env.A must be text'],
    [
      '{ a: { shipped: calculator } }',
      '1:29',
      'must be calc, clock, sqlite, places, kitchen, files or shell, not "calculator"',
    ],
    ['{ a: npx }', '1:18', 'mcpServers.a must be a group of keys (shipped, type, command'],
    [
      '[a]',
      '1:13',
      'mcpServers must be a group of servers by name, such as { calc: { shipped: calc } }, not a list',
    ],
  ])('%s is refused', async (servers, place, wanted) => {
    const { message } = await refusal(load(`mcpServers: ${servers}`));
    expect(message).toContain(`dandori.yaml:${place} error: `);
    expect(message).toContain(wanted);
  });

  it('both spellings at once would lose one half of the servers', async () => {
    const { message } = await refusal(
      load('mcpServers: { a: { command: c } }\nmcp_servers: { b: { command: c } }'),
    );
    expect(message).toContain('dandori.yaml:2:1 error: mcpServers and mcp_servers are the same key');
  });

  it('a problem under mcp_servers is shown with its position', async () => {
    const { message } = await refusal(load('language: en\nmcp_servers:\n  a: { command: 1 }'));
    expect(message).toContain('dandori.yaml:3:17 error: mcpServers.a.command must be text');
  });
});
