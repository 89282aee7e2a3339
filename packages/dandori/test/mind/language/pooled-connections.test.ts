import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { post } from '../../../src/mind/language/wire/http.ts';
import { Stop } from '../../../src/model/stop.ts';
import { rounds } from '../../long.ts';
import { createRandom, type Random } from '../../simulator/random.ts';
import { serve } from './socket-server.ts';

const AT_ONCE = 50;

const bodyOf = (id: string) => `<${id}>`.repeat(1 + ((Number.parseInt(id, 10) * 7919) % 200));

function wholeOf(id: string, headers = '', body = Buffer.from(bodyOf(id))): Buffer {
  const head = `HTTP/1.1 200 OK\r\nx-id: ${id}\r\n${headers}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function inChunks(id: string): Buffer {
  const pieces = bodyOf(id).match(/.{1,100}/g) ?? [];
  const chunks = pieces.map((piece) => `${piece.length.toString(16)};a=b\r\n${piece}\r\n`).join('');
  const head = `HTTP/1.1 200 OK\r\nx-id: ${id}\r\ntransfer-encoding: chunked\r\n\r\n`;
  return Buffer.from(`${head}${chunks}0\r\nx: y\r\n\r\n`);
}

interface Behaviour {
  readonly bytes: (id: string) => Buffer;
  /** Its last bytes must not arrive when the next request has been sent: no client could know that they are late. */
  readonly isOnePiece?: boolean;
  /** What the server does when it has sent them. */
  readonly end?: (socket: Socket, stop: Stop) => void;
}

const nothing = () => Buffer.alloc(0);
const close = (socket: Socket) => void socket.end();
const reset = (socket: Socket) => void socket.resetAndDestroy();
/** The next request may be on its way. */
const later = (end: (socket: Socket) => void) => (socket: Socket) => void setImmediate(() => end(socket));
const giveUp = (_: Socket, stop: Stop) => stop.stop('silent');

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  length: { bytes: (id) => wholeOf(id) },
  chunks: { bytes: inChunks },
  compressed: { bytes: (id) => wholeOf(id, 'content-encoding: gzip\r\n', gzipSync(bodyOf(id))) },
  'early hints': { bytes: (id) => Buffer.concat([Buffer.from('HTTP/1.1 103 E\r\n\r\n'), wholeOf(id)]) },
  'one response more': {
    bytes: (id) => Buffer.concat([wholeOf(id), wholeOf(`${id} more`)]),
    isOnePiece: true,
  },
  'one byte more': { bytes: (id) => Buffer.concat([wholeOf(id), Buffer.from('\n')]), isOnePiece: true },
  'close header': { bytes: (id) => wholeOf(id, 'connection: close\r\n') },
  'no HTTP': { bytes: () => Buffer.from('SSH-2.0\r\n') },
  'no end': { bytes: (id) => wholeOf(id).subarray(0, -1), end: giveUp },
  silence: { bytes: nothing, end: giveUp },
  'cut off': { bytes: (id) => wholeOf(id).subarray(0, -1), end: close },
  closed: { bytes: nothing, end: close },
  reset: { bytes: nothing, end: reset },
  'idle close': { bytes: (id) => wholeOf(id), end: later(close) },
  'idle reset': { bytes: (id) => wholeOf(id), end: later(reset) },
};
const NAMES = Object.keys(BEHAVIOURS) as [string, ...string[]];
/** With these the server may close the connection before it answers a later request. */
const CLOSERS = ['closed', 'reset', 'idle close', 'idle reset'];

async function inPieces(socket: Socket, bytes: Buffer, random: Random): Promise<void> {
  const longest = random.pick([10_000, 700, 100]);
  for (let at = 0; at < bytes.length && !socket.destroyed; ) {
    const length = random.between(1, longest);
    socket.write(bytes.subarray(at, at + length));
    at += length;
    if (random.chance(0.5)) await turn();
  }
}

it('no response reaches another request, and one is sent twice only if the server closed its old connection', async () => {
  const random = createRandom(80);
  /** Pieces that came when the call had ended. */
  let late = 0;
  /** `arrivals`: what the server did on the connection until then, for each time that it got the request. */
  const calls = new Map<string, { readonly stop: Stop; readonly arrivals: string[][] }>();
  /** What the server did on each connection. */
  const past = new WeakMap<Socket, string[]>();
  await using server = await serve(async (socket, { text }) => {
    const id = text.slice(text.indexOf('\r\n\r\n') + 4);
    const call = calls.get(id);
    if (call === undefined) throw new Error(`unknown request ${id}`);
    const known = past.get(socket) ?? [];
    past.set(socket, known);
    const name = random.pick(NAMES);
    known.push(name);
    call.arrivals.push([...known]);
    const { bytes, isOnePiece, end }: Behaviour = BEHAVIOURS[name] ?? { bytes: nothing };
    if (isOnePiece) socket.write(bytes(id));
    else await inPieces(socket, bytes(id), random);
    end?.(socket, call.stop);
  });

  async function ask(id: string): Promise<void> {
    const stop = new Stop();
    const arrivals: string[][] = [];
    calls.set(id, { stop, arrivals });
    const enough = random.chance(0.1) ? random.below(1_000) : Number.POSITIVE_INFINITY;
    const isImpatient = random.chance(0.1);
    let got = '';
    let isOver = false;
    const heads: (string | undefined)[] = [];
    const body = [Buffer.from(id)];
    const asking = post(server.url, { headers: {}, body, stop }, ({ headers }) => {
      heads.push(headers['x-id']);
      return (piece) => {
        if (isOver || stop.isStopped) late++;
        got += Buffer.from(piece).toString();
        if (isImpatient) stop.stop('enough');
        return got.length < enough;
      };
    });
    const isWhole = await asking.then(
      () => true,
      () => false,
    );
    isOver = true;
    const about = JSON.stringify({ id, got, heads, arrivals });
    expect(bodyOf(id).startsWith(got), about).toBe(true);
    expect(isWhole ? [[id]] : [[id], []], about).toContainEqual(heads);
    if (isWhole && got.length < enough) expect(got, about).toBe(bodyOf(id));
    const [first = [], second] = arrivals;
    expect(arrivals.length, about).toBeLessThanOrEqual(2);
    if (second === undefined) return;
    // Over a connection that had been used, which the server then closed, and again over a new one.
    expect([first.length > 1, second.length], about).toEqual([true, 1]);
    const isClosed = first.some((name) => CLOSERS.includes(name));
    expect(isClosed, about).toBe(true);
  }

  const count = rounds(10_000);
  let next = 0;
  const askAll = async () => {
    while (next < count) await ask(String(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askAll));
  expect(late).toBe(0);
  expect(server.requests).toBeGreaterThan(server.sockets.length);
});
