import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { folderWith, refusal } from './workspace.ts';

describe('the servers that another MCP host has in the project', () => {
  it.each([
    [
      'mcp.json',
      { inputs: [], servers: { files: { type: 'stdio', command: 'npx', args: ['-y', 'x'], dev: {} } } },
    ],
    ['.mcp.json', { mcpServers: { files: { command: 'npx', args: ['-y', 'x'] } } }],
  ])('are read from %s as it is', async (name, content) => {
    const cwd = await folderWith({ [name]: JSON.stringify(content) });
    const { mcpServers } = await loadConfig({ cwd, env: {} });
    expect(mcpServers).toMatchObject({ files: { transport: 'stdio', command: 'npx', args: ['-y', 'x'] } });
    expect(Object.keys(mcpServers)).toEqual(['files']);
  });

  it('are ignored if there is a dandori.yaml', async () => {
    const cwd = await folderWith({
      'mcp.json': '{"mcpServers": {"files": {"command": "npx"}}}',
      'dandori.yaml': 'servers: {}\n',
    });
    expect((await loadConfig({ cwd, env: {} })).mcpServers).toEqual({});
  });

  it('are reported with their position if they are wrong', async () => {
    const cwd = await folderWith({ 'mcp.json': '{"servers": {"a": {"command": 1}}}' });
    expect((await refusal(loadConfig({ cwd, env: {} }))).message).toContain('mcp.json:1:');
  });
});
