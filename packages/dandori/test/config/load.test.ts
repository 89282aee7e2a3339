import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { DEMO_SERVERS } from '../../src/config/servers.ts';
import { CONFIG_TEMPLATE } from '../../src/config/template.ts';
import { PROVIDERS, settings, TRANSIENT } from '../../src/model/settings.ts';
import { folderWith, load, refusal } from './workspace.ts';

describe('without a configuration', () => {
  it('a first run has all shipped tools, the built-in planner and the documented limits', async () => {
    const cwd = await folderWith({});
    const config = await loadConfig({ cwd, env: {} });
    expect(config).toMatchObject({
      file: undefined,
      folder: cwd,
      model: undefined,
      directory: join(cwd, '.dandori/runs'),
    });
    expect(Object.keys(config.mcpServers)).toEqual([...DEMO_SERVERS]);
    expect(settings.parse(config.settings)).toEqual({
      mode: 'auto',
      approval: 'destructive',
      concurrency: 64,
      writes: 16,
      limits: { steps: 10, calls: 30, tasks: 100, time: 1_800_000, closing: 30_000 },
      planning: {
        strategy: 'chain_of_thought',
        decomposition: 'moderate',
        reflection: { onError: true, interval: 3 },
        revisions: 3,
      },
      task: { timeoutMs: 60_000, attempts: 3, backoff: 500, transient: [...TRANSIENT], restarts: 20 },
      repairs: 2,
      order: [
        { before: 'sqlite.list_tables', after: 'sqlite.get_table_schema' },
        { before: 'sqlite.get_table_schema', after: 'sqlite.execute_safe_query' },
      ],
      context: { tokens: 60_000, result: 8192, tools: 40 },
      streamDispatch: true,
      trust: { policy: 'standard' },
    });
    expect(config.planning).toEqual({ history: { storageType: 'jsonl', isFolderNamed: false } });
  });

  it('the shipped servers can be started: their main files exist', async () => {
    const { mcpServers } = await loadConfig({ cwd: await folderWith({}), env: {} });
    for (const server of Object.values(mcpServers)) {
      expect(server.transport === 'stdio' && existsSync(server.args[0] ?? '')).toBe(true);
    }
  });

  it.each(['', '\n\n', '# only a comment\n', '---\n', 'null', '{}'])(
    'an empty file (%j) is the same as none',
    async (yaml) => {
      const config = await load(yaml);
      const defaults = await loadConfig({ cwd: config.folder, env: {}, file: undefined, layers: [] });
      expect(config.settings).toEqual(defaults.settings);
      expect(Object.keys(config.mcpServers)).toEqual([...DEMO_SERVERS]);
    },
  );

  it('`dandori init` does not change how anything works: the template is the defaults', async () => {
    const cwd = await folderWith({ 'dandori.yaml': CONFIG_TEMPLATE, 'empty.yaml': '' });
    const fromTemplate = await loadConfig({ cwd, env: {} });
    const fromNothing = await loadConfig({ cwd, env: {}, file: 'empty.yaml' });
    expect({ ...fromTemplate, file: '' }).toEqual({ ...fromNothing, file: '' });
  });

  it('every commented model of the template works when its # is taken away', async () => {
    const blocks = CONFIG_TEMPLATE.split(/^(?=# model:)/m).slice(1);
    const examples = blocks.map((block) => /^(?:#.*\n)+/.exec(block)?.[0].replaceAll(/^# /gm, '') ?? '');
    const env = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      GOOGLE_GENERATIVE_AI_API_KEY: 'k',
      MY_API_KEY: 'k',
    };
    const providers = await Promise.all(
      examples.map(async (yaml) => (await load(yaml, { env })).model?.provider),
    );
    expect(providers).toEqual([...PROVIDERS]);
  });
});

describe('where the file is', () => {
  it.each(['dandori.yaml', 'dandori.yml'])('%s in the folder is found', async (name) => {
    const cwd = await folderWith({ [name]: 'execution: { max_steps: 7 }' });
    expect(await loadConfig({ cwd, env: {} })).toMatchObject({
      file: join(cwd, name),
      settings: { limits: { steps: 7 } },
    });
  });

  it('paths in a file elsewhere start at that file, not where one happens to stand', async () => {
    const cwd = await folderWith({
      'sub/my.yaml': [
        'planning: { history: { directory: runs } }',
        'instructions: { file: how.md }',
        'services: [./a.ts]',
        'mcpServers: { x: { command: ./x.sh, cwd: data } }',
      ].join('\n'),
      'sub/how.md': 'Be short.',
      'sub/a.ts': '',
    });
    expect(await loadConfig({ cwd, env: {}, file: 'sub/my.yaml' })).toMatchObject({
      directory: join(cwd, 'sub/runs'),
      instructions: 'Be short.',
      services: [join(cwd, 'sub/a.ts')],
      mcpServers: { x: { command: join(cwd, 'sub/x.sh'), cwd: join(cwd, 'sub/data') } },
    });
  });

  it('~ is the home folder and not a folder of that name', async () => {
    const { directory } = await load('planning: { history: { directory: ~/runs } }');
    expect(directory).toBe(join(homedir(), 'runs'));
  });

  it('a file that was asked for and is not there is an error, not the defaults', async () => {
    const error = await refusal(loadConfig({ cwd: await folderWith({}), env: {}, file: 'my.yaml' }));
    expect(error).toMatchObject({ code: 'config-not-found', message: 'there is no file my.yaml' });
  });

  it('a folder instead of a file is named as such', async () => {
    const error = await refusal(loadConfig({ cwd: await folderWith({ 'a/b': '' }), env: {}, file: 'a' }));
    expect(error).toMatchObject({ code: 'file-unreadable', message: 'a cannot be read: it is a folder' });
  });

  it('two files are not silently one', async () => {
    const cwd = await folderWith({ 'dandori.yaml': '', 'dandori.yml': '' });
    expect((await refusal(loadConfig({ cwd, env: {} }))).message).toContain(
      'both dandori.yaml and dandori.yml',
    );
  });
});

describe('values', () => {
  it.each([
    ['90', 90_000],
    ['0.5', 500],
    ['500ms', 500],
    ['30s', 30_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
  ])('a task_timeout of %s is %d ms', async (written, expected) => {
    expect((await load(`execution: { task_timeout: ${written} }`)).settings.task.timeoutMs).toBe(expected);
  });

  it.each([
    ['execution: { mode: direct }', 'direct'],
    ['execution: { adaptive_mode: true }', 'adaptive'],
    ['execution: { adaptive_mode: false }', 'planned'],
    ['execution: { mode: planned, adaptive_mode: false }', 'planned'],
    ['planning: { enabled: false }', 'adaptive'],
    ['{ planning: { enabled: false }, execution: { mode: planned } }', 'adaptive'],
    ['{ planning: { enabled: false }, execution: { mode: direct } }', 'direct'],
  ])('%s works in mode %s', async (yaml, mode) => {
    expect((await load(yaml)).settings.mode).toBe(mode);
  });

  it('every setting reaches the run', async () => {
    const config = await load(`
execution: { max_steps: 1, max_model_calls: 2, max_time: 3, concurrency: 4, task_timeout: 5, retry: { attempts: 6, backoff: 0, transient: [busy] },
  approval: writes, order: [[a.x, a.y, a.z]], stream_dispatch: false }
planning: { strategy: least_to_most, max_subtasks: 8, decomposition_level: fine, history: { storage_type: memory },
  reflection: { enabled: false, trigger_on_error: false, trigger_interval: 9 }, revision: { max_revisions: 0 } }
context: { max_tokens: 1000, max_result: 300, max_tools: 7 }
instructions: Be kind.
effects:
  files.write: destructive
  mail.send: { effect: write, probe: mail.find, args: { to: "{to}" }, settled_when: found, result: id, wait: 2 }
user_id: u-1
language: ja
`);
    expect(config.settings).toEqual({
      language: 'ja',
      mode: 'auto',
      approval: 'writes',
      concurrency: 4,
      limits: { steps: 1, calls: 2, tasks: 8, time: 3000, closing: 300 },
      planning: { strategy: 'least_to_most', decomposition: 'fine', revisions: 0 },
      task: { timeoutMs: 5000, attempts: 6, backoff: 0, transient: ['busy'], restarts: 20 },
      repairs: 2,
      order: [
        { before: 'a.x', after: 'a.y' },
        { before: 'a.y', after: 'a.z' },
      ],
      context: { tokens: 1000, result: 300, tools: 7 },
      streamDispatch: false,
      trust: { policy: 'standard' },
    });
    expect(config).toMatchObject({
      planning: { history: { storageType: 'memory', isFolderNamed: false } },
      instructions: 'Be kind.',
      effects: {
        'files.write': { effect: 'destructive' },
        'mail.send': {
          effect: 'write',
          probe: { tool: 'mail.find', args: { to: '{to}' }, settledWhen: 'found', result: 'id', wait: 2000 },
        },
      },
      userId: 'u-1',
      language: 'ja',
    });
  });

  it('a key with nothing after it has its default', async () => {
    const config = await load('model:\nexecution:\n  max_steps:\nmcpServers:\n');
    expect(config).toMatchObject({ model: undefined, settings: { limits: { steps: 10 } } });
    expect(Object.keys(config.mcpServers)).toHaveLength(5);
  });

  it('a file with a byte order mark and Windows line ends is read', async () => {
    expect((await load('\uFEFFexecution:\r\n  max_steps: 4\r\n')).settings.limits.steps).toBe(4);
  });
});

describe('layers over the file', () => {
  const commandLine = (values: Record<string, unknown>) => [{ origin: 'the command line', values }];

  it('a flag wins, and the other settings stay as in the file', async () => {
    const layers = commandLine({ execution: { max_steps: 3, approval: undefined } });
    const { settings: result } = await load('execution: { max_steps: 9, concurrency: 2, approval: always }', {
      layers,
    });
    expect(result).toMatchObject({ limits: { steps: 3 }, concurrency: 2, approval: 'always' });
  });

  it('--mode wins over adaptive_mode in the file instead of contradicting it', async () => {
    const layers = commandLine({ execution: { mode: 'planned' } });
    expect((await load('execution: { adaptive_mode: true }', { layers })).settings.mode).toBe('planned');
  });

  it('a wrong flag is not blamed on the file', async () => {
    const error = await refusal(
      load('execution: { mode: auto }', { layers: commandLine({ execution: { mode: 'planed' } }) }),
    );
    expect(error.message).toBe(
      'the command line: error: execution.mode must be auto, direct, adaptive, planned or hierarchical, not "planed"\n  hint: did you mean planned?',
    );
  });

  it('looking at runs works without the keys that running needs', async () => {
    const yaml =
      'model: { provider: openai, name: x }\nmcpServers: { a: { url: "${URL}" } }\nplanning: { history: { directory: r } }';
    const config = await load(yaml, { use: 'read' });
    expect(config).toMatchObject({ model: undefined, mcpServers: {}, directory: join(config.folder, 'r') });
  });
});
