import type { ServerResponse } from 'node:http';
import { DandoriError } from '../model/error.ts';
import { stringifyJson } from '../model/json.ts';
import { redact } from '../model/redact.ts';
import type { Entry } from '../store/index.ts';

/**
 * Sends the events of journals to clients, as server-sent events.
 *
 * T1  A client gets every event after the one that it names, once and in order. The `id` is the event's seq,
 *     so a client that reconnects continues where it stopped.
 * T2  Live messages (progress, answer text, driving state) have a name and no `id`. They are not stored, and
 *     a client that is not connected misses them. Everything that matters is in the journal.
 * T3  Each event is read and encoded once for all clients of a journal. Events that arrive together are
 *     written together.
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
  /** Sends a live message to the clients that follow this journal. */
  tell(journal: string, name: string, value: object): void;
  isFollowed(journal: string): boolean;
  readonly clients: number;
  readonly dropped: number;
  close(): void;
}

interface Joining {
  readonly response: ServerResponse;
  readonly after: number;
  readonly untilEnd: boolean;
  /**
   * The current live state, as named messages. It is sent when the client has caught up, before any live
   * message.
   */
  readonly snapshot: () => readonly (readonly [name: string, value: object])[];
}

interface Client extends Pick<Joining, 'response' | 'untilEnd' | 'snapshot'> {
  after: number;
  hasEnd: boolean;
  /** Too much is buffered for this client. It must catch up from the journal before it gets anything new. */
  isBehind: boolean;
}

interface Tail {
  readonly clients: Set<Client>;
  seq: number;
  isReading: boolean;
  isBehind: boolean;
  unwatch: () => void;
}

/** Events that are written together. */
interface Portion {
  readonly data: Buffer;
  /** The same bytes, one buffer per event. */
  readonly parts: readonly Buffer[];
  readonly first: number;
  readonly last: number;
  /** Whether the last of these events ends the journal. */
  readonly hasEnd: boolean;
}

