import type { ServerResponse } from 'node:http';
import { redact } from '../core/redact.ts';
import type { Entry } from '../ports/journal.ts';

/**
 * The events of journals for who watches them, as server-sent events.
 *
 * T1  A client gets every event behind the one that it names, in order and once; `id` is the event's seq, so that a
 *     client that comes back goes on where it was.
 * T2  What is live (progress, text as it is written, who drives) has names of its own and no id. It is not kept: who was
 *     not there has missed it, and the journal has what counts.
 * T3  Each event is read and encoded once for all clients of a journal.
 * T4  A client that does not read is let go when too much waits for it. It can come back; nobody else notices.
 */
export interface EventStreams {
  /** Writes until the client goes, or with `untilEnd` until the last event there will be. The head has been written. */
  join(journal: string, client: Joining): Promise<void>;
  /** Something live, for who follows this journal. */
  tell(journal: string, name: string, value: object): void;
  /** Whether anybody does. */
  isFollowed(journal: string): boolean;
  readonly clients: number;
  readonly dropped: number;
  close(): void;
}

export interface Joining {
  readonly response: ServerResponse;
  readonly after: number;
  readonly untilEnd: boolean;
  /** How it stands, by name: told when the client has caught up, before all that is live. */
  readonly standing: () => readonly (readonly [name: string, value: object])[];
}

interface Client {
  readonly response: ServerResponse;
  readonly untilEnd: boolean;
  after: number;
  hasEnd: boolean;
}

interface Tail {
  readonly clients: Set<Client>;
  seq: number;
  isReading: boolean;
  isBehind: boolean;
  unwatch: () => void;
}

/** A kind of journal. */
export interface StreamSource {
  events(journal: string, after: number): Promise<readonly Entry[]>;
  watch(journal: string, changed: () => void): () => void;
  /** Whether the journal of this last event has come to its end. */
  isEnd(last: Entry): boolean;
}

export interface StreamOptions {
  readonly source: StreamSource;
  readonly secrets: readonly string[];
  /** Bytes that may wait for a client. */
  readonly bound?: number;
  readonly heartbeat?: number;
}

const BOUND = 1_000_000;
const HEARTBEAT = 15_000;
const BEAT = Buffer.from(': here\n\n');
/** Events that are encoded together while a client catches up. */
const PORTION = 200;

export function createEventStreams(options: StreamOptions): EventStreams {
  const { source, secrets, bound = BOUND, heartbeat = HEARTBEAT } = options;
  const tails = new Map<string, Tail>();
  const open = new Set<ServerResponse>();
  let dropped = 0;
  const beating = setInterval(() => {
    for (const { clients } of tails.values()) for (const client of clients) send(client, BEAT);
  }, heartbeat);
  beating.unref();

  function send({ response }: Client, data: Buffer): void {
    response.write(data);
    if (response.writableLength <= bound) return;
    dropped++;
    response.destroy();
  }

  /** At the client's own speed: who begins with a long journal behind it is not slow. */
  async function catchUp(journal: string, client: Client): Promise<boolean> {
    const events = await source.events(journal, client.after);
    for (let from = 0; from < events.length; from += PORTION) {
      const portion = events.slice(from, from + PORTION);
      const isTaken = client.response.write(Buffer.concat(portion.map(encode)));
      const last = portion.at(-1);
      client.after = last?.seq ?? client.after;
      client.hasEnd = last !== undefined && source.isEnd(last);
      if (!isTaken && !(await drained(client.response))) return false;
    }
    return !client.response.destroyed;
  }

  function tailOf(journal: string, seq: number): Tail {
    const known = tails.get(journal);
    if (known !== undefined) return known;
    const tail: Tail = { clients: new Set(), seq, isReading: false, isBehind: false, unwatch: () => {} };
    tails.set(journal, tail);
    tail.unwatch = source.watch(journal, () => void readOn(journal, tail));
    return tail;
  }

  async function readOn(journal: string, tail: Tail): Promise<void> {
    tail.isBehind = true;
    if (tail.isReading) return;
    tail.isReading = true;
    try {
      while (tail.isBehind) {
        tail.isBehind = false;
        for (const event of await source.events(journal, tail.seq)) pass(event, tail);
      }
    } catch {
      // It was taken away or is damaged; who comes back is told.
      for (const { response } of tail.clients) response.destroy();
    } finally {
      tail.isReading = false;
    }
  }

  function pass(event: Entry, tail: Tail): void {
    const data = encode(event);
    tail.seq = event.seq;
    for (const client of tail.clients) {
      if (event.seq <= client.after) continue;
      client.after = event.seq;
      send(client, data);
      if (client.untilEnd && source.isEnd(event)) client.response.end();
    }
  }

  function leave(journal: string, client: Client): void {
    open.delete(client.response);
    const tail = tails.get(journal);
    if (tail === undefined || !tail.clients.delete(client) || tail.clients.size > 0) return;
    tail.unwatch();
    tails.delete(journal);
  }

  function encodeLive(name: string, value: object): Buffer {
    return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(redact(value, secrets))}\n\n`);
  }

  return {
    async join(journal, { response, after, untilEnd, standing }) {
      const client: Client = { response, after, untilEnd, hasEnd: false };
      open.add(response);
      response.on('close', () => leave(journal, client));
      response.on('error', () => {});
      response.write('retry: 1000\n\n');
      // Others may be told more while this one catches up.
      do if (!(await catchUp(journal, client))) return;
      while (client.after < (tails.get(journal)?.seq ?? 0));
      if (untilEnd && client.hasEnd) {
        response.end();
        return;
      }
      const tail = tailOf(journal, client.after);
      tail.clients.add(client);
      for (const [name, value] of standing()) send(client, encodeLive(name, value));
      // What was written between the last look and the watch.
      await readOn(journal, tail);
    },
    tell(journal, name, value) {
      const tail = tails.get(journal);
      if (tail === undefined) return;
      const data = encodeLive(name, value);
      for (const client of tail.clients) send(client, data);
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

/** The journal's own form, without names of events: a plain `onmessage` gets them all. */
function encode(event: Entry): Buffer {
  return Buffer.from(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** False where the client has gone, or has read nothing for so long that it might as well. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (isDrained: boolean) => {
      clearTimeout(patience);
      response.off('drain', onDrain);
      response.off('close', onClose);
      if (!isDrained) response.destroy();
      resolve(isDrained);
    };
    const onDrain = () => done(true);
    const onClose = () => done(false);
    const patience = setTimeout(onClose, PATIENCE);
    response.on('drain', onDrain);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
}

const PATIENCE = 30_000;
