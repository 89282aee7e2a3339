import { connect, type Socket } from 'node:net';

/** A client on a bare socket, so that a thousand of them cost this process little. */
export interface Follower {
  readonly socket: Socket;
  /** The ids, in the order in which they came. */
  readonly ids: readonly number[];
  /** Whether the server has said yes. */
  readonly joined: Promise<void>;
  readonly ended: Promise<void>;
}

export interface Following {
  readonly after?: number;
  /** Leave after so many events. */
  readonly count?: number;
  /** Never reads. */
  readonly isDeaf?: boolean;
}

export function follow(url: string, path: string, { after, count, isDeaf }: Following = {}): Follower {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const ids: number[] = [];
  const joined = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => {
    joined.resolve();
    ended.resolve();
  });
  const last = after === undefined ? '' : `Last-Event-ID: ${after}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${last}Connection: close\r\n\r\n`);
  if (isDeaf === true) socket.pause();
  socket.setEncoding('latin1').on('data', (part: string) => {
    joined.resolve();
    const text = rest + part;
    // An event that is incomplete when the connection ends does not count.
    const end = text.lastIndexOf('\n\n') + 2;
    rest = end < 2 ? text : text.slice(end);
    for (const [, id] of end < 2 ? [] : text.slice(0, end).matchAll(/^id: (\d+)$/gm)) {
      if (ids.length === count) break;
      ids.push(Number(id));
    }
    if (ids.length === count) socket.destroy();
  });
  return { socket, ids, joined: joined.promise, ended: ended.promise };
}
