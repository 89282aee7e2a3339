import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { FuzzRequest } from './request.ts';

export interface FuzzAnswer {
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Of a stream as much as comes first. */
const MOST_OF_A_STREAM = 2_000;
/** Only what hangs takes as long. */
const TIMEOUT = 300_000;

export function createSender(url: string) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    send: ({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> =>
      new Promise((resolve, reject) => {
        const options = { hostname, port, method, path, headers, agent, timeout: TIMEOUT };
        const sent = httpRequest(options, (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          const isStream = answered['content-type']?.startsWith('text/event-stream') === true;
          let text = '';
          const done = () => resolve({ status, headers: answered, body: text });
          response.setEncoding('utf8').on('data', (part) => {
            text += part;
            if (!isStream || text.length < MOST_OF_A_STREAM) return;
            done();
            response.destroy();
          });
          // A stream without events would be followed forever.
          if (isStream)
            setTimeout(() => {
              done();
              response.destroy();
            }, 50);
          response.on('end', done);
          response.on('error', done);
        });
        sent.on('timeout', () => {
          reject(new Error(`no answer within ${TIMEOUT} ms`));
          sent.destroy();
        });
        sent.on('error', () => resolve({ status: 0, headers: {}, body: '' }));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
