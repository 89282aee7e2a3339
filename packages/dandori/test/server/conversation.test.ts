import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRemote } from '../../src/cli/remote/open-remote.ts';
import type { Client } from '../../src/client/client.ts';
import { readServerEvents } from '../../src/client/connection.ts';
import type { ConversationUpdate } from '../../src/client/conversations.ts';
import { brokenConversationLaws } from '../../src/conversation/laws.ts';
import type { Mind } from '../../src/mind/mind.ts';
import type { ConversationEvent } from '../../src/model/conversation.ts';
import type { ConversationRunStatus } from '../../src/server/api.ts';
import { serve } from '../../src/server/serve.ts';
import { type ModelScript, startModelServer } from '../../src/testing/model-server/index.ts';
import { PLAN } from '../conversation/script.ts';
import { act, answer, own, say } from '../requirements/home.ts';
import { type Standing, stand, take, tokenOf, until } from './standing.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A server whose mind is a model behind real HTTP. */
async function talkingTo(script: ModelScript, config: object = {}): Promise<Standing> {
  const model = await startModelServer(script, { chunkSize: 9 });
  const { url: base_url } = model;
  const standing = await stand({
    model: { provider: 'openai-compatible', name: 'scripted', base_url },
    ...config,
  });
  return {
    ...standing,
    async [Symbol.asyncDispose]() {
      await standing[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

/** Answers by the goal; a trip is a plan of two steps, of which the first waits for the shop to open. */
const SHOPPING: ModelScript = ({ promptText, body }) => {
  const goal = /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (/capital of France/.test(goal)) return answer('Paris.');
  if (/buy/.test(goal) && !/<result/.test(last)) return say([act('t1', 'shop.take', { item: goal })]);
  if (/Steps: s1/.test(last)) return say([act('t1', 'shop.wait', { item: 'bread' })]);
  if (/Steps: s2/.test(last))
    return say([
      own('report', { step: 's1', text: 'The bread is here.' }),
      act('t2', 'shop.take', { item: 'salt' }),
    ]);
  if (/<result/.test(last)) return answer('All is bought.');
  return say([own('plan.propose', PLAN)]);
};

const isSettled = (client: Client, id: string, outcome: ConversationRunStatus['outcome']) =>
  until(async () => {
    const now = await client.conversations.get(id);
    return now.runs.at(-1)?.outcome === outcome && now.messages.at(-1)?.role === 'agent' ? now : undefined;
  });

async function eventsOf({ serving }: Standing, id: string): Promise<ConversationEvent[]> {
  const events = await serving.dandori.conversationEvents(id);
  expect(brokenConversationLaws(events)).toEqual([]);
  return events;
}

describe('a conversation over HTTP', () => {
  it('begins with its first message, goes on, and is shown with its runs and undelivered messages', async () => {
    await using standing = await talkingTo(SHOPPING);
    const { client } = standing;
    const { conversation, run } = await client.conversations.begin('what is the capital of France');
    const now = await isSettled(client, conversation, 'answered');
    expect(now).toMatchObject({
      conversation,
      title: 'what is the capital of France',
      language: 'en',
      messages: [
        { role: 'user', kind: 'said', run },
        { role: 'agent', kind: 'reply', text: 'Paris.', outcome: 'answered' },
      ],
      undelivered: [{ id: run, text: 'Paris.' }],
      runs: [{ run, goal: 'what is the capital of France', standing: 'ended', questions: [] }],
    });
    expect(await client.conversations.acknowledge(conversation, [run, 'nothing'])).toEqual([run]);
    expect(await client.conversations.acknowledge(conversation, [run])).toEqual([]);
    expect((await client.conversations.get(conversation)).undelivered).toEqual([]);
    const said = await client.conversations.say(conversation, 'the capital of France, once more');
    expect(said).toMatchObject({ kind: 'begun' });
    await isSettled(client, conversation, 'answered');
    const page = await client.conversations.messages(conversation, { limit: 3 });
    expect(page.messages).toHaveLength(3);
    expect(page.earlier).toBe(page.messages[0]?.id);
    const rest = await client.conversations.messages(conversation, { before: page.earlier ?? '' });
    expect(rest).toMatchObject({ messages: [{ kind: 'said', run }] });
    expect(rest.earlier).toBeUndefined();
    expect(await client.run(run)).toMatchObject({ report: { outcome: 'answered' }, driving: 'idle' });
    await eventsOf(standing, conversation);
  });

  it('plans, asks, works in the background and reports, while one goes on talking', async () => {
    await using standing = await talkingTo(SHOPPING);
    const { client } = standing;
    const { conversation, run } = await client.conversations.begin('plan a trip');
    const asked = await isSettled(client, conversation, 'waiting');
    expect(asked.runs).toMatchObject([
      { standing: 'waiting', questions: [{ kind: 'plan_approval', id: 'q1' }] },
    ]);
    const yes = await client.conversations.say(conversation, 'yes');
    expect(yes).toEqual({ kind: 'answered', run, question: 'q1', chose: 'Approve' });
    await until(async () => {
      const { runs } = await client.conversations.get(conversation);
      return runs[0]?.progress?.total === 1 ? true : undefined;
    });
    await client.conversations.say(conversation, 'what is the capital of France');
    const between = await isSettled(client, conversation, 'answered');
    expect(between.runs[0]).toMatchObject({
      outcome: 'open',
      standing: 'background',
      driving: 'driving',
      progress: { done: 0, failed: 0, total: 1, steps: { done: 0, total: 2 } },
    });
    standing.open();
    const last = await until(async () => {
      const now = await client.conversations.get(conversation);
      return now.runs[0]?.outcome === 'answered' && now.messages.at(-1)?.text === 'All is bought.'
        ? now
        : undefined;
    });
    expect(last.undelivered.map(({ kind, text }) => `${kind} ${text.split('\n')[0]}`)).toEqual([
      expect.stringContaining('question '),
      'reply Paris.',
      'report The bread is here.',
      'reply All is bought.',
    ]);
    expect(standing.taken).toEqual(['bread', 'salt']);
    await eventsOf(standing, conversation);
  });

  it('says which question is meant where several are open, and cancels what is under way', async () => {
    await using standing = await talkingTo(SHOPPING, { execution: { approval: 'writes' } });
    const { client } = standing;
    const first = await client.conversations.begin('buy tea');
    const { conversation } = first;
    await isSettled(client, conversation, 'waiting');
    const second = await client.conversations.say(conversation, 'buy rice');
    await until(async () => {
      const { runs } = await client.conversations.get(conversation);
      return runs.every(({ outcome }) => outcome === 'waiting') ? true : undefined;
    });
    expect(await client.conversations.say(conversation, 'yes')).toMatchObject({
      kind: 'unclear',
      questions: [{}, {}],
    });
    const run = 'run' in second ? second.run : '';
    const given = { run, question: 'q1', answer: 'approve' };
    expect(await client.conversations.answer(conversation, given)).toMatchObject({ kind: 'answered', run });
    await until(async () => ((await client.run(run)).report.outcome === 'answered' ? true : undefined));
    await expect(client.conversations.answer(conversation, given)).rejects.toMatchObject({
      code: 'run-ended',
    });
    await client.conversations.tell(conversation, { run: first.run, text: 'green tea' });
    expect(await client.conversations.cancel(conversation, { reason: 'no more' })).toEqual([first.run]);
    const now = await until(async () => {
      const found = await client.conversations.get(conversation);
      return found.runs.every(({ standing: is }) => is === 'ended') ? found : undefined;
    });
    expect(now.runs.map(({ outcome }) => outcome)).toEqual(['cancelled', 'answered']);
    expect(standing.taken).toEqual(['buy rice']);
  });

  it('is begun and spoken to once under a key, however often and however many at once', async () => {
    await using standing = await talkingTo(SHOPPING);
    const { client } = standing;
    const begun = await Promise.all(
      Array.from({ length: 5 }, () => client.conversations.begin('plan a trip', { key: 'k1' })),
    );
    expect(new Set(begun.map((one) => JSON.stringify(one))).size).toBe(1);
    const conversation = begun[0]?.conversation ?? '';
    await isSettled(client, conversation, 'waiting');
    const said = await Promise.all(
      Array.from({ length: 5 }, () => client.conversations.say(conversation, 'yes', { key: 'k2' })),
    );
    expect(new Set(said.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ kind: 'answered', run: begun[0]?.run, question: 'q1', chose: 'Approve' })]),
    );
    await expect(client.conversations.say(conversation, 'no', { key: 'k2' })).rejects.toMatchObject({
      code: 'key-reused',
    });
    await expect(client.conversations.begin('another', { key: 'k1' })).rejects.toMatchObject({
      code: 'key-reused',
    });
    standing.open();
    await isSettled(client, conversation, 'answered');
    expect((await client.conversations.list()).conversations).toHaveLength(1);
    const { messages, runs } = await client.conversations.get(conversation);
    expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'plan a trip',
      'yes',
    ]);
    expect(runs).toHaveLength(1);
    await eventsOf(standing, conversation);
  });

  it('is its user’s own: another finds nothing, a viewer only reads, an admin sees all', async () => {
    const [hana, ken, guest, chief] = [
      tokenOf('hana', 'operator'),
      tokenOf('ken', 'operator'),
      tokenOf('hana', 'viewer'),
      tokenOf('chief', 'admin'),
    ];
    const tokens = [hana, ken, guest, chief].map(({ entry }) => entry);
    await using standing = await talkingTo(SHOPPING, { server: { tokens } });
    const own = standing.as(hana.token);
    const { conversation, run } = await own.conversations.begin('what is the capital of France');
    await isSettled(own, conversation, 'answered');
    await standing.as(ken.token).conversations.begin('what is the capital of France');
    const stranger = standing.as(ken.token).conversations;
    const none = { code: 'conversation-not-found' };
    await expect(stranger.get(conversation)).rejects.toMatchObject(none);
    await expect(stranger.messages(conversation)).rejects.toMatchObject(none);
    await expect(stranger.say(conversation, 'hi')).rejects.toMatchObject(none);
    await expect(stranger.acknowledge(conversation, [run])).rejects.toMatchObject(none);
    await expect(stranger.cancel(conversation)).rejects.toMatchObject(none);
    await expect(stranger.useModel(conversation, 'scripted')).rejects.toMatchObject(none);
    await expect(stranger.follow(conversation).next()).rejects.toMatchObject(none);
    await expect(stranger.get('../../etc/passwd')).rejects.toMatchObject(none);
    // A user cannot reach the run of another user through a conversation.
    const mine = (await stranger.list()).conversations[0]?.conversation ?? '';
    const foreign = { run, question: 'q1', answer: 'approve' };
    await expect(stranger.answer(mine, foreign)).rejects.toMatchObject({ code: 'run-not-found' });
    await expect(stranger.cancel(mine, { run })).rejects.toMatchObject({ code: 'run-not-found' });
    await expect(stranger.tell(mine, { run, text: 'x' })).rejects.toMatchObject({ code: 'run-not-found' });
    expect((await stranger.list()).conversations).toHaveLength(1);
    const viewer = standing.as(guest.token).conversations;
    expect(await viewer.get(conversation)).toMatchObject({ userId: 'hana' });
    await expect(viewer.say(conversation, 'hi')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(viewer.begin('hi')).rejects.toMatchObject({ code: 'forbidden' });
    const admin = standing.as(chief.token).conversations;
    expect((await admin.list()).conversations).toHaveLength(2);
    expect((await admin.list({ user: 'hana' })).conversations).toMatchObject([{ conversation }]);
    await expect(own.conversations.useModel(conversation, 'dear')).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await own.conversations.useModel(conversation, 'scripted')).toBe('openai-compatible/scripted');
    expect(await admin.useModel(conversation, 'dear')).toBe('openai-compatible/dear');
  });

  it('is listed by page, newest first', async () => {
    await using standing = await talkingTo(SHOPPING);
    const { conversations } = standing.client;
    const ids: string[] = [];
    for (const place of ['A', 'B', 'C'])
      ids.push((await conversations.begin(`the capital of France ${place}`)).conversation);
    const newest = ids.toSorted().reverse();
    const first = await conversations.list({ limit: 2 });
    const second = await conversations.list({ limit: 2, before: first.next ?? '' });
    expect([first, second].map((page) => page.conversations.map(({ conversation }) => conversation))).toEqual(
      [newest.slice(0, 2), newest.slice(2)],
    );
    for (const id of ids) await isSettled(standing.client, id, 'answered');
  });

  it('shares the places for runs with all others', async () => {
    await using standing = await talkingTo(SHOPPING, { server: { max_runs: 1 } });
    const { client } = standing;
    const other = await client.start('wait', {
      tasks: [{ id: 't1', operation: 'shop.wait', args: { item: 'x' } }],
    });
    await until(async () => ((await client.run(other)).driving === 'driving' ? true : undefined));
    const { conversation, run } = await client.conversations.begin('what is the capital of France');
    expect(await client.run(run)).toMatchObject({ driving: 'queued', report: { outcome: 'open' } });
    const now = await client.conversations.get(conversation);
    expect(now.runs).toMatchObject([{ driving: 'queued', outcome: 'open' }]);
    standing.open();
    await isSettled(client, conversation, 'answered');
  });
});

