import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Task } from '../../src/model/task.ts';
import { withForms } from '../../src/secrets/declared-secrets.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { startCollector } from '../telemetry/collector.ts';
import { stand } from './standing.ts';

/** A real MCP server that writes down what it is called with, and gives away what it was started with. */
const SERVER = `
const { appendFileSync } = require('node:fs');
const own = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => /^V_|^S_/.test(name)));
const schema = { type: 'object' };
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } }),
  'tools/list': () => ({ tools: [
    { name: 'post', description: 'Posts a text', inputSchema: { ...schema, properties: { text: { type: 'string' } }, required: ['text'] }, annotations: { readOnlyHint: false, destructiveHint: false } },
    { name: 'put', inputSchema: schema, annotations: { readOnlyHint: false, destructiveHint: false } },
    { name: 'leak', description: 'knows ' + process.env.S_API_KEY, inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'fail', inputSchema: schema, annotations: { readOnlyHint: true } },
  ] }),
  'tools/call': ({ name, arguments: args }) => {
    appendFileSync(process.env.RECEIVED, JSON.stringify({ name, args }) + '\\n');
    if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'no: ' + JSON.stringify(own()) }] };
    const value = name === 'leak' ? { ...own(), filling: 'x'.repeat(args.size ?? 0) } : args;
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  console.error('serving ' + method + ' with ' + process.env.S_API_KEY);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: (answers[method] ?? (() => ({})))(params) }));
});
`;

const folder = mkdtempSync(join(tmpdir(), 'dandori-received-'));
const received = join(folder, 'received.jsonl');
afterAll(() => rm(folder, { recursive: true, force: true }));

const serverWith = (env: Record<string, string>) => ({
  command: process.execPath,
  args: ['-e', SERVER],
  env: { ...env, RECEIVED: received },
});

async function calls(): Promise<{ name: string; args: JsonObject }[]> {
  const text = await readFile(received, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { name: string; args: JsonObject });
}

const put = (id: string, args: JsonObject): Task => ({ id, operation: 'box.put', args });

describe('ordinary values under env', () => {
  const names = [
    'billing',
    'support',
    'no-reply',
    '山田',
    'o’brien',
    'jürgen',
    'sam.smith+tag',
    'ops',
    'hr',
    'x',
  ];
  const VALUES = [
    ...names.map((name) => `${name}@acme.example`),
    ...names.map((_, index) => `db-${index}.internal.acme.example`),
    ...names.map((_, index) => `10.0.${index}.${index * 7}:${5000 + index}`),
    ...names.map((_, index) => `https://api.acme.example/v${index}/items?page=${index}&sort=asc#top`),
    ...names.map((_, index) => `2026-${String(index + 1).padStart(2, '0')}-15T09:30:00+09:00`),
    ...names.map((_, index) => `${index + 1}/0${(index % 9) + 1}/2026`),
    ...names.map((_, index) => `0b3f2f0e-6c1d-4a57-9c2e-5d1f0a7be${100 + index}`),
    ...[
      'us-east-1',
      'eu-west-3',
      'ap-northeast-1',
      'Asia/Tokyo',
      'Europe/Berlin',
      'ja_JP.UTF-8',
      'en-GB',
      'de',
      'C',
      'UTC',
    ],
    ...[
      '東京都千代田区丸の内1-1-1',
      '株式会社段取り',
      '売上報告書 2026年度',
      'カタカナ',
      '社外秘',
      '〒100-0005',
      '部長',
      '第3四半期',
      '請求書',
      'こんにちは、世界',
    ],
    ...names.map((_, index) => `/srv/data/${index}/My Files/report (${index}).xlsx`),
    ...[
      'C:\\Users\\sam\\AppData',
      '~/projects/a',
      './run.sh',
      '../up',
      'D:\\x',
      '\\\\host\\share',
      '/',
      '.',
      '/etc/hosts',
      'a/b/c',
    ],
    ...names.map((_, index) => `postgres://app@db-${index}.acme.example:5432/shop?sslmode=require`),
    ...names.map((_, index) => `Server=db${index};Database=shop;Trusted_Connection=True;`),
    ...names.map((_, index) => String((index + 1) * 1234.5)),
    ...['0', '1', 'true', 'false', '4096', '128000', '3.14', '-17', '1e6', '0x1F'],
    ...['production', 'staging', 'debug', 'info', 'weather', 'Tokyo', 'report', 'the', 'answer', 'done'],
    ...[
      'gpt-4.1-mini',
      'claude-opus-4',
      'text-embedding-3-large',
      'v2.13.0-rc.1',
      'main',
      'feature/x-12',
      'sha256:abc',
      'q4_K_M',
      'llama3.1:8b',
      'latest',
    ],
    ...[
      'Acme GmbH & Co. KG',
      'O’Reilly',
      '"quoted"',
      "it's",
      'a,b;c',
      '{"json": true}',
      '[1, 2]',
      '<b>bold</b>',
      '100 %',
      'a\tb',
    ],
    ...[
      'acme-prod-bucket',
      's3://acme/data',
      'arn:aws:iam::123456789012:role/app',
      'projects/x/locations/y',
      '123456789012',
      'T0123ABCD',
      'C04XYZ',
      'acme/shop',
      'acme.slack.com',
      '+81-3-1234-5678',
    ],
    ...[
      '*/5 * * * *',
      '30s',
      '2h45m',
      '512Mi',
      '10GB',
      '#general',
      '@team',
      '^v\\d+$',
      '%Y-%m-%d',
      '\u{1F600} ok',
    ],
  ];

  it('are sent as the plan says, two hundred of them, and shown as they are', async () => {
    expect(new Set(VALUES).size).toBeGreaterThanOrEqual(200);
    await rm(received, { force: true });
    const env = Object.fromEntries(
      VALUES.map((value, index) => [`V_${index}`, value.replaceAll('${', '$${')]),
    );
    const other = { command: 'no-such-command', env: { V_MAIL: 'billing@acme.example' } };
    await using standing = await stand({ mcpServers: { box: serverWith(env), other } });
    const whole = { list: VALUES, keys: Object.fromEntries(VALUES.map((value) => [`k ${value}`, value])) };
    const text = { text: `All of ${VALUES.join(' | ')}.` };
    const plan = [put('a', whole), put('b', text), put('c', { again: '${a.list}', text: 'x ${b.text} y' })];
    const checked = await standing.client.check(JSON.stringify(plan));
    expect(checked).toMatchObject({ ok: true });
    const run = await standing.client.start(`mail ${VALUES[0]} about ${VALUES.at(-3)}`, { tasks: plan });
    expect((await standing.client.settled(run)).outcome).toBe('answered');
    expect((await calls()).map(({ args }) => args)).toEqual([
      whole,
      text,
      { again: VALUES, text: `x ${text.text} y` },
    ]);
    const journal = await standing.client.journal(run);
    expect(journal).not.toContain('[secret');
    expect(journal).toContain('mail billing@acme.example about');
    expect(await standing.client.replay(run)).toMatchObject({ isProved: true });
  });
});

