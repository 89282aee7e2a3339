import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Toolbox } from '../../src/tools/toolbox.ts';
import { IS_LONG } from '../long.ts';
import { openToolbox, succeeded, toCall, until } from './fixtures/calls.ts';
import { startResultServer } from './fixtures/large-result.ts';
import { type HttpWorkshop, startHttpWorkshop } from './fixtures/workshop-http.ts';

const record = join(mkdtempSync(join(tmpdir(), 'dandori-')), 'record');
const SECRET = 'sesame-open-27182';
let workshop: HttpWorkshop;
let plain: HttpWorkshop;
let toolbox: Toolbox;

beforeAll(async () => {
  writeFileSync(record, '');
  // The workshop runs in this process.
  process.env.WORKSHOP_RECORD = record;
  workshop = await startHttpWorkshop();
  plain = await startHttpWorkshop({ json: true });
  const headers = { Authorization: `Bearer ${SECRET}` };
  toolbox = await openToolbox({
    mcpServers: { workshop: { url: workshop.url, headers }, plain: { url: plain.url } },
  });
});
afterAll(async () => {
  await toolbox.close();
  await Promise.all([workshop.close(), plain.close()]);
});

const call = (tool: string, args = {}, more = {}) => toolbox.call(toCall(tool, args, more));

describe('over HTTP, with answers as streams of events or as JSON', () => {
  it('tools are listed and called, with the configured headers', async () => {
    expect(toolbox.missing()).toEqual([]);
    expect(toolbox.tools().size).toBe(46);
    expect(succeeded(await call('workshop.echo', { text: 'a' }))).toBe('a');
    expect(succeeded(await call('plain.echo', { text: 'b' }))).toBe('b');
    expect(workshop.headersSeen.every((headers) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);
    expect(workshop.headersSeen.some((headers) => 'x-dandori-request' in headers)).toBe(false);
  });

  it('a server is reached from a program that has replaced the global Response, as hono does', async () => {
    class Replaced extends Response {}
    Object.defineProperty(Replaced.prototype, 'json', { value: Response.prototype.json });
    vi.stubGlobal('Response', Replaced);
    const other = await openToolbox({ mcpServers: { plain: { url: plain.url } } });
    expect(other.missing()).toEqual([]);
    expect(succeeded(await other.call(toCall('plain.echo', { text: 'c' })))).toBe('c');
    await other.close();
  });

  it('a tool that the server learns later can be called', async () => {
    await call('workshop.learn');
    await until(() => toolbox.tools().has('workshop.learned'));
    expect(succeeded(await call('workshop.learned', { text: 'new' }))).toBe('new');
  });

  it('progress is seen while the call runs', async () => {
    const seen: unknown[] = [];
    await call('workshop.steps', {}, { progress: (message: string) => seen.push(message) });
    expect(seen).toEqual(['step 1', 'step 2']);
  });

  it.each(['workshop', 'plain'])('a large result arrives whole: %s', async (server) => {
    const bytes = IS_LONG ? 50e6 : 10e6;
    expect(succeeded(await call(`${server}.big`, { bytes }))).toHaveLength(bytes);
  });

  it('a result over the limit costs that call and no other', async () => {
    const mcpServers = { workshop: { url: workshop.url }, plain: { url: plain.url } };
    const small = await openToolbox({ mcpServers, maxResultBytes: 1e6 });
    for (const server of Object.keys(mcpServers)) {
      const outcome = await small.call(toCall(`${server}.big`, { bytes: 2e6 }));
      expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'too_large' } });
      expect(succeeded(await small.call(toCall(`${server}.echo`, { text: 'still here' })))).toBe(
        'still here',
      );
    }
    await small.close();
  });

  it('an event of many lines over the limit ends its call, although its stream stays open', async () => {
    const small = await openToolbox({ mcpServers: { workshop: { url: workshop.url } }, maxResultBytes: 1e5 });
    workshop.next = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data:x\n'.repeat(2e4));
    const outcome = await small.call(toCall('workshop.echo', { text: 'a' }));
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'too_large' } });
    await small.close();
  });

  it.each(['workshop', 'plain'])(
    'stopping a call reaches the server, and the call is in doubt: %s',
    async (server) => {
      const controller = new AbortController();
      const outcome = call(`${server}.wait`, { name: server }, { signal: controller.signal });
      await until(() => readFileSync(record, 'utf8').includes(`started ${server}`));
      controller.abort();
      expect(await outcome).toMatchObject({ kind: 'lost', cause: 'cancelled' });
      await until(() => readFileSync(record, 'utf8').includes(`cancelled ${server}`));
    },
  );
});

