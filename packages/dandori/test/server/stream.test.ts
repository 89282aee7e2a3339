import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServerEvents } from '../../src/client/connection.ts';
import type { Mind } from '../../src/mind/mind.ts';
import { type Event, eventOf, type Fact } from '../../src/model/event.ts';
import { createEventStreams } from '../../src/server/event-streams.ts';
import { serve } from '../../src/server/serve.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import type { Journal } from '../../src/store/index.ts';
import { started } from '../run/facts.ts';
import { chatter, look, type Standing, stand, take, until, wait } from './standing.ts';

/** So many messages of the journal, then the connection is dropped. */
async function some(
  standing: Pick<Standing, 'url'>,
  run: string,
  { after = 0, count = Number.POSITIVE_INFINITY } = {},
) {
  const stop = new AbortController();
  const response = await fetch(`${standing.url}/api/runs/${run}/stream?until=end`, {
    headers: after === 0 ? {} : { 'Last-Event-ID': String(after) },
    signal: stop.signal,
  });
  const events: Event[] = [];
  if (response.status === 204 || response.body === null) return { status: response.status, events };
  for await (const { name, id, data } of readServerEvents(response.body)) {
    if (name !== 'message') continue;
    expect(Number(id)).toBe(JSON.parse(data).seq);
    events.push(JSON.parse(data));
    if (events.length === count) break;
  }
  stop.abort();
  return { status: response.status, events };
}