/** The journal's events of a connection, until so many have come. */
async function some({ url }: Standing, id: string, { after, count }: { after: number; count: number }) {
  const stop = new AbortController();
  const response = await fetch(`${url}/api/conversations/${id}/stream`, {
    headers: after === 0 ? {} : { 'Last-Event-ID': String(after) },
    signal: stop.signal,
  });
  const events: ConversationEvent[] = [];
  for await (const { name, id: seq, data } of readServerEvents(response.body ?? new ReadableStream())) {
    if (name !== 'message') continue;
    expect(Number(seq)).toBe(JSON.parse(data).seq);
    events.push(JSON.parse(data));
    if (events.length === count) break;
  }
  stop.abort();
  return events;
}

describe('the stream of a conversation', () => {
  it('misses nothing and gives nothing twice to a client that comes back for every event', async () => {
    await using standing = await talkingTo(SHOPPING);
    const { conversations } = standing.client;
    const { conversation } = await conversations.begin('plan a trip');
    const got: ConversationEvent[] = [];
    const has = (kind: string) =>
      got.some(
        ({ type, data }) => type === 'message_written' && 'message' in data && kind === kindOf(data.message),
      );
    const kindOf = (message: unknown) => (message as { kind: string }).kind;
    while (!has('question'))
      got.push(...(await some(standing, conversation, { after: got.length, count: 1 })));
    await conversations.say(conversation, 'yes');
    standing.open();
    while (!has('reply')) got.push(...(await some(standing, conversation, { after: got.length, count: 1 })));
    expect(got).toEqual((await eventsOf(standing, conversation)).slice(0, got.length));
    expect(got.length).toBeGreaterThan(6);
    const late = await fetch(`${standing.url}/api/conversations/${conversation}/stream?after=999`);
    expect(late.status).toBe(400);
  });

  it('has how runs stand and the answer as it is written under names of their own, also for who comes later', async () => {
    const secret = 'key-of-the-travel-agency';
    vi.stubEnv('TRAVEL_KEY', secret);
    const gate = Promise.withResolvers<void>();
    const spoken = Promise.withResolvers<void>();
    const mind: Mind = {
      name: 'slow',
      async think({ onText }) {
        for (const piece of ['The key is ', secret.slice(0, 9), secret.slice(9), '. ']) onText?.(piece);
        spoken.resolve();
        await gate.promise;
        onText?.('Done.');
        const text = `The key is ${secret}. Done.`;
        return { kind: 'decided', actions: [{ id: 'a', operation: 'answer', args: { text } }] };
      },
    };
    const none = { command: 'no-such-program-here', env: { TOKEN: '${TRAVEL_KEY}' } };
    await using standing = await stand({ mcpServers: { none } }, { mind });
    const { conversations } = standing.client;
    const { conversation, run } = await conversations.begin('tell me');
    await spoken.promise;
    const follow = async () => {
      const news: ConversationUpdate[] = [];
      const stop = new AbortController();
      for await (const one of conversations.follow(conversation, { signal: stop.signal })) {
        news.push(one);
        if (one.kind === 'answer') gate.resolve();
        if (one.kind === 'run' && one.run.standing === 'ended') break;
      }
      stop.abort();
      return news;
    };
    const news = await follow();
    const texts = news.flatMap((one) =>
      one.kind === 'answer' ? [one.text] : one.kind === 'live' && 'text' in one.live ? [one.live.text] : [],
    );
    expect(texts.join('')).toBe('The key is [secret]. Done.');
    expect(JSON.stringify(news)).not.toContain(secret);
    expect(news).toContainEqual({
      kind: 'run',
      run: expect.objectContaining({ run, outcome: 'open', driving: 'driving' }),
    });
  });
});

