import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResponseReader } from '../../../src/mind/language/wire/response-reader.ts';
import { createRandom, type Random } from '../../simulator/random.ts';
import { type SocketServer, serve } from './socket-server.ts';

/** `read`: Node and we read it in the same way. `refused`: both refuse it. `stricter`: only we refuse it. */
type Expected = 'read' | 'refused' | 'stricter';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const HELLO = 'content-length: 5\r\n\r\nhello';
const IN_CHUNKS = '5\r\nhello\r\n0\r\n\r\n';

const RESPONSES: readonly (readonly [string, Expected, string])[] = [
  ['a length', 'read', `${OK}${HELLO}`],
  ['no body', 'read', `${OK}content-length: 0\r\n\r\n`],
  ['no reason', 'read', `HTTP/1.1 200\r\n${HELLO}`],
  ['an unusual status', 'read', `HTTP/1.1 999 \r\n${HELLO}`],
  ['an error', 'read', `HTTP/1.1 429 Too Many\r\nretry-after: 3\r\n${HELLO}`],
  ['blanks around a length', 'read', `${OK}content-length:\t 5 \t\r\n\r\nhello`],
  ['chunks', 'read', `${CHUNKED}${IN_CHUNKS}`],
  ['several chunks', 'read', `${CHUNKED}5\r\nhello\r\nA\r\n0123456789\r\n1\r\n!\r\n0\r\n\r\n`],
  ['chunks in capitals', 'read', `${OK}Transfer-Encoding: Chunked\r\n\r\n${IN_CHUNKS}`],
  ['chunks with extensions', 'read', `${CHUNKED}5;a;b=c;d="e \\" f"\r\nhello\r\n0;g\r\n\r\n`],
  ['chunks with trailers', 'read', `${CHUNKED}5\r\nhello\r\n0\r\nx-sum: 1\r\ny: 2\r\n\r\n`],
  ['only the last chunk', 'read', `${CHUNKED}000\r\n\r\n`],
  ['neither a length nor chunks', 'read', `${OK}\r\nhello`],
  ['neither, and no body', 'read', `${OK}\r\n`],
  ['HTTP/1.0', 'read', `HTTP/1.0 200 OK\r\n\r\nhello`],
  ['HTTP/1.0 with a length', 'read', `HTTP/1.0 200 OK\r\n${HELLO}`],
  ['HTTP/1.0 with chunks', 'read', `HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${IN_CHUNKS}`],
  ['100 before it', 'read', `HTTP/1.1 100 Continue\r\n\r\n${OK}${HELLO}`],
  ['103 with headers before it', 'read', `HTTP/1.1 103 Early\r\ncontent-length: 3\r\n\r\n${OK}${HELLO}`],
  ['204', 'read', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['204 with a body', 'read', `HTTP/1.1 204 No Content\r\n${HELLO}`],
  ['304 with a length', 'read', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n'],
  ['connection: close', 'read', `${OK}connection: close\r\n${HELLO}`],
  ['a header __proto__', 'read', `${OK}__proto__: x\r\nconstructor: y\r\n${HELLO}`],
  ['bytes above 127 in a header', 'read', `${OK}x: \xe9\xff\r\n${HELLO}`],
  ['a head of 30 kB', 'read', `${OK}x: ${'a'.repeat(30_000)}\r\n${HELLO}`],
  ['bytes behind a length', 'read', `${OK}${HELLO}HTTP/1.1 200 OK`],
  ['bytes behind the chunks', 'read', `${CHUNKED}${IN_CHUNKS}more`],

  ['nothing', 'refused', ''],
  ['half a head', 'refused', `${OK}content-`],
  ['half a body', 'refused', `${OK}content-length: 5\r\n\r\nhel`],
  ['half a chunk', 'refused', `${CHUNKED}5\r\nhel`],
  ['no last chunk', 'refused', `${CHUNKED}5\r\nhello\r\n`],
  ['no end of the trailers', 'refused', `${CHUNKED}5\r\nhello\r\n0\r\n`],
  ['another protocol', 'refused', 'SSH-2.0-OpenSSH\r\n'],
  ['HTTP/1.2', 'refused', `HTTP/1.2 200 OK\r\n${HELLO}`],
  ['two blanks before the status', 'refused', `HTTP/1.1  200 OK\r\n${HELLO}`],
  ['a status of four digits', 'refused', `HTTP/1.1 2000 OK\r\n${HELLO}`],
  [
    'a length and chunks',
    'refused',
    `${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${IN_CHUNKS}`,
  ],
  ['two equal lengths', 'refused', `${OK}content-length: 5\r\n${HELLO}`],
  ['two lengths', 'refused', `${OK}content-length: 6\r\n${HELLO}`],
  ['two lengths in one header', 'refused', `${OK}content-length: 5, 5\r\n\r\nhello`],
  ...['+5', '-5', '0x5', '5 5', '', '5.0', '99999999999999999999'].map(
    (length) => [`the length "${length}"`, 'refused', `${OK}content-length: ${length}\r\n\r\nhello`] as const,
  ),
  ['a length and then a no-break space', 'refused', `${OK}content-length: 5\xa0\r\n\r\nhello`],
  ['a length and then a form feed', 'refused', `${OK}content-length: 5\f\r\n\r\nhello`],
  ['a length and then a return', 'refused', `${OK}content-length: 5\r\r\n\r\nhello`],
  ['a length and then a line feed', 'refused', `${OK}content-length: 5\n\r\n\r\nhello`],
  ['a line feed before a length', 'refused', `${OK}content-length:\n5\r\n\r\nhello`],
  ['a header behind a line feed', 'refused', `${OK}x:\ncontent-length: 5\r\n\r\nhello`],
  ['bare line feeds', 'refused', 'HTTP/1.1 200 OK\ncontent-length: 5\n\nhello'],
  ['one bare line feed', 'refused', `${OK}x: y\n${HELLO}`],
  ['a bare return', 'refused', `${OK}x: a\rb\r\n${HELLO}`],
  ['a header on two lines', 'refused', `${OK}x: a\r\n b\r\n${HELLO}`],
  ['a header without a colon', 'refused', `${OK}x\r\n${HELLO}`],
  ['a header without a name', 'refused', `${OK}: x\r\n${HELLO}`],
  ['a blank before a colon', 'refused', `${OK}content-length : 5\r\n\r\nhello`],
  ['a control character', 'refused', `${OK}x: a\0b\r\n${HELLO}`],
  ['a chunk that is too long', 'refused', `${CHUNKED}5\r\nhello!\r\n0\r\n\r\n`],
  ['a chunk that ends with a line feed', 'refused', `${CHUNKED}5\r\nhello\n0\r\n\r\n`],
  ['a size that ends with a line feed', 'refused', `${CHUNKED}5\nhello\r\n0\r\n\r\n`],
  ['an empty size', 'refused', `${CHUNKED}\r\nhello\r\n0\r\n\r\n`],
  ['a size of 17 digits', 'refused', `${CHUNKED}10000000000000005\r\nhello\r\n0\r\n\r\n`],
  ...['5 ', '5 ;a', '5; a', '5;', '5;;', '5;a=b=c', '5;a="b', '5;a="b"c', '5;a\x01', '5;\xe9', '0x5'].map(
    (size) => [`the size "${size}"`, 'refused', `${CHUNKED}${size}\r\nhello\r\n0\r\n\r\n`] as const,
  ),
  ['a trailer with a length', 'refused', `${CHUNKED}0\r\ncontent-length: 3\r\n\r\n`],
  ['a trailer that is none', 'refused', `${CHUNKED}0\r\nx y\r\n\r\n`],
  ['a wrong length before it', 'refused', `HTTP/1.1 103 E\r\ncontent-length: x\r\n\r\n${OK}${HELLO}`],
  ['101', 'refused', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],

  ['gzip and chunks', 'stricter', `${OK}transfer-encoding: gzip, chunked\r\n\r\n${IN_CHUNKS}`],
  ['chunks twice', 'stricter', `${OK}transfer-encoding: chunked, chunked\r\n\r\n${IN_CHUNKS}`],
  ['another encoding', 'stricter', `${OK}transfer-encoding: gzip\r\n\r\nhello`],
  ['chunks and a no-break space', 'stricter', `${OK}transfer-encoding: chunked\xa0\r\n\r\n${IN_CHUNKS}`],
  ['chunks and a tab', 'stricter', `${OK}transfer-encoding: chunked\t\r\n\r\n${IN_CHUNKS}`],
  ['an empty line before it', 'stricter', `\r\n${OK}${HELLO}`],
  ['HTTP/2.0', 'stricter', `HTTP/2.0 200 OK\r\n${HELLO}`],
  ['a status below 100', 'stricter', `HTTP/1.1 099 OK\r\n${HELLO}`],
  ['101 without a protocol', 'stricter', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ['a length of 20 digits', 'stricter', `${OK}content-length: 00000000000000000005\r\n\r\nhello`],
  ['a size of 13 digits', 'stricter', `${CHUNKED}0000000000005\r\nhello\r\n0\r\n\r\n`],
  ['a head of 40 kB', 'stricter', `${OK}x: ${'a'.repeat(40_000)}\r\n${HELLO}`],
  ['informational responses of 40 kB', 'stricter', `${'HTTP/1.1 102 P\r\n\r\n'.repeat(2_200)}${OK}${HELLO}`],
  ['a size line of 100 bytes', 'read', `${CHUNKED}5;${'a'.repeat(98)}\r\nhello\r\n0\r\n\r\n`],
  ['a size line of 200 bytes', 'stricter', `${CHUNKED}5;${'a'.repeat(198)}\r\nhello\r\n0\r\n\r\n`],
];

/** Why we may refuse what Node reads. Each is in the table above. */
const STRICTER = [
  'the response is sent in an unknown way',
  'the response is not HTTP/1.1',
  'the server switched to another protocol',
  'the length of the response is no number',
  'the size of a chunk of the response is no number',
  'the head of the response is too long',
];

const MUTATIONS = 400;

interface Read {
  readonly status: number;
  readonly body: string;
}
type Result = Read | { readonly refused: string };

/** `end`: the bytes of the response. What follows does not belong to it. */
function readByUs(pieces: readonly Buffer[]): { result: Result; end: number; isReusable: boolean } {
  let status = 0;
  let pushed = 0;
  let end: number | undefined;
  let isReusable = false;
  const body: Uint8Array[] = [];
  const reader = new ResponseReader({
    onHead: (head) => {
      status = head.status;
    },
    onData: (piece) => body.push(piece),
    onEnd: (reusable) => {
      end = pushed;
      isReusable = reusable;
    },
  });
  try {
    for (const piece of pieces) {
      pushed += piece.length;
      reader.push(piece);
    }
    const isWhole = reader.close();
    const result = isWhole
      ? { status, body: Buffer.concat(body).toString('latin1') }
      : { refused: 'cut off' };
    return { result, end: end ?? pushed, isReusable };
  } catch (error) {
    return { result: { refused: (error as Error).message }, end: pushed, isReusable: false };
  }
}

/** As it arrives in one piece, in single bytes, and in others. All must give the same. */
function readInPieces(bytes: Buffer, random: Random): { result: Result; end: number } {
  const inBytes = readByUs(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)));
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = random.between(1, random.chance(0.5) ? 4 : 40);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  const whole = readByUs([bytes]);
  for (const { result } of [whole, readByUs(pieces)])
    if ('refused' in result) expect(inBytes.result).toHaveProperty('refused');
    else expect(result).toEqual(inBytes.result);
  if (inBytes.end < bytes.length) expect(whole.isReusable).toBe(false);
  return { result: whole.result, end: inBytes.end };
}

let server: SocketServer;
const toSend: Buffer[] = [];

beforeAll(async () => {
  server = await serve((socket, { text }) => {
    const [, index] = /^POST \/(\d+) /.exec(text) ?? [];
    socket.end(toSend[Number(index)] ?? '');
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function readByNode(bytes: Buffer): Promise<Result> {
  const { hostname, port } = server.url;
  const path = `/${toSend.push(bytes) - 1}`;
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ refused: error.message });
    // It has a limit for heads, too, which is lower.
    const sent: ClientRequest = request({
      hostname,
      port,
      path,
      method: 'POST',
      agent: false,
      maxHeaderSize: 64 * 1024,
    });
    sent.on('error', fail);
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve({ refused: 'switched' });
    });
    sent.on('response', (response) => {
      const body: Buffer[] = [];
      response.on('data', (piece: Buffer) => body.push(piece));
      response.on('error', fail);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(body).toString('latin1') });
      });
    });
    sent.end();
  });
}

