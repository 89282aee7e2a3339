import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openRuntime, type Runtime } from '../../src/app/dandori.ts';
import type { UserConfigWarning } from '../../src/config/user-settings.ts';
import { createMemoryStore } from '../../src/store/store.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { type Answer, type Request, startUserApi, type UserApi } from './user-api.ts';
import { folderWith, load, refusal } from './workspace.ts';

const TOKEN = 'tok-5ecret-77';
const FILE = { execution: { max_steps: 4, approval: 'writes', retry: { attempts: 2 } }, mcpServers: {} };

interface Opened extends AsyncDisposable {
  readonly dandori: Runtime;
  readonly warnings: UserConfigWarning[];
  pass(ms: number): void;
  /** The settings and the whole journal of a run that was started for this user. */
  start(userId?: string): Promise<{ settings: Record<string, unknown>; journal: string }>;
}

async function open(api: Pick<UserApi, 'url'>, more: object = {}, file: object = FILE): Promise<Opened> {
  const user_config_api = {
    url: `${api.url}/users/{user_id}`,
    headers: { Authorization: `Bearer ${TOKEN}` },
    ...more,
  };
  const cwd = await folderWith({ 'dandori.yaml': JSON.stringify({ ...file, user_config_api }) });
  const warnings: UserConfigWarning[] = [];
  let now = 1_000_000;
  const dandori = await openRuntime({
    cwd,
    store: createMemoryStore(),
    clock: { now: () => now, at: () => () => {} },
    mind: createScriptedMind([]),
    onWarning: (warning) => warnings.push(warning),
  });
  return {
    dandori,
    warnings,
    pass: (ms) => {
      now += ms;
    },
    async start(userId = 'u-1') {
      const events = await dandori.events(await dandori.start('do it', { userId }));
      const [first] = events;
      if (first?.type !== 'run_started') throw new Error('no start');
      return { settings: first.data.settings, journal: JSON.stringify(events) };
    },
    [Symbol.asyncDispose]: () => dandori.close(),
  };
}

describe('settings of a user', () => {
  it('override those of the file for the whole run', async () => {
    await using api = await startUserApi({
      execution: { max_steps: 7, retry: { backoff: '1s' }, mode: 'adaptive', approval: 'always' },
      planning: { max_subtasks: 12 },
      instructions: 'Be brief.',
      language: 'ja',
    });
    await using opened = await open(api);
    const { settings } = await opened.start('u 1/é');
    expect(settings).toMatchObject({
      mode: 'adaptive',
      approval: 'always',
      limits: { steps: 7, tasks: 12 },
      task: { attempts: 2, backoff: 1000 },
      instructions: 'Be brief.',
      language: 'ja',
    });
    expect(opened.warnings).toEqual([]);
    expect(api.requests).toMatchObject([
      { url: '/users/u%201%2F%C3%A9', headers: { authorization: `Bearer ${TOKEN}` } },
    ]);
  });

  it('leave all other settings of the file as they are', async () => {
    await using api = await startUserApi({ execution: { max_steps: 7 } });
    const file = {
      execution: { max_steps: 4, max_cost: 2, order: [['calc.evaluate', 'clock.now']] },
      planning: { revision: { max_revisions: 1 } },
      context: { max_tokens: 20_000, max_result: 500 },
      questions: { answerers: ['boss'], expire_after: '1d', when_expired: 'cancel' },
      effects: { 'calc.evaluate': { approval: 'always' } },
      mcpServers: { calc: { url: 'http://127.0.0.1:9/mcp', concurrency: 2 } },
      language: 'ja',
    };
    await using opened = await open(api, {}, file);
    const { settings } = opened.dandori.config;
    expect((await opened.start()).settings).toEqual({
      ...settings,
      limits: { ...settings.limits, steps: 7 },
    });
  });

  it('are requested with ?user_id= if the address has no place for the id', async () => {
    await using api = await startUserApi({ execution: { max_steps: 7 } });
    await using opened = await open(api, { url: `${api.url}/settings?v=1` });
    await opened.start('a&b=c');
    expect(api.requests[0]?.url).toBe('/settings?v=1&user_id=a%26b%3Dc');
  });

  it('without a user the API is not called, and the user of the file counts as one', async () => {
    await using api = await startUserApi({ execution: { max_steps: 7 } });
    await using without = await open(api);
    await without.dandori.start('do it');
    expect(api.requests).toEqual([]);
    await using fromFile = await open(api, {}, { ...FILE, user_id: 'from-file' });
    await fromFile.dandori.start('do it');
    expect(api.requests.map(({ url }) => url)).toEqual(['/users/from-file']);
  });

  it('are never those of another user, also from the cache and at the same time', async () => {
    const steps: Record<string, number> = { '/users/one': 1, '/users/two': 2 };
    await using api = await startUserApi((response: ServerResponse, { url }: Request) => {
      response.end(JSON.stringify({ execution: { max_steps: steps[url] } }));
    });
    await using opened = await open(api);
    for (let round = 0; round < 3; round++) {
      const [one, two, again] = await Promise.all(['one', 'two', 'one'].map((id) => opened.start(id)));
      expect(one?.settings).toMatchObject({ limits: { steps: 1 } });
      expect(two?.settings).toMatchObject({ limits: { steps: 2 } });
      expect(again?.settings).toMatchObject({ limits: { steps: 1 } });
    }
    expect(api.requests).toHaveLength(2);
  });

  it('are requested again when they are old, or each time with cache: 0', async () => {
    await using api = await startUserApi({ execution: { max_steps: 5 } });
    await using opened = await open(api, { cache: '1m' });
    await opened.start();
    opened.pass(59_999);
    api.answer = { execution: { max_steps: 6 } };
    expect((await opened.start()).settings).toMatchObject({ limits: { steps: 5 } });
    opened.pass(1);
    expect((await opened.start()).settings).toMatchObject({ limits: { steps: 6 } });
    await using fresh = await open(api, { cache: 0 });
    await fresh.start();
    await fresh.start();
    expect(api.requests).toHaveLength(4);
  });

  it('the command line and the caller override them', async () => {
    await using api = await startUserApi({ execution: { mode: 'adaptive' } });
    await using opened = await open(api);
    const run = await opened.dandori.start('do it', { userId: 'u', mode: 'direct' });
    expect((await opened.dandori.events(run))[0]).toMatchObject({ data: { settings: { mode: 'direct' } } });
  });
});

