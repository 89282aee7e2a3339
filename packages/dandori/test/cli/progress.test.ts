import { expect, it } from 'vitest';
import { openPlace } from './command.ts';

/** MCP by hand: it says how far it is in every way that the protocol allows, then answers. */
const SERVER = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'work', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call') {
    const { progressToken } = params._meta;
    for (const more of [{ progress: 1 }, { progress: 2, total: 4 }, { progress: 3, message: 'nearly' }])
      say({ method: 'notifications/progress', params: { progressToken, ...more } });
  }
  say({ id, result: results[method] });
});
`;

it('the progress of a call is shown as far as it says anything, and never as an empty line', async () => {
  await using place = await openPlace();
  const slow = { command: process.execPath, args: ['-e', SERVER] };
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: { slow } }));
  await place.write(
    'plan.json',
    JSON.stringify({ goal: 'work', tasks: [{ id: 't1', operation: 'slow.work' }] }),
  );
  const { code, stderr } = await place.dandori('run', '--plan', 'plan.json');
  expect(code, stderr).toBe(0);
  expect(stderr.split('\n').filter((line) => line.startsWith('  t1'))).toEqual(['  t1 50 %', '  t1 nearly']);
});