describe('who talks to a server from a terminal', () => {
  it('goes on when it is there again, however long it was gone', async () => {
    await using standing = await stand();
    const { folder, serving } = standing;
    await using dandori = await openRemote({ cwd: folder, tools: false }, { server: standing.url });
    const conversation = await dandori.conversation();
    const { run } = (await conversation.say('tea')) as { run: string };
    await serving.close();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    for (let hours = 1; hours <= 3; hours++) {
      // Long enough for the stream to call in vain.
      await expect(conversation.say('more tea')).rejects.toMatchObject({ code: 'server-unreachable' });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      vi.setSystemTime(Date.now() + 3_600_000);
    }
    vi.useRealTimers();
    await using _again = await serve({ cwd: folder, port: Number(new URL(serving.url).port) });
    const said = await conversation.say('still more tea');
    expect(said).toMatchObject({ kind: 'begun' });
    // It hears of it as soon as it has called again.
    await until(() => (conversation.runs().at(-1)?.outcome === 'failed' ? true : undefined));
    expect(conversation.runs().map((one) => one.run)).toEqual([run, (said as { run: string }).run]);
  });
});

describe('users who are named to answer', () => {
  it('can do so over HTTP on the run of another user, and nothing else', async () => {
    const [hana, boss, ken] = ['hana', 'boss', 'ken'].map((user) => tokenOf(user, 'operator'));
    const tokens = [hana, boss, ken].map((one) => one?.entry);
    await using standing = await stand({ server: { tokens }, questions: { answerers: ['boss'] } });
    const owner = standing.as(hana?.token ?? '');
    const named = standing.as(boss?.token ?? '');
    const stranger = standing.as(ken?.token ?? '');
    const run = await owner.start('milk', { tasks: [take('milk')] });
    await owner.settled(run);
    expect(await named.questions()).toMatchObject([{ run, id: 'q1', answerers: ['boss'] }]);
    expect(await stranger.questions()).toEqual([]);
    await expect(owner.answer(run, 'q1', 'whole')).rejects.toMatchObject({ code: 'answer-not-allowed' });
    await expect(stranger.answer(run, 'q1', 'whole')).rejects.toMatchObject({ code: 'run-not-found' });
    await expect(named.run(run)).rejects.toMatchObject({ code: 'run-not-found' });
    await expect(named.cancel(run)).rejects.toMatchObject({ code: 'run-not-found' });
    // Nor in a fork, where the past of the run is one's own.
    await expect(owner.fork(run, { answers: { q1: 'whole' } })).rejects.toMatchObject({
      code: 'answer-not-allowed',
    });
    await named.answer(run, 'q1', 'whole');
    expect(await owner.settled(run)).toMatchObject({ outcome: 'answered' });
    expect(standing.taken).toEqual(['whole milk']);
    expect((await owner.events(run)).find(({ type }) => type === 'question_answered')?.data).toMatchObject({
      by: 'boss',
    });
  });
});

