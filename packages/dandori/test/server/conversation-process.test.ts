import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ConversationUpdate } from '../../src/client/conversations.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { type Finished, openPlace, type Place } from '../cli/command.ts';
import { theseHold } from '../conversation/laws.ts';
import { PLAN } from '../conversation/script.ts';
import { talk } from '../conversation/talk.ts';
import { openTown } from '../conversation/town.ts';
import { act, answer, own, say } from '../requirements/home.ts';
import { tokenOf, until } from './standing.ts';

interface Served {
  readonly url: string;
  readonly port: string;
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** The real `dandori serve`, as a user starts it. */
async function start(place: Place, port = '0'): Promise<Served> {
  const { child, finished } = place.begin('serve', '--port', port);
  let said = '';
  child.stderr?.on('data', (text: string) => {
    said += text;
  });
  const url = await until(() => /running at (http:\S+)/.exec(said)?.[1]);
  return { url, port: new URL(url).port, child, finished };
}

async function end({ child, finished }: Served): Promise<Finished> {
  child.kill('SIGTERM');
  return finished;
}

const booked = (place: Place) => readFile(join(place.folder, 'booked.txt'), 'utf8').catch(() => '');

/** A trip in two steps; the model is silent before the second until it is let go. */
function tripModel() {
  const gate = { isHeld: true, asked: 0 };
  const script: ModelScript = ({ promptText, body }) => {
    const goal = /Goal:\n([\s\S]*)/.exec(promptText)?.[1] ?? '';
    const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
    if (/France/.test(goal)) return answer('Paris.');
    if (/wait for it/.test(goal) && !/<result/.test(last))
      return say([act('t1', 'travel.wait', { file: 'go.txt' })]);
    if (/Steps: s1/.test(last)) return say([act('t1', 'travel.book', { city: 'Kyoto' })]);
    if (/Steps: s2/.test(last)) {
      gate.asked++;
      if (gate.isHeld) return { hang: true };
      const report = own('report', { step: 's1', text: 'Booked in Kyoto.' });
      return say([report, act('t2', 'travel.book', { city: 'Nara' })]);
    }
    if (/<result/.test(last)) return answer('Both rooms are booked.');
    return say([own('plan.propose', PLAN)]);
  };
  return { gate, script };
}

describe('a server with conversations that is killed', () => {
  it('between the work and the report: a client that stayed connected gets the report once', async () => {
    const { gate, script } = tripModel();
    await using town = await openTown(script);
    const { place } = town;
    const first = await start(place);
    const { conversations } = createClient({ url: first.url });
    const { conversation, run } = await conversations.begin('plan a trip', { key: 'trip' });
    const heard: ConversationUpdate[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const news of conversations.follow(conversation, { signal: stop.signal })) heard.push(news);
    })();
    const messages = () =>
      heard.flatMap((news) =>
        news.kind === 'event' && news.event.type === 'message_written' ? [news.event.data.message] : [],
      );
    const kinds = () => messages().map(({ kind }) => kind);
    await until(() => (kinds().includes('question') ? true : undefined));
    await conversations.say(conversation, 'yes', { key: 'yes' });
    await until(() => (gate.asked === 1 ? true : undefined));
    expect(await booked(place)).toBe('Kyoto\n');
    expect(kinds()).toEqual(['said', 'question', 'said']);
    first.child.kill('SIGKILL');
    await first.finished;
    gate.isHeld = false;
    const second = await start(place, first.port);
    await until(() => (kinds().includes('reply') ? true : undefined));
    expect(messages().map(({ text }) => text.split('\n')[0])).toEqual([
      'plan a trip',
      expect.any(String),
      'yes',
      'Booked in Kyoto.',
      'Both rooms are booked.',
    ]);
    expect(await booked(place)).toBe('Kyoto\nNara\n');
    const seqs = heard.flatMap((news) => (news.kind === 'event' ? [news.event.seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    // A client that got no reply may send the message again.
    expect(await conversations.begin('plan a trip', { key: 'trip' })).toEqual({ conversation, run });
    expect(await conversations.say(conversation, 'yes', { key: 'yes' })).toMatchObject({
      kind: 'answered',
      run,
    });
    const { undelivered } = await conversations.get(conversation);
    const ids = undelivered.map(({ id }) => id);
    expect(undelivered.map(({ kind }) => kind)).toEqual(['question', 'report', 'reply']);
    const [one, other] = await Promise.all([
      conversations.acknowledge(conversation, ids),
      conversations.acknowledge(conversation, ids),
    ]);
    expect([...one, ...other].sort()).toEqual(ids.toSorted());
    stop.abort();
    await listening;
    expect((await end(second)).code).toBe(0);
    await theseHold(place.folder);
    const third = await start(place);
    const later = createClient({ url: third.url }).conversations;
    expect((await later.get(conversation)).undelivered).toEqual([]);
    expect((await end(third)).code).toBe(0);
  });

  it('and whose run has ended in another process has the reply without a new message', async () => {
    const { script } = tripModel();
    await using town = await openTown(script);
    const { place } = town;
    const first = await start(place);
    const { conversations } = createClient({ url: first.url });
    const { conversation, run } = await conversations.begin('wait for it');
    await until(async () => ((await place.journal(run)).includes('"task_started"') ? true : undefined));
    first.child.kill('SIGKILL');
    await first.finished;
    const resumed = place.begin('resume', run);
    await until(async () => ((await place.journal(run)).includes('"run_resumed"') ? true : undefined));
    await until(async () => {
      await writeFile(join(place.folder, 'go.txt'), String(Math.random()));
      return (await place.journal(run)).includes('"run_finished"') ? true : undefined;
    });
    await resumed.finished;
    const second = await start(place);
    const now = await createClient({ url: second.url }).conversations.get(conversation);
    expect(now.undelivered).toMatchObject([{ kind: 'reply', text: 'Both rooms are booked.' }]);
    await end(second);
    await theseHold(place.folder);
  });
});

describe('a server with conversations that is told to stop', () => {
  it('waits for the grace period and no longer, and goes on at the next start', async () => {
    const { script } = tripModel();
    await using town = await openTown(script, 'server: { grace: 300ms }\n');
    const { place } = town;
    const first = await start(place);
    const { conversations } = createClient({ url: first.url });
    const { conversation, run } = await conversations.begin('wait for it');
    await until(async () => ((await place.journal(run)).includes('"task_started"') ? true : undefined));
    expect((await end(first)).code).toBe(0);
    expect(await place.journal(run)).not.toContain('run_paused');
    const second = await start(place);
    const later = createClient({ url: second.url }).conversations;
    const reply = await until(async () => {
      await writeFile(join(place.folder, 'go.txt'), String(Math.random()));
      return (await later.get(conversation)).undelivered[0];
    });
    expect(reply).toMatchObject({ kind: 'reply', text: 'Both rooms are booked.' });
    await end(second);
  });
});

describe('dandori chat --server', () => {
  it('talks to the server as it does here, leaves the work there, and finds what came of it', async () => {
    const { gate, script } = tripModel();
    const [hana, ken] = [tokenOf('hana', 'operator'), tokenOf('ken', 'operator')];
    const tokens = JSON.stringify([hana.entry, ken.entry]);
    await using town = await openTown(script, `server: { tokens: ${tokens} }\n`);
    const served = await start(town.place);
    await using home = await openPlace({ DANDORI_TOKEN: hana.token, DANDORI_SERVER: served.url });
    const first = talk(home);
    first.say('plan a trip');
    await until(() => (first.lines().length === 1 ? true : undefined));
    expect(first.lines()).toMatchObject([{ kind: 'question', ask: { kind: 'plan_approval' } }]);
    first.say('yes');
    await until(() => (first.lines().at(-1)?.type === 'background' ? true : undefined));
    first.say('what is the capital of France');
    await until(() => (first.lines().at(-1)?.text === 'Paris.' ? true : undefined));
    await until(() => (gate.asked === 1 ? true : undefined));
    const { conversations } = createClient({ url: served.url, token: hana.token });
    const [begun] = (await conversations.list()).conversations;
    await until(async () => {
      const { undelivered } = await conversations.get(begun?.conversation ?? '');
      return undelivered.length === 0 ? true : undefined;
    });
    first.child.kill('SIGKILL');
    await first.ended;
    gate.isHeld = false;
    served.child.kill('SIGKILL');
    await served.finished;
    const again = await start(town.place, served.port);
    const second = talk(home, '--wait', '60s');
    second.child.stdin.end();
    expect(await second.ended).toBe(0);
    expect(second.lines()).toMatchObject([
      { kind: 'report', step: 's1', text: 'Booked in Kyoto.' },
      { kind: 'reply', text: 'Both rooms are booked.' },
    ]);
    const third = talk(home);
    third.child.stdin.end();
    expect(await third.ended).toBe(0);
    expect(third.lines()).toEqual([]);
    const listed = await home.dandori('chat', '--list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ conversations: [{ title: 'plan a trip' }] });
    await using other = await openPlace({ DANDORI_TOKEN: ken.token, DANDORI_SERVER: served.url });
    expect(JSON.parse((await other.dandori('chat', '--list', '--json')).stdout)).toEqual({
      conversations: [],
    });
    expect((await end(again)).code).toBe(0);
    await theseHold(town.place.folder);
  });

  it('leaves replay, record and doctor to the server too', async () => {
    const hana = tokenOf('hana', 'operator');
    await using town = await openTown(
      tripModel().script,
      `server: { tokens: ${JSON.stringify([hana.entry])} }\n`,
    );
    const served = await start(town.place);
    await using home = await openPlace({ DANDORI_TOKEN: hana.token, DANDORI_SERVER: served.url });
    const client = createClient({ url: served.url, token: hana.token });
    await client.settled(await client.start('what is the capital of France'));
    expect((await home.dandori('verify', 'last', '--json')).code).toBe(0);
    expect((await home.dandori('save-test', 'last', '--json')).code).toBe(0);
    expect((await home.dandori('doctor')).stderr).toContain('error[forbidden]');
    expect((await end(served)).code).toBe(0);
  });
});
