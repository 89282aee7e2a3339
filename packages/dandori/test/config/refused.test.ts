import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { folderWith, load, refusal } from './workspace.ts';

const lines = (...text: string[]) => text.join('\n');

describe('a problem is shown with its position', () => {
  it('like a compiler: file, line, column, the line, a caret, a hint', async () => {
    const error = await refusal(load('execution:\n  max_stepps: 5\n'));
    expect(error.code).toBe('config-invalid');
    expect(error.message).toBe(
      lines(
        'dandori.yaml:2:3 error: unknown key "max_stepps" in execution',
        '  2 |   max_stepps: 5',
        '    |   ^^^^^^^^^^',
        '  hint: did you mean "max_steps"?',
      ),
    );
  });

  it('all at once and in the order of the file', async () => {
    const { message } = await refusal(
      load(
        lines('language: fr', 'execution:', '  mode: fast', '  concurrency: many', 'mcpServers:', '  x: {}'),
      ),
    );
    expect(message.match(/^dandori.yaml.*$/gm)).toEqual([
      'dandori.yaml has 4 problems',
      'dandori.yaml:1:11 error: language must be en or ja, not "fr"',
      'dandori.yaml:3:9 error: execution.mode must be auto, direct, adaptive, planned or hierarchical, not "fast"',
      'dandori.yaml:4:16 error: execution.concurrency must be a whole number of 1 or more, such as 16, not "many"',
      'dandori.yaml:6:3 error: mcpServers.x does not say how to reach the server',
    ]);
  });

  it('the caret stands right after Japanese text', async () => {
    const { message } = await refusal(load('{ user_id: 段取り, language: 日本 }'));
    expect(message).toContain(
      lines('  1 | { user_id: 段取り, language: 日本 }', '    |                              ^^^^'),
    );
  });

  it('a key in JSON is found too', async () => {
    const { message } = await refusal(load('{\n  "execution": { "max_steps": 0 }\n}'));
    expect(message).toContain(
      lines('dandori.yaml:2:31 error: execution.max_steps must be a whole number of 1 or more'),
    );
  });
});

describe('misspelt and misplaced keys', () => {
  it.each([
    ['max_steps: 5', '1:1', 'max_steps belongs under execution'],
    ['excution: {}', '1:1', 'did you mean "execution"?'],
    ['planning: { mode: auto }', '1:13', 'mode belongs under execution'],
    ['planning: { trigger_interval: 2 }', '1:13', 'trigger_interval belongs under planning.reflection'],
    ['max_revision: 2', '1:1', 'did you mean "max_revisions", which belongs under planning.revision?'],
    ['execution: { maxSteps: 2 }', '1:14', 'did you mean "max_steps"?'],
    [
      'execution: { timeout: 2 }',
      '1:14',
      'did you mean "task_timeout" (one call) or "max_time" (the whole run)?',
    ],
    ['mcpServers: { a: { command: x, arguments: [] } }', '1:32', 'known here: shipped, type, command'],
    ['mcpServers: { a: { command: x, comand: y } }', '1:32', 'did you mean "command"?'],
    [
      'mcpServers: { a: { command: x, alwaysAllow: [] } }',
      '1:32',
      'set "approval" instead: under execution for all calls, here for a server, under effects for a tool',
    ],
    ['command: npx', '1:1', 'command belongs under mcpServers.<name>'],
    ['__proto__: 1', '1:1', 'known here: model'],
    ['constructor: 1', '1:1', 'known here: model'],
    ['execution: { <<: {} }', '1:14', 'merge keys are not supported'],
  ])('%s', async (yaml, place, hint) => {
    const { message } = await refusal(load(yaml));
    expect(message).toContain(`dandori.yaml:${place} error: unknown key`);
    expect(message).toContain(`hint: ${hint}`);
  });
});