describe('an API that sends more than it may', () => {
  it('cannot set commands, keys or folders, and cannot loosen anything; the rest counts', async () => {
    await using api = await startUserApi({
      mcpServers: { evil: { command: 'rm' } },
      services: ['./evil.ts'],
      model: { provider: 'openai', name: 'x', base_url: 'http://evil.test' },
      effects: { 'files.delete': 'read' },
      user_id: 'root',
      user_config_api: { url: 'http://evil.test' },
      instructions: { file: '/etc/passwd' },
      planning: { history: { directory: '/tmp/elsewhere' }, max_subtasks: 9 },
      execution: { approval: 'never', order: [], max_steps: 7 },
    });
    await using opened = await open(api);
    const { settings, journal } = await opened.start();
    expect(settings).toMatchObject({ approval: 'writes', limits: { steps: 7, tasks: 9 } });
    expect(settings).not.toHaveProperty('instructions');
    expect(journal).not.toContain('evil');
    expect(opened.warnings).toMatchObject([{ userId: 'u-1', problem: 'refused' }]);
    expect(opened.warnings[0]?.detail.split(', ').sort()).toEqual([
      'effects',
      'execution.approval',
      'execution.order',
      'instructions.file',
      'mcpServers',
      'model',
      'planning.history',
      'services',
      'user_config_api',
      'user_id',
    ]);
    expect(opened.warnings[0]?.message).not.toContain('rm');
  });
});

const raw =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

