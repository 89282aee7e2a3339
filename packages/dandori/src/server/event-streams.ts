import type { ServerResponse } from 'node:http';
import { DandoriError } from '../model/error.ts';
import type { Entry } from '../store/index.ts';
import { encodeLive, type Joining, type Portion, portionsOf, StreamClient } from './stream-client.ts';

/**
 * Sends the events of journals to clients, as server-sent events.
 *
 * T1  A client gets every event after the one that it names, once and in order. The `id` is the event's seq,
 *     so a client that reconnects continues where it stopped.
 * T2  Live messages (progress, answer text, driving state) have a name and no `id`. They are not stored, and
 *     a client that is not connected misses them. Everything that matters is in the journal.
 * T3  Each event is encoded once for all clients of a journal, and events that arrive together are written together.
 *     Events that this process has written are not read again. The journal is read for those of other processes, and
 *     for clients that catch up.
 * T4  The buffer of each client is bounded. A client that falls behind gets the rest at its own speed,
 *     without live messages, and then a snapshot. A client that reads nothing is disconnected and may
 *     reconnect. Other clients are not affected.
 */
export interface EventStreams {
  /**
   * Writes until the client disconnects. With `untilEnd`, stops after the journal's last event. The caller
   * has already written the response head.
   */
  join(journal: string, client: Joining): Promise<void>;
  /** Takes an event that this process has written. It must be durable. */
  event(journal: string, event: Entry): void;
  /** Sends a live message to the clients that follow this journal. */
  tell(journal: string, name: string, value: object): void;
  isFollowed(journal: string): boolean;
  readonly clients: number;
  readonly dropped: number;
  close(): void;
}

interface Tail {
  readonly clients: Set<StreamClient>;
  /** The last event that was sent. */
  seq: number;
  /** The events after it that this process has just written. */
  readonly written: Entry[];
  isReading: boolean;
  isBehind: boolean;
  /** The last event that the journal is known to have. */
  known: number;
  looking: NodeJS.Timeout | undefined;
  unwatch: () => void;
}

/** A kind of journal. */
interface StreamSource {
  events(journal: string, after: number): Promise<readonly Entry[]>;
  /** Passes the seq of the last event if it is known without reading. */
  watch(journal: string, changed: (last?: number) => void): () => void;
  /** Whether this last event ends its journal. */
  isEnd(last: Entry): boolean;
}

interface StreamOptions {
  readonly source: StreamSource;
  readonly secrets: readonly string[];
  /** The most bytes that may be buffered for a client. */
  readonly bound?: number;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly patience?: number;
}

const BOUND = 256_000;
/** Milliseconds after which an event is read from the journal if the process that wrote it has not passed it here. */
const SOON = 20;
const HEARTBEAT = 15_000;
const PATIENCE = 30_000;
const BEAT = Buffer.from(': here\n\n');