describe('wrong values get an error with an example', () => {
  it.each([
    ['execution: { max_steps: "10" }', 'must be a whole number of 1 or more, such as 10, not "10"'],
    ['execution: { max_steps: 1.5 }', 'must be a whole number of 1 or more, such as 10, not 1.5'],
    ['execution: { max_time: 30 min }', 'such as 30m, not "30 min"'],
    ['execution: { max_time: 0 }', 'such as 30m, not 0'],
    ['execution: { max_time: -5s }', 'such as 30m, not "-5s"'],
    ['execution: { task_timeout: 60d }', 'a duration of at most 24 days, such as 60s, not "60d"'],
    [
      'execution: { retry: 3 }',
      'execution.retry must be a group of keys (attempts, backoff, transient), not 3',
    ],
    ['execution: []', 'execution must be a group of keys (mode, adaptive_mode, max_steps'],
    ['execution: { adaptive_mode: yes }', 'execution.adaptive_mode must be true or false, not "yes"'],
    [
      'execution: { order: [a.b] }',
      'execution.order[0] must be a list, such as [a.first, a.second], not "a.b"',
    ],
    ['execution: { order: [[a.b]] }', 'execution.order[0] must name two tools or more'],
    [
      'execution: { order: [[a.b, c]] }',
      'execution.order[0][1] must be server.tool, such as sqlite.list_tables, not "c"',
    ],
    ['execution: { order: [[a.b, c.d], [c.d, a.b]] }', 'these rules contradict each other'],
    ['execution: { order: [[a.b, a.b]] }', 'these rules contradict each other: a.b → a.b'],
    [
      'execution: { mode: planned, adaptive_mode: true }',
      'adaptive_mode: true means mode adaptive, and execution.mode is planned',
    ],
    [
      'execution: { mode: auto, adaptive_mode: false }',
      'adaptive_mode: false means mode planned, and execution.mode is auto',
    ],
    ['planning: { strategy: tree }', 'must be chain_of_thought, plan_and_solve or least_to_most, not "tree"'],
    [
      'planning: { reflection: { trigger_interval: 0 } }',
      'trigger_interval must be a whole number of 1 or more, such as 3',
    ],
    [
      'instructions: [a]',
      'instructions must be text, or a file such as { file: instructions.md }, not a list',
    ],
    [
      'effects: { files.rm: destroy }',
      'effects.files.rm must be read, idempotent, write or destructive, not "destroy"',
    ],
    [
      'effects: { rm: { trusted: true } }',
      '"rm" cannot be set here: write the tool as server.tool, or set effect and trusted where your program defines the tool',
    ],
    [
      'effects: { a.put: { probe: a.get } }',
      'effects.a.put.probe needs settled_when, which says from its result whether the call took effect',
    ],
    [
      'effects: { a.put: { args: { id: "{id}" } } }',
      'effects.a.put.args belongs to a probe, and there is none',
    ],
    [
      'effects: { a.put: { probe: a.get, settled_when: "a[" } }',
      'effects.a.put.settled_when must be a JMESPath expression',
    ],
    ['effects: { a.put: { probe: get, settled_when: a } }', 'effects.a.put.probe must be server.tool'],
    ['effects: read', 'effects must be a group of tools, such as { files.delete: destructive }'],
    [
      'user_id: 42',
      'user_id must be text, such as u-42, not 42\n  1 | user_id: 42\n    |          ^^\n  hint: put it in quotes',
    ],
    ['services: ./a.ts', 'services must be a list, such as [./services/inventory.ts], not "./a.ts"'],
    ['services: [./a.ts]', 'services[0]: there is no file ./a.ts'],
    ['model: { provider: openai }', 'model.name is missing'],
    [
      'model: { provider: gpt, name: x }',
      'model.provider must be openai, anthropic, google, ollama or openai-compatible',
    ],
    [
      'model: { provider: ollama, name: x, temperature: 3 }',
      'model.temperature must be a number from 0 to 2, such as 0.2, not 3',
    ],
    [
      'model: { provider: ollama, name: x, price: 1 }',
      'model.price must be a group of keys (input, output, cached_input)',
    ],
    ['execution: { max_cost: 0 }', 'execution.max_cost must be US dollars, more than 0, such as 0.5, not 0'],
    ['effects: { a.b: { cost: -1 } }', 'cost must be US dollars, such as 0.01'],
    ['model: { provider: ollama, name: x, base_url: localhost }', 'must be an http or https address'],
    ['model: { provider: openai-compatible, name: x }', 'model.base_url is missing'],
    ['- execution', 'the file must be a group of keys (model, execution, planning'],
    ['hello', 'the file must be a group of keys (model, execution, planning'],
  ])('%s', async (yaml, wanted) => {
    const error = await refusal(load(yaml));
    expect(error.code).toBe('config-invalid');
    expect(error.message).toContain(wanted);
  });

  it.each([
    ['http://me:pass-word-1@h/v1', 'model.base_url must not contain a user name or a password'],
    ['http://h/v1?key=pass-word-1', 'model.base_url must not contain a query'],
  ])('an address of a model with a secret in it, which is not shown: %s', async (address, wanted) => {
    const group = `provider: openai-compatible, name: x, base_url: "${address}"`;
    const { message } = await refusal(load(`model: { ${group}, fallback: { ${group} } }`));
    expect(message).toContain(wanted);
    expect(message).toContain(wanted.replace('model.', 'model.fallback.'));
    expect(message).toContain('its name in model.fallback.api_key_env');
    expect(message).not.toContain('pass-word-1');
  });

  it('a missing instructions file is named in full', async () => {
    const { message } = await refusal(load('instructions: { file: how.md }'));
    expect(message).toMatch(/^dandori.yaml:1:23 error: instructions: there is no file \/.*how\.md$/m);
  });

  it('a file name as instructions is not taken for the instructions themselves', async () => {
    const cwd = await folderWith({ 'dandori.yaml': 'instructions: how.md', 'how.md': 'Be brief.' });
    const { message } = await refusal(loadConfig({ cwd, env: {} }));
    expect(message).toContain('instructions: "how.md" is a file');
    expect(message).toContain('write { file: how.md }');
  });

  it('an instructions file that would flood every prompt is refused', async () => {
    const cwd = await folderWith({
      'dandori.yaml': 'instructions: { file: how.md }',
      'how.md': 'x'.repeat(200_001),
    });
    expect((await refusal(loadConfig({ cwd, env: {} }))).message).toContain('is larger than 200 kB');
  });

  it.each([
    ['how.md', 'hint: the path is relative to /'],
    ['dandori.yaml/how.md', 'hint: the path is relative to /'],
    ['.', 'hint: give the path of a file'],
    ['sjis.md', 'hint: save the file as UTF-8'],
  ])('instructions that cannot be read say what to do: %s', async (file, hint) => {
    const cwd = await folderWith({ 'dandori.yaml': `instructions: { file: ${file} }` });
    await writeFile(join(cwd, 'sjis.md'), Buffer.from([0x93, 0xfa, 0x96, 0x7b]));
    expect((await refusal(loadConfig({ cwd, env: {} }))).message).toContain(hint);
  });
});

