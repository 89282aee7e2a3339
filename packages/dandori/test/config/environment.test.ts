import { describe, expect, it } from 'vitest';
import { redact } from '../../src/model/redact.ts';
import { secretsOf, withoutNames } from '../../src/secrets/declared-secrets.ts';
import { load, refusal } from './workspace.ts';

describe('environment variables', () => {
  it('are filled in for servers, and nowhere else', async () => {
    const env = { HOST: 'example.com', TOKEN: 'tok-123456', DIR: '/data' };
    const config = await load(
      `
instructions: Say \${TOKEN}.
model: { provider: openai-compatible, name: x, base_url: "http://\${HOST}/v1" }
mcpServers:
  local: { command: "\${DIR}/run", args: ["--token=\${TOKEN}", "$\${literal}"], env: { A: "\${NONE:-fallback}" } }
  remote: { url: "https://\${HOST}/mcp", headers: { Authorization: "Bearer \${TOKEN}" }, trusted: true, timeout: 5 }
`,
      { env },
    );
    expect(config).toMatchObject({
      instructions: 'Say ${TOKEN}.',
      model: { baseUrl: 'http://example.com/v1' },
      mcpServers: {
        local: {
          transport: 'stdio',
          command: '/data/run',
          args: ['--token=tok-123456', '${literal}'],
          env: { A: 'fallback' },
          trusted: false,
        },
        remote: {
          transport: 'http',
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer tok-123456' },
          trusted: true,
          timeoutMs: 5000,
        },
      },
    });
  });

  it('name the database, whose password is a secret, and a wrong address is refused', async () => {
    const text = 'store: { type: postgres, url: "${DATABASE_URL}" }';
    const env = { DATABASE_URL: 'postgres://app:s3cr3t-pw@db/x' };
    const { store, secrets } = await load(text, { env });
    expect(store?.url).toBe(env.DATABASE_URL);
    expect(secrets.some((secret) => secret.includes('s3cr3t-pw'))).toBe(true);
    for (const DATABASE_URL of ['mysql://db/x', 'postgres://a:b#c@db:x/y', 'db'])
      expect((await refusal(load(text, { env: { DATABASE_URL } }))).message).toContain('store.url');
    expect((await refusal(load(text, { env: {} }))).code).toBe('environment-variable-missing');
  });

  it.each([
    ['${A}', { A: '' }, ''],
    ['${A:-b}', { A: '' }, 'b'],
    ['${A:-b}', { A: 'a' }, 'a'],
    ['${A:-}', {}, ''],
    ['${A:-http://x:1/y}', {}, 'http://x:1/y'],
    ['$A {A} $', { A: 'a' }, '$A {A} $'],
    ['$${A}', { A: 'a' }, '${A}'],
    ['${A}${B}', { A: '${B}', B: 'b' }, '${B}b'],
  ])('%s with %j is "%s"', async (written, env, expected) => {
    const { mcpServers } = await load(`mcpServers: { x: { command: c, args: ['${written}'] } }`, { env });
    expect(mcpServers.x).toMatchObject({ args: [expected] });
  });

  it('a missing one is named with its line, its key and what to do', async () => {
    const error = await refusal(
      load('mcpServers:\n  gh:\n    command: gh\n    env: { T: "${GH_TOKEN}" }\n', { env: { GH: 'x' } }),
    );
    expect(error.code).toBe('environment-variable-missing');
    expect(error.message).toContain(
      'dandori.yaml:4:15 error: the environment variable GH_TOKEN is not set, and mcpServers.gh.env.T needs it',
    );
    expect(error.fix).toBe('set it (export GH_TOKEN=…), or give a default: ${GH_TOKEN:-…}');
    expect(error.message).not.toContain('export GH_TOKEN');
  });

  it('several are reported, each with its fix', async () => {
    const { message, fix } = await refusal(
      load('mcpServers: { a: { command: c, args: ["${ONE}", "${TWO}"] } }'),
    );
    expect(message).toContain('hint: set it (export ONE=…)');
    expect(message).toContain('hint: set it (export TWO=…)');
    expect(fix).toContain('set these variables');
  });

  it('the text around a missing one is shown, because it is no secret', async () => {
    const { message } = await refusal(
      load('mcpServers: { a: { url: http://h, headers: { Authorization: "Bearer ${NOT_THERE}" } } }'),
    );
    expect(message).toContain('"Bearer ${NOT_THERE}"');
  });

  it('a missing one is reported once, and not again as a bad address', async () => {
    const { message } = await refusal(load('mcpServers: { a: { url: "${URL}" } }'));
    expect(message.match(/error:/g)).toHaveLength(1);
  });

  it('a misspelt one is recognised', async () => {
    const { fix } = await refusal(
      load('mcpServers: { a: { url: "${GITHUB_TOKN}" } }', { env: { GITHUB_TOKEN: 'x' } }),
    );
    expect(fix).toBe('did you mean GITHUB_TOKEN, which is set?');
  });

  it.each([
    ['${env:TOKEN}', 'hint: write ${TOKEN}'],
    ['${input:token}', 'hint: write ${token}'],
    ['${my-token}', 'hint: write ${NAME}, ${secret:NAME} or ${NAME:-default}'],
    ['${OPEN', 'hint: write ${NAME}, ${secret:NAME} or ${NAME:-default}'],
    ['${HOME:-${OTHER}}', 'hint: a default is plain text'],
    ['${constructor}', 'constructor is not set'],
  ])('%s does not reach a server as it is', async (written, wanted) => {
    expect(
      (await refusal(load(`mcpServers: { a: { command: c, args: ['${written}'] } }`))).message,
    ).toContain(wanted);
  });

  it('a disabled server needs nothing', async () => {
    const config = await load('mcpServers: { a: { url: "${URL}", disabled: true }, b: { command: c } }');
    expect(Object.keys(config.mcpServers)).toEqual(['b']);
  });
});

