import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createLanguageMind } from '../../../src/mind/language/mind.ts';
import { listModels } from '../../../src/mind/language/models.ts';
import { EventReader } from '../../../src/mind/language/wire/events.ts';
import type { Mind } from '../../../src/mind/mind.ts';
import { answer, KEY } from './asking.ts';
import { Story } from './thought.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A model at a server that behaves as the test says. */
async function modelAt(handle: Handler, timeoutMs = 60_000): Promise<Mind & { readonly server: Server }> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => handle(request, response));
  });
  // On a busy machine the next request may come later than the five seconds after which Node closes a connection.
  server.keepAliveTimeout = 0;
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1/`;
  const mind = createLanguageMind({
    provider: 'openai-compatible',
    name: 'm',
    baseUrl,
    apiKey: KEY,
    timeoutMs,
  });
  return { ...mind, server };
}

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const WHOLE = `${event({ content: JSON.stringify({ actions: [answer] }) })}${event({}, 'stop')}data: [DONE]\n\n`;
const decided = { kind: 'decided', actions: [answer] };
const think = (mind: Mind) => mind.think(new Story().thought());

describe('the connection to a model', () => {
  it('is used again, and a server that closed it in between gets a new one', async () => {
    const sockets = new Set<Socket>();
    let calls = 0;
    const mind = await modelAt((request, response) => {
      sockets.add(request.socket);
      calls++;
      // The third request comes over a connection that the server no longer wants.
      if (calls === 3) request.socket.destroy();
      else response.end(WHOLE);
    });
    expect(await think(mind)).toMatchObject(decided);
    expect(await think(mind)).toMatchObject(decided);
    expect(sockets.size).toBe(1);
    expect(await think(mind)).toMatchObject(decided);
    expect([sockets.size, calls]).toEqual([2, 4]);
  });

  it('names the host, and sends the credentials of the address where no key is given', async () => {
    const seen: (string | undefined)[][] = [];
    const { server } = await modelAt(({ headers }, response) => {
      seen.push([headers.host, headers.authorization, headers['content-type']]);
      response.end(WHOLE);
    });
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://user:pass%20word@127.0.0.1:${port}/v1`;
    for (const apiKey of [undefined, KEY])
      await think(createLanguageMind({ provider: 'openai-compatible', name: 'm', baseUrl, apiKey }));
    const basic = `Basic ${Buffer.from('user:pass word').toString('base64')}`;
    const host = `127.0.0.1:${port}`;
    expect(seen).toEqual([
      [host, basic, 'application/json'],
      [host, `Bearer ${KEY}`, 'application/json'],
    ]);
  });

  it('lists the models with the credentials of the address, and never tells them', async () => {
    const seen: (string | undefined)[] = [];
    const { server } = await modelAt(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end('{"data":[{"id":"m"}]}');
    });
    const { port } = server.address() as AddressInfo;
    const list = (apiKey?: string) => {
      const baseUrl = `http://user:secret-word@127.0.0.1:${port}/v1`;
      return listModels({ provider: 'openai-compatible', name: '', baseUrl, apiKey });
    };
    expect([await list(), await list(KEY)]).toEqual([['m'], ['m']]);
    const basic = `Basic ${Buffer.from('user:secret-word').toString('base64')}`;
    expect(seen).toEqual([basic, `Bearer ${KEY}`]);
    server.closeAllConnections();
    server.close();
    const failed = list();
    await expect(failed).rejects.toThrow('cannot be reached');
    await expect(failed).rejects.not.toThrow('secret-word');
  });

  it('is not tried again where it was new', async () => {
    let calls = 0;
    const mind = await modelAt((request) => {
      calls++;
      request.socket.destroy();
    });
    expect(await think(mind)).toMatchObject({ kind: 'failed', failure: { retryable: true } });
    expect(calls).toBe(1);
  });

  it('ends with the output, even where the response does not', async () => {
    const mind = await modelAt((_, response) => response.write(WHOLE));
    expect(await think(mind)).toMatchObject(decided);
  });

  it.each<[string, Handler]>([
    ['no headers', () => {}],
    ['headers and no body', (_, response) => response.flushHeaders()],
    [
      'a word from time to time',
      (_, response) => {
        const timer = setInterval(() => response.write(': still here\n\n'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('ends at the time limit where there is %s, and is closed', async (_, handle) => {
    const closed = Promise.withResolvers<void>();
    const mind = await modelAt((request, response) => {
      response.on('close', closed.resolve);
      handle(request, response);
    }, 300);
    expect(await think(mind)).toMatchObject({
      failure: { kind: 'model_error', retryable: true, message: expect.stringContaining('within 0.3 s') },
    });
    await closed.promise;
  });

  it('says that it broke off in the middle', async () => {
    const mind = await modelAt((request, response) => {
      response.write(event({ content: '{"actions":' }), () => request.socket.resetAndDestroy());
    });
    expect(await think(mind)).toMatchObject({
      failure: { retryable: true, message: expect.stringContaining('broke off in the middle') },
    });
  });

  it('is not asked a second time if it breaks off in the middle of an answer', async () => {
    let calls = 0;
    const mind = await modelAt((request, response) => {
      calls++;
      if (calls === 1) response.end(WHOLE);
      else response.write(event({ content: '{"actions":' }), () => request.socket.resetAndDestroy());
    });
    expect(await think(mind)).toMatchObject(decided);
    expect(await think(mind)).toMatchObject({ failure: { retryable: true } });
    // A second request for that call would be paid for, and nothing would read its answer.
    calls = 0;
    expect(await think(mind)).toMatchObject({ kind: 'decided' });
    expect(calls).toBe(1);
  });

  it('fails where the stream ends without a reason', async () => {
    const mind = await modelAt((_, response) => response.end(event({ content: 'half' })));
    expect(await think(mind)).toMatchObject({
      failure: { kind: 'model_error', retryable: true, message: expect.stringContaining('finish reason') },
    });
  });

  it.each([
    ['gzip', gzipSync(WHOLE), decided],
    ['gzip', Buffer.from(WHOLE), { kind: 'failed', failure: { kind: 'model_error', retryable: true } }],
    ['zstd', Buffer.from(WHOLE), { kind: 'failed', failure: { kind: 'model_error', retryable: true } }],
    [
      'gzip',
      gzipSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(20_000_000, 97)])),
      { kind: 'failed', failure: { kind: 'unusable_output' } },
    ],
  ])('reads what is compressed, within the same limits: %s', async (encoding, body, thinking) => {
    const mind = await modelAt((_, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(body);
    });
    expect(await think(mind)).toMatchObject(thinking);
  });

  it('keeps the key from the server that a redirect names', async () => {
    const keys: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      keys.push(request.headers.authorization);
      request.resume();
      response.end(WHOLE);
    });
    servers.push(other);
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const mind = await modelAt((request, response) => {
      keys.push(request.headers.authorization);
      response.writeHead(307, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
    });
    expect(await think(mind)).toMatchObject(decided);
    expect(keys).toEqual([`Bearer ${KEY}`, undefined]);
  });

  it('is closed where the body of a redirect does not end', async () => {
    const closed = Promise.withResolvers<void>();
    const mind = await modelAt((request, response) => {
      if (request.url === '/elsewhere') {
        response.end(WHOLE);
        return;
      }
      response.on('close', closed.resolve);
      response.writeHead(307, { location: '/elsewhere' }).write('moved');
    });
    expect(await think(mind)).toMatchObject(decided);
    await closed.promise;
  });

  it('does not follow redirects for ever', async () => {
    let calls = 0;
    const mind = await modelAt((request, response) => {
      calls++;
      response.writeHead(308, { location: request.url }).end();
    });
    expect(await think(mind)).toMatchObject({ failure: { kind: 'model_error', retryable: false } });
    expect(calls).toBe(4);
  });

  const message = { role: 'assistant', content: JSON.stringify({ actions: [answer] }) };
  const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] });

  it.each([
    ['a whole response', body, 'application/json; charset=utf-8'],
    ['a whole response behind blanks', ` \r\n\n${body}`, 'application/json'],
    ['a whole response that says it is a stream', body, 'text/event-stream'],
    ['a whole response of no type', body, undefined],
    ['a stream that says it is JSON', WHOLE, 'application/json'],
    ['a stream behind blanks', `\n\n${WHOLE}`, 'text/event-stream'],
    ['a stream of no type', WHOLE, undefined],
  ])('takes what the server sends, whatever it says: %s', async (_, text, type) => {
    const mind = await modelAt((_, response) => {
      response.sendDate = false;
      if (type !== undefined) response.setHeader('content-type', type);
      for (const character of text) response.write(character);
      response.end();
    });
    expect(await think(mind)).toMatchObject(decided);
  });

  it.each([
    ['{"error":{"message":"no such thing"}}'],
    ['{"error":"no such thing"}'],
    ['{"detail":"no such thing"}'],
    ['{"error":null,"message":"no such thing"}'],
    ['[{"error":{"code":400,"message":"no such thing","status":"INVALID_ARGUMENT"}}]'],
  ])('repeats what the server said: %s', async (body) => {
    const mind = await modelAt((_, response) => response.writeHead(400).end(body));
    expect(await think(mind)).toMatchObject({
      failure: { message: expect.stringContaining('(400): no such thing.') },
    });
  });

  it.each([
    ['{"object":"error","message":{"detail":[{"loc":["body","tools"],"msg":"no such thing"}]}}'],
    ['{"detail":[{"loc":["body","tools"],"msg":"no such thing"}]}'],
  ])('repeats what the server said in a form of its own: %s', async (body) => {
    const mind = await modelAt((_, response) => response.writeHead(422).end(body));
    expect(await think(mind)).toMatchObject({
      failure: { message: expect.stringMatching(/\(422\): .*"tools".*no such thing/) },
    });
  });

  it('says why the model broke off, if only an unusual line does', async () => {
    const mind = await modelAt((_, response) => {
      response.end('error: {"code":400,"message":"the request is too large"}\n\ndata: [DONE]\n\n');
    });
    expect(await think(mind)).toMatchObject({
      failure: { retryable: true, message: expect.stringContaining('the request is too large') },
    });
  });

  it('reads no more of an error than it needs', async () => {
    const mind = await modelAt((_, response) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    });
    expect(await think(mind)).toMatchObject({ failure: { retryable: true } });
  });
});