describe('declared secrets', () => {
  const PEM = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(4)}-----END PRIVATE KEY-----\n`;
  const ENV: Record<string, string> = {
    S_API_KEY: 'sk-proj-0123456789abcdefABCDEF',
    S_GITHUB_TOKEN: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    S_JWT: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6y',
    S_DB_PASSWORD: 'p"w\\d/<&>\'%+ü 段',
    S_PRIVATE_KEY: PEM,
    S_MARKED: 'plain looking words',
    S_DATABASE_URL: 'postgres://app:in-the-address-1@db.acme.example/shop',
  };
  const SECRETS = [...Object.values(ENV).slice(0, 6), 'in-the-address-1'];

  beforeAll(() => {
    for (const [name, value] of Object.entries(ENV)) process.env[`TEST_${name}`] = value;
  });
  afterAll(() => {
    for (const name of Object.keys(ENV)) delete process.env[`TEST_${name}`];
  });

  it('reach the tool and nothing else: no file, prompt, answer of the API, stream, trace or log', async () => {
    await rm(received, { force: true });
    await using collector = await startCollector();
    const all = `${SECRETS.join(' and ')}`;
    const args = { key: ENV.S_API_KEY ?? '', text: `say ${all}.`, [ENV.S_GITHUB_TOKEN ?? '']: [PEM] };
    const action = (id: string, operation: string, given: JsonObject) => ({ id, operation, args: given });
    await using model = await startModelServer([
      {
        actions: [
          action('t1', 'box.leak', { size: 40_000 }),
          action('t2', 'box.fail', {}),
          action('t3', 'box.put', args),
        ],
      },
      {
        actions: [
          action('t4', 'box.put', { from: '${t1.S_API_KEY}', in: 'pw ${t1.S_DB_PASSWORD}!', all: '${t3}' }),
          action('t5', 'box.leak', {}),
          action('t6', 'result.read', { task: 't1', path: 'S_PRIVATE_KEY' }),
        ],
      },
      {
        actions: [action('a', 'answer', { text: `It is ${ENV.S_API_KEY}, \${t5.S_DB_PASSWORD} and ${all}` })],
      },
    ]);
    const env = Object.fromEntries(
      Object.keys(ENV).map((name) => [
        name,
        name === 'S_MARKED' ? `\${secret:TEST_${name}}` : `\${TEST_${name}}`,
      ]),
    );
    await using standing = await stand({
      model: { provider: 'openai-compatible', name: 'scripted', base_url: model.url },
      execution: { mode: 'planned', approval: 'never' },
      telemetry: { endpoint: collector.url, content: true },
      mcpServers: { box: serverWith(env) },
    });
    const { client } = standing;
    const run = await client.start(`use ${all}`, {});
    const streamed: unknown[] = [];
    for await (const one of client.follow(run)) {
      streamed.push(one);
      if (JSON.stringify(one).includes('run_finished')) break;
    }
    const report = await client.settled(run);
    expect(report.outcome).toBe('answered');
    await client.rate(run, { rating: 4, comment: `with ${all}` });
    const sent = (await calls()).filter(({ name }) => name === 'put').map((call) => call.args as Json);
    expect(sent).toEqual([args, { from: ENV.S_API_KEY, in: `pw ${ENV.S_DB_PASSWORD}!`, all: args }]);
    expect(await client.replay(run)).toMatchObject({ differences: [], unproved: [] });
    const seen = [
      ...streamed,
      report,
      await client.run(run),
      await client.journal(run),
      await client.events(run),
      await client.plan(run),
      await client.lift(run),
      await client.history(run),
      await client.record(run),
      await client.tools(),
      await client.runs(),
      await client.replay(run),
      await client.result(run, 't1', {}),
      await client.result(run, 't6', {}),
      await client.statistics(),
      await client.check(JSON.stringify([put('x', args), put('y', { ...args, bad: '${nowhere}' })])),
      ...model.requests.map(({ body }) => body),
      ...standing.logged,
    ].map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    await standing.serving.close();
    const files = await readdir(standing.folder, { recursive: true, withFileTypes: true });
    const stored = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
    );
    expect(stored.some((text) => text.length > 40_000)).toBe(true);
    for (const text of [...seen, ...stored, ...collector.bodies])
      for (const secret of withForms(SECRETS))
        expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    // The page shows no hash either, so that it cannot be copied.
    for (const text of [...seen, ...collector.bodies]) expect(text).not.toMatch(/\[secret:[0-9a-f]{8}/);
    expect(report.answer).toContain('It is [secret], [secret]');
  });

  it('in a goal are sent once and exactly by the built-in planner too', async () => {
    await rm(received, { force: true });
    await using standing = await stand({
      mcpServers: { box: serverWith({ S_API_KEY: '${TEST_S_API_KEY}' }) },
      execution: { approval: 'never' },
    });
    const { client } = standing;
    const run = await client.start(`post the text "use ${ENV.S_API_KEY} now"`, {});
    expect((await client.settled(run)).outcome).toBe('answered');
    expect(await client.journal(run)).not.toContain(ENV.S_API_KEY);
    expect((await calls()).map(({ args }) => args)).toEqual([{ text: `use ${ENV.S_API_KEY} now` }]);
  });

  it('are put back by another process days later, and where one was changed nothing is sent', async () => {
    await rm(received, { force: true });
    const home = mkdtempSync(join(folder, 'home-'));
    const env = { S_API_KEY: '${TEST_S_API_KEY}' };
    const yaml = { mcpServers: { box: serverWith(env) }, execution: { approval: 'writes' } };
    await writeFile(join(home, 'dandori.yaml'), JSON.stringify(yaml));
    const tasks = [put('a', { key: `Bearer ${ENV.S_API_KEY}`, to: 'billing@acme.example' })];
    const runs: string[] = [];
    {
      await using first = await openRuntime({ cwd: home });
      for (const goal of ['one', 'two']) runs.push((await first.run(goal, { tasks })).run);
      await first.approve(runs[0] ?? '');
      await first.approve(runs[1] ?? '');
    }
    {
      await using second = await openRuntime({ cwd: home });
      expect((await second.drive(runs[0] ?? '')).outcome).toBe('answered');
      expect((await second.replay(runs[0] ?? '')).isProved).toBe(true);
    }
    expect((await calls()).map(({ args }) => args)).toEqual(tasks.map(({ args }) => args));
    process.env.TEST_S_API_KEY = 'sk-proj-another-key-now';
    await using third = await openRuntime({ cwd: home });
    const report = await third.drive(runs[1] ?? '');
    expect(report.tasks.a?.failure).toMatchObject({
      kind: 'invalid_args',
      message: expect.stringContaining('secret'),
    });
    expect(await calls()).toHaveLength(1);
    const keyFile = join(third.config.directory, 'secrets.key');
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  });
});