describe('the key of the model', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
  ])('of %s is taken from %s', async (provider, variable) => {
    const { model } = await load(`model: { provider: ${provider}, name: x }`, {
      env: { [variable]: 'the-key' },
    });
    expect(model).toMatchObject({ apiKey: 'the-key', timeoutMs: 120_000 });
  });

  it.each([
    ['{ provider: openai, name: x }', {}, 'OPENAI_API_KEY is not set, and model.provider needs it'],
    ['{ provider: openai, name: x }', { OPENAI_API_KEY: ' ' }, 'did you mean OPENAI_API_KEY'],
    [
      '{ provider: openai, name: x, api_key_env: MINE }',
      { OPENAI_API_KEY: 'k' },
      'MINE is not set, and model.api_key_env needs it',
    ],
    [
      '{ provider: ollama, name: x, api_key_env: MINE }',
      {},
      'MINE is not set, and model.api_key_env needs it',
    ],
  ])('%s with %j is refused', async (model, env, wanted) => {
    const error = await refusal(load(`model: ${model}`, { env }));
    expect(error.code).toBe('environment-variable-missing');
    expect(`${error.message} ${error.fix}`).toContain(wanted);
  });

  it('is not needed for a model on this machine', async () => {
    expect((await load('model: { provider: ollama, name: x }')).model).toMatchObject({
      apiKey: undefined,
      baseUrl: 'http://localhost:11434/v1',
    });
    const yaml =
      'model: { provider: openai-compatible, name: x, base_url: http://h/v1, price: { input: 1, output: 2 } }';
    expect((await load(yaml)).model).toMatchObject({ apiKey: undefined, price: { input: 1, output: 2 } });
  });
});

