import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { folderWith, load, refusal } from './workspace.ts';

const FIRST = 'model: { provider: ollama, name: a';

describe('a fallback model', () => {
  it('has the keys of a model, its address filled in, and its key kept secret', async () => {
    const fallback =
      'provider: openai, name: b, base_url: "http://${HOST}/v1", dialect: auto, api_key_env: OTHER';
    const config = await load(`${FIRST}, dialect: tools, fallback: { ${fallback} } }`, {
      env: { HOST: 'there', OTHER: 'sk-other-secret-1' },
    });
    expect(config.model).toMatchObject({
      name: 'a',
      dialect: 'tools',
      fallback: { name: 'b', baseUrl: 'http://there/v1', dialect: 'auto', apiKey: 'sk-other-secret-1' },
    });
    expect(config.secrets).toContain('sk-other-secret-1');
  });

  it('is missing if it is not configured, and the dialect is json', async () => {
    expect((await load(`${FIRST} }`)).model).toMatchObject({ dialect: 'json', fallback: undefined });
  });

  it.each([
    ['{ provider: openai, name: b }', /OPENAI_API_KEY is not set, and model\.fallback\.provider needs it/],
    ['{ provider: openai-compatible, name: b }', /model\.fallback\.base_url is missing/],
    ['{ provider: ollama, name: b, fallback: {} }', /"fallback"|unknown key|model\.fallback\.fallback/],
    ['{ provider: ollama, name: b, dialect: xml }', /json.*tools.*auto/],
    ['{ provider: ollama, name: b, api_key: sk-123456 }', /environment variable/],
  ])('%s is refused with its place', async (fallback, message) => {
    expect((await refusal(load(`${FIRST}, fallback: ${fallback} }`))).message).toMatch(message);
  });

  it('from the configuration continues a run whose first model refuses the key', async () => {
    const first = await startModelServer([{ status: 401 }]);
    const second = await startModelServer([
      { toolCalls: [{ name: 'answer', arguments: { text: 'Here.' } }] },
    ]);
    const model = (name: string, url: string) =>
      `provider: openai-compatible, name: ${name}, base_url: "${url}"`;
    const yaml = `model: { ${model('a', first.url)}, fallback: { ${model('b', second.url)}, dialect: tools } }`;
    const cwd = await folderWith({ 'dandori.yaml': `${yaml}\nmcpServers: {}\n` });
    await using dandori = await openRuntime({ cwd });
    expect(await dandori.run('Hello?')).toMatchObject({ outcome: 'answered', answer: 'Here.' });
    await first.close();
    await second.close();
  });
});
