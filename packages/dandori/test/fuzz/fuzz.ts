import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { brokenLaws } from '../../src/run/laws.ts';
import { look, type Standing, stand, take, tokenOf, wait } from '../server/standing.ts';
import { createCheck } from './check.ts';
import { type Document, routesOf } from './document.ts';
import { type FuzzRequest, type Known, requests } from './request.ts';
import { createSender } from './send.ts';

export interface Fuzzed {
  readonly requests: number;
  /** How many got which status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Routes that were answered with success. */
  readonly answered: readonly string[];
  readonly unanswered: readonly string[];
  readonly runs: number;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly what: string;
  readonly request: string;
}

const SECRET = 'hush-hush-4716';
const HANA = tokenOf('hana', 'operator');
const TARO = tokenOf('taro', 'operator');
const GUEST = tokenOf('hana', 'viewer');
const BOSS = tokenOf('boss', 'admin');
const USERS = [HANA, TARO, GUEST, BOSS];
const AT_ONCE = 16;
/** After so many there are new runs of every kind, as those before have been cancelled and answered by then. */
const PORTION = 250;
const ERRORS = join(import.meta.dirname, '../../../../docs/errors');

/** A real server with runs of every kind, and requests made from its own description, most of them somehow wrong. */
export async function fuzz(wanted: number, seed: number): Promise<Fuzzed> {
  process.env.FUZZ_SECRET = SECRET;
  await using standing = await stand({
    mcpServers: { none: { command: 'no-such-program-here', env: { TOKEN: '${FUZZ_SECRET}' } } },
    execution: { approval: 'never' },
    server: {
      tokens: USERS.map(({ entry }) => entry),
      rate_limit: 1_000_000,
      max_streams: 1_000_000,
      grace: 0,
    },
  });
  const document = (await (await standing.ask('/openapi.json')).json()) as Document;
  const routes = routesOf(document);
  const hidden = [SECRET, standing.folder, ...USERS.flatMap(({ token, entry }) => [token, entry.sha256])];
  const codes = new Set(readdirSync(ERRORS).map((name) => name.replace('.md', '')));
  const check = createCheck(document, { hidden, codes });
  const sender = createSender(standing.url);
  const statuses: Record<number, number> = {};
  const answered = new Set<string>();
  const findings: Finding[] = [];
  const tokens = [...USERS, HANA, HANA, BOSS].map(({ token }) => token);
  const hanas: string[] = [];

  const one = async (request: FuzzRequest) => {
    const answer = await sender.send(request);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    const isSuccess = answer.status >= 200 && answer.status < 300;
    const { route, headers, path } = request;
    if (isSuccess && route !== undefined) answered.add(`${route.method} ${route.path}`);
    const wrong = check(request, answer);
    const isTaros = headers.authorization === `Bearer ${TARO.token}`;
    if (isSuccess && isTaros && hanas.some((run) => path.includes(`/${run}`))) wrong.push('it is of another');
    for (const what of wrong) findings.push({ what, request: told(request) });
  };

  for (let done = 0; done < wanted; done += PORTION) {
    const count = Math.min(PORTION, wanted - done);
    const { hana, taro } = await prepare(standing);
    hanas.push(...hana.runs, ...hana.conversations);
    const known: Known = {
      runs: [...hana.runs, ...taro.runs],
      conversations: [...hana.conversations, ...taro.conversations],
      tokens,
    };
    const queue = fc.sample(requests(routes, known), { numRuns: count, seed: seed + done });
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) await one(next);
      }),
    );
  }
  sender.close();
  findings.push(...(await aftermath(standing, hidden)));
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  return {
    requests: wanted,
    statuses,
    answered: [...answered].sort(),
    unanswered: names.filter((name) => !answered.has(name)),
    runs: (await standing.as(BOSS.token).statistics()).runs,
    findings,
  };
}

type Owned = Omit<Known, 'tokens'>;

/** One that waits, one that runs, one that is paused, one that has ended, one that was forked, in a talk: hana's; and taro's. */
async function prepare(standing: Standing): Promise<{ hana: Owned; taro: Owned }> {
  const taro = standing.as(TARO.token);
  const hana = standing.as(HANA.token);
  const waiting = await hana.start('milk', { tasks: [take('milk')] });
  const asked = await hana.start('bread', { tasks: [take('bread')], approval: 'plan' });
  const ended = await hana.start('tea', { tasks: [look('tea')] });
  const running = await hana.start('wait', { tasks: [wait('bus')] });
  const paused = await hana.start('more milk', { tasks: [take('milk'), look('tea', 't2')] });
  for (const run of [waiting, asked, ended, paused]) await hana.settled(run);
  await hana.pause(paused, 'not now');
  const forked = await hana.fork(ended, { at: 2 });
  const talk = await hana.conversations.begin('tea');
  const foreign = await taro.start('salt', { tasks: [look('salt')] });
  const foreignTalk = await taro.conversations.begin('salt');
  return {
    hana: {
      runs: [waiting, asked, ended, running, paused, forked.run, talk.run],
      conversations: [talk.conversation],
    },
    taro: { runs: [foreign, foreignTalk.run], conversations: [foreignTalk.conversation] },
  };
}

/** It still works, what it wrote is lawful, and its log has neither errors nor secrets. */
async function aftermath(standing: Standing, hidden: readonly string[]): Promise<Finding[]> {
  const boss = standing.as(BOSS.token);
  const findings: Finding[] = [];
  const note = (what: string) => findings.push({ what, request: 'afterwards' });
  for (const line of standing.logged) {
    if (/failed|cannot be driven/.test(line)) note(`logged: ${line}`);
    if (hidden.slice(0, 1).some((secret) => line.includes(secret))) note('a secret in the log');
  }
  if (({} as { polluted?: boolean }).polluted !== undefined) note('prototypes are polluted');
  for (let before: string | undefined; ; ) {
    const { runs, next } = await boss.runs({ limit: 200, ...(before !== undefined && { before }) });
    for (const { run, status } of runs) {
      if (status === 'damaged') note(`the run ${run} is damaged`);
      const broken = brokenLaws(await boss.events(run));
      if (broken.length > 0) note(`the run ${run} breaks ${broken.join(', ')}`);
    }
    if (next === undefined) break;
    before = next;
  }
  const run = await boss.start('still there?', { tasks: [look('tea')] });
  standing.open();
  const { outcome } = await boss.settled(run);
  if (outcome !== 'answered') note(`a run after all this ends as ${outcome}`);
  return findings;
}

function told({ method, path, headers, body }: FuzzRequest): string {
  const { authorization: _, ...shown } = headers;
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(shown)} ${body.subarray(0, 600).toString('utf8')}`;
}