describe('the stream of a run', () => {
  it('begins at the beginning or behind Last-Event-ID, and says when there is nothing more', async () => {
    await using standing = await stand();
    const run = await standing.client.start('look', { tasks: [look('tea')] });
    await standing.client.settled(run);
    const all = await standing.client.events(run);
    expect((await some(standing, run)).events).toEqual(all);
    expect((await some(standing, run, { after: 3 })).events).toEqual(all.slice(3));
    expect((await some(standing, run, { after: all.length })).status).toBe(204);
    expect((await some(standing, run, { after: all.length + 5 })).status).toBe(400);
  });

  it('misses nothing and gives nothing twice to a client that comes back 100 times while the run goes on', async () => {
    await using standing = await stand({ execution: { concurrency: 2 } });
    const tasks = Array.from({ length: 60 }, (_, index) => look('tea', `t${index}`));
    const run = await standing.client.start('look often', { tasks });
    const got: Event[] = [];
    let connections = 0;
    for (; connections < 100 || got.at(-1)?.type !== 'run_finished'; connections++) {
      const { status, events } = await some(standing, run, {
        after: got.length,
        count: 1 + (connections % 2),
      });
      got.push(...events);
      if (status === 204 && connections >= 100) break;
    }
    expect(connections).toBeGreaterThanOrEqual(100);
    expect(got).toEqual(await standing.client.events(run));
    expect(got.map(({ seq }) => seq)).toEqual(got.map((_, index) => index + 1));
  });

  it('tells many clients of one run the same', async () => {
    await using standing = await stand();
    const run = await standing.client.start('wait', { tasks: [wait('bus'), look('tea', 't2')] });
    const following = Array.from({ length: 50 }, () => some(standing, run));
    await until(async () =>
      /^dandori_stream_clients 50$/m.test(await (await standing.ask('/metrics')).text()) ? true : undefined,
    );
    standing.open();
    const told = await Promise.all(following);
    const all = await standing.client.events(run);
    for (const { events } of told) expect(events).toEqual(all);
  });

  it('names live messages, and does not repeat them', async () => {
    await using standing = await stand();
    const { client } = standing;
    const run = await client.start('wait', { tasks: [{ ...wait('bus'), after: ['m'] }, take('milk', 'm')] });
    const live: unknown[] = [];
    const settled = client.settled(run);
    await settled;
    const following = new AbortController();
    const done = (async () => {
      for await (const news of client.follow(run, { signal: following.signal })) {
        if (news.kind === 'live') live.push(news.live);
        if (news.kind === 'driving' && news.state === 'idle' && live.length > 0) return;
      }
    })();
    await until(async () =>
      /^dandori_stream_clients 1$/m.test(await (await standing.ask('/metrics')).text()) ? true : undefined,
    );
    await client.answer(run, 'q1', 'whole');
    await until(() => (live.length > 0 ? true : undefined));
    standing.open();
    await done;
    following.abort();
    expect(live[0]).toEqual({
      type: 'task_progress',
      run,
      task: 't1',
      message: 'waiting for bus',
      fraction: 0.5,
    });
    const again = await (await standing.ask(`/api/runs/${run}/stream?until=end`)).text();
    expect(again).not.toContain('task_progress');
  });

  it('has the answer as it is written, without secrets', async () => {
    process.env.TALK_SECRET = 'hush-hush-4712';
    const heard = Promise.withResolvers<void>();
    const mind: Mind = {
      name: 'talker',
      async think({ onText }) {
        await heard.promise;
        for (const text of ['The tea ', 'is hush-hu', 'sh-4712 or hush ', 'or green.']) onText?.(text);
        return { kind: 'decided', actions: [{ id: 'a', operation: 'answer', args: { text: 'green' } }] };
      },
    };
    const none = { command: 'no-such-program-here', env: { TOKEN: '${TALK_SECRET}' } };
    await using standing = await stand({ mcpServers: { none } }, { mind });
    const run = await standing.client.start('what colour is tea?');
    const texts: string[] = [];
    const settled = standing.client.settled(run, {
      onUpdate: (news) =>
        news.kind === 'live' && news.live.type === 'answer_text' && texts.push(news.live.text),
    });
    await until(async () =>
      /^dandori_stream_clients 1$/m.test(await (await standing.ask('/metrics')).text()) ? true : undefined,
    );
    await until(async () => ((await standing.client.events(run)).length > 1 ? true : undefined));
    heard.resolve();
    expect((await settled).answer).toBe('green');
    expect(texts.join('')).toBe('The tea is [secret] or hush or green.');
  });

  it('keeps a client that reads, however much comes at once', async () => {
    await using standing = await stand({ execution: { concurrency: 200 } });
    const { client } = standing;
    const large = { ...look('x'.repeat(30_000), 'large'), after: ['m'] };
    const many = Array.from({ length: 50 }, (_, index) => look('${large.item}', `t${index}`));
    const tasks = [take('milk', 'm'), large, ...many];
    const run = await client.start('a lot', { tasks });
    await client.settled(run);
    const following = Array.from({ length: 3 }, () => some(standing, run));
    await until(async () =>
      /^dandori_stream_clients 3$/m.test(await (await standing.ask('/metrics')).text()) ? true : undefined,
    );
    await client.answer(run, 'q1', 'whole');
    const told = await Promise.all(following);
    const all = await client.events(run);
    for (const { events } of told) expect(events).toEqual(all);
    expect(await (await standing.ask('/metrics')).text()).toMatch(/^dandori_stream_clients_dropped 0$/m);
  });

  it('lets a client go that does not read, which can come back; others notice nothing', async () => {
    await using standing = await stand({}, { sockets: { readTimeout: 500 } });
    const { client, url } = standing;
    const run = await client.start('talk', { tasks: [{ ...chatter('x'), after: ['m'] }, take('milk', 'm')] });
    await client.settled(run);
    const { hostname, port } = new URL(url);
    const deaf = connect(Number(port), hostname);
    const gone = new Promise((resolve) => deaf.once('close', resolve));
    deaf.on('error', () => {});
    deaf.write(`GET /api/runs/${run}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    deaf.pause();
    const other = some(standing, run);
    await until(async () =>
      /^dandori_stream_clients 2$/m.test(await (await standing.ask('/metrics')).text()) ? true : undefined,
    );
    await client.answer(run, 'q1', 'whole');
    await until(async () =>
      /^dandori_stream_clients_dropped 1$/m.test(await (await standing.ask('/metrics')).text())
        ? true
        : undefined,
    );
    deaf.resume();
    await gone;
    expect((await other).events).toEqual(await client.events(run));
    expect((await some(standing, run, { after: 3 })).events).toEqual((await client.events(run)).slice(3));
  });

  it('keeps nothing of a client that has gone before the first word was said', async () => {
    const streams = createEventStreams({
      secrets: [],
      source: { events: async () => [], watch: () => () => {}, isEnd: () => false },
    });
    const joined = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      const client = { response, after: 0, untilEnd: false, snapshot: () => [] };
      response.once('close', () => void streams.join('run', client).then(joined.resolve));
      request.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await fetch(`http://127.0.0.1:${port}`).catch(() => {});
    await joined.promise;
    expect(streams.clients).toBe(0);
    expect(streams.isFollowed('run')).toBe(false);
    streams.close();
    server.close();
  });

  it('goes on across a restart of the server, for a client that was there all the time', async () => {
    await using standing = await stand();
    const { client, folder, serving } = standing;
    const run = await client.start('milk', { tasks: [take('milk')] });
    await client.settled(run);
    const got: number[] = [];
    const following = new AbortController();
    const done = (async () => {
      for await (const news of client.follow(run, { signal: following.signal }))
        if (news.kind === 'event') got.push(news.event.seq);
    })();
    await until(async () => (got.length === (await client.events(run)).length ? true : undefined));
    await serving.close();
    await using _again = await serve({ cwd: folder, port: Number(new URL(serving.url).port) });
    await client.answer(run, 'q1', 'whole').catch(() => client.answer(run, 'q1', 'whole'));
    await until(async () =>
      ['waiting', 'open'].includes((await client.run(run)).report.outcome) ? undefined : true,
    );
    const all = await client.events(run);
    await until(() => (got.length >= all.length ? true : undefined));
    following.abort();
    await done;
    expect(got).toEqual(all.map(({ seq }) => seq));
  });
});

/** A followed run of a journal on the disk. It has one event, and more are appended. */
async function followedRun(watch: (journal: Journal) => Journal['watch']) {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-stream-'));
  const journal = createJsonlJournal(folder);
  const note: Fact = { type: 'note_added', data: { text: 'Look at the tea.' } };
  const facts = [started(), ...Array.from({ length: 200 }, () => note)];
  const events = facts.map((fact, index) => eventOf(fact, { run: 'r', seq: index + 1, at: 1 }));
  await journal.create('r', events.slice(0, 1));
  const streams = createEventStreams({
    secrets: [],
    source: {
      events: (run, after) => journal.read(run, after),
      watch: watch(journal),
      isEnd: ({ seq }) => seq === events.length,
    },
  });
  const server = createServer((_, response) => {
    void streams.join('r', { response, after: 0, untilEnd: true, snapshot: () => [] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const got: number[] = [];
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  void (async () => {
    for await (const { id } of readServerEvents(body ?? new ReadableStream())) got.push(Number(id));
  })();
  await until(() => (got.length === 1 && streams.isFollowed('r') ? true : undefined));
  return {
    journal,
    events,
    streams,
    got: got as readonly number[],
    async [Symbol.asyncDispose]() {
      streams.close();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe('a run that is driven in this process', () => {
  it('is sent as it is written, without reading or watching its journal', async () => {
    await using followed = await followedRun(() => () => () => {});
    const { journal, events, streams, got } = followed;
    const claim = await journal.claim('r');
    for (let seq = 1; seq < events.length; ) {
      const some = events.slice(seq, seq + 1 + (seq % 3));
      await journal.append('r', seq, some, claim);
      for (const event of some) streams.event('r', event);
      seq += some.length;
    }
    await expect.poll(() => got).toEqual(events.map(({ seq }) => seq));
    await claim.release();
  });

  it('is sent whole and in order, if some events are not passed on or come from another process', async () => {
    await using followed = await followedRun((journal) => journal.watch);
    const { journal, events, streams, got } = followed;
    const claim = await journal.claim('r');
    for (const [seq, event] of events.entries()) {
      if (seq === 0) continue;
      // The driver does not pass on these, or another process writes them.
      await journal.append('r', seq, [event], seq % 5 === 0 ? undefined : claim);
      if (seq % 3 > 0) streams.event('r', event);
    }
    await expect.poll(() => got).toEqual(events.map(({ seq }) => seq));
    await claim.release();
  });
});