describe('after an error of the API the run starts with the settings of the file, and says so', () => {
  it.each<[string, Answer, UserConfigWarning['problem'], string]>([
    ['not found', raw(404), 'status', 'HTTP 404'],
    ['broken', raw(500, 'oops'), 'status', 'HTTP 500'],
    ['garbage', raw(200, '<html>'), 'not_json', 'JSON'],
    ['nothing', raw(200), 'not_json', 'JSON'],
    ['no text', raw(200, Buffer.from([0xff, 0xfe, 0x00])), 'not_json', 'JSON'],
    ['too large', raw(200, `{"instructions":"${'x'.repeat(300_000)}"}`), 'too_large', '256 kB'],
    ['endless', (response: ServerResponse) => void pour(response), 'too_large', '256 kB'],
    ['a list', [1, 2], 'invalid', 'JSON object'],
    ['null', null, 'invalid', 'JSON object'],
    ['a wrong key', { execution: { max_step: 7 } }, 'invalid', 'max_steps'],
    ['a wrong value', { execution: { max_steps: 'many' } }, 'invalid', 'whole number'],
    ['a contradiction', { execution: { mode: 'direct', adaptive_mode: true } }, 'invalid', 'adaptive_mode'],
    ['a language that is not supported', { language: 'fr' }, 'invalid', 'en or ja'],
    [
      'nested without end',
      raw(200, `{"planning":${'['.repeat(60_000)}${']'.repeat(60_000)}}`),
      'invalid',
      '',
    ],
    [
      'cut off',
      (response: ServerResponse) => void response.write('{"ex', () => response.destroy()),
      'unreachable',
      '',
    ],
    ['hung up', (response: ServerResponse) => void response.destroy(), 'unreachable', ''],
  ])('%s', async (_name, answer, problem, detail) => {
    await using api = await startUserApi(answer);
    await using opened = await open(api);
    const { settings } = await opened.start();
    expect(settings).toEqual(opened.dandori.config.settings);
    expect(opened.warnings).toMatchObject([
      { userId: 'u-1', problem, detail: expect.stringContaining(detail) },
    ]);
    // The next run asks again: a failure is not cached.
    api.answer = { execution: { max_steps: 7 } };
    expect((await opened.start()).settings).toMatchObject({ limits: { steps: 7 } });
  });

  it('slow, before the answer and in the middle of it', async () => {
    await using api = await startUserApi(() => {});
    await using opened = await open(api, { timeout: '100ms' });
    await opened.start();
    api.answer = (response: ServerResponse) => void response.write('{');
    await opened.start();
    expect(opened.warnings.map(({ problem }) => problem)).toEqual(['timeout', 'timeout']);
  });

  it('not reachable', async () => {
    const api = await startUserApi();
    await api[Symbol.asyncDispose]();
    await using opened = await open(api);
    await opened.start();
    expect(opened.warnings).toMatchObject([{ problem: 'unreachable', detail: 'ECONNREFUSED' }]);
  });

  it('a redirect is not followed, so that the key reaches no other server', async () => {
    await using elsewhere = await startUserApi({ execution: { max_steps: 7 } });
    await using api = await startUserApi(raw(302, '', { location: `${elsewhere.url}/?leak=1` }));
    await using opened = await open(api);
    await opened.start();
    expect(elsewhere.requests).toEqual([]);
    expect(opened.warnings).toMatchObject([{ problem: 'redirect', detail: 'HTTP 302' }]);
  });

  it('an id that would lead to another path is not asked for', async () => {
    await using api = await startUserApi({ execution: { max_steps: 7 } });
    await using opened = await open(api);
    await opened.start('..');
    await opened.start('../admin');
    expect(api.requests.map(({ url }) => url)).toEqual(['/users/..%2Fadmin']);
    expect(opened.warnings).toHaveLength(1);
  });
});

describe('the key of the API', () => {
  it('is in no warning and in no journal, even if the API sends it back', async () => {
    await using api = await startUserApi({ execution: { max_steps: `with Bearer ${TOKEN}` } });
    await using opened = await open(api);
    const { journal } = await opened.start();
    api.answer = { instructions: `Use ${TOKEN}.` };
    const second = await opened.start();
    expect(second.settings).toMatchObject({ instructions: 'Use [secret].' });
    expect(JSON.stringify(opened.warnings) + journal + second.journal).not.toContain(TOKEN);
    expect(opened.warnings).toHaveLength(1);
  });

  it('is not shown either if it cannot be sent', async () => {
    await using api = await startUserApi({});
    await using opened = await open(api, { headers: { Authorization: `${TOKEN}\nx` } });
    await opened.start();
    expect(opened.warnings).toMatchObject([{ problem: 'unreachable' }]);
    expect(JSON.stringify(opened.warnings)).not.toContain(TOKEN);
  });

  it('comes from the environment, and without it the file is refused by name', async () => {
    const yaml =
      'user_config_api: { url: "http://x.test", headers: { Authorization: "Bearer ${USERS_TOKEN}" } }';
    const { userConfigApi, secrets } = await load(yaml, { env: { USERS_TOKEN: TOKEN } });
    expect(userConfigApi).toMatchObject({
      headers: { Authorization: `Bearer ${TOKEN}` },
      timeoutMs: 2_000,
      cache: 300_000,
    });
    expect(secrets).toContain(TOKEN);
    const { code, message } = await refusal(load(yaml));
    expect(code).toBe('environment-variable-missing');
    expect(message).toContain('USERS_TOKEN');
    expect((await load(yaml, { use: 'read' })).userConfigApi).toBeUndefined();
  });

  it('an address that leaves the host to the user is refused', async () => {
    const { message } = await refusal(load('user_config_api: { url: "http://{user_id}.test/" }'));
    expect(message).toContain('behind the host');
    const withPassword = await refusal(load('user_config_api: { url: "http://me:hunter22@x.test/" }'));
    expect(withPassword.message).toContain('no user and password');
    expect(withPassword.message).not.toContain('hunter22');
  });
});

function pour(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}