export function createEventStreams(options: StreamOptions): EventStreams {
  const { source, secrets, bound = BOUND, patience = PATIENCE } = options;
  const tails = new Map<string, Tail>();
  const open = new Set<ServerResponse>();
  const underWay = new Map<string, Promise<readonly Portion[]>>();
  let dropped = 0;
  const onStuck = () => {
    dropped++;
  };
  const beating = setInterval(() => {
    for (const journal of tails.keys()) broadcast(journal, BEAT);
  }, HEARTBEAT);
  beating.unref();

  function broadcast(journal: string, data: Buffer): void {
    for (const client of tails.get(journal)?.clients ?? []) {
      if (client.isBehind) continue;
      client.response.write(data);
      if (client.isOverBound) void fallBehind(journal, client);
    }
  }

  async function fallBehind(journal: string, client: StreamClient): Promise<void> {
    client.isBehind = true;
    try {
      if (!(await client.isRead()) || !(await catchUp(journal, client))) return;
    } catch {
      client.response.destroy();
      return;
    }
    client.isBehind = false;
    if (client.isComplete) client.response.end();
    else client.sendSnapshot();
  }

  /** Until it has what the other clients have, who may get more events in the meantime. False if it is gone. */
  async function catchUp(journal: string, client: StreamClient): Promise<boolean> {
    do if (!(await client.catchUp(await read(journal, client.after)))) return false;
    while (client.after < (tails.get(journal)?.seq ?? 0));
    return true;
  }

  /** Clients that catch up from the same event share one read. */
  function read(journal: string, after: number): Promise<readonly Portion[]> {
    const name = `${journal} ${after}`;
    const reading =
      underWay.get(name) ??
      source
        .events(journal, after)
        .then((events) => [...portionsOf(events, source.isEnd)])
        .finally(() => underWay.delete(name));
    underWay.set(name, reading);
    return reading;
  }

  function tailOf(journal: string, seq: number): Tail {
    const known = tails.get(journal);
    if (known !== undefined) return known;
    const tail: Tail = {
      clients: new Set(),
      seq,
      written: [],
      isReading: false,
      isBehind: false,
      known: seq,
      looking: undefined,
      unwatch: () => {},
    };
    tails.set(journal, tail);
    tail.unwatch = source.watch(journal, (last) => changed(journal, tail, last));
    return tail;
  }

  function changed(journal: string, tail: Tail, last: number | undefined): void {
    if (last === undefined) return void readOn(journal, tail);
    tail.known = last;
    if (tail.known <= tail.seq) return;
    tail.looking ??= setTimeout(() => {
      tail.looking = undefined;
      if (tail.known > tail.seq) void readOn(journal, tail);
    }, SOON).unref();
  }

  /** Sends what was collected in this turn. */
  function sendWritten(journal: string, tail: Tail): void {
    for (const portion of portionsOf(tail.written.splice(0), source.isEnd)) pass(journal, portion, tail);
  }

  async function readOn(journal: string, tail: Tail): Promise<void> {
    tail.isBehind = true;
    if (tail.isReading) return;
    tail.isReading = true;
    try {
      while (tail.isBehind) {
        tail.isBehind = false;
        // Do not share a read that is already running: it may have begun before the newest event was written.
        for (const portion of portionsOf(await source.events(journal, tail.seq), source.isEnd))
          pass(journal, portion, tail);
      }
    } catch {
      // The journal was removed or is damaged. A client that reconnects gets the error.
      for (const { response } of tail.clients) response.destroy();
    } finally {
      tail.isReading = false;
    }
  }

  function pass(journal: string, portion: Portion, tail: Tail): void {
    tail.seq = Math.max(tail.seq, portion.last);
    for (const client of tail.clients) {
      if (client.isBehind || client.after >= portion.last) continue;
      client.write(portion);
      if (client.isOverBound) void fallBehind(journal, client);
      else if (client.isComplete) client.response.end();
    }
  }

  function leave(journal: string, client: StreamClient): void {
    open.delete(client.response);
    const tail = tails.get(journal);
    if (tail === undefined || !tail.clients.delete(client) || tail.clients.size > 0) return;
    tail.unwatch();
    clearTimeout(tail.looking);
    tails.delete(journal);
  }

  return {
    async join(journal, joining) {
      const { response } = joining;
      // The response is already closed, so its `close` event will not come again.
      if (response.destroyed) return;
      const client = new StreamClient(joining, { secrets, bound, patience, onStuck });
      open.add(response);
      response.on('close', () => leave(journal, client));
      response.on('error', () => {});
      response.write('retry: 1000\n\n');
      if (!(await catchUp(journal, client))) return;
      if (client.isComplete) {
        response.end();
        return;
      }
      const tail = tailOf(journal, client.after);
      tail.clients.add(client);
      client.sendSnapshot();
      // Read what was written between the last read and the start of the watch.
      await readOn(journal, tail);
    },
    event(journal, event) {
      const tail = tails.get(journal);
      if (tail === undefined) return;
      const { seq } = tail.written.at(-1) ?? tail;
      // Behind a gap, the rest is read from the journal.
      if (event.seq !== seq + 1) return;
      tail.written.push(event);
      if (tail.written.length === 1) queueMicrotask(() => sendWritten(journal, tail));
    },
    tell(journal, name, value) {
      if (tails.has(journal)) broadcast(journal, encodeLive(name, value, secrets));
    },
    isFollowed: (journal) => tails.has(journal),
    get clients() {
      return open.size;
    },
    get dropped() {
      return dropped;
    },
    close() {
      clearInterval(beating);
      for (const response of open) response.end();
    },
  };
}

/** Limits the open streams per user, because each one holds a connection and a buffer. */
interface StreamPlaces {
  /** Takes a place until the response is closed. Without tokens, all callers count as one user. */
  take(user: string | undefined, response: ServerResponse): void;
}

export function createStreamPlaces(most: number): StreamPlaces {
  const taken = new Map<string | undefined, number>();
  return {
    take(user, response) {
      const open = taken.get(user) ?? 0;
      if (open >= most)
        throw new DandoriError('too-many-requests', `You follow ${open} runs and conversations already.`, {
          fix: 'Close a stream that you no longer read, or raise server.max_streams.',
        });
      taken.set(user, open + 1);
      response.once('close', () => {
        const left = (taken.get(user) ?? 1) - 1;
        if (left === 0) taken.delete(user);
        else taken.set(user, left);
      });
    },
  };
}
