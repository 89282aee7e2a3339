import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface SocketServer extends AsyncDisposable {
  readonly url: URL;
  /** In the order in which they were opened. */
  readonly sockets: readonly Socket[];
  readonly requests: number;
}

/** `text`: the request. `request` and `connection`: their numbers, from 1. */
export type Serve = (
  socket: Socket,
  about: { readonly text: string; readonly request: number; readonly connection: number },
) => void;

/** A server of plain sockets, which can send any bytes. It calls back when a request has arrived with its body. */
export async function serve(handle: Serve): Promise<SocketServer> {
  const server = createServer();
  const sockets: Socket[] = [];
  let requests = 0;
  server.on('connection', (socket) => {
    const connection = sockets.push(socket);
    // Clients may close their connections at any time.
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const length = lengthOf(text);
      if (length === undefined || text.length < length) return;
      requests++;
      const whole = text.slice(0, length);
      text = text.slice(length);
      handle(socket, { text: whole, request: requests, connection });
    });
  });
  const { port } = await listen(server);
  return {
    url: new URL(`http://127.0.0.1:${port}/v1`),
    sockets,
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function listen(server: Server): Promise<AddressInfo> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/** Characters of the request at the beginning. Undefined if its head is incomplete. */
function lengthOf(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [, length = '0'] = /\r\ncontent-length: (\d+)/.exec(text.slice(0, end)) ?? [];
  return end + 4 + Number(length);
}