describe('server-sent events', () => {
  const read = (chunks: readonly (string | Uint8Array)[]) => {
    const found: string[] = [];
    const reader = new EventReader((data) => found.push(data));
    for (const chunk of chunks) reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    reader.end();
    return found;
  };

  const inPieces = (bytes: Uint8Array, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );

  it('are read in whatever pieces they come', () => {
    const text = ': a comment\nevent: x\nid: 1\ndata: あ\r\n\r\ndata:b\ndata: c\n\n\ndata: end';
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, bytes.length])
      expect(read(inPieces(bytes, size))).toEqual(['あ', 'b\nc', 'end']);
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('are read with %s as line end and with a BOM, split at any byte', (_name, lineEnd) => {
    const lines = [': a comment', 'data: あ', 'data:b', '', 'data: \uFEFFc', '', 'data: d', '', ''];
    for (const bom of ['', '\uFEFF']) {
      const bytes = Buffer.from(bom + lines.join(lineEnd));
      const expected = ['あ\nb', '\uFEFFc', 'd'];
      for (let first = 0; first <= bytes.length; first++)
        for (let second = first; second <= bytes.length; second++) {
          const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
          expect(read(chunks)).toEqual(expected);
        }
      expect(read(inPieces(bytes, 1))).toEqual(expected);
    }
  });

  it('are read when the first line behind a BOM is data', () => {
    expect(read(['\uFEFFdata: a\n\n'])).toEqual(['a']);
  });

  it('are read when one stream mixes the line ends', () => {
    expect(read(['data: a\r', '\ndata: b\n\rdata: c\r\r\ndata: d\r\r', 'data: e\r'])).toEqual([
      'a\nb',
      'c',
      'd',
      'e',
    ]);
  });

  it('are delivered at the line end, without waiting for the byte after a CR', () => {
    const found: string[] = [];
    const reader = new EventReader((data) => found.push(data));
    reader.push(Buffer.from('data: a\r\r'));
    expect(found).toEqual(['a']);
  });
});
