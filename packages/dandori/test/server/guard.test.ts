import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serve } from '../../src/server/serve.ts';
import { startUserApi } from '../config/user-api.ts';
import { look, type Standing, stand, take, tokenOf, until, wait } from './standing.ts';

const HANA = tokenOf('hana', 'operator');
const TARO = tokenOf('taro', 'operator');
const GUEST = tokenOf('hana', 'viewer');
const BOSS = tokenOf('boss', 'admin');
const TOKENS = [HANA, TARO, GUEST, BOSS].map(({ entry }) => entry);
const withTokens = (more: object = {}) => stand({ server: { tokens: TOKENS, ...more } });

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** As no browser and no library would send it. */
function raw(
  { url }: Pick<Standing, 'url'>,
  {
    path = '/api/runs',
    method = 'GET',
    headers = {},
    body = '',
  }: { path?: string; method?: string; headers?: Record<string, string>; body?: string | Buffer },
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('users', () => {
  it('see and touch their own runs only; for others there is nothing there', async () => {
    await using standing = await withTokens();
    const hana = standing.as(HANA.token);
    const taro = standing.as(TARO.token);
    const run = await hana.start('milk', { tasks: [take('milk')] });
    expect((await hana.settled(run)).outcome).toBe('waiting');
    const missing = await taro.run('20200101-000000000-none').catch((error) => error);
    for (const attempt of [
      () => taro.run(run),
      () => taro.events(run),
      () => taro.journal(run),
      () => taro.plan(run),
      () => taro.lift(run),
      () => taro.answer(run, 'q1', 'whole'),
      () => taro.cancel(run),
      () => taro.rate(run, { rating: 1 }),
      () => taro.resume(run),
      () => taro.history(run),
      () => taro.fork(run, { at: 1 }),
      () => taro.diff(run, run),
      async () => taro.diff(await taro.start('tea', { tasks: [look('tea')] }), run),
      () => taro.tell(run, 'x'),
      () => taro.pause(run),
      () => taro.approve(run),
      () => taro.reject(run),
      () => taro.addBudget(run, { calls: 1 }),
      () => taro.follow(run).next(),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'run-not-found', fix: missing.fix });
    expect((await taro.runs()).runs).toMatchObject([{ goal: 'tea' }]);
    expect((await taro.runs({ user: 'hana' })).runs).toEqual([]);
    expect((await taro.statistics()).runs).toBe(1);
    expect(await taro.questions()).toEqual([]);
    expect(await hana.questions()).toMatchObject([{ run, id: 'q1' }]);
    await expect(hana.start('tea', { approval: 'never' })).rejects.toMatchObject({ code: 'forbidden' });
    expect((await hana.runs()).runs).toMatchObject([{ run, userId: 'hana' }]);
    expect((await standing.as(BOSS.token).runs({ user: 'hana' })).runs).toMatchObject([{ run }]);
    await standing.as(BOSS.token).answer(run, 'q1', 'whole');
    const answered = (await hana.events(run)).find(({ type }) => type === 'question_answered');
    expect(answered?.data).toMatchObject({ by: 'boss' });
    // The same key of two users means two runs.
    const [mine, theirs] = await Promise.all(
      [hana, taro].map((one) => one.start('tea', { tasks: [look('tea')], key: 'k' })),
    );
    expect(mine).not.toBe(theirs);
  });

  it('need a token, and a role that may', async () => {
    await using standing = await withTokens();
    for (const token of [undefined, 'wrong', HANA.token.slice(0, -1), HANA.entry.sha256]) {
      const client = token === undefined ? standing.client : standing.as(token);
      await expect(client.runs()).rejects.toMatchObject({ code: 'unauthorized' });
      await expect(client.start('tea')).rejects.toMatchObject({ code: 'unauthorized' });
    }
    const refused = await standing.ask('/api/runs');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    const hana = standing.as(HANA.token);
    const guest = standing.as(GUEST.token);
    const run = await hana.start('tea', { tasks: [look('tea')] });
    await hana.settled(run);
    expect(await guest.user()).toEqual({ id: 'hana', role: 'viewer' });
    expect((await guest.run(run)).report.run).toBe(run);
    for (const attempt of [
      () => guest.start('tea'),
      () => guest.rate(run, { rating: 1 }),
      () => guest.cancel(run),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    expect(await guest.check('- { operation: shop.look, args: { item: tea } }')).toMatchObject({ ok: true });
    expect((await standing.ask('/healthz')).status).toBe(200);
    const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
    expect((await standing.ask('/metrics')).status).toBe(401);
    expect((await standing.ask('/metrics', bearer(HANA.token))).status).toBe(403);
    expect((await standing.ask('/metrics', bearer(BOSS.token))).status).toBe(200);
  });

  it('have settings of their own, from the user_config_api', async () => {
    await using api = await startUserApi({ execution: { max_steps: 3 }, language: 'ja' });
    await using standing = await stand({
      user_config_api: { url: `${api.url}/users/{user_id}` },
      server: { tokens: TOKENS },
    });
    const hana = standing.as(HANA.token);
    const run = await hana.start('tea', { tasks: [look('tea')] });
    expect(api.requests.map(({ url }) => url)).toEqual(['/users/hana']);
    const [first] = await hana.events(run);
    expect(first?.data).toMatchObject({
      userId: 'hana',
      settings: { language: 'ja', limits: { steps: 3 } },
    });
  });

  it('ask for no fewer approvals than are configured for themselves', async () => {
    await using api = await startUserApi({ execution: { approval: 'always' } });
    await using standing = await stand({
      execution: { approval: 'writes' },
      user_config_api: { url: `${api.url}/users/{user_id}` },
      server: { tokens: TOKENS },
    });
    const tea = { tasks: [look('tea')] };
    const hana = standing.as(HANA.token);
    for (const approval of ['never', 'writes', 'plan'] as const)
      await expect(hana.start('tea', { ...tea, approval })).rejects.toMatchObject({ code: 'forbidden' });
    const run = await hana.start('tea', { ...tea, approval: 'always' });
    expect((await hana.settled(run)).outcome).toBe('waiting');
    const boss = standing.as(BOSS.token);
    const free = await boss.start('tea', { ...tea, approval: 'never' });
    expect((await boss.settled(free)).outcome).toBe('answered');
  });

  it('are held back when they send too much, each for themselves', async () => {
    await using standing = await withTokens({ rate_limit: 1 });
    const hana = standing.as(HANA.token);
    const sent = await Promise.allSettled(Array.from({ length: 40 }, () => hana.runs()));
    const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused.length).toBeGreaterThan(20);
    expect(new Set(refused)).toEqual(new Set(['too-many-requests']));
    expect((await standing.as(TARO.token).runs()).runs).toEqual([]);
  });
});

describe('streams', () => {
  it('are so many at once for each user, and one that is closed makes room', async () => {
    await using standing = await withTokens({ max_streams: 2 });
    const run = await standing.as(HANA.token).start('wait', { tasks: [wait('bus')] });
    const follow = async (token: string) => {
      const stop = new AbortController();
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${standing.url}/api/runs/${run}/stream`, { headers, signal: stop.signal });
      return { stop, status: answer.status, said: answer.ok ? '' : await answer.text() };
    };
    const [first] = [await follow(HANA.token), await follow(HANA.token)];
    const third = await follow(HANA.token);
    expect(third.status).toBe(429);
    expect(third.said).toContain('server.max_streams');
    expect((await follow(BOSS.token)).status).toBe(200);
    first.stop.abort();
    await until(async () => ((await follow(HANA.token)).status === 200 ? true : undefined));
    standing.open();
  });
});

describe('who may not come in', () => {
  it('a page of another origin, and a foreign host name that points here', async () => {
    await using standing = await stand();
    const { host } = new URL(standing.url);
    const json = { 'Content-Type': 'application/json' };
    const start = { method: 'POST', body: JSON.stringify({ goal: 'tea', tasks: [look('tea')] }) };
    for (const name of [
      'evil.example',
      'evil.example:4310',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
    ])
      expect([name, (await raw(standing, { ...start, headers: { ...json, Host: name } })).status]).toEqual([
        name,
        403,
      ]);
    for (const Origin of [
      'http://evil.example',
      'null',
      `http://${host}.evil.example`,
      'http://127.0.0.1:1',
      'file://',
    ])
      expect([
        Origin,
        (await raw(standing, { ...start, headers: { ...json, Host: host, Origin } })).status,
      ]).toEqual([Origin, 403]);
    expect((await raw(standing, { headers: { Host: host, 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(
      403,
    );
    expect(
      (await raw(standing, { ...start, headers: { Host: host, 'Content-Type': 'text/plain' } })).status,
    ).toBe(400);
    expect(
      (
        await raw(standing, {
          ...start,
          headers: { Host: host, 'Content-Type': 'application/x-www-form-urlencoded' },
        })
      ).status,
    ).toBe(400);
    expect((await standing.client.runs()).runs).toEqual([]);
    expect((await raw(standing, { headers: { Host: host, Origin: `http://${host}` } })).status).toBe(200);
    const answer = await standing.ask('/api/runs');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(
      (await standing.ask('/api/runs', { method: 'OPTIONS' })).headers.get('access-control-allow-methods'),
    ).toBeNull();
  });

  it('what another page asks for, but not who follows its link to the page', async () => {
    await using standing = await stand();
    const { host } = new URL(standing.url);
    const run = await standing.client.start('tea', { tasks: [look('tea')] });
    const link = {
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
    };
    const get = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const answer = await raw(standing, {
        path,
        method,
        headers: { Host: host, Accept: 'text/html', ...headers },
      });
      return answer.status;
    };
    for (const path of ['/', `/runs/${run}`, '/tools'])
      for (const site of ['cross-site', 'same-site'])
        expect([path, site, await get(path, { ...link, 'Sec-Fetch-Site': site })]).toEqual([path, site, 200]);
    for (const path of [
      '/api/runs',
      `/api/runs/${run}`,
      `/api/runs/${run}/events`,
      '/metrics',
      '/openapi.json',
    ])
      expect([path, await get(path, link)]).toEqual([path, 403]);
    expect(await get('/', { ...link, 'Sec-Fetch-Dest': 'iframe' })).toBe(403);
    expect(await get('/', { ...link, 'Sec-Fetch-Mode': 'no-cors' })).toBe(403);
    expect(await get('/', { ...link, Host: 'evil.example' })).toBe(403);
    expect(await get('/', { ...link, Origin: 'http://evil.example' })).toBe(403);
    expect(await get('/', link, 'POST')).toBe(403);
  });

  it('a body that is too large, whether it says so or not; one in pieces is welcome', async () => {
    await using standing = await stand();
    const headers = { 'Content-Type': 'application/json' };
    const chunked = { ...headers, 'Transfer-Encoding': 'chunked' };
    const post = (body: string, sent: Record<string, string>) =>
      raw(standing, { method: 'POST', headers: sent, body });
    const large = JSON.stringify({ goal: 'x'.repeat(1_100_000) });
    expect((await post(large, headers)).status).toBe(413);
    expect((await post(large, chunked)).status).toBe(413);
    expect((await post('{"goal":"tea"}', { 'Transfer-Encoding': 'chunked' })).status).toBe(400);
    expect((await standing.client.runs()).runs).toEqual([]);
    const small = JSON.stringify({ goal: '茶'.repeat(1_000), tasks: [look('tea')] });
    const { status, body } = await post(small, chunked);
    expect(status).toBe(201);
    expect((await standing.client.run(JSON.parse(body).run)).report.goal).toBe('茶'.repeat(1_000));
    // A request with a length that is also chunked is an attack: a proxy and the server would see two requests.
    expect((await post(small, { ...chunked, 'Content-Length': '5' })).status).toBe(400);
  });

  it('a form whose fields are larger than a body may be, or that has parts without an end', async () => {
    await using standing = await stand();
    const send = async (fields: Iterable<[string, string]>, files = 0) => {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      for (let index = 0; index < files; index++)
        form.append('file', new Blob(['x'.repeat(100_000)]), `${index}.txt`);
      const response = await fetch(`${standing.url}/api/runs`, { method: 'POST', body: form });
      return { status: response.status, ...((await response.json()) as { detail: string }) };
    };
    const goal: [string, string] = ['goal', 'milk'];
    expect(await send([goal], 15)).toMatchObject({ status: 201 });
    expect(await send([goal, ['plan', `tasks: [] #${'x'.repeat(1_000_000)}`]])).toMatchObject({
      status: 413,
      code: 'request-too-large',
    });
    const many = Array.from({ length: 1_000 }, (_, index): [string, string] => [`f${index}`, '']);
    expect(await send([goal, ...many])).toMatchObject({
      status: 400,
      detail: 'The form has more than 100 parts.',
    });
    const keys = Object.fromEntries(many);
    const answer = await send([['request', JSON.stringify({ goal: 'milk', ...keys })]]);
    expect(answer).toMatchObject({ status: 400, detail: expect.stringContaining('"f0"') });
    expect(answer.detail.length).toBeLessThan(1_000);
  });

  it('a body that is nested without an end, where anything may be sent', async () => {
    await using standing = await stand();
    const run = await standing.client.start('milk', { tasks: [take('milk')] });
    await standing.client.settled(run);
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const post = (path: string, body: string) =>
      standing.ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const call = { id: 't1', operation: 'shop.look', args: { item: 'tea' } };
    for (const levels of [501, 5_000, 400_000]) {
      const plan = JSON.stringify({ goal: 'x', tasks: [call] }).replace('"tea"', deep(levels));
      const attempts: [string, string][] = [
        [`/api/runs/${run}/answer`, `{"question":"q1","answer":${deep(levels)}}`],
        [`/api/runs/${run}/fork`, `{"answers":{"q1":${deep(levels)}}}`],
        ['/api/runs', plan],
      ];
      for (const [path, body] of attempts) {
        const answer = await post(path, body);
        expect(await answer.json()).toMatchObject({ status: 400, code: 'request-invalid' });
      }
    }
    expect(standing.logged).toEqual([]);
    // Brackets within a text are no depth, and neither is a text that never ends.
    const goal = `\\"${'['.repeat(1_000)}`;
    expect((await post('/api/runs', JSON.stringify({ goal, tasks: [call] }))).status).toBe(201);
    expect((await post('/api/runs', `"${'\\"'.repeat(400_000)}`)).status).toBe(400);
  });

  it('who sends a body without an end: it is not read to its end', async () => {
    await using standing = await stand();
    const { hostname, port } = new URL(standing.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      'POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const more = () => {
      while (socket.writable && socket.write(piece));
    };
    socket.on('drain', more);
    more();
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect((await standing.ask('/healthz')).status).toBe(200);
  });

  it('a request before its end, but not the next one on the same connection, however late that end comes', async () => {
    await using standing = await stand();
    const { hostname, port, host } = new URL(standing.url);
    const socket = connect(Number(port), hostname);
    let answers = '';
    socket.on('data', (part) => {
      answers += part;
    });
    const half = 'x'.repeat(50_000);
    socket.write(`POST /api/runs HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100000\r\n\r\n${half}`);
    await until(() => answers.includes('HTTP/1.1 403'));
    expect(answers.toLowerCase()).toContain('connection: keep-alive');
    // So late as only a busy machine reads it.
    await setTimeout(700);
    socket.write(`${half}GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await until(() => answers.includes('HTTP/1.1 200') || socket.closed);
    expect(socket.closed).toBe(false);
    socket.destroy();
  });

  it('who looks for files behind the ids of runs', async () => {
    await using standing = await withTokens();
    const secret = await readFile(`${standing.folder}/dandori.yaml`, 'utf8');
    const tricks = [
      '../dandori',
      '..%2f..%2fdandori.yaml',
      '%2e%2e%2f',
      '....//',
      'a%00b',
      'CON',
      '-rf',
      '%ff',
      '.',
      '..',
      'x'.repeat(5_000),
      '__proto__',
      '%252e%252e',
    ];
    for (const token of [HANA.token, BOSS.token])
      for (const trick of tricks)
        for (const rest of ['', '/events', '/stream', '/journal', '/plan']) {
          const { status, body } = await raw(standing, {
            path: `/api/runs/${trick}${rest}`,
            headers: { Authorization: `Bearer ${token}` },
          });
          expect([trick, rest, status >= 400 || body.includes('"runs":[]')]).toEqual([trick, rest, true]);
          expect(status).toBeLessThan(500);
          expect(body).not.toContain(secret.slice(0, 40));
        }
  });

  it.each([
    ['head', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: '],
    [
      'body',
      'POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"goal":"',
    ],
  ])(
    'who sends the %s of a request a byte at a time is cut off, and others are served meanwhile',
    async (_, beginning) => {
      const sockets = { headersTimeout: 3_000, requestTimeout: 4_500, connectionsCheckingInterval: 250 };
      await using standing = await stand({}, { sockets });
      const { hostname, port } = new URL(standing.url);
      const slow = Array.from({ length: 50 }, () => connect(Number(port), hostname));
      const closed = slow.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of slow) {
        socket.on('error', () => {});
        socket.resume();
        socket.write(beginning);
      }
      const drip = setInterval(() => {
        for (const socket of slow) if (socket.writable) socket.write('a');
      }, 100);
      expect((await standing.ask('/healthz')).status).toBe(200);
      await Promise.all(closed).finally(() => clearInterval(drip));
      expect((await standing.ask('/healthz')).status).toBe(200);
      expect((await standing.client.runs()).runs).toEqual([]);
    },
  );

  it('other machines, if there are no tokens: it does not even listen', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1'])
      await expect(stand({ server: { host } })).rejects.toMatchObject({
        code: 'config-invalid',
        message: expect.stringContaining('this machine only'),
        fix: expect.stringContaining('dandori token'),
      });
    await using open = await withTokens({ host: '0.0.0.0' });
    expect(open.url).toMatch(/^http:\/\/0\.0\.0\.0:/);
    await expect(serve({ cwd: open.folder, port: Number(new URL(open.url).port) })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('another program already listens there'),
    });
  });
});

describe('secrets', () => {
  it('are in no answer, no stream and no log', async () => {
    process.env.SHOP_SECRET = 'hush-hush-4711';
    await using standing = await stand({
      mcpServers: { none: { command: 'no-such-program-here', env: { TOKEN: '${SHOP_SECRET}' } } },
      server: { tokens: TOKENS },
    });
    const hana = standing.as(HANA.token);
    const run = await hana.start('say hush-hush-4711', { tasks: [look('hush-hush-4711')] });
    await hana.settled(run);
    const answers = await Promise.all([
      hana.journal(run),
      JSON.stringify(await hana.run(run)),
      JSON.stringify(await hana.tools()),
      JSON.stringify(await hana.runs()),
      (await standing.ask('/openapi.json')).text(),
    ]);
    for (const answer of [...answers, ...standing.logged]) {
      expect(answer).not.toContain('hush-hush-4711');
      for (const { sha256 } of TOKENS) expect(answer).not.toContain(sha256);
      expect(answer).not.toContain(HANA.token);
    }
    expect(answers[0]).toContain('[secret]');
  });
});