describe('secrets', () => {
  it('are only those that are declared: marked variables, names that say so, headers, addresses and the key, longest first', async () => {
    const { secrets } = await load(
      `
model: { provider: openai, name: x }
mcpServers:
  a: { command: c, args: ["\${GH}", "\${secret:PLAIN}"], env: { PASSWORD: hunterhunter, DB_PASS: correcthorse, MIX: a1-b2-c3, SHORT: abc12 } }
  b: { url: "https://u:pass-word@h/mcp?api_key=url-key-1", headers: { Authorization: Bearer lit-token, Accept: text/plain, X-Tenant: acme-4711 } }
`,
      { env: { GH: 'gh-token-1', PLAIN: 'plain words', OPENAI_API_KEY: 'sk-openai' } },
    );
    for (const secret of [
      'Bearer lit-token',
      'correcthorse',
      'hunterhunter',
      'lit-token',
      'pass-word',
      'plain words',
      'sk-openai',
      'url-key-1',
    ])
      expect(secrets).toContain(secret);
    for (const word of ['gh-token-1', 'a1-b2-c3', 'acme-4711', 'text/plain', 'abc12'])
      expect(secrets).not.toContain(word);
    expect(secrets.map(({ length }) => length)).toEqual(
      secrets.map(({ length }) => length).toSorted((a, b) => b - a),
    );
    expect(redact('with Bearer lit-token and sk-openai', secrets)).toBe('with [secret] and [secret]');
  });

  it.each([
    ['API_KEY', 'k-1234567', true],
    ['apiKey', 'k-1234567', true],
    ['OPENAI_KEY_2', 'k-1234567', true],
    ['AWS_SECRET_ACCESS_KEY', 'k-1234567', true],
    ['AWS_ACCESS_KEY_ID', 'AKIA1234567', true],
    ['PGPASSWORD', '12345678', true],
    ['SMTP_PASS', 'k-1234567', true],
    ['SECRET_KEY_BASE', 'k-1234567', true],
    ['GOOGLE_CREDENTIALS', 'k-1234567', true],
    ['TOKEN_FILE', 'ghp_0123456789', true],
    ['DATABASE_URL', 'postgres://app:s3cr3t-pw@db/x', 's3cr3t-pw'],
    ['DSN', 'Server=db;User Id=app;Password=s3cr3t-pw;', 's3cr3t-pw'],
    ['DATABASE_URL', 'postgres://app@db/x', false],
    ['KEYBOARD_LAYOUT', 'qwerty-us', false],
    ['MONKEY', 'bananas', false],
    ['TOKENIZER', 'cl100k_base', false],
    ['KEYCLOAK_URL', 'https://id.example', false],
    ['TOKEN_LIMIT', '128000', false],
    ['MAX_TOKENS', '128000', false],
    ['PASSENGERS', 'everybody', false],
    ['SECRETARY', 'sam@acme.example', false],
    ['SSH_KEY_PATH', '/home/sam/.ssh/id', false],
    ['JWT_PUBLIC_KEY', 'MIIBIjAN-123', false],
    ['API_KEY', 'production', false],
    ['USE_TOKEN', 'true', false],
    ['MAIL_FROM', 'billing@acme.example', false],
    ['PWD', '/home/sam/work', false],
  ])('%s: %s', async (name, value, expected) => {
    const yaml = `mcpServers: { a: { command: c, env: { ${name}: ${JSON.stringify(value)} } } }`;
    const { secrets } = await load(yaml);
    if (expected === false) expect(secrets).toEqual([]);
    else expect(secrets).toContain(expected === true ? value : expected);
  });

  it('are not parts of names: no run works if "postgres" is removed from "postgres.query"', async () => {
    const passwords = ['postgres', 'succeeded', 'operation', 'decided', 'correcthorse', 'postgres-2'];
    const servers = passwords.map(
      (password, index) => `s${index}: { command: c, env: { PASSWORD: ${password} } }`,
    );
    const { secrets } = await load(`mcpServers: { postgres: { command: c }, ${servers.join(', ')} }`);
    for (const password of passwords.slice(0, 4)) expect(secrets).not.toContain(password);
    for (const password of passwords.slice(4)) expect(secrets).toContain(password);
    expect(withoutNames(['read_secret', 'correcthorse'], ['vault.read_secret'])).toEqual(['correcthorse']);
  });

  it.each(['password', 'Secret', 'api_key', 'tokens'])(
    'a password that is the word for it hides no tool: %s',
    (value) => {
      expect(secretsOf('DB_PASSWORD', value)).toEqual([]);
    },
  );

  it('are known to a command that only looks at runs, where others are missing', async () => {
    const yaml = 'mcpServers: { a: { command: c, env: { TOKEN: "${SET_TOKEN}", OTHER: "${NOT_SET}" } } }';
    const { secrets } = await load(yaml, { env: { SET_TOKEN: 'k-1234567' }, use: 'read' });
    expect(secrets).toContain('k-1234567');
  });

  it.each([
    'model: { provider: openai, name: x, api_key: KEY }',
    'model:\n  provider: openai\n  name: x\n  api_key_env: KEY\n',
    'mcpServers: { a: { url: ftp://x, headers: { Authorization: "Bearer KEY" } } }',
    'mcpServers: { a: { url: ftp://x, headers: { Authorization: "Bearer KEY"',
    'mcpServers: { a: { command: c, env: { TOKEN: KEY }, nonsense: 1 } }',
    'mcpServers: { a: { command: c, env: { TOKEN: "${KEY_VARIABLE}" }, nonsense: 1 } }',
  ])('an error does not repeat the key in %j', async (yaml) => {
    const key = `sk-proj-${'0123456789abcdef'.repeat(6)}`;
    const { message } = await refusal(
      load(yaml.replace('KEY', key).replace(`${key}_VARIABLE`, 'KEY_VARIABLE'), {
        env: { KEY_VARIABLE: key },
      }),
    );
    expect(message).not.toContain('0123456789');
  });
});