/** A kind of journal. */
interface StreamSource {
  events(journal: string, after: number): Promise<readonly Entry[]>;
  watch(journal: string, changed: () => void): () => void;
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
const HEARTBEAT = 15_000;
const PATIENCE = 30_000;
const BEAT = Buffer.from(': here\n\n');
/** A portion ends at this many bytes. */
const PORTION = 64_000;

export function createEventStreams(options: StreamOptions): EventStreams {
  const { source, secrets, bound = BOUND, patience = PATIENCE } = options;
  const tails = new Map<string, Tail>();
  const open = new Set<ServerResponse>();
  const underWay = new Map<string, Promise<readonly Portion[]>>();
  let dropped = 0;
  const beating = setInterval(() => {
    for (const journal of tails.keys()) broadcast(journal, BEAT);
  }, HEARTBEAT);
  beating.unref();

  function broadcast(journal: string, data: Buffer): void {
    for (const client of tails.get(journal)?.clients ?? []) if (!client.isBehind) send(journal, client, data);
  }

  function send(journal: string, client: Client, data: Buffer): void {
    client.response.write(data);
    if (client.response.writableLength > bound) void fallBehind(journal, client);
  }

  async function fallBehind(journal: string, client: Client): Promise<void> {
    client.isBehind = true;
    try {
      if (!(await isRead(client.response))) return;
      do if (!(await catchUp(journal, client))) return;
      while (client.after < (tails.get(journal)?.seq ?? 0));
    } catch {
      client.response.destroy();
      return;
    }
    client.isBehind = false;
    if (client.untilEnd && client.hasEnd) client.response.end();
    else sendSnapshot(client);
  }

  /** The snapshot is sent whole, even if it exceeds the bound. */
  function sendSnapshot(client: Client): void {
    for (const [name, value] of client.snapshot()) client.response.write(encodeLive(name, value));
  }

  /** False if the client is gone, or has read nothing for `patience` milliseconds. */
  async function isRead(response: ServerResponse): Promise<boolean> {
    const how = await drained(response, patience);
    if (how === 'stuck') dropped++;
    if (how !== 'drained') response.destroy();
    return how === 'drained';
  }

  /**
   * Writes at the client's own speed, so that a client that starts with a long journal does not count as
   * slow.
   */
  async function catchUp(journal: string, client: Client): Promise<boolean> {
    for (const { data, last, hasEnd } of await read(journal, client.after)) {
      const isTaken = client.response.write(data);
      client.after = last;
      client.hasEnd = hasEnd;
      if (!isTaken && !(await isRead(client.response))) return false;
    }
    return !client.response.destroyed;
  }

  /** Clients that catch up from the same event share one read. */
  function read(journal: string, after: number): Promise<readonly Portion[]> {
    const name = `${journal} ${after}`;
    const reading =
      underWay.get(name) ??
      source
        .events(journal, after)
        .then((events) => [...portionsOf(events)])
        .finally(() => underWay.delete(name));
    underWay.set(name, reading);
    return reading;
  }

  function* portionsOf(events: readonly Entry[]): Generator<Portion> {
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const [index, event] of events.entries()) {
      const part = encode(event);
      parts.push(part);
      bytes += part.length;
      if (bytes < PORTION && index < events.length - 1) continue;
      const first = event.seq - parts.length + 1;
      yield { data: Buffer.concat(parts), parts, first, last: event.seq, hasEnd: source.isEnd(event) };
      parts = [];
      bytes = 0;
    }
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
        // Do not share a read that is already running: it may have begun before the newest event was written.
        for (const portion of portionsOf(await source.events(journal, tail.seq)))
          pass(journal, portion, tail);
      }
    } catch {
      // The journal was removed or is damaged. A client that reconnects gets the error.
      for (const { response } of tail.clients) response.destroy();
    } finally {
      tail.isReading = false;
    }
  }

  function pass(journal: string, { data, parts, first, last, hasEnd }: Portion, tail: Tail): void {
    tail.seq = last;
    for (const client of tail.clients) {
      if (client.isBehind || client.after >= last) continue;
      // A client that has just caught up already has some of these events.
      const isNew = client.after < first;
      const rest = isNew ? data : Buffer.concat(parts.slice(client.after - first + 1));
      client.after = last;
      client.hasEnd = hasEnd;
      send(journal, client, rest);
      if (client.untilEnd && hasEnd && !client.isBehind) client.response.end();
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
    return Buffer.from(`event: ${name}\ndata: ${stringifyJson(redact(value, secrets))}\n\n`);
  }

  return {
    async join(journal, { response, after, untilEnd, snapshot }) {
      // The response is already closed, so its `close` event will not come again.
      if (response.destroyed) return;
      const client: Client = { response, after, untilEnd, snapshot, hasEnd: false, isBehind: false };
      open.add(response);
      response.on('close', () => leave(journal, client));
      response.on('error', () => {});
      response.write('retry: 1000\n\n');
      // The other clients may get more events while this one catches up.
      do if (!(await catchUp(journal, client))) return;
      while (client.after < (tails.get(journal)?.seq ?? 0));
      if (untilEnd && client.hasEnd) {
        response.end();
        return;
      }
      const tail = tailOf(journal, client.after);
      tail.clients.add(client);
      sendSnapshot(client);
      // Read what was written between the last read and the start of the watch.
      await readOn(journal, tail);
    },
    tell(journal, name, value) {
      if (tails.has(journal)) broadcast(journal, encodeLive(name, value));
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

/**
 * The event as the journal has it, without an event name, so that a plain `onmessage` receives all of them.
 */
function encode(event: Entry): Buffer {
  return Buffer.from(`id: ${event.seq}\ndata: ${stringifyJson(event)}\n\n`);
}

function drained(response: ServerResponse, patience: number): Promise<'drained' | 'gone' | 'stuck'> {
  return new Promise((resolve) => {
    const done = (how: 'drained' | 'gone' | 'stuck') => {
      clearTimeout(waiting);
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(how);
    };
    const onDrain = () => done('drained');
    const onClose = () => done('gone');
    const waiting = setTimeout(() => done('stuck'), patience);
    response.on('drain', onDrain);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
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
