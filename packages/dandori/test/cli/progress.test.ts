import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { createProgress } from '../../src/cli/progress.ts';
import { textsFor } from '../../src/cli/texts.ts';
import type { Event } from '../../src/model/event.ts';
import { type ModelServer, startModelServer } from '../../src/testing/model-server/index.ts';
import { SETTINGS } from '../driver/house.ts';
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

it('the progress of a call is shown if it has content, and never as an empty line', async () => {
  await using place = await openPlace();
  const slow = { command: process.execPath, args: ['-e', SERVER] };
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: { slow } }));
  await place.write(
    'plan.json',
    JSON.stringify({ goal: 'work', tasks: [{ id: 't1', operation: 'slow.work' }] }),
  );
  const { code, stderr } = await place.dandori('run', '--plan', 'plan.json');
  expect(code, stderr).toBe(0);
  expect(stderr.split('\n').filter((line) => line.startsWith('  t1'))).toEqual(['  t1 50%', '  t1 nearly']);
});

/** A terminal of 20 columns that remembers what it was sent. */
function openTerminal() {
  let sent = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      sent += String(chunk);
      done();
    },
  });
  const terminal = Object.assign(stream, { isTTY: true, columns: 20 }) as unknown as NodeJS.WriteStream;
  return { terminal, sent: () => stripVTControlCharacters(sent) };
}

const envelope = { v: 1, run: 'r', at: 0 } as const;

function started(seq: number): Event {
  return { ...envelope, seq, type: 'decision_started', data: { decision: seq, purpose: 'act' } };
}

it('the answer is shown while it is written, and an answer that broke off is removed', () => {
  const { terminal, sent } = openTerminal();
  const progress = createProgress(terminal, textsFor({ language: 'en' }));
  const write = (text: string) => progress.live({ type: 'answer_text', run: 'r', text });
  const goal = { goal: 'g', settings: SETTINGS, mind: 'x/y' };
  progress.event({ ...envelope, seq: 1, type: 'run_started', data: goal });
  progress.event(started(2));
  write('This was cut');
  const failure = { kind: 'model_error', message: 'gone', retryable: true } as const;
  progress.event({ ...envelope, seq: 3, type: 'decision_failed', data: { decision: 2, failure, ms: 1 } });
  progress.event(started(4));
  write('一二三四五六七八九十\nand the la');
  write('st word');
  progress.note('now');
  progress.end();
  const shown = sent().split('now\n').at(-1);
  expect(shown).toContain('一二三四五六七八九\n十\nand the last word\n');
  expect(shown).not.toContain('cut');
});

it('a fallback model and a long wait are shown', async () => {
  const busy = { status: 429, retryAfter: 2 };
  await using first = await startModelServer([busy, busy]);
  await using second = await startModelServer([
    { actions: [{ operation: 'answer', args: { text: 'Here.' } }] },
  ]);
  await using place = await openPlace();
  const model = (name: string, { url }: ModelServer) => ({
    provider: 'openai-compatible',
    name,
    base_url: url,
  });
  const config = { mcpServers: {}, model: { ...model('one', first), fallback: model('two', second) } };
  await place.write('dandori.yaml', JSON.stringify(config));
  const { code, stdout, stderr } = await place.dandori('run', 'Say it');
  expect(code, stderr).toBe(0);
  expect(stdout).toBe('Here.\n');
  expect(stderr).toMatch(/one has too many requests[^\n]*wait for 2 s\n {2}Retrying in 2\.0 s\n/);
  expect(stderr).toMatch(/wait for 2 s\n {2}Switching to openai-compatible\/two\n/);
});

it('a reflection without words ends without a colon', async () => {
  const calls = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });
  await using server = await startModelServer([
    calls('calc_evaluate', { expression: '1/0' }),
    calls('answer', { text: 'No.' }),
  ]);
  await using place = await openPlace();
  const model = { provider: 'openai-compatible', name: 'one', base_url: server.url, dialect: 'tools' };
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: { calc: { shipped: 'calc' } }, model }));
  const { stderr } = await place.dandori('run', 'Divide');
  expect(stderr).toMatch(/^Reflection: off track$/m);
});