describe('what the library knows of the past', () => {
  it('is available over HTTP: a verification, a test, and for admins the damage', async () => {
    const [hana, chief] = [tokenOf('hana', 'operator'), tokenOf('chief', 'admin')];
    await using standing = await stand({ server: { tokens: [hana.entry, chief.entry] } });
    const owner = standing.as(hana.token);
    const run = await owner.start('buy bread', { tasks: [take('bread')] });
    await owner.settled(run);
    const events = await owner.events(run);
    expect(await owner.replay(run)).toMatchObject({ run, isProved: true, events: events.length });
    expect(await owner.replay(run, { to: 2 })).toMatchObject({ seq: 2, report: { outcome: 'open' } });
    expect(await owner.record(run)).toMatchObject({ case: { goal: 'buy bread' }, inexact: [] });
    await expect(owner.doctor()).rejects.toMatchObject({ code: 'forbidden' });
    const admin = standing.as(chief.token);
    expect(await admin.doctor()).toMatchObject({ runs: 1, findings: [] });
    await appendFile(join(standing.folder, '.dandori', 'runs', `${run}.jsonl`), 'half');
    expect(await admin.doctor(run)).toMatchObject({ findings: [{ kind: 'trailing-garbage', run }] });
    await expect(admin.doctor('nobody')).rejects.toMatchObject({ code: 'run-not-found' });
  });
});
