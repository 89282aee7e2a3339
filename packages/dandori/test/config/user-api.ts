import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export type Answer = unknown | ((response: ServerResponse, request: Request) => void);

export interface UserApi extends AsyncDisposable {
  readonly url: string;
  /** Everything that it was asked for. */
  readonly requests: readonly Request[];
  /** What it says from now on: a value as JSON, or whatever the function does. */
  answer: Answer;
}

/** A real server that gives settings to users, and goes wrong as it is told. */
export async function startUserApi(answer: Answer = {}): Promise<UserApi> {
  const requests: Request[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const request = { url, headers };
    requests.push(request);
    if (typeof api.answer === 'function') api.answer(response, request);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(api.answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api: UserApi = {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}
