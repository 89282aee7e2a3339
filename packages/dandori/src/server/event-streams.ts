import type { ServerResponse } from 'node:http';
import { DandoriError } from '../model/error.ts';
import { stringifyJson } from '../model/json.ts';
import { redact } from '../model/redact.ts';
import type { Entry } from '../store/journal.ts';

/**
 * The events of journals for who watches them, as server-sent events.
 *
 * T1  A client gets every event behind the one that it names, in order and once; `id` is the event's seq, so that a
 *     client that comes back goes on where it was.
 * T2  What is live (progress, text as it is written, who drives) has names of its own and no id. It is not kept: who was
 *     not there has missed it, and the journal has what counts.
 * T3  Each event is read and encoded once for all clients of a journal, and what comes together is written together.
 * T4  What waits for a client is bounded. Who falls behind is told the rest at its own speed, without what is live, and
 *     then how it stands; who does not read at all is let go, and can come back. Nobody else notices.
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

interface Joining {
  readonly response: ServerResponse;
  readonly after: number;
  readonly untilEnd: boolean;
  /** How it stands, by name: told when the client has caught up, before all that is live. */
  readonly standing: () => readonly (readonly [name: string, value: object])[];
}

interface Client extends Pick<Joining, 'response' | 'untilEnd' | 'standing'> {
  after: number;
  hasEnd: boolean;
  /** Too much waits for it: it gets what it lacks from the journal before it is told anything new. */
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
  /** The same, one by one. */
  readonly parts: readonly Buffer[];
  readonly first: number;
  readonly last: number;
  /** Whether the journal has come to its end with them. */
  readonly hasEnd: boolean;
}

/** A kind of journal. */
interface StreamSource {
  events(journal: string, after: number): Promise<readonly Entry[]>;
  watch(journal: string, changed: () => void): () => void;
  /** Whether the journal of this last event has come to its end. */
  isEnd(last: Entry): boolean;
}

interface StreamOptions {
  readonly source: StreamSource;
  readonly secrets: readonly string[];
  /** Bytes that may wait for a client. */
  readonly bound?: number;
  readonly heartbeat?: number;
  /** Milliseconds for which a client may read nothing of what waits for it. */
  readonly patience?: number;
}

const BOUND = 256_000;
const HEARTBEAT = 15_000;
const PATIENCE = 30_000;
const BEAT = Buffer.from(': here\n\n');
/** Bytes that are written together. */
const PORTION = 64_000;

export function createEventStreams(options: StreamOptions): EventStreams {
  const { source, secrets, bound = BOUND, heartbeat = HEARTBEAT, patience = PATIENCE } = options;
  const tails = new Map<string, Tail>();
  const open = new Set<ServerResponse>();
  const underWay = new Map<string, Promise<readonly Portion[]>>();
  let dropped = 0;
  const beating = setInterval(() => {
    for (const journal of tails.keys()) broadcast(journal, BEAT);
  }, heartbeat);
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
    else tellStanding(client);
  }

  /** However much it is, it is told once. */
  function tellStanding(client: Client): void {
    for (const [name, value] of client.standing()) client.response.write(encodeLive(name, value));
  }

  /** False where the client has gone, or has read nothing for so long that it might as well. */
  async function isRead(response: ServerResponse): Promise<boolean> {
    const how = await drained(response, patience);
    if (how === 'stuck') dropped++;
    if (how !== 'drained') response.destroy();
    return how === 'drained';
  }

  /** At the client's own speed: who begins with a long journal behind it is not slow. */
  async function catchUp(journal: string, client: Client): Promise<boolean> {
    for (const { data, last, hasEnd } of await read(journal, client.after)) {
      const isTaken = client.response.write(data);
      client.after = last;
      client.hasEnd = hasEnd;
      if (!isTaken && !(await isRead(client.response))) return false;
    }
    return !client.response.destroyed;
  }

  /** Those who catch up at the same time share what is read for one of them. */
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
        // Not one that others have begun: it may be from before what is looked for.
        for (const portion of portionsOf(await source.events(journal, tail.seq)))
          pass(journal, portion, tail);
      }
    } catch {
      // It was taken away or is damaged; who comes back is told.
      for (const { response } of tail.clients) response.destroy();
    } finally {
      tail.isReading = false;
    }
  }

  function pass(journal: string, { data, parts, first, last, hasEnd }: Portion, tail: Tail): void {
    tail.seq = last;
    for (const client of tail.clients) {
      if (client.isBehind || client.after >= last) continue;
      // Who has caught up by itself meanwhile has some of it already.
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
    async join(journal, { response, after, untilEnd, standing }) {
      // Who has gone already closes no second time.
      if (response.destroyed) return;
      const client: Client = { response, after, untilEnd, standing, hasEnd: false, isBehind: false };
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
      tellStanding(client);
      // What was written between the last look and the watch.
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

/** The journal's own form, without names of events: a plain `onmessage` gets them all. */
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

/** How many streams each user has open: every one of them keeps a connection and what waits for it. */
interface StreamPlaces {
  /** Held until the response is closed. Without tokens all are one user, who has no name. */
  take(user: string | undefined, response: ServerResponse): void;
}

export function createStreamPlaces(most: number): StreamPlaces {
  const taken = new Map<string | undefined, number>();
  return {
    take(user, response) {
      const open = taken.get(user) ?? 0;
      if (open >= most)
        throw new DandoriError('too-many-requests', `You follow ${open} runs and conversations already.`, {
          fix: 'Close a stream that is not read any more, or raise server.max_streams.',
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