describe('when HTTP goes wrong, the outcome says whether the call may have taken effect', () => {
  const cases: [string, HttpWorkshop['next'], object][] = [
    [
      'an answer that breaks off',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .write('{"json', () => response.destroy()),
      { kind: 'lost', cause: 'connection_lost' },
    ],
    [
      'a stream that ends without an answer',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': bye\n\n'),
      { kind: 'lost', cause: 'connection_lost' },
    ],
    [
      'a stream that breaks off',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(': bye\n\n', () => response.destroy()),
      { kind: 'lost', cause: 'connection_lost' },
    ],
    [
      'a connection that is cut',
      (request) => void request.socket.destroy(),
      { kind: 'lost', cause: 'connection_lost' },
    ],
    [
      'a gateway that gave up',
      (_, response) => void response.writeHead(504).end('timeout'),
      { kind: 'lost', cause: 'connection_lost' },
    ],
    [
      'a server that is busy',
      (_, response) => void response.writeHead(503, { 'retry-after': '7' }).end(),
      { kind: 'failed', failure: { kind: 'unavailable', retryable: true, retryAfter: 7_000 } },
    ],
    [
      'a server that is busy for longer than anybody can count',
      (_, response) => void response.writeHead(503, { 'retry-after': '9'.repeat(400) }).end(),
      { kind: 'failed', failure: expect.not.objectContaining({ retryAfter: expect.anything() }) },
    ],
    [
      'credentials that are no longer good',
      (_, response) => void response.writeHead(401).end(`no ${SECRET}`),
      { kind: 'failed', failure: { kind: 'unavailable' } },
    ],
    [
      'a bad request',
      (_, response) => void response.writeHead(400).end('what?'),
      { kind: 'failed', failure: { kind: 'tool_error' } },
    ],
    [
      'an answer that is no MCP',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      { kind: 'lost', cause: 'connection_lost' },
    ],
  ];
  it.each(cases)('%s', async (_name, next, expected) => {
    workshop.next = next;
    const outcome = await call('workshop.echo', { text: 'a' });
    expect(outcome).toMatchObject(expected);
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
    expect(succeeded(await call('workshop.echo', { text: 'b' }))).toBe('b');
  });

  it('a server that forgot our session is used again under a new one', async () => {
    workshop.forget();
    const outcome = await call('workshop.echo', { text: 'a' });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'unavailable', retryable: true } });
    await until(() => toolbox.missing().length > 0);
    await until(() => toolbox.missing().length === 0);
    expect(succeeded(await call('workshop.echo', { text: 'b' }))).toBe('b');
  });

  it('a server that is down is said to be so, and is found again when it is back', async () => {
    const { port } = plain;
    await plain.close();
    await until(() => toolbox.missing().length > 0);
    const outcome = await call('plain.echo', { text: 'a' });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'unavailable', retryable: true } });
    expect(toolbox.missing()[0]?.reason).toContain(`http://127.0.0.1:${port}/mcp`);
    expect(succeeded(await call('workshop.echo', { text: 'the others go on' }))).toBe('the others go on');
    plain = await startHttpWorkshop({ port, json: true });
    await until(() => toolbox.missing().length === 0);
    expect(succeeded(await call('plain.echo', { text: 'back' }))).toBe('back');
  });
});

