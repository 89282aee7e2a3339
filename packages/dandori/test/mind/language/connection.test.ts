import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, createDeflateRaw, createGzip, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLanguageMind } from '../../../src/mind/language/mind.ts';
import { post } from '../../../src/mind/language/wire/http.ts';
import { Stop } from '../../../src/model/stop.ts';
import { certify } from './certificate.ts';
import { listen, type Serve, type SocketServer, serve } from './socket-server.ts';
import { Story } from './thought.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const HELLO = `${OK}content-length: 5\r\n\r\nhello`;
const KEY = { authorization: 'Bearer very-secret' };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function serving(handle: Serve): Promise<SocketServer> {
  const server = await serve(handle);
  cleanups.push(() => server[Symbol.asyncDispose]());
  return server;
}

async function httpServing<T extends Server & Pick<HttpServer, 'closeAllConnections'>>(
  server: T,
): Promise<T> {
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await listen(server);
  return server;
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  readonly stop?: Stop;
  /** False: no more is needed. */
  readonly take?: (text: string) => boolean;
}

/** The status and the body. */
async function ask(url: URL, asked: Asked = {}): Promise<string> {
  const { headers = KEY, body = [Buffer.from('{}')], stop = new Stop(), take = () => true } = asked;
  let text = '';
  await post(url, { headers, body, stop }, ({ status }) => {
    text = `${status} `;
    return (piece) => {
      const some = Buffer.from(piece).toString();
      text += some;
      return take(some);
    };
  });
  return text;
}

const isClosed = (socket: Socket | undefined) =>
  socket === undefined || socket.destroyed ? Promise.resolve() : once(socket, 'close');

