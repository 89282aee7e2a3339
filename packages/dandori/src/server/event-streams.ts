import type { ServerResponse } from 'node:http';
import type { DrivingState } from '../client/api.ts';
import { redact } from '../core/redact.ts';
import type { Dandori } from '../dandori.ts';
import type { Event } from '../domain/event.ts';
import type { Live } from '../engine/live.ts';
import { type Withheld, withholdSecrets } from './withheld.ts';

/**
 * The events of runs for who watches them, as server-sent events.
 *
 * T1  A client gets every event behind the one that it names, in order and once; `id` is the event's seq, so that a
 *     client that comes back goes on where it was.
 * T2  What is live (progress, text as it is written, who drives) has names of its own and no id. It is not kept: who was
 *     not there has missed it, and the journal has what counts.
 * T3  Each event is read and encoded once for all clients of a run.
 * T4  A client that does not read is let go when too much waits for it. It can come back; nobody else notices.
 */
export interface EventStreams {
  /** Writes until the client goes, or with `untilEnd` until the run has ended. The head has been written. */
  join(run: string, client: Joining): Promise<void>;
  live(live: Live): void;
  driving(run: string, state: DrivingState): void;
  readonly clients: number;
  readonly dropped: number;
  close(): void;
}

export interface Joining {
  readonly response: ServerResponse;
  readonly after: number;
  readonly untilEnd: boolean;
  readonly state: DrivingState;
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

export interface StreamOptions {
  readonly dandori: Pick<Dandori, 'events' | 'watch'>;
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
  const { dandori, secrets, bound = BOUND, heartbeat = HEARTBEAT } = options;
  const tails = new Map<string, Tail>();
  const open = new Set<ServerResponse>();
  /** The answers that are being written. */
  const answers = new Map<string, Withheld>();
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

  /** At the client's own speed: who begins with a long run behind it is not slow. */
  async function catchUp(run: string, client: Client): Promise<boolean> {
    const events = await dandori.events(run, client.after);
    for (let from = 0; from < events.length; from += PORTION) {
      const portion = events.slice(from, from + PORTION);
      const isTaken = client.response.write(Buffer.concat(portion.map(encode)));
      const last = portion.at(-1);
      client.after = last?.seq ?? client.after;
      client.hasEnd = last?.type === 'run_finished' || last?.type === 'run_rated';
      if (!isTaken && !(await drained(client.response))) return false;
    }
    return !client.response.destroyed;
  }

  function tailOf(run: string, seq: number): Tail {
    const known = tails.get(run);
    if (known !== undefined) return known;
    const tail: Tail = { clients: new Set(), seq, isReading: false, isBehind: false, unwatch: () => {} };
    tails.set(run, tail);
    tail.unwatch = dandori.watch(run, () => void readOn(run, tail));
    return tail;
  }

  async function readOn(run: string, tail: Tail): Promise<void> {
    tail.isBehind = true;
    if (tail.isReading) return;
    tail.isReading = true;
    try {
      while (tail.isBehind) {
        tail.isBehind = false;
        for (const event of await dandori.events(run, tail.seq)) tell(event, tail);
      }
    } catch {
      // The run was taken away or is damaged; who comes back is told.
      for (const { response } of tail.clients) response.destroy();
    } finally {
      tail.isReading = false;
    }
  }

  function tell(event: Event, tail: Tail): void {
    const data = encode(event);
    tail.seq = event.seq;
    for (const client of tail.clients) {
      if (event.seq <= client.after) continue;
      client.after = event.seq;
      send(client, data);
      if (client.untilEnd && event.type === 'run_finished') client.response.end();
    }
  }

  function leave(run: string, client: Client): void {
    open.delete(client.response);
    const tail = tails.get(run);
    if (tail === undefined || !tail.clients.delete(client) || tail.clients.size > 0) return;
    tail.unwatch();
    tails.delete(run);
  }

  function answerOf(run: string): Withheld {
    const known = answers.get(run) ?? withholdSecrets(secrets);
    answers.set(run, known);
    return known;
  }

  function broadcast(run: string, name: string, value: object): void {
    const tail = tails.get(run);
    if (tail === undefined) return;
    const data = Buffer.from(`event: ${name}\ndata: ${JSON.stringify(redact(value, secrets))}\n\n`);
    for (const client of tail.clients) send(client, data);
  }

  return {
    async join(run, { response, after, untilEnd, state }) {
      const client: Client = { response, after, untilEnd, hasEnd: false };
      open.add(response);
      response.on('close', () => leave(run, client));
      response.on('error', () => {});
      response.write(`retry: 1000\nevent: driving\ndata: ${JSON.stringify({ run, state })}\n\n`);
      // Others may be told more while this one catches up.
      do if (!(await catchUp(run, client))) return;
      while (client.after < (tails.get(run)?.seq ?? 0));
      if (untilEnd && client.hasEnd) {
        response.end();
        return;
      }
      const tail = tailOf(run, client.after);
      tail.clients.add(client);
      // What was written between the last look and the watch.
      await readOn(run, tail);
    },
    live(live) {
      if (live.type !== 'answer_text') return broadcast(live.run, live.type, live);
      const text = answerOf(live.run).pass(live.text);
      if (text !== '') broadcast(live.run, live.type, { ...live, text });
    },
    driving(run, state) {
      if (state === 'idle') answers.delete(run);
      broadcast(run, 'driving', { run, state });
    },
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
function encode(event: Event): Buffer {
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
