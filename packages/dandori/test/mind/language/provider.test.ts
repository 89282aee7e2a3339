import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLanguageMind } from '../../../src/mind/language/mind.ts';
import { type ModelReply, startModelServer } from '../../../src/testing/model-server/index.ts';
import { answer, closeServers, KEY, mind, think } from './asking.ts';
import { Story } from './thought.ts';

afterEach(closeServers);

describe('keys stay secret', () => {
  it.each<[string, ModelReply]>([
    [
      'in the words of the server',
      { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}. Bearer ${KEY}` } } },
    ],
    ['in a refusal of the request', { status: 400, body: `bad header authorization: ${KEY}` }],
    ['in an error in the stream', { raw: `data: {"error":{"message":"key ${KEY} expired"}}\n\n` }],
  ])('%s', async (_, reply) => {
    const { thinking, server } = await think(reply);
    expect(server.requests[0]?.headers.authorization).toContain(KEY);
    expect(JSON.stringify(thinking)).not.toContain(KEY);
  });

  it('from the environment, which must not go to another address than the provider', async () => {
    vi.stubEnv('OPENAI_API_KEY', KEY);
    const { server } = await think(
      { content: { actions: [answer] } },
      { provider: 'openai', apiKey: undefined },
    );
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain(KEY);
    vi.unstubAllEnvs();
  });
});

describe('every provider', () => {
  it('openai at another address speaks chat completions', async () => {
    const { thinking, server } = await think({ content: { actions: [answer] } }, { provider: 'openai' });
    expect(thinking).toMatchObject({ kind: 'decided', actions: [answer], model: 'openai/test-model' });
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    expect(server.requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { strict: false },
    });
  });

  it('ollama is asked for a schema, without a key', async () => {
    const { thinking, server } = await think(
      { content: { actions: [answer] } },
      { provider: 'ollama', apiKey: undefined },
    );
    expect(thinking).toMatchObject({ kind: 'decided', model: 'ollama/test-model' });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { strict: false },
    });
  });

  it.each(['anthropic', 'google'] as const)(
    '%s gets a request of its own form, and its failures are told alike',
    async (provider) => {
      const server = await startModelServer([]);
      const thinking = await mind(server, { provider }).think(new Story().thought());
      expect(thinking).toMatchObject({
        kind: 'failed',
        failure: {
          kind: 'model_error',
          retryable: false,
          message: expect.stringMatching(/There is no (anthropic|google)\/test-model.*model\.name/),
        },
      });
      const [request] = server.requests;
      const body = JSON.stringify(request?.body);
      expect(body).toContain('Weather in Kyoto?');
      expect(body).toContain('\\nweather.now: ');
      if (provider === 'anthropic') {
        expect(request?.path).toBe('/v1/messages');
        expect(request?.headers['x-api-key']).toBe(KEY);
        expect(body).toContain('"cache_control":{"type":"ephemeral"}');
      } else {
        expect(request?.path).toBe('/v1/models/test-model:streamGenerateContent');
        expect(body).toContain('"responseMimeType":"application/json"');
        expect(body).not.toContain('responseJsonSchema');
      }
      // The scripted server knows neither path and says so when it is closed.
      await expect(server.close()).rejects.toThrow(/is not a path/);
    },
  );

  it.each(['anthropic', 'google'] as const)('%s gets native calls in its own form', async (provider) => {
    const server = await startModelServer([]);
    const call = { id: 't1', operation: 'places.find', args: { q: 'Kyoto' } };
    const story = new Story().decided([call], { t1: 'found' });
    await mind(server, { provider, dialect: 'tools' }).think(story.thought({ purpose: 'conclude' }));
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).not.toContain('weather_now');
    expect(body).toContain('"name":"places_find"');
    expect(body).toContain(provider === 'anthropic' ? '"type":"tool_result"' : '"functionResponse"');
    expect(body).toContain('A limit of this run is reached');
    await expect(server.close()).rejects.toThrow(/is not a path/);
  });

  it('openai at another address gets native calls in chat completions', async () => {
    const reply = { toolCalls: [{ name: 'answer', arguments: answer.args }] };
    const { thinking, server } = await think(reply, { provider: 'openai', dialect: 'tools' });
    expect(thinking).toMatchObject({ kind: 'decided', actions: [answer] });
    expect(JSON.stringify(server.requests[0]?.body.tools)).toContain('weather_now');
  });

  it('says which setting is missing where there is no key', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const thinking = await createLanguageMind({ provider: 'openai', name: 'gpt-5' }).think(
      new Story().thought(),
    );
    vi.unstubAllEnvs();
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: { retryable: false, message: expect.stringMatching(/model\.api_key_env/) },
    });
  });
});