describe('a URL that cannot be used', () => {
  const answers: [string, number, string, string, RegExp][] = [
    [
      'other JSON',
      200,
      'application/json',
      '{"foo":1}',
      /^URL answered with JSON that is not an MCP message: \{"foo":1\}; is it the URL of an MCP server\?$/,
    ],
    [
      'not JSON',
      200,
      'application/json',
      `<p>${SECRET}`,
      /^URL answered with something that is not JSON: <p>\[secret\]; is/,
    ],
    ['a page', 200, 'text/html', '<p>hello', /^URL answered with text\/html: <p>hello; is/],
    ['a page that is not there', 404, 'text/html', '<p>hello', /^URL answered with HTTP 404: Not Found$/],
    [
      'a login',
      401,
      'text/plain',
      'no',
      /^URL answered with HTTP 401: it does not accept the credentials; check its headers/,
    ],
    [
      'an answer that lacks something',
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":0,"result":{}}',
      /^URL: its answer to initialize does not follow MCP: protocolVersion [^[{]*$/,
    ],
  ];
  it.each(answers)('because it answers with %s says so in a sentence', async (_name, ...rest) => {
    const [status, type, body, expected] = rest;
    const server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const box = await openToolbox({ mcpServers: { other: { url, headers: { 'X-Key': SECRET } } } });
    expect(box.missing()[0]?.reason.replace(url, 'URL')).toMatch(expected);
    await box.close();
    server.close();
  });

  it('says why, without the secrets in it', async () => {
    const refusing = await startHttpWorkshop();
    await refusing.close();
    const box = await openToolbox({
      mcpServers: {
        nobody: { url: `${refusing.url}?token=${SECRET}` },
        nonsense: { url: 'not a url' },
      },
    });
    const reasons = Object.fromEntries(box.missing().map(({ server, reason }) => [server, reason]));
    expect(reasons.nobody).toMatch(/ECONNREFUSED/);
    expect(reasons.nonsense).toMatch(/url/i);
    expect(JSON.stringify(reasons)).not.toContain(SECRET);
    await box.close();
  });
});

describe('an answer over HTTP that is no JSON-RPC', () => {
  it.each<[string, string, string, string?]>([
    [
      'a body with another id',
      'application/json',
      '{"jsonrpc":"2.0","id":99,"result":{"content":[]}}',
      'id of no request',
    ],
    [
      'an event with another id',
      'text/event-stream',
      'data: {"jsonrpc":"2.0","id":"x","result":{"content":[]}}\n\n',
      'id of no request',
    ],
    [
      'an event whose id is beyond 2^53',
      'text/event-stream',
      'data: {"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[]}}\n\n',
    ],
    ['a body that is no JSON', 'application/json', '{"jsonrpc":"2.0","id":2,"result":{'],
    ['a body without a result', 'application/json', '{"jsonrpc":"2.0","id":2}'],
    ['an event that is no JSON', 'text/event-stream', 'data: {"jsonrpc":"2.0","id":2,"result":{\n\n'],
    ['an event without a result', 'text/event-stream', 'data: {"jsonrpc":"2.0","id":2}\n\n'],
  ])('ends its call at once: %s', async (_name, type, body, reason = 'not JSON-RPC') => {
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const { id, method } = text === '' ? { id: undefined, method: '' } : JSON.parse(text);
        if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
        if (method === 'tools/call') {
          response.writeHead(200, { 'content-type': type });
          // A stream stays open: nothing but the odd event ends the call.
          return type === 'application/json' ? response.end(body) : response.write(body);
        }
        const result =
          method === 'initialize'
            ? {
                protocolVersion: '2025-06-18',
                capabilities: { tools: {} },
                serverInfo: { name: 'odd', version: '1' },
              }
            : { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] };
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const box = await openToolbox({ mcpServers: { odd: { url } } });
    expect(await box.call(toCall('odd.tool'))).toMatchObject({
      kind: 'failed',
      failure: { kind: 'invalid_result', message: expect.stringContaining(reason) },
    });
    await box.close();
    server.closeAllConnections();
    server.close();
  });
});

it('a call after a long block of this process is not sent over a connection that the server has closed', async () => {
  const other = await openToolbox({
    mcpServers: { rows: await startResultServer('rows', '1000', 'http', '2000') },
  });
  onTestFinished(() => other.close());
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(sleep, 0, 0, 4_500);
  expect(succeeded(await other.call(toCall('rows.get')))).toHaveProperty('rows');
});
