import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Toolbox } from '../../src/tools/toolbox.ts';
import { IS_LONG } from '../long.ts';
import { nodeServer, openToolbox, succeeded, toCall, until } from './fixtures/calls.ts';

const TOKEN = 'tok-31415926';
const record = join(mkdtempSync(join(tmpdir(), 'dandori-')), 'record');
let toolbox: Toolbox;
let changes = 0;
const logged: string[] = [];

beforeAll(async () => {
  writeFileSync(record, '');
  toolbox = await openToolbox({
    mcpServers: {
      workshop: {
        ...nodeServer('workshop-stdio.ts', { WORKSHOP_TOKEN: TOKEN, WORKSHOP_RECORD: record }),
        effects: { steps: 'read' },
      },
    },
    effects: { 'workshop.big': { effect: 'read' } },
    log: (message) => logged.push(message),
    onChange: () => {
      changes += 1;
    },
  });
});
afterAll(() => toolbox.close());

const call = (tool: string, args = {}, more = {}) => toolbox.call(toCall(`workshop.${tool}`, args, more));

describe('what a server offers', () => {
  it('every page of a long list of tools is there', () => {
    expect(toolbox.missing()).toEqual([]);
    expect(toolbox.tools().size).toBe(23);
    expect(toolbox.tools().get('workshop.number')).toMatchObject({
      server: 'workshop',
      title: 'A number',
      trusted: false,
    });
  });

  it('a tool is as dangerous as it says, unless the configuration knows better; without a word it is a write', () => {
    const effect = (name: string) => toolbox.tools().get(`workshop.${name}`)?.effect;
    expect(['echo', 'add_note', 'set_note', 'delete_note', 'steps', 'big'].map(effect)).toEqual([
      'read',
      'write',
      'idempotent',
      'destructive',
      'read',
      'read',
    ]);
  });

  it('the list is the same object while nothing changes, so that prompts stay cached', () => {
    expect(toolbox.tools()).toBe(toolbox.tools());
  });

  it('a tool that the server learns later can be called without a restart', async () => {
    const before = toolbox.tools();
    const known = before.get('workshop.echo');
    await call('learn');
    // Without a wait: the next decision sees the tool.
    expect(toolbox.tools().has('workshop.learned')).toBe(true);
    expect(toolbox.tools()).not.toBe(before);
    expect(toolbox.tools().get('workshop.echo')).toBe(known);
    expect(changes).toBeGreaterThan(0);
    expect(succeeded(await call('learned', { text: 'new' }))).toBe('new');
  });

  it('a schema that cannot be used is reported, and so is no other', async () => {
    await until(() => logged.length > 0);
    expect(logged).toEqual([
      expect.stringMatching(/^the output schema of workshop.broken_schema cannot be used and is ignored: /),
    ]);
  });

  it('a server gets the configured environment, and not ours', async () => {
    process.env.DANDORI_TEST_SECRET = 'do not pass on';
    const environment = succeeded(await call('environment'));
    expect(environment).toMatchObject({ WORKSHOP_TOKEN: TOKEN });
    expect(environment).not.toHaveProperty('DANDORI_TEST_SECRET');
    expect(environment).not.toHaveProperty('VITEST');
  });

  it("a server gets the certificate and the proxy of the company's network, but no password of the proxy", async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/certs/company.pem');
    vi.stubEnv('https_proxy', 'http://proxy.example:3128');
    vi.stubEnv('HTTP_PROXY', 'http://ann:secret@proxy.example:3128');
    const own = await openToolbox({ mcpServers: { workshop: nodeServer('workshop-stdio.ts') } });
    vi.unstubAllEnvs();
    const environment = succeeded(await own.call(toCall('workshop.environment')));
    await own.close();
    expect(environment).toMatchObject({
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/company.pem',
      https_proxy: 'http://proxy.example:3128',
    });
    expect(environment).not.toHaveProperty('HTTP_PROXY');
  });
});

