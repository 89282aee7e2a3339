import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Task } from '../../src/model/task.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { type ModelServer, startModelServer } from '../../src/testing/index.ts';
import { type Member, startDatabase, startMember, writeConfig } from '../cluster/cluster.ts';
import { type DISPATCHERS, startDispatcher } from '../cluster/dispatcher.ts';
import { service, started } from '../program.ts';
import { effectsOf, goalOf, type Job, numberIn, startJob, tasksOf } from './jobs.ts';
import { startLedger } from './ledger.ts';

/**
 * What happens to the cluster while it works.
 * - `kill`: a server or worker gets SIGKILL, and another one is started.
 * - `stop`: a server or worker stands still for longer than its lease, then goes on.
 * - `restart`: PostgreSQL is stopped, in every second case without warning, and started again.
 * - `cut`: all connections to PostgreSQL are terminated, also those that renew leases.
 * - `command`: a process starts a run or answers a question, and gets SIGKILL as soon as the event is written.
 */
export type Trouble = 'kill' | 'stop' | 'restart' | 'cut' | 'command';

export interface TrialOptions {
  readonly troubles: readonly { readonly kind: Trouble; readonly count: number }[];
  readonly servers?: number;
  readonly workers?: number;
  /** Runs at the same time. */
  readonly atOnce?: number;
  /** Milliseconds. */
  readonly lease?: number;
  readonly dispatcher?: (typeof DISPATCHERS)[number];
  readonly onProgress?: (text: string) => void;
}

export interface Outcome {
  readonly troubles: Readonly<Partial<Record<Trouble, number>>>;
  readonly runs: number;
  readonly conversations: number;
  readonly effects: number;
  readonly duplicates: readonly string[];
  readonly losses: readonly string[];
  /** Questions that were answered: whether a call took effect, and approvals. */
  readonly questions: number;
  /** Runs that were driven by a process when it was killed. */
  readonly taken: number;
  /** Milliseconds from a kill until another process held the run. `late`: what happened, if it was more than the lease and a second. */
  readonly takeover: { readonly median: number; readonly most: number; readonly late: readonly string[] };
  /** Milliseconds from the death of a process that wrote a command until a driver had the run. */
  readonly pickup: { readonly median: number; readonly most: number };
  readonly problems: readonly string[];
}

const LEASE = 2_000;
const SCHEMA = 'dandori';
/** Milliseconds without any change after which the runs that are left count as lost. */
const PATIENCE = 120_000;

