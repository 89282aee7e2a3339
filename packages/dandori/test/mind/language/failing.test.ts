import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLanguageMind } from '../../../src/mind/language/mind.ts';
import type { ModelReply } from '../../../src/testing/model-server/index.ts';
import { closeServers, find, mind, now, start, think } from './asking.ts';
import { Story } from './thought.ts';

afterEach(closeServers);

const toCall = ({ operation, args }: typeof find) => ({
  name: operation.replace('.', '_'),
  arguments: args,
});

describe('a model that does not answer', () => {
  it.each<[number, ModelReply]>([
    [2000, { status: 429, retryAfter: 2 }],
    [1500, { status: 503, headers: { 'retry-after-ms': '1500' } }],
    [0, { status: 429, retryAfter: new Date(0) }],
  ])('is asked again after the time that it named: %d ms', async (retryAfter, reply) => {
    const { thinking, server } = await think(reply);
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: { kind: 'model_error', retryable: true, retryAfter },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('understands a date in Retry-After', async () => {
    const { thinking } = await think({ status: 429, retryAfter: new Date(Date.now() + 20_000) });
    expect(thinking).toMatchObject({ failure: { retryAfter: expect.closeTo(20_000, -4) } });
  });

  it.each<ModelReply>([
    { status: 429, retryAfter: '9'.repeat(400) },
    { status: 503, headers: { 'retry-after-ms': '1e999' } },
  ])('that names an infinite time counts as naming none', async (reply) => {
    const { thinking } = await think(reply);
    expect(thinking).toMatchObject({ failure: { kind: 'model_error', retryable: true } });
    expect(thinking).not.toHaveProperty('failure.retryAfter');
  });

  it.each<[string, ModelReply]>([
    ['a failing server', { status: 500 }],
    ['a busy server', { status: 529 }],
    ['a time-out at a gateway', { status: 408 }],
    ['a cut connection', { content: { actions: [find, now] }, cut: 20 }],
    ['a cut connection before the first word', { content: { actions: [find] }, cut: 0 }],
    ['events that are no JSON', { raw: 'data: {oops\n\n' }],
    [
      'an error in the middle of the stream',
      { raw: 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n' },
    ],
  ])('may be asked again after %s', async (_, reply) => {
    const { thinking } = await think(reply);
    expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'model_error', retryable: true } });
  });

  it('may be asked again when it cannot be reached, and the message says where it was looked for', async () => {
    const server = await start([]);
    await server.close();
    const thinking = await mind(server).think(new Story().thought());
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: {
        retryable: true,
        message: expect.stringMatching(/cannot be reached at http:\/\/127\.0\.0\.1.*model\.base_url/),
      },
    });
  });

  it('names the address if it speaks TLS with a server that does not', async () => {
    const server = await start([]);
    const { port } = new URL(server.url);
    const baseUrl = `https://127.0.0.1:${port}/v1`;
    const asked = createLanguageMind({
      provider: 'openai-compatible',
      name: 'm',
      baseUrl,
      apiKey: 'key-1234',
    });
    expect(await asked.think(new Story().thought())).toMatchObject({
      failure: { message: expect.stringMatching(/cannot be reached at https:.*model\.base_url/) },
    });
  });

  it.each([
    ['its cause', new Error('connect ECONNREFUSED 192.0.2.1:443'), 'connect ECONNREFUSED'],
    // So says Node of a name with several addresses, such as `localhost`.
    [
      'the code of its cause',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
  ])('tells why a fetch failed, which only %s says', async (_what, cause, why) => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const connection = { baseUrl: 'http://192.0.2.1/v1', apiKey: 'key-1234', fetch };
    const asked = createLanguageMind({ provider: 'openai-compatible', name: 'm', ...connection });
    expect(await asked.think(new Story().thought())).toMatchObject({
      failure: { retryable: true, message: expect.stringContaining(`fetch failed: ${why}`) },
    });
  });

  it.each([
    // Node gives no message for a name with several addresses, such as `localhost`.
    ['ECONNREFUSED', ''],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443'],
    ['ENETUNREACH', 'connect ENETUNREACH 192.0.2.1:443'],
    ['EADDRNOTAVAIL', 'connect EADDRNOTAVAIL 192.0.2.1:443'],
    ['EMFILE', 'connect EMFILE 192.0.2.1:443'],
  ])('may be asked again after %s, and the message names it', async (code, message) => {
    const fetch = () => Promise.reject(Object.assign(new Error(message), { code }));
    const connection = { baseUrl: 'http://192.0.2.1/v1', apiKey: 'key-1234', fetch };
    const asked = createLanguageMind({ provider: 'openai-compatible', name: 'm', ...connection });
    expect(await asked.think(new Story().thought())).toMatchObject({
      failure: {
        retryable: true,
        message: expect.stringContaining(`cannot be reached at ${connection.baseUrl}: ${message || code}.`),
      },
    });
  });

  it.each<[number, RegExp, ModelReply]>([
    [401, /API key.*model\.api_key_env/, { status: 401 }],
    [403, /API key.*model\.api_key_env/, { status: 403 }],
    [404, /model\.name and model\.base_url/, { status: 404 }],
    [400, /model\.name/, { status: 400 }],
    [
      400,
      /supports_structured_outputs: false/,
      { status: 400, body: { error: { message: 'unknown field response_format' } } },
    ],
    [400, /too long/, { status: 400, body: { error: { message: 'maximum context length is 8192 tokens' } } }],
    [
      429,
      /no credit left/,
      { status: 429, body: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } } },
    ],
  ])('is not asked in vain after %d, and the message names the setting', async (_, message, reply) => {
    const { thinking } = await think(reply);
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: { kind: 'model_error', retryable: false, message: expect.stringMatching(message) },
    });
  });

  it.each<[string, (key: string) => string]>([
    ['at the place where the message is cut', (key) => `${'x'.repeat(290)} ${key}`],
    ['with percent signs', (key) => `see ?key=${encodeURIComponent(key)}`],
  ])('leaves no part of the key in the message if it quotes it %s', async (_, quoted) => {
    const apiKey = 'sk-4711/abcdef+0815/ghijkl==';
    const body = { error: { message: quoted(apiKey) } };
    const { thinking } = await think({ status: 400, body }, { apiKey });
    const [beginning, end] = [apiKey.slice(0, 6), apiKey.slice(-8, -2)];
    expect(JSON.stringify(thinking)).not.toContain(beginning);
    expect(JSON.stringify(thinking)).not.toContain(end);
  });

  it('names the dialect where a server knows no tool calls', async () => {
    const body = { error: { message: 'tools are not supported' } };
    const { thinking } = await think({ status: 400, body }, { dialect: 'tools' });
    expect(thinking).toMatchObject({ failure: { message: expect.stringMatching(/model\.dialect: json/) } });
  });

  it.each(['abort', 'error', 'network_error', 'insufficient_system_resource', 'function_call_filter: X'])(
    'may be asked again if its output is not whole: %s',
    async (finishReason) => {
      for (const reply of [{ content: { actions: [find] } }, { toolCalls: [find].map(toCall) }]) {
        const dialect = 'content' in reply ? 'json' : 'tools';
        const { thinking } = await think({ ...reply, finishReason }, { dialect });
        expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'model_error', retryable: true } });
      }
    },
  );

  it.each(['length', 'model_length', 'max_tokens', 'model_context_window_exceeded'])(
    'is asked for a shorter plan if its output was cut: %s',
    async (finishReason) => {
      const reply = { toolCalls: [find].map(toCall), finishReason };
      const { thinking } = await think(reply, { dialect: 'tools' });
      expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'unusable_output' } });
    },
  );

  it.each<[string, ModelReply, RegExp]>([
    ['it refuses', { refusal: 'I will not do that.' }, /refused: I will not do that/],
    ['a filter stops it', { content: '', finishReason: 'content_filter' }, /refused: its content filter/],
    ['a filter stops it in China', { content: '', finishReason: 'sensitive' }, /refused: its content filter/],
  ])('is not pressed when %s', async (_, reply, message) => {
    const { thinking } = await think(reply);
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: { kind: 'model_error', retryable: false, message: expect.stringMatching(message) },
    });
  });
});