describe('what a tool returns', () => {
  it.each([
    ['text', 'echo', { text: 'hello' }, 'hello'],
    ['a text of digits stays a text', 'echo', { text: '0150' }, '0150'],
    ['half of a JSON text stays a text', 'echo', { text: '{"a": ' }, '{"a": '],
    ['JSON in a text can be reached into', 'json_text', {}, { rows: [{ city: 'Oslo' }] }],
    ['structured content', 'number', {}, { n: 1 }],
    [
      'structured content sent as text, as older servers do',
      'number_as_text',
      { text: '{"n": 2}' },
      { n: 2 },
    ],
    ['a result whose schema is broken', 'broken_schema', {}, { n: 'anything' }],
    ['an image', 'picture', {}, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
    [
      'several blocks',
      'report',
      {},
      [
        { type: 'text', text: 'see' },
        { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
        { type: 'resource', uri: 'file:///a.bin', mimeType: 'application/octet-stream', blob: 'AAE=' },
      ],
    ],
    ['nothing', 'nothing', {}, null],
    ['the key by which it knows a repeated call', 'key', {}, 'run-1/t1'],
  ])('%s', async (_name, tool, args, result) => {
    expect(await call(tool, args)).toEqual({ kind: 'succeeded', result });
  });

  it('a tool is told on whose behalf it is called, where that is known', async () => {
    const of = { of: 'userId' };
    expect(succeeded(await call('key', of, { userId: 'u-42' }))).toBe('u-42');
    expect(succeeded(await call('key', of))).toBe('undefined');
  });

  it('a tool that says no fails with its own words, without the secrets in them', async () => {
    expect(await call('say_no')).toEqual({
      kind: 'failed',
      failure: { kind: 'tool_error', message: 'no such note; I was started with [secret]' },
    });
  });

  it('a protocol error is the tool saying no', async () => {
    const outcome = await call('refuse');
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'tool_error' } });
    expect(JSON.stringify(outcome)).toContain('note must be a number');
  });

  it('a tool that needs a person to choose asks', async () => {
    expect(await call('choose')).toEqual({
      kind: 'ambiguous',
      question: 'Which note?',
      options: [
        { label: 'first', value: 'first', args: { note: 1 } },
        { label: 'second', value: 2 },
      ],
    });
  });

  it('a result that is not what the tool promised is not used', async () => {
    expect(await call('wrong_number')).toEqual({
      kind: 'failed',
      failure: {
        kind: 'invalid_result',
        message:
          'the call was made and may have taken effect, but the result does not fit the output schema of workshop.wrong_number: n must be a number, not the string "one"',
      },
    });
    const text = await call('number_as_text', { text: 'two' });
    expect(JSON.stringify(text)).toContain('it returned no structured content');
  });

  it('a result that is odd only in what may also be missing is used, and the oddity is noted without secrets', async () => {
    const result = { n: 1, extra: 2, list: [{ n: 1 }, {}] };
    expect(await call('odd_extra', result)).toEqual({
      kind: 'succeeded',
      result,
      note: `The result does not fit the tool's own output schema: extra must be a string, not the number 2; list.1 "n" is missing`,
    });
    expect(await call('odd_extra', { n: 1, list: TOKEN })).toMatchObject({
      kind: 'succeeded',
      note: expect.stringContaining('not the string "[secret]"'),
    });
    expect(await call('odd_extra', { extra: 2 })).toMatchObject({
      kind: 'failed',
      failure: { kind: 'invalid_result', message: expect.stringContaining('"n" is missing') },
    });
  });

  it('an unknown tool is not tried again', async () => {
    for (const operation of ['workshop.no_such', 'nowhere.at_all', 'workshop', '']) {
      const outcome = await toolbox.call(toCall(operation));
      expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'unavailable' } });
      expect(outcome).not.toHaveProperty('failure.retryable');
    }
  });

  it('progress is seen while the call runs', async () => {
    const seen: unknown[] = [];
    const progress = (message: string, fraction?: number) => seen.push([message, fraction]);
    expect(succeeded(await call('steps', {}, { progress }))).toBe('done');
    expect(seen).toEqual([
      ['step 1', 0.25],
      ['step 2', 0.5],
    ]);
  });

  it('a large result arrives whole', async () => {
    const bytes = IS_LONG ? 50e6 : 10e6;
    expect(succeeded(await call('big', { bytes }))).toHaveLength(bytes);
  });

  it('a result over the limit costs that call and no other', async () => {
    const other = call('echo', { text: 'still here' });
    const outcome = await call('big', { bytes: 70e6 });
    expect(outcome).toEqual({
      kind: 'failed',
      failure: { kind: 'too_large', message: 'workshop: the result is larger than 67 MB' },
    });
    expect(succeeded(await other)).toBe('still here');
    expect(succeeded(await call('echo', { text: 'and here' }))).toBe('and here');
  });

  it('a hundred calls at once get their own answers', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`);
    const outcomes = await Promise.all(texts.map((text) => call('echo', { text })));
    expect(outcomes.map(succeeded)).toEqual(texts);
  });
});

describe('stopping a call', () => {
  it('reaches the server, and the call is in doubt', async () => {
    const controller = new AbortController();
    const outcome = call('wait', { name: 'a' }, { signal: controller.signal });
    await until(() => readFileSync(record, 'utf8').includes('started a'));
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'lost', cause: 'cancelled' });
    await until(() => readFileSync(record, 'utf8').includes('cancelled a'));
  });

  it('by its time limit is told apart from stopping by a person', async () => {
    const outcome = await call('wait', { name: 'b' }, { signal: AbortSignal.timeout(500) });
    expect(outcome).toMatchObject({ kind: 'lost', cause: 'timeout' });
  });

  it('before it is sent leaves no doubt', async () => {
    const outcome = await call('wait', { name: 'c' }, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'cancelled' } });
    expect(readFileSync(record, 'utf8')).not.toContain('started c');
  });
});
