import { DandoriError } from '../domain/error.ts';
import type { Connection } from './connection.ts';
import { readServerEvents, type ServerEvent } from './server-events.ts';

export interface FollowOptions {
  /** The seq of the last event that is known already. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

interface Followable {
  readonly send: Connection['send'];
  readonly path: string;
  /** Milliseconds for which a lost server is called again. */
  readonly patience: number;
}

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

/** A stream that goes on where it was, however often it breaks off: what has an id comes once and in order. */
export async function* followStream(
  { send, path, patience }: Followable,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<ServerEvent> {
  let seen = after;
  let lostAt: number | undefined;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const response = await send(`${path}?after=${seen}`, {
        ...(signal && { signal }),
        headers: { Accept: 'text/event-stream' },
      });
      for await (const event of readServerEvents(response.body ?? new ReadableStream())) {
        lostAt = undefined;
        pause = FIRST_PAUSE;
        if (event.name !== 'message') yield event;
        else if (Number(event.id) > seen) {
          seen = Number(event.id);
          yield event;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof DandoriError && !isPassing(error)) throw error;
      lostAt ??= Date.now();
      if (Date.now() - lostAt > patience) throw error;
    }
    if (signal?.aborted) return;
    await sleep(pause, signal);
  }
}

/** A server that is starting again, or wants less of us, is worth waiting for. */
function isPassing({ code }: DandoriError): boolean {
  return ['server-unreachable', 'server-stopping', 'too-many-requests'].includes(code);
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