export async function undergo(options: TrialOptions): Promise<Outcome> {
  const { troubles, servers = 2, workers = 2, atOnce = 12, lease = LEASE, onProgress = () => {} } = options;
  await using dispatcher = await startDispatcher(options.dispatcher ?? 'built-in');
  const folder = await mkdtemp(join(tmpdir(), 'dandori-kills-'));
  const file = join(folder, 'effects.txt');
  const ledger = await startLedger(file);
  const model = await startModel();
  const database = await startDatabase({ isDurable: false });
  const sql = postgres(database.url, { max: 4, onnotice: () => {} });
  const config = {
    store: {
      type: 'postgres',
      url: database.url,
      schema: SCHEMA,
      lease: `${lease}ms`,
      ...dispatcher.options,
    },
    model: { provider: 'openai-compatible', name: 'test', base_url: model.url },
    execution: { approval: 'never' },
    services: [service('crash/fixtures/work.ts')],
    mcpServers: { effects: { url: ledger.url, trusted: true }, calc: { shipped: 'calc' } },
  };
  // A server drives few runs, so that most of them are left to the workers.
  const placesOf = { serve: workers > 0 ? 2 : 64, work: 64 };
  const limits = { rate_limit: 1_000_000, max_streams: 1_000 };
  const files = {
    serve: await writeConfig(folder, { ...config, server: { ...limits, max_runs: placesOf.serve } }, 'serve'),
    work: await writeConfig(folder, { ...config, server: { ...limits, max_runs: placesOf.work } }, 'work'),
  };
  const start = async (kind: Member['kind']) => {
    const env = { ...process.env, EFFECTS_FILE: file };
    const member = await startMember(kind, { folder, config: files[kind], env });
    member.child.once('exit', () => {
      if (ready.has(member) && !isOver) problems.push(`${kind} ended by itself: ${member.said.join('\n')}`);
    });
    return member;
  };
  const kinds = [...Array<'serve'>(servers).fill('serve'), ...Array<'work'>(workers).fill('work')];
  const ready = new Set(await Promise.all(kinds.map(start)));
  /** Any server answers for any run. */
  const client = (): Client => {
    const urls = [...ready].flatMap(({ url }) => url ?? []);
    return createClient({ url: urls[Math.floor(Math.random() * urls.length)] ?? '' });
  };
  const starting = new Set<Promise<void>>();
  const open = new Map<string, Job>();
  const ended: Job[] = [];
  const counts: Partial<Record<Trouble, number>> = {};
  const problems: string[] = [];
  const takeovers: number[] = [];
  const late: string[] = [];
  const happened: { readonly at: number; readonly what: string }[] = [];
  const pickups: number[] = [];
  const begun = new Set<Promise<void>>();
  let questions = 0;
  let next = 0;
  let isOver = false;
  let commandsLeft = 0;
  let changedAt = Date.now();

  /** The database or the server may be away for a moment. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    for (const until = Date.now() + PATIENCE; ; )
      try {
        return await work();
      } catch (error) {
        if (Date.now() > until) throw error;
        await sleep(100);
      }
  }

  async function begin(): Promise<void> {
    const number = next++;
    const job = await again(() => startJob(number, client()));
    open.set(job.run, job);
  }

  /** Statuses come from the database, so that the trial itself takes little time from the servers. */
  async function look(): Promise<void> {
    const rows = await again(
      () => sql<{ id: string; status: string }[]>`
        select id, status from ${sql(SCHEMA)}.runs where id = any(${[...open.keys()]})`,
    );
    for (const { id, status } of rows) {
      const job = open.get(id);
      if (job === undefined || status === 'open') continue;
      if (status === 'waiting') await answerAll(id, job);
      else {
        open.delete(id);
        ended.push(job);
        changedAt = Date.now();
        if (status !== 'answered') problems.push(`${id} ended as ${status}: ${await stateOf(id)}`);
      }
    }
  }

  /** A person who looks at what really happened, and says so. */
  async function answerAll(run: string, job: Job): Promise<void> {
    const { report } = await again(() => client().run(run));
    for (const { id, kind, task = '', context } of report.questions) {
      const opened = (context as { readonly open?: { readonly args: { readonly name: string } } }).open;
      const isDone = ledger.effects.has(opened?.args.name ?? job.nameOf(task));
      const truth = !isDone ? 'again' : opened === undefined ? 'happened' : 'again_after';
      const answer = kind === 'approval' ? 'yes' : truth;
      if (kind !== 'approval' && kind !== 'in_doubt') problems.push(`${run} asks ${kind}`);
      if (kind === 'approval' && commandsLeft > 0) await command(['answer', run, id, answer], run);
      // Another answer may have been written before the connection broke.
      else await again(() => client().answer(run, id, answer).catch(unlessAnswered));
      questions++;
      changedAt = Date.now();
    }
  }

  function heldBy({ child }: Member): Promise<readonly { id: string; epoch: string }[]> {
    return again(
      () => sql<{ id: string; epoch: string }[]>`
        select r.id, r.epoch from ${sql(SCHEMA)}.runs r join ${sql(SCHEMA)}.workers w on w.id = r.worker
        where w.name like ${`process ${child.pid ?? 0} on %`}`,
    );
  }

  /** Runs that a dead worker held, until another process holds them or they are let go. */
  async function watchTakeover(victim: Member, killedAt: number): Promise<void> {
    const held = await heldBy(victim);
    const left = new Map(held.map(({ id, epoch }) => [id, { epoch, trail: [] as string[] }]));
    while (left.size > 0 && !isOver) {
      const rows = await again(
        () => sql<{ id: string; epoch: string; is_held: boolean; wakes: number; due: number | null }[]>`
          select id, epoch, worker is not null as is_held, wakes,
            round(extract(epoch from clock_timestamp() - wake_at))::integer as due
          from ${sql(SCHEMA)}.runs where id = any(${[...left.keys()]})`,
      );
      const ms = Date.now() - killedAt;
      for (const { id, epoch, is_held, wakes, due } of rows) {
        const run = left.get(id);
        if (run === undefined) continue;
        const state = is_held ? 'has a dead driver' : due !== null && due > 0 ? 'is due' : 'is taken';
        if (!run.trail.at(-1)?.endsWith(`${state} (${wakes})`))
          run.trail.push(`${ms} ms: ${state} (${wakes})`);
        if (run.epoch === epoch) continue;
        left.delete(id);
        takeovers.push(ms);
        if (ms <= lease + 1_000) continue;
        const meanwhile = happened
          .filter(({ at }) => at > killedAt)
          .map(({ at, what }) => `${at - killedAt} ms: ${what}`);
        late.push([...run.trail, `${ms} ms: is driven`, ...meanwhile].join(', '));
      }
      await sleep(25);
    }
  }

  /** One of the processes, as soon as one of its kind is left without it. */
  async function someVictim(): Promise<Member> {
    for (;;) {
      const ofKind = Map.groupBy(ready, ({ kind }) => kind);
      const all = [...ready].filter(({ kind }) => (ofKind.get(kind)?.length ?? 0) > 1);
      const victim = all[Math.floor(Math.random() * all.length)];
      if (victim !== undefined) return victim;
      await Promise.race([...starting, sleep(100)]);
    }
  }

  function replace(kind: Member['kind']): void {
    const one = again(() => start(kind)).then((member) => {
      ready.add(member);
      starting.delete(one);
    });
    starting.add(one);
  }

  async function kill(): Promise<void> {
    let victim = await someVictim();
    // It is in the middle of something. After a problem nothing new begins, so perhaps no process is.
    for (; (await heldBy(victim)).length === 0 && problems.length === 0; victim = await someVictim())
      await sleep(5);
    ready.delete(victim);
    const killedAt = Date.now();
    happened.push({ at: killedAt, what: `${victim.kind} killed` });
    await victim.end('SIGKILL');
    track(watchTakeover(victim, killedAt));
    replace(victim.kind);
    await sleep(100 + Math.random() * lease * 0.5);
  }

  async function stop(): Promise<void> {
    const victim = await someVictim();
    ready.delete(victim);
    victim.child.kill('SIGSTOP');
    await sleep(lease * 1.5 + Math.random() * lease);
    victim.child.kill('SIGCONT');
    ready.add(victim);
    await sleep(lease / 2);
  }

  async function restart(number: number): Promise<void> {
    await sleep(300 + Math.random() * 1_000);
    happened.push({ at: Date.now(), what: 'database restarted' });
    await database.restart(number % 2 === 0 ? 'restart' : 'crash');
    await sleep(500 + Math.random() * lease);
  }

  async function cut(): Promise<void> {
    await again(
      () => sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'dandori' and pid <> pg_backend_pid()`,
    );
    await sleep(100 + Math.random() * 500);
  }

  /** Every second one starts a run. The others answer approvals, as soon as there are some. */
  async function commands(count: number): Promise<void> {
    commandsLeft = count;
    while (commandsLeft > 0 && problems.length === 0) {
      onProgress(`command ${counts.command ?? 0} of ${count}, ${ended.length} runs`);
      if (open.size < atOnce * 2) {
        const number = 1_000_000 + next++;
        const run = await command(['start', goalOf(number)]);
        open.set(run, { run, effects: effectsOf(number), nameOf: (task) => `${number}-${task}` });
      } else await sleep(50);
    }
  }

  async function command(args: readonly string[], run?: string): Promise<string> {
    commandsLeft--;
    counts.command = (counts.command ?? 0) + 1;
    const child = spawn(
      process.execPath,
      [started('kills/commander.ts'), JSON.stringify(config.store), ...args],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let printed = '';
    let trouble = '';
    child.stdout.on('data', (text: Buffer) => {
      printed += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      trouble += text;
    });
    const [, signal] = await once(child, 'close');
    if (signal !== 'SIGKILL')
      problems.push(`the process of a command was not killed: ${trouble.slice(0, 500)}`);
    const id = run ?? printed.trim();
    track(watchPickup(id, Date.now()));
    return id;
  }

  /** A driver writes more than the command did. */
  async function watchPickup(run: string, diedAt: number): Promise<void> {
    const seq = async () =>
      (
        await again(
          () => sql<{ last_seq: number }[]>`select last_seq from ${sql(SCHEMA)}.runs where id = ${run}`,
        )
      )[0]?.last_seq;
    const written = await seq();
    if (written === undefined) return void problems.push(`the command on ${run} is lost`);
    while (!isOver && (await seq()) === written && open.has(run)) await sleep(25);
    pickups.push(Date.now() - diedAt);
  }

  /** For finding out why a run did not end. */
  async function stateOf(run: string): Promise<string> {
    const [row] = await sql`
      select r.*, w.until, clock_timestamp() as now from ${sql(SCHEMA)}.runs r
      left join ${sql(SCHEMA)}.workers w on w.id = r.worker where r.id = ${run}`;
    const events = await sql<{ body: string }[]>`
      select body from ${sql(SCHEMA)}.run_events where id = ${run} order by seq desc limit 12`;
    const said = [...ready].map(({ kind, child, said: lines }) => ({
      kind,
      pid: child.pid,
      lines: lines.slice(-5),
    }));
    return JSON.stringify({ row, events: events.map(({ body }) => body.slice(0, 400)), said }, undefined, 1);
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => void problems.push(String(error)))
      .finally(() => begun.delete(tracked));
    begun.add(tracked);
  }

  async function makeTrouble(): Promise<void> {
    for (const { kind, count } of troubles) {
      if (kind === 'command') await commands(count);
      else
        for (let number = 0; number < count && problems.length === 0; number++) {
          await { kill, stop, restart, cut }[kind](number);
          counts[kind] = number + 1;
          onProgress(`${kind} ${number + 1} of ${count}, ${ended.length} runs`);
        }
      // The next kind of trouble must not delay what this one led to.
      await Promise.race([Promise.all(begun), sleep(PATIENCE, undefined, { ref: false })]);
    }
  }

  try {
    let isTroubled = true;
    const trouble = makeTrouble().finally(() => {
      isTroubled = false;
      changedAt = Date.now();
    });
    trouble.catch(() => {});
    while (isTroubled || open.size > 0 || begun.size > 0) {
      while (isTroubled && open.size < atOnce && problems.length === 0) await begin();
      await look();
      if (!isTroubled && Date.now() - changedAt > PATIENCE) break;
      if (!isTroubled) onProgress(`${open.size} runs and ${begun.size} looks are left`);
      await sleep(50);
    }
    await trouble;
    isOver = true;
    for (const { run } of open.values()) problems.push(`${run} did not end: ${await stateOf(run)}`);
    // A server that ended by itself cannot answer, and what it said must not be lost.
    problems.push(...(await check(ended, client()).catch((error: unknown) => [String(error)])));
    const wanted = [...ended, ...open.values()].flatMap(({ effects }) => effects);
    return {
      troubles: counts,
      runs: ended.length,
      conversations: ended.filter(({ conversation }) => conversation !== undefined).length,
      effects: [...ledger.effects.values()].reduce((sum, times) => sum + times, 0),
      duplicates: [...ledger.effects].filter(([, times]) => times > 1).map(([name]) => name),
      losses: wanted.filter((name) => !ledger.effects.has(name)),
      questions,
      taken: takeovers.length,
      takeover: { ...spread(takeovers), late },
      pickup: spread(pickups),
      problems,
    };
  } finally {
    isOver = true;
    await Promise.all(starting);
    await Promise.all([...ready].map((member) => member.end('SIGKILL')));
    await sql.end();
    await database.close();
    await model[Symbol.asyncDispose]();
    await ledger.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is wrong with the journals, as the server sees them, and with what the conversations were told. */
async function check(jobs: readonly Job[], client: Client): Promise<string[]> {
  const problems: string[] = [];
  for (const { run, conversation } of jobs) {
    for (const law of brokenLaws(await client.events(run))) problems.push(`${run}: ${law}`);
    if (conversation === undefined) continue;
    const told = async () =>
      (await client.conversations.get(conversation)).messages.filter((message) => message.run === run).length;
    for (const until = Date.now() + 30_000; (await told()) === 0 && Date.now() < until; ) await sleep(100);
    if ((await told()) === 0) problems.push(`${conversation} was not told of the end of ${run}`);
  }
  return problems;
}

/** Decides by what it is told, as a model would. */
function startModel(): Promise<ModelServer> {
  return startModelServer(({ body }) => {
    const prompt = JSON.stringify(body);
    const isDone = prompt.includes('"role":"assistant"');
    const tasks: readonly Task[] = tasksOf(numberIn(prompt));
    return isDone
      ? { actions: [{ id: 'z', operation: 'answer', args: { text: 'counted', achieved: true } }] }
      : { actions: [...tasks] };
  });
}

function unlessAnswered(error: { readonly code?: string }): void {
  if (error.code !== 'question-answered' && error.code !== 'run-ended') throw error;
}

function spread(values: readonly number[]): { median: number; most: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
}
