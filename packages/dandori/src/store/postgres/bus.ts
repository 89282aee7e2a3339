import type { Sql } from 'postgres';
import type { Bus } from '../bus.ts';

interface BusOptions {
  readonly sql: Sql;
  readonly schema: string;
  /** Names this process, so that it ignores its own messages. */
  readonly self: string;
}

/** The most bytes in a notification. PostgreSQL allows 8,000. */
const MOST_BYTES = 7_500;
/** Milliseconds during which messages are collected: a notification takes a lock that all commits share. */
const PACE = 50;
/** The most messages that wait. More are lost. */
const MOST_WAITING = 2_000;

/** Messages as notifications, many in one. A message that is longer than a notification may be is lost. */
export function createPostgresBus({ sql, schema, self }: BusOptions): Bus & { close(): void } {
  const channel = `${schema}_live`;
  const listeners = new Set<(message: string) => void>();
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isListening = false;

  /** One at a time: two statements on different connections could arrive in the other order. */
  async function send(): Promise<void> {
    const all = waiting;
    waiting = [];
    for (const payload of payloadsOf(all))
      await sql`select pg_notify(${channel}, ${payload})`.catch(() => {});
    timer = undefined;
    if (waiting.length > 0) sendSoon();
  }

  function sendSoon(): void {
    timer ??= setTimeout(() => void send(), PACE).unref();
  }

  function* payloadsOf(messages: readonly string[]): Generator<string> {
    let lines = [self];
    let bytes = self.length;
    for (const message of messages) {
      const length = Buffer.byteLength(message) + 1;
      if (self.length + length > MOST_BYTES) continue;
      if (bytes + length > MOST_BYTES) {
        yield lines.join('\n');
        lines = [self];
        bytes = self.length;
      }
      lines.push(message);
      bytes += length;
    }
    if (lines.length > 1) yield lines.join('\n');
  }

  function heard(payload: string): void {
    const [from, ...messages] = payload.split('\n');
    if (from === self) return;
    for (const message of messages) for (const listener of listeners) listener(message);
  }

  return {
    tell(message) {
      if (message.includes('\n') || waiting.length >= MOST_WAITING) return;
      waiting.push(message);
      sendSoon();
    },
    hear(listener) {
      listeners.add(listener);
      // After a failure the client listens again by itself.
      if (!isListening) sql.listen(channel, heard).catch(() => {});
      isListening = true;
      return () => void listeners.delete(listener);
    },
    close() {
      clearTimeout(timer);
    },
  };
}