describe('a connection to a model', () => {
  it.each([
    ['a length', 1, HELLO],
    ['no body', 1, `${OK}content-length: 0\r\n\r\n`],
    ['chunks', 1, `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
    ['trailers', 1, `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx: y\r\n\r\n`],
    ['status 204', 1, 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['another response before it', 1, `HTTP/1.1 103 Early Hints\r\n\r\n${HELLO}`],
    ['a minute until it is closed', 1, `${OK}keep-alive: timeout=60\r\ncontent-length: 0\r\n\r\n`],
    ['a second until it is closed', 2, `${OK}keep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n`],
    ['bytes behind it', 2, `${HELLO}HTTP/1.1 200 OK\r\n`],
    ['bytes behind its chunks', 2, `${OK}transfer-encoding: chunked\r\n\r\n0\r\n\r\n\r\n`],
    ['connection: close', 2, `${OK}connection: keep-alive, Close\r\ncontent-length: 0\r\n\r\n`],
    ['HTTP/1.0', 2, 'HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello'],
    ['status 204 and the length of a body', 2, 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n'],
  ])('is used again only if no other response can be on it: %s', async (_, connections, response) => {
    const server = await serving((socket) => socket.write(response));
    const first = await ask(server.url);
    expect(await ask(server.url)).toBe(first);
    expect(server.sockets.length).toBe(connections);
    if (connections === 2) await isClosed(server.sockets[0]);
  });

  it('is not used again after a body that ends with it', async () => {
    const server = await serving((socket) => socket.end(`${OK}\r\nhello`));
    expect(await ask(server.url)).toBe('200 hello');
    expect(await ask(server.url)).toBe('200 hello');
    expect(server.sockets.length).toBe(2);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['sends something', (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\n')],
    ['closes it', (socket) => socket.end()],
    ['resets it', (socket) => socket.resetAndDestroy()],
  ])('is dropped when the server %s while nothing is asked', async (_, end) => {
    const server = await serving((socket) => socket.write(HELLO));
    await ask(server.url);
    const [first] = server.sockets;
    if (first !== undefined) end(first);
    await isClosed(first);
    expect(await ask(server.url)).toBe('200 hello');
    expect([server.sockets.length, server.requests]).toEqual([2, 2]);
  });

  it('does not keep the process alive while nothing is asked', async () => {
    const server = await serving((socket) => socket.write(HELLO));
    const results = await askInProcess([server.url, server.url]);
    expect(results).toEqual([
      { status: 200, text: 'hello' },
      { status: 200, text: 'hello' },
    ]);
    expect(server.sockets.length).toBe(1);
  });

  it('is not used again where the server answered before it had read the request', async () => {
    const sockets: Socket[] = [];
    const server = createSocketServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 5\r\n\r\nlarge');
      });
    });
    cleanups.push(() => server.close());
    const { port } = await listen(server);
    const url = new URL(`http://127.0.0.1:${port}/`);
    // More than the system keeps for a reader that is late.
    const body = [Buffer.alloc(64 * 1024 * 1024)];
    for (const connections of [1, 2]) {
      expect(await ask(url, { body })).toBe('413 large');
      expect(sockets.length).toBe(connections);
    }
    // It sees the end when it reads on.
    for (const socket of sockets) await isClosed(socket.resume());
  });

  it('that the server closed in between is replaced once, and a new one never', async () => {
    const server = await serving((socket, { request }) => {
      if (request === 1) socket.write(HELLO);
      else socket.destroy();
    });
    await ask(server.url);
    await expect(ask(server.url)).rejects.toThrow('socket hang up');
    expect([server.sockets.length, server.requests]).toEqual([2, 3]);
    await expect(ask(server.url)).rejects.toThrow('socket hang up');
    expect([server.sockets.length, server.requests]).toEqual([3, 4]);
  });

  it('does not send a request twice where the server was silent for long before it closed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    cleanups.push(() => vi.useRealTimers());
    const server = await serving((socket, { request }) => {
      if (request === 1) socket.write(HELLO);
      else {
        // As a gateway does with a model that thinks for longer than the gateway waits.
        vi.advanceTimersByTime(30_000);
        socket.destroy();
      }
    });
    await ask(server.url);
    await expect(ask(server.url)).rejects.toThrow('socket hang up');
    expect(server.requests).toBe(2);
  });

  it.each([
    ['a part of a head', 'HTTP/1.1 20'],
    ['an informational response', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('does not send a request twice after %s: it would be paid for twice', async (_, begun) => {
    const server = await serving((socket, { request }) => {
      if (request === 1) socket.write(HELLO);
      else socket.end(begun);
    });
    await ask(server.url);
    await expect(ask(server.url)).rejects.toThrow('socket hang up');
    expect(server.requests).toBe(2);
  });

  it('is left alone by a call that was stopped before', async () => {
    const server = await serving((socket) => socket.write(HELLO));
    const stop = new Stop();
    stop.stop('enough');
    await expect(ask(server.url, { stop })).rejects.toThrow('stopped');
    await ask(server.url);
    await expect(ask(server.url, { stop })).rejects.toThrow('stopped');
    await ask(server.url);
    expect([server.sockets.length, server.requests]).toEqual([1, 2]);
  });

  it.each([
    ['before the response', ''],
    ['in its head', 'HTTP/1.1 200 OK\r\nx:'],
    ['in its body', `${OK}content-length: 50\r\n\r\nhello`],
    ['in a chunk', `${OK}transfer-encoding: chunked\r\n\r\n50\r\nhello`],
  ])('is closed at once when a call is stopped %s', async (_, begun) => {
    const stop = new Stop();
    const server = await serving((socket) => {
      // Usually it has arrived then. It must work in any case.
      socket.write(begun, () => setImmediate(() => setImmediate(() => stop.stop('enough'))));
    });
    await expect(ask(server.url, { stop })).rejects.toThrow('The call was stopped.');
    await isClosed(server.sockets[0]);
  });

  it.each([0, 1, 2, 3, 5, 8])('is closed when a call is stopped after %i turns', async (turns) => {
    const server = await serving(() => {});
    const stop = new Stop();
    const asking = expect(ask(server.url, { stop })).rejects.toThrow('The call was stopped.');
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    stop.stop('enough');
    await asking;
    for (const socket of server.sockets) await isClosed(socket);
  });

  it('is closed when a call is stopped while TLS is set up', async () => {
    // It never answers.
    const server = await serving(() => {});
    const stop = new Stop();
    const asking = expect(ask(secure(server.url), { stop })).rejects.toThrow('The call was stopped.');
    await expect.poll(() => server.sockets.length).toBe(1);
    stop.stop('enough');
    await asking;
    await isClosed(server.sockets[0]);
  });

  it('gives nothing more to a call that stops itself', async () => {
    const server = await serving((socket) =>
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n`),
    );
    const stop = new Stop();
    const taken: string[] = [];
    const asking = ask(server.url, {
      stop,
      take: (text) => {
        taken.push(text);
        stop.stop('enough');
        return true;
      },
    });
    await expect(asking).rejects.toThrow('The call was stopped.');
    expect(taken).toEqual(['a']);
    await isClosed(server.sockets[0]);
  });

  it('is kept if a body that is no longer read ends soon', async () => {
    const server = await serving((socket, { connection }) => {
      const close = connection === 1 ? '' : 'connection: close\r\n';
      socket.write(
        `${OK}${close}content-length: 6\r\n\r\n[DONE]`.slice(0, connection === 1 ? -1 : undefined),
      );
    });
    await ask(server.url, { take: () => false });
    server.sockets[0]?.write(']');
    // Others are closed after their response, so that in the end a request comes over the first one.
    const before = server.sockets[0]?.bytesRead ?? 0;
    await expect
      .poll(async () => {
        await ask(server.url, { take: () => false });
        return (server.sockets[0]?.bytesRead ?? 0) > before;
      })
      .toBe(true);
  });

  it('is closed if a body that is no longer read does not end', async () => {
    const server = await serving((socket) => socket.write(`${OK}content-length: 500\r\n\r\n[DONE]`));
    expect(await ask(server.url, { take: () => false })).toBe('200 [DONE]');
    await isClosed(server.sockets[0]);
  });

  it('is closed by an error of what takes the body, which stays what it is', async () => {
    const server = await serving((socket) => socket.write(`${OK}content-length: 500\r\n\r\nhello`));
    const error = Object.assign(new Error('mine'), { code: 'own' });
    const take = () => {
      throw error;
    };
    await expect(ask(server.url, { take })).rejects.toBe(error);
    await isClosed(server.sockets[0]);
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9\r\n', 'the response is not HTTP/1.1'],
    ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46', 'the response is not HTTP/1.1'],
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 5\n\nhello', 'ends without a carriage return'],
    ['a switch', 'HTTP/1.1 101 Switching\r\n\r\n', 'switched to another protocol'],
    ['a wrong chunk', `${OK}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n`, 'size of a chunk'],
  ])('fails at once where the server sends %s and waits', async (_, bytes, message) => {
    const server = await serving((socket) => socket.write(Buffer.from(bytes, 'latin1')));
    await expect(ask(server.url)).rejects.toThrow(message);
    await isClosed(server.sockets[0]);
  });

  it.each([
    ['informational responses', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['headers', OK, 'x: y\r\n'],
    ['trailers', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x: y\r\n'],
    ['a size of a chunk', `${OK}transfer-encoding: chunked\r\n\r\n`, '0'],
  ])('fails where %s do not end', async (_, start, more) => {
    const server = await serving((socket) => {
      socket.write(start);
      sendForEver(socket, Buffer.from(more.repeat(1_000)));
    });
    await expect(ask(server.url)).rejects.toThrow('head of the response is too long');
  });

  it('fails before a server that sends every byte on its own has filled the memory', async () => {
    const server = await serving((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      sendForEver(socket, Buffer.from('1\r\nx\r\n'.repeat(1_000)));
    });
    let pieces = 0;
    const stop = new Stop();
    const asking = post(server.url, { headers: KEY, body: [], stop }, () => () => {
      pieces++;
      return pieces < 1_000_000;
    });
    await expect(asking).rejects.toThrow('too long');
  });

  it('is kept for each of many calls at once', async () => {
    const server = await serving((socket) => socket.write(HELLO));
    const many = () => Promise.all(Array.from({ length: 300 }, () => ask(server.url)));
    expect(new Set(await many())).toEqual(new Set(['200 hello']));
    await many();
    expect([server.sockets.length, server.requests]).toEqual([300, 600]);
  });

  it('names what failed where there is no server, and where its name is unknown', async () => {
    const closed = await serve(() => {});
    await closed[Symbol.asyncDispose]();
    await expect(ask(closed.url)).rejects.toThrow('ECONNREFUSED');
    await expect(ask(new URL('http://no-such-host.invalid/'))).rejects.toThrow(/no-such-host\.invalid/);
    await expect(ask(new URL('ftp://127.0.0.1/'))).rejects.toThrow('The protocol ftp: is not supported.');
  });

  it('goes to an address of IPv6', async (context) => {
    const server = createServer((request, response) => response.end(request.headers.host));
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, '::1');
    const [error] = await Promise.race([once(server, 'listening'), once(server, 'error')]);
    if (error !== undefined) context.skip();
    const { port } = server.address() as AddressInfo;
    expect(await ask(new URL(`http://[::1]:${port}/`))).toBe(`200 [::1]:${port}`);
  });

  it.each(['\n', '\r\nx-evil: 1', '\0', '\x7f', 'あ'])(
    'sends nothing if the key has %j',
    async (character) => {
      const server = await serving((socket) => socket.write(HELLO));
      const apiKey = `very-secret${character}-key`;
      const baseUrl = server.url.href;
      const mind = createLanguageMind({ provider: 'openai-compatible', name: 'm', baseUrl, apiKey });
      const thinking = await mind.think(new Story().thought());
      expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'model_error', retryable: false } });
      expect(JSON.stringify(thinking)).not.toContain('very-secret');
      expect(JSON.stringify(thinking)).toContain('authorization');
      expect(server.sockets.length).toBe(0);
    },
  );
});

describe('a compressed response', () => {
  const GZIP = `${OK}content-encoding: gzip\r\n`;

  it('ends with the output, even if its body does not', async () => {
    const server = await serving((socket) => {
      const packed = createGzip();
      packed.on('data', (piece) => socket.write(piece));
      socket.write(`${GZIP}\r\n`);
      packed.write('data: [DONE]\n\n');
      packed.flush();
    });
    expect(await ask(server.url, { take: () => false })).toBe('200 data: [DONE]\n\n');
    await isClosed(server.sockets[0]);
  });

  it('keeps its connection if its body ends', async () => {
    const packed = gzipSync('data: [DONE]\n\n');
    const server = await serving((socket) => {
      socket.write(`${GZIP}content-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    for (const isMore of [true, false, true])
      expect(await ask(server.url, { take: () => isMore })).toBe('200 data: [DONE]\n\n');
    expect(server.sockets.length).toBe(1);
  });

  it('keeps its connection if its end arrives before the rest is unpacked', async () => {
    const packed = gzipSync(randomBytes(1024 * 1024).toString('base64'));
    const server = await serving((socket) => {
      socket.write(`${GZIP}content-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    const first = await ask(server.url);
    expect(await ask(server.url)).toBe(first);
    expect(server.sockets.length).toBe(1);
  });

  it('fails at once if it is damaged, even if its body does not end', async () => {
    const server = await serving((socket) => socket.write(`${GZIP}content-length: 50\r\n\r\nhello`));
    await expect(ask(server.url)).rejects.toThrow('incorrect header check');
    await isClosed(server.sockets[0]);
  });

  it.each([
    ['cut off', 'unexpected end of file', -5],
    ['followed by zeros', undefined, 5],
  ])('%s is read as far as it is whole', async (_, message, length) => {
    const packed = gzipSync('hello '.repeat(100));
    const server = await serving((socket) => {
      socket.write(`${GZIP}content-length: ${packed.length + length}\r\n\r\n`);
      socket.write(length < 0 ? packed.subarray(0, length) : Buffer.concat([packed, Buffer.alloc(5)]));
    });
    if (message === undefined) expect(await ask(server.url)).toBe(`200 ${'hello '.repeat(100)}`);
    else await expect(ask(server.url)).rejects.toThrow(message);
  });

  it.each(['GZIP', 'x-gzip', 'none', 'Identity'])('is read as %s says', async (encoding) => {
    const body = /gzip/i.test(encoding) ? gzipSync('hello') : Buffer.from('hello');
    const server = await serving((socket) => {
      socket.write(`${OK}content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    expect(await ask(server.url)).toBe('200 hello');
  });

  it('that has arrived is not unpacked to its end when its call is stopped', async () => {
    const packed = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024, '\n'), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    const server = await serving((socket) => {
      socket.write(`${OK}content-encoding: br\r\ncontent-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    const stop = new Stop();
    let pieces = 0;
    const take = () => {
      pieces++;
      stop.stop('enough');
      return true;
    };
    await expect(ask(server.url, { stop, take })).rejects.toThrow('The call was stopped.');
    expect(pieces).toBe(1);
  });

  it('that is compressed twice is refused', async () => {
    const packed = gzipSync(gzipSync('hello'));
    const server = await serving((socket) => {
      socket.write(`${OK}content-encoding: gzip, gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    await expect(ask(server.url)).rejects.toThrow('compressed in an unknown way');
  });

  it('gives nothing more when its call has failed', async () => {
    // Unpacked, it is a thousand times as long, and so it is not unpacked when the connection breaks.
    const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, '\n'));
    const server = await serving((socket) => {
      socket.write(`${GZIP}content-length: ${packed.length + 1}\r\n\r\n`);
      socket.end(packed);
    });
    let isOver = false;
    let late = 0;
    const take = () => {
      if (isOver) late++;
      return true;
    };
    await expect(ask(server.url, { take })).rejects.toThrow('socket hang up');
    isOver = true;
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(late).toBe(0);
  });

  it('is not kept in memory if it arrives faster than it is unpacked', async () => {
    // Without compression, so that what is sent and what is unpacked have the same length.
    const stored = createDeflateRaw({ level: constants.Z_NO_COMPRESSION });
    stored.end(Buffer.alloc(96 * 1024 * 1024, '\n'));
    const whole = Buffer.concat([Buffer.from([0x78, 0x01]), ...(await stored.toArray())]);
    const server = await serving((socket) => {
      socket.write(`${OK}content-encoding: deflate\r\nconnection: close\r\n\r\n`);
      socket.write(whole);
    });
    let taken = 0;
    let mostKept = 0;
    const stop = new Stop();
    const asking = post(server.url, { headers: KEY, body: [], stop }, () => (piece) => {
      taken += piece.length;
      mostKept = Math.max(mostKept, sentBy(server) - taken);
      return taken < 90 * 1024 * 1024;
    });
    await asking;
    // The system keeps some megabytes.
    expect(mostKept).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('a redirect', () => {
  const moved = (location: string) =>
    `HTTP/1.1 307 Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
  const keyIn = (text: string) => /\r\nauthorization: (.*)\r\n/.exec(text)?.[1];

  /** The paths and keys of the requests to a server that sends this location, and to another one. */
  async function follow(
    locationOf: (other: URL) => string,
    credentials = '',
    headers: Readonly<Record<string, string>> = KEY,
  ): Promise<string[][]> {
    const seen: string[][] = [[], []];
    const other = await serving((socket, { text }) => {
      seen[1]?.push(`${text.split(' ')[1]} ${keyIn(text)}`);
      socket.write(HELLO);
    });
    const server = await serving((socket, { text, request }) => {
      seen[0]?.push(`${text.split(' ')[1]} ${keyIn(text)}`);
      socket.write(request === 1 ? moved(locationOf(other.url)) : HELLO);
    });
    const url = new URL(server.url.href.replace('//', `//${credentials}`));
    expect(await ask(url, { headers })).toBe('200 hello');
    return seen;
  }

  const BASIC = `Basic ${Buffer.from('user:pass').toString('base64')}`;

  it('to another server does not carry the key', async () => {
    expect(await follow((other) => `${other.origin}/v2`)).toEqual([
      ['/v1 Bearer very-secret'],
      ['/v2 undefined'],
    ]);
  });

  it('to another server does not carry the credentials of the address', async () => {
    expect(await follow((other) => `//${other.host}/v2`, 'user:pass@', {})).toEqual([
      [`/v1 ${BASIC}`],
      ['/v2 undefined'],
    ]);
  });

  it.each([
    ['elsewhere?a=b', '/elsewhere?a=b'],
    ['/elsewhere#here', '/elsewhere'],
    ['?a', '/v1?a'],
  ])('to %s is relative to the address, and carries the key', async (location, path) => {
    expect(await follow(() => location)).toEqual([
      ['/v1 Bearer very-secret', `${path} Bearer very-secret`],
      [],
    ]);
    expect(await follow(() => location, 'user:pass@', {})).toEqual([
      [`/v1 ${BASIC}`, `${path} ${BASIC}`],
      [],
    ]);
  });

  it.each(['http://[x/', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'data:,x', 'http://user:pass@'])(
    'to %s is refused with a reason',
    async (location) => {
      const server = await serving((socket) => socket.write(moved(location)));
      const asking = ask(server.url);
      await expect(asking).rejects.toThrow('it redirects to an address that is no URL of HTTP');
      await expect(asking).rejects.toMatchObject({ statusCode: 307 });
      expect(server.requests).toBe(1);
    },
  );
});

describe('a connection over TLS', () => {
  const local = certify(['localhost'], ['127.0.0.1']);
  const names: (string | false)[] = [];
  const resumed: boolean[] = [];

  /** Its address by its name, and by its number. */
  async function secureServing(
    certified = local,
    location?: string,
  ): Promise<{ byName: URL; byNumber: URL }> {
    names.splice(0);
    resumed.splice(0);
    const server = await httpServing(
      createHttpsServer({ ...certified }, ({ socket, headers }, response) => {
        if (socket instanceof TLSSocket) resumed.push(socket.isSessionReused());
        response.setHeader('connection', 'close');
        if (location !== undefined) response.writeHead(308, { location });
        response.end(headers.authorization);
      }),
    );
    server.on('secureConnection', (socket: TLSSocket & { servername?: string | false }) =>
      names.push(socket.servername ?? ''),
    );
    const { port } = server.address() as AddressInfo;
    return {
      byName: new URL(`https://localhost:${port}/v1`),
      byNumber: new URL(`https://127.0.0.1:${port}/v1`),
    };
  }

  it('is refused if nothing that is trusted signed its certificate', async () => {
    const { byName } = await secureServing();
    await expect(ask(byName)).rejects.toThrow(/self-signed certificate/);
    expect(resumed).toEqual([]);
  });

  it('is set up where the certificate is trusted, with the name of the server if it has one', async () => {
    const { byName, byNumber } = await secureServing();
    const got = { status: 200, text: KEY.authorization };
    expect(await askInProcess([byName, byNumber, byName], trusting(local.cert))).toEqual([got, got, got]);
    expect(names).toEqual(['localhost', false, 'localhost']);
    // The third one takes up the first one, which saves a round trip.
    expect(resumed).toEqual([false, false, true]);
  });

  it('is refused if the certificate is for another name, also the second time', async () => {
    const certified = certify(['other.example']);
    const { byName, byNumber } = await secureServing(certified);
    const results = await askInProcess([byName, byName, byNumber], trusting(certified.cert));
    for (const { error } of results) expect(error).toMatch(/does not match certificate's altnames/);
    expect(resumed).toEqual([]);
  });

  it('is set up in full after the server did not take up an earlier one', async () => {
    const { byName } = await secureServing();
    let longest = 0;
    // A request to take up a session is longer by the ticket. What stands in front of the server refuses it.
    const front = createSocketServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (hello) => {
        if (longest > 0 && hello.length > longest + 64) {
          socket.resetAndDestroy();
          return;
        }
        longest = Math.max(longest, hello.length);
        const behind = connect(Number(byName.port), '127.0.0.1').on('error', () => {});
        behind.write(hello);
        socket.pipe(behind).pipe(socket);
      });
    });
    cleanups.push(() => front.close());
    const { port } = await listen(front);
    const url = new URL(`https://localhost:${port}/`);
    const got = { status: 200, text: KEY.authorization };
    const [first, second, third] = await askInProcess([url, url, url], trusting(local.cert));
    expect([first, third]).toEqual([got, got]);
    expect(second?.error).toMatch(/ECONNRESET/);
  });

  it('does not carry the key to where a redirect leaves it', async () => {
    const server = await serving((socket, { text }) => {
      socket.end(`${OK}\r\n${text.includes('authorization') ? 'key' : 'no key'}`);
    });
    const { byName } = await secureServing(local, server.url.href);
    expect(await askInProcess([byName], trusting(local.cert))).toEqual([{ status: 200, text: 'no key' }]);
  });

  it('says what is wrong where the server does not know it', async () => {
    const answering = await httpServing(createServer((_, response) => response.end()));
    const { port } = answering.address() as AddressInfo;
    await expect(ask(new URL(`https://127.0.0.1:${port}/`))).rejects.toThrow(/wrong version number/);
  });

  it('says that it was closed before it was set up', async () => {
    const server = createSocketServer((socket) => socket.end());
    cleanups.push(() => server.close());
    const { port } = await listen(server);
    await expect(ask(new URL(`https://127.0.0.1:${port}/`))).rejects.toThrow(/before secure TLS connection/);
  });
});

it.each<[string, NodeJS.ProcessEnv, string[]]>([
  ['NODE_USE_ENV_PROXY', { NODE_USE_ENV_PROXY: '1' }, []],
  ['NODE_OPTIONS', { NODE_OPTIONS: '--use-env-proxy' }, []],
  ['an option of Node', {}, ['--use-env-proxy']],
])('goes through the proxy of the environment where %s says so', async (_, environment, options) => {
  const seen: string[] = [];
  const proxy = await httpServing(
    createServer((request, response) => {
      seen.push(`${request.headers.host} ${request.headers.authorization}`);
      response.end('by proxy');
    }),
  );
  proxy.on('connect', (_, socket: Socket) => {
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    proxy.emit('connection', socket);
  });
  const { port } = proxy.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const proxies = { http_proxy: address, HTTP_PROXY: address, no_proxy: '', NO_PROXY: '' };
  const results = await askInProcess(
    [new URL('http://model.invalid/v1')],
    { ...environment, ...proxies },
    options,
  );
  expect(results).toEqual([{ status: 200, text: 'by proxy' }]);
  expect(seen).toEqual(['model.invalid Bearer very-secret']);
});

interface Result {
  readonly status?: number;
  readonly text?: string;
  readonly error?: string;
}

/** Asks them one after the other in a process of its own, and waits until it ends by itself. */
async function askInProcess(
  urls: readonly URL[],
  environment: NodeJS.ProcessEnv = {},
  options: readonly string[] = [],
): Promise<Result[]> {
  const program = join(import.meta.dirname, 'fixtures/posting.ts');
  const env = { ...process.env, NODE_USE_ENV_PROXY: '', ...environment };
  const args = [...options, program, ...urls.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}

function trusting(cert: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'dandori-certificate-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'certificate.pem');
  writeFileSync(file, cert);
  return { NODE_EXTRA_CA_CERTS: file };
}

function secure(url: URL): URL {
  return new URL(url.href.replace('http:', 'https:'));
}

/** Bytes that the server has given to the system. */
function sentBy({ sockets }: SocketServer): number {
  return sockets.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
}

function sendForEver(socket: Socket, bytes: Buffer): void {
  const send = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', send);
  send();
}