describe('a call ends when it must (M2)', () => {
  it.each<[string, ModelReply]>([
    ['nothing came yet', { hang: true }],
    ['it stopped in the middle', { content: { actions: [find] }, stall: 10 }],
  ])('soon after a cancel, when %s', async (_, reply) => {
    const server = await start([reply]);
    const controller = new AbortController();
    const thinking = mind(server).think(new Story().thought({ signal: controller.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort('enough');
    expect(await thinking).toEqual({
      kind: 'failed',
      failure: { kind: 'cancelled', message: expect.any(String) },
    });
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it('even where the connection does not listen, and then tells nothing more (M3)', async () => {
    const controller = new AbortController();
    const onAction = vi.fn(() => controller.abort());
    const server = await start([{ content: { actions: [find, now] }, chunkDelayMs: 20 }]);
    const deaf: typeof fetch = (input, init) => fetch(input, { ...init, signal: null });
    const thinking = mind(server, { fetch: deaf }).think(
      new Story().thought({ signal: controller.signal, onAction }),
    );
    expect(await thinking).toMatchObject({ failure: { kind: 'cancelled' } });
    await expect.poll(() => server.requests[0]?.endedAt).toBeDefined();
    expect(onAction).toHaveBeenCalledTimes(1);
  });

  it('without a request, when it was cancelled before', async () => {
    const server = await start([]);
    const thinking = await mind(server).think(new Story().thought({ signal: AbortSignal.abort() }));
    expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'cancelled' } });
    expect(server.requests).toHaveLength(0);
  });

  it('at its time limit, and may be tried again', async () => {
    const { thinking } = await think({ hang: true }, { timeoutMs: 1_500 });
    expect(thinking).toMatchObject({
      failure: {
        kind: 'model_error',
        retryable: true,
        message: 'openai-compatible/test-model did not finish within 1.5 s (model.timeout).',
      },
    });
  });

  it('as a failure and not as an exception, whatever throws', async () => {
    const server = await start([]);
    const resultText = () => {
      throw new Error('blob gone');
    };
    const story = new Story().decided([find], { t1: 'x' });
    expect(await mind(server).think(story.thought({ resultText }))).toMatchObject({
      kind: 'failed',
      failure: { kind: 'model_error', message: expect.stringMatching(/blob gone/) },
    });
  });
});

describe('a model that does not stop writing', () => {
  const chunk = (text: string) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;

  it('is stopped, and its output is unusable like any other that is', async () => {
    const { thinking } = await think({ raw: chunk('a'.repeat(1_000_000)).repeat(6) });
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: { kind: 'unusable_output', message: expect.stringContaining('4,000,000 characters') },
    });
  });

  it('is stopped in the middle of an event that has no end', async () => {
    const { thinking } = await think({ raw: `data: ${'a'.repeat(20_000_000)}` });
    expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'unusable_output' } });
  });
});