/** Fails if Node reads something else. Returns what both do with it. */
async function compare(bytes: Buffer, random: Random): Promise<Expected> {
  const { result: ours, end } = readInPieces(bytes, random);
  const nodes = await readByNode(bytes);
  if ('refused' in ours) {
    if ('refused' in nodes) return 'refused';
    expect(
      STRICTER.some((reason) => ours.refused.startsWith(reason)),
      ours.refused,
    ).toBe(true);
    return 'stricter';
  }
  if (end === bytes.length) expect(nodes).toEqual(ours);
  else {
    // Node may refuse what follows. We drop the connection.
    if (!('refused' in nodes)) expect(nodes).toEqual(ours);
    expect(await readByNode(bytes.subarray(0, end))).toEqual(ours);
  }
  return 'read';
}

function mutate(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const length = random.between(1, 6);
  const before = bytes.subarray(0, at);
  const inserted = Buffer.from(random.pick(PARTS), 'latin1');
  return random.pick([
    () => Buffer.concat([before, inserted, bytes.subarray(at)]),
    () => Buffer.concat([before, inserted, bytes.subarray(at + length)]),
    () => Buffer.concat([before, bytes.subarray(at + length)]),
    () => Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)]),
    () => before,
  ])();
}

const PARTS: readonly [string, ...string[]] = [
  ...['\r', '\n', '\r\n', '\r\n\r\n', '\n\n', ' ', '\t', '\0', '\f', '\v', '\x7f', '\x85', '\xa0', '\xff'],
  ...['0', '5', 'f', 'x', '+', '-', '_', ',', ':', ';', '=', '"', '\\', ';a=b', '0\r\n\r\n'],
  ...[
    'content-length: 5\r\n',
    'transfer-encoding: chunked\r\n',
    'connection: close\r\n',
    'x: y\r\n',
    ' z\r\n',
  ],
  'HTTP/1.1 100 Continue\r\n\r\n',
] as unknown as [string, ...string[]];

describe('a response', () => {
  it.each(RESPONSES)('is not read differently by others: %s (%s)', async (_name, expected, text) => {
    expect(await compare(Buffer.from(text, 'latin1'), createRandom(1))).toBe(expected);
  });

  it('is not read differently by others, however it is damaged', async () => {
    const random = createRandom(80);
    // Of long ones most bytes are the same.
    const short = RESPONSES.map(([, , text]) => text).filter((text) => text.length < 1_000);
    const found = { read: 0, refused: 0, stricter: 0 };
    for (let done = 0; done < MUTATIONS; done += 50) {
      const damaged = Array.from({ length: 50 }, () => {
        const bytes = Buffer.from(short[random.below(short.length)] ?? '', 'latin1');
        return random.chance(0.7) ? mutate(bytes, random) : mutate(mutate(bytes, random), random);
      });
      const all = damaged.map(async (bytes) => {
        found[await compare(bytes, random).catch((cause) => fail(bytes, cause))]++;
      });
      await Promise.all(all);
    }
    expect(Math.min(...Object.values(found))).toBeGreaterThan(5);
  });
});

function fail(bytes: Buffer, cause: unknown): never {
  throw new Error(`read differently: ${JSON.stringify(bytes.toString('latin1'))}`, { cause });
}