describe('files that are no YAML', () => {
  const laughs = lines(
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, index) => {
      const alias = `*${String.fromCharCode(97 + index)}`;
      return `${name}: &${name} [${Array(10).fill(alias).join(', ')}]`;
    }),
  );

  it.each([
    [
      'a key that appears twice',
      'language: en\nuser_id: a\nlanguage: ja',
      'dandori.yaml:3:1 error: the key "language" appears twice',
    ],
    [
      'the same in JSON',
      '{"language":"en","language":"ja"}',
      'dandori.yaml:1:18 error: the key "language" appears twice',
    ],
    ['a tab', 'execution:\n\tmode: auto', 'dandori.yaml:2:1 error: a tab cannot indent a line in YAML'],
    [
      'an open quote',
      'user_id: "abc\nlanguage: en\n',
      'dandori.yaml:1:10 error: this is not YAML: Missing closing "quote',
    ],
    ['an open bracket', 'services: [a\nlanguage: en\n', 'dandori.yaml:2:1 error: this is not YAML'],
    ['a colon in text', 'instructions: Note: be short', 'hint: put text that contains a colon in quotes'],
    [
      'a key that is indented less than its neighbours',
      'execution:\n    mode: auto\n   max_steps: 3\n',
      'hint: begin it in the same column as the keys that it belongs with',
    ],
    [
      'a key that is indented more than its neighbours',
      'execution:\n  mode: auto\n    max_steps: 3\n',
      'hint: the next line is indented too far: begin it in the same column as this one',
    ],
    [
      'a key between the items of a list',
      'services:\n  - a: 1\n   b: 3\n',
      'hint: begin it with "- ", or in the same column as the other keys of its item',
    ],
    [
      'a second document',
      'language: en\n---\nlanguage: ja',
      'dandori.yaml:2:1 error: there is a second document',
    ],
    [
      'an unknown tag',
      'user_id: !secret x',
      'dandori.yaml:1:10 error: this is not YAML: Unresolved tag: !secret',
    ],
    ['a missing anchor', 'user_id: *me', 'dandori.yaml:1:10 error: there is no anchor &me before this'],
    ['a value in itself', 'services: &a [*a]', 'dandori.yaml:1:15 error: *a holds itself'],
    ['billion laughs', laughs, 'error: the aliases expand to too much'],
    ['endless aliases', `a: &a 1\nservices: [${'*a ,'.repeat(2000)}]`, 'there are more than 1000 aliases'],
    ['endless nesting', '['.repeat(50_000), 'error: this is nested too deeply'],
  ])('%s', async (_name, yaml, wanted) => {
    const error = await refusal(load(yaml));
    expect(error.code).toBe('config-invalid');
    expect(error.message).toContain(wanted);
  });

  it('an anchor may be used hundreds of times', async () => {
    const yaml = `mcpServers: { calc: { shipped: calc, env: { A: &a x, ${Array.from({ length: 300 }, (_, id) => `B${id}: *a`).join(', ')} } } }`;
    const { mcpServers } = await load(yaml);
    expect(JSON.stringify(mcpServers)).toContain('"B299":"x"');
  });

  it('a file of 50 MB is not read to its end', async () => {
    const error = await refusal(load(Buffer.alloc(50_000_000, '#')));
    expect(error).toMatchObject({
      code: 'config-invalid',
      message: 'dandori.yaml is larger than 1 MB, which is the limit',
    });
  });

  it('a device that never ends does', async () => {
    const error = await refusal(loadConfig({ cwd: '/', env: {}, file: '/dev/zero' }));
    expect(error.message).toContain('is larger than 1 MB');
  });

  it('another encoding is named with its line', async () => {
    const latin = Buffer.concat([Buffer.from('language: en\nuser_id: '), Buffer.from([0xe9, 0x0a])]);
    expect((await refusal(load(latin))).message).toBe('dandori.yaml:2 is not UTF-8');
    const windows = Buffer.from('\uFEFFlanguage: en', 'utf16le');
    expect((await refusal(load(windows))).message).toBe('dandori.yaml is UTF-16, and must be UTF-8');
  });

  it('the content of a file cannot control the terminal that shows it', async () => {
    const { message } = await refusal(load('user_id: 1 # \u001b[2J\u202e'));
    expect(message.includes('\u001b') || message.includes('\u202e')).toBe(false);
  });
});
