import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, Output, streamText, tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type ModelScript,
  ModelScriptError,
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from '../../src/testing/model-server/index.ts';

const element = z.object({ id: z.string() });
const read = tool({
  inputSchema: jsonSchema<{ path: string }>({ type: 'object' }),
  execute: ({ path }) => path,
});
const servers: ModelServer[] = [];

afterEach(async () => {
  // Tests that want a failure have asked `close` for it already; a second call only waits.
  for (const server of servers.splice(0)) await server.close();
});

describe('answers through the AI SDK', () => {
  it('gives a streamed text in pieces of the size that was asked for', async () => {
    const server = await start([{ content: 'hello world' }], { chunkSize: 4 });
    const deltas: string[] = [];
    for await (const delta of stream(server).textStream) deltas.push(delta);
    expect(deltas).toEqual(['hell', 'o wo', 'rld']);
  });

  it('gives the same text to a client that does not stream', async () => {
    const server = await start([{ content: 'hello world' }]);
    const { text, finishReason } = await generateText({ model: model(server), prompt: 'hi', maxRetries: 0 });
    expect({ text, finishReason }).toEqual({ text: 'hello world', finishReason: 'stop' });
  });

  it('writes an object or an array as JSON, so that a test need not', async () => {
    const server = await start([{ content: { a: [1] } }, { content: [1, 2] }]);
    expect(await stream(server).text).toBe('{"a":[1]}');
    expect(await stream(server).text).toBe('[1,2]');
  });

  it('gives actions as elements that arrive before the answer ends', async () => {
    const server = await start([{ actions: [{ id: 'a' }, { id: 'b' }], chunkDelayMs: 20, chunkSize: 12 }]);
    const result = streamText({ model: model(server), prompt: 'hi', output: Output.array({ element }) });
    const seen: { id: string; ended: boolean }[] = [];
    for await (const { id } of result.elementStream) {
      seen.push({ id, ended: server.requests[0]?.endedAt !== undefined });
    }
    expect(seen[0]).toEqual({ id: 'a', ended: false });
    expect(await result.output).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  it('is held in the middle of a stream until the test lets it go on', async () => {
    const gate = Promise.withResolvers<void>();
    const hold = (written: string) => (written.length >= 4 ? gate.promise : undefined);
    const server = await start([{ content: '0123456789', hold }], { chunkSize: 2 });
    let text = '';
    for await (const delta of stream(server).textStream) {
      text += delta;
      if (text === '0123') {
        expect(server.requests[0]?.endedAt).toBeUndefined();
        gate.resolve();
      }
    }
    expect(text).toBe('0123456789');
  });

  it('lets go of a client that leaves while it is held', async () => {
    const server = await start([{ content: '0123456789', hold: () => new Promise(() => {}) }]);
    const controller = new AbortController();
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'scripted', stream: true, messages: [] }),
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    controller.abort();
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it.each(['stream', 'plain'])('gives native tool calls with their arguments (%s)', async (mode) => {
    const toolCalls = [
      { name: 'read', arguments: { path: '/tmp/some/long/path' } },
      { name: 'read', arguments: '{"path":"b"}' },
    ];
    const server = await start([{ toolCalls }], { chunkSize: 3 });
    const call = { model: model(server), prompt: 'hi', tools: { read } };
    const calls = mode === 'stream' ? await streamText(call).toolCalls : (await generateText(call)).toolCalls;
    expect(calls.map((made) => made.input)).toEqual([{ path: '/tmp/some/long/path' }, { path: 'b' }]);
  });

  it('gives text and tool calls in one answer', async () => {
    const server = await start([{ content: 'I read.', toolCalls: [{ name: 'read', arguments: {} }] }]);
    const result = streamText({ model: model(server), prompt: 'hi', tools: { read } });
    expect(await result.text).toBe('I read.');
    expect(await result.finishReason).toBe('tool-calls');
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
  ])('tells why the answer ended: %s', async (finishReason, unified) => {
    const server = await start([{ content: 'half', finishReason }]);
    expect(await stream(server).finishReason).toBe(unified);
  });

  it('tells a refusal apart from an answer', async () => {
    const server = await start([{ refusal: 'I will not.' }]);
    const result = stream(server);
    expect(await result.finishReason).toBe('content-filter');
    expect(await result.text).toBe('I will not.');
  });

  it('keeps what a model thinks aloud out of the text', async () => {
    const server = await start([{ content: 'yes', reasoning: 'let me think' }]);
    const result = stream(server);
    expect(await result.text).toBe('yes');
    expect((await result.finalStep).reasoningText).toBe('let me think');
  });

  it.each(['stream', 'plain'])(
    'reports the usage that the script says, cached tokens too (%s)',
    async (mode) => {
      const usage = {
        prompt_tokens: 100,
        completion_tokens: 20,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 5 },
      };
      const server = await start([{ content: 'x', usage }]);
      const call = { model: model(server), prompt: 'hi' };
      const reported = mode === 'stream' ? await streamText(call).usage : (await generateText(call)).usage;
      expect(reported).toMatchObject({
        inputTokens: 100,
        outputTokens: 20,
        inputTokenDetails: { cacheReadTokens: 60 },
        outputTokenDetails: { reasoningTokens: 5 },
      });
    },
  );

  it('can stay silent about usage, as many local servers do', async () => {
    const server = await start([{ content: 'x', usage: null }]);
    expect(await stream(server).usage).toMatchObject({ inputTokens: undefined, outputTokens: undefined });
  });

  it('does not run forever on a chunk size of zero', async () => {
    const server = await start([{ content: 'abc', chunkSize: 0 }]);
    expect(await stream(server).text).toBe('abc');
  });

  it('does not split an emoji between two pieces', async () => {
    const server = await start([{ content: '🙂🙃' }], { chunkSize: 1 });
    const deltas: string[] = [];
    for await (const delta of stream(server).textStream) deltas.push(delta);
    expect(deltas).toEqual(['🙂', '🙃']);
  });

  it.each(['stream', 'plain'])(
    'speaks the Responses API, the default of the OpenAI provider (%s)',
    async (mode) => {
      const server = await start([
        {
          content: 'hello world',
          reasoning: 'hm',
          toolCalls: [{ name: 'read', arguments: { path: 'a' } }],
          usage: { prompt_tokens: 7, completion_tokens: 3 },
          expect: 'be kind',
        },
      ]);
      const openai = createOpenAI({ baseURL: server.url, apiKey: 'key' });
      const call = { model: openai('gpt-test'), instructions: 'be kind', prompt: 'hi', tools: { read } };
      const result = mode === 'stream' ? streamText(call) : await generateText(call);
      expect(await result.text).toBe('hello world');
      expect((await result.toolCalls).map((made) => made.input)).toEqual([{ path: 'a' }]);
      expect(await result.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
      expect(server.requests[0]?.path).toBe('/v1/responses');
    },
  );

  it('says in the Responses API too that an answer was too long', async () => {
    const server = await start([{ content: 'half', finishReason: 'length' }]);
    const openai = createOpenAI({ baseURL: server.url, apiKey: 'key' });
    expect(await streamText({ model: openai('gpt-test'), prompt: 'hi' }).finishReason).toBe('length');
  });
});

describe('faults', () => {
  it('lets a client read how long to wait after a 429, in seconds or as a date', async () => {
    const date = new Date(Date.UTC(2030, 0, 1));
    const server = await start([
      { status: 429, retryAfter: 7 },
      { status: 429, retryAfter: date },
    ]);
    const first = await errorOf(server);
    expect(
      APICallError.isInstance(first) && [first.statusCode, first.responseHeaders?.['retry-after']],
    ).toEqual([429, '7']);
    const second = await errorOf(server);
    expect(APICallError.isInstance(second) && second.responseHeaders?.['retry-after']).toBe(
      date.toUTCString(),
    );
  });

  it('answers with a status and a body of its own', async () => {
    const server = await start([
      { status: 500, body: { error: { message: 'on fire' } } },
      { status: 503, body: '<html>down</html>', headers: { 'content-type': 'text/html' } },
    ]);
    expect(await errorOf(server)).toMatchObject({ statusCode: 500, message: 'on fire' });
    expect(await errorOf(server)).toMatchObject({ statusCode: 503, responseBody: '<html>down</html>' });
  });

  it('records that the client gave up on a model that hangs', async () => {
    const server = await start([{ hang: true }]);
    const controller = new AbortController();
    const text = stream(server, controller.signal).text;
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort(new Error('I give up'));
    await expect(text).rejects.toThrow('I give up');
    await server.close();
    expect(server.requests[0]).toMatchObject({ aborted: true, endedAt: expect.any(Number) });
  });

  it('ends a hanging request when the server closes, and does not blame the client', async () => {
    const server = await start([{ hang: true }]);
    const answer = post(server, {}).catch((error: unknown) => error);
    await expect.poll(() => server.requests.length).toBe(1);
    await server.close();
    expect(await answer).toBeInstanceOf(TypeError);
    expect(server.requests[0]?.aborted).toBe(false);
  });

  it('breaks the connection after exactly the characters that the script says', async () => {
    const server = await start([{ content: '0123456789', cut: 6 }], { chunkSize: 4 });
    let received = '';
    const read = async () => {
      for await (const delta of stream(server).textStream) received += delta;
    };
    await expect(read()).rejects.toThrow(APICallError);
    expect(received).toBe('012345');
    expect(server.requests[0]?.aborted).toBe(false);
  });

  it.each([0, 20])('breaks the connection of a client that does not stream too (after %d)', async (cut) => {
    const server = await start([{ content: '0123456789', cut }]);
    const response = await post(server, {}).catch(() => undefined);
    await expect(response?.text() ?? Promise.reject(new Error('no response'))).rejects.toThrow();
  });

  it('can fall silent in the middle, so that a chunk timeout can be tested', async () => {
    const server = await start([{ content: '0123456789', stall: 4 }]);
    let received = '';
    const result = streamText({ model: model(server), prompt: 'hi', timeout: { chunkMs: 2_000 } });
    for await (const delta of result.textStream) received += delta;
    expect(received).toBe('0123');
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it('sends a raw body as it is, broken JSON included', async () => {
    const server = await start([
      { raw: '{"choices": [' },
      { raw: 'data: {oops\n\n' },
      { raw: 'x', contentType: 'text/plain' },
    ]);
    const plain = await post(server, {});
    expect([plain.status, plain.headers.get('content-type'), await plain.text()]).toEqual([
      200,
      'application/json',
      '{"choices": [',
    ]);
    expect((await errorOf(server)) as Error).toHaveProperty('name', 'AI_JSONParseError');
    expect((await post(server, {})).headers.get('content-type')).toBe('text/plain');
  });

  it('waits before the first byte', async () => {
    const server = await start([{ content: 'late', latencyMs: 80 }]);
    const startedAt = performance.now();
    await post(server, { stream: true });
    expect(performance.now() - startedAt).toBeGreaterThan(70);
  });

  it('can end a stream without a finish reason', async () => {
    const server = await start([{ content: 'x', finishReason: null }]);
    expect(await (await post(server, { stream: true })).text()).not.toContain('"stop"');
  });

  it('survives clients that leave in the middle and serves the next one', async () => {
    const slow = { content: 'x'.repeat(2000), chunkSize: 1, chunkDelayMs: 1 };
    const server = await start([slow, slow, { content: 'still here' }]);
    for (let left = 0; left < 2; left++) {
      const controller = new AbortController();
      const response = await post(server, { stream: true }, controller.signal);
      await response.body?.getReader().read();
      controller.abort();
    }
    expect(await stream(server).text).toBe('still here');
    await expect.poll(() => server.requests.map((request) => request.aborted)).toEqual([true, true, false]);
  });
});

describe('the record of requests', () => {
  it('keeps headers with the secret, the body, the prompt text and the times', async () => {
    const server = await start([{ content: 'x' }]);
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'part one' }] }];
    await streamText({ model: model(server), instructions: 'be kind', messages: prompt }).text;
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret' },
      body: { model: 'test-model', stream: true, stream_options: { include_usage: true } },
      promptText: 'be kind\npart one',
      aborted: false,
    });
    await expect.poll(() => request?.endedAt).toBeGreaterThanOrEqual(request?.startedAt ?? Infinity);
  });

  it('shows the schema that the client asks the model to keep to', async () => {
    const server = await start([{ actions: [] }]);
    const output = Output.array({ element, name: 'actions' });
    await streamText({ model: model(server), prompt: 'hi', output }).text;
    expect(server.requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'actions', strict: true, schema: { required: ['elements'] } },
    });
  });

  it('lists the models without counting it as a request', async () => {
    const server = await start([], { models: ['small', 'large'] });
    const response = await fetch(`${server.url}/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: 'small' }, { id: 'large' }] });
    expect(server.requests).toEqual([]);
  });

  it('sends usage in a stream only to a client that asks, as OpenAI does', async () => {
    const server = await start([{ content: 'x' }, { content: 'x' }]);
    expect(await (await post(server, { stream: true })).text()).not.toContain('prompt_tokens');
    const asked = await post(server, { stream: true, stream_options: { include_usage: true } });
    expect(await asked.text()).toContain('prompt_tokens');
  });
});

describe('a script that does not fit the requests', () => {
  it('lets a function answer every request by what it says', async () => {
    const server = await start((request, index) => ({ content: `${index}: ${request.promptText}` }));
    expect(await stream(server, undefined, 'one').text).toBe('0: one');
    expect(await stream(server, undefined, 'two').text).toBe('1: two');
  });

  it('lets one reply of a list be written from its request', async () => {
    const server = await start([{ content: 'a' }, async (request) => ({ content: request.promptText })]);
    await stream(server).text;
    expect(await stream(server, undefined, 'echo').text).toBe('echo');
  });

  it('reports a reply that was not requested', async () => {
    const server = await start([{ content: 'used' }, { content: 'unused' }]);
    await stream(server).text;
    expect(() => server.verify()).toThrow(/reply 2 of 2 was never asked for: \{ content: 'unused' \}/);
    await expect(server.close()).rejects.toThrow(ModelScriptError);
  });

  it('does not let a request beyond the script pass unseen', async () => {
    const server = await start([]);
    expect(await errorOf(server)).toMatchObject({
      statusCode: 500,
      message: expect.stringContaining('not expected'),
    });
    await expect(server.close()).rejects.toThrow(/request 1 \(POST \/v1\/chat\/completions, prompt "hi"\)/);
  });

  it.each([
    ['a text', 'bye', 'does not hold "bye"'],
    ['a pattern', /b.e/g, 'does not match /b.e/g'],
    ['a check that throws', () => expect.fail('wrong words'), 'wrong words'],
    ['a check that rejects', () => Promise.reject(new Error('too late')), 'too late'],
    ['a check that gives false', () => false, 'gave false'],
  ])('does not let a wrong prompt pass: %s', async (_name, expected, message) => {
    const server = await start([{ content: 'x', expect: expected }]);
    expect(await errorOf(server)).toMatchObject({
      statusCode: 500,
      message: expect.stringContaining(message),
    });
    await expect(server.close()).rejects.toThrow(message);
  });

  it.each([
    ['a text', 'hi'],
    ['a pattern', /^HI$/i],
    ['a check', () => {}],
  ])('answers when the prompt is right: %s', async (_name, expected) => {
    const server = await start([{ content: 'x', expect: expected }]);
    expect(await stream(server).text).toBe('x');
  });

  it.each([
    ['throws', () => expect.fail('no idea')],
    ['gives nothing', () => undefined],
  ])('answers with an error when the script %s, and reports it', async (_name, script) => {
    const server = await start(script);
    expect(await errorOf(server)).toMatchObject({ statusCode: 500 });
    await expect(server.close()).rejects.toThrow(ModelScriptError);
  });

  it('reports a reply that cannot be sent, and does not leave the client waiting', async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const server = await start([{ content: loop }, { status: 1 }]);
    await expect(stream(server).text).rejects.toThrow();
    expect(await errorOf(server)).toMatchObject({ statusCode: 500 });
    await expect(server.close()).rejects.toThrow(/request 1 could not be answered.*request 2 could not/s);
  });

  it('reports a path that no model has and a body that is not JSON', async () => {
    const server = await start([]);
    expect((await fetch(`${server.url}/embeddings`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{oops' })).status).toBe(
      400,
    );
    await expect(server.close()).rejects.toThrow(/POST \/v1\/embeddings.*not JSON/s);
  });

  it('reports once: the second close only waits', async () => {
    const server = await start([{ content: 'unused' }]);
    await expect(server.close()).rejects.toThrow();
    await expect(server.close()).resolves.toBeUndefined();
  });

  it('verifies when it goes out of scope', async () => {
    const use = async () => {
      await using server = await startModelServer([{ content: 'unused' }]);
      return server.url;
    };
    await expect(use()).rejects.toThrow(/never asked for/);
  });

  it('takes no more requests after close', async () => {
    const server = await start([]);
    await server.close();
    await expect(fetch(`${server.url}/models`)).rejects.toThrow();
  });
});

async function start(script: ModelScript, options?: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(script, options);
  servers.push(server);
  return server;
}

function model(server: ModelServer) {
  const provider = createOpenAICompatible({
    name: 'scripted',
    baseURL: server.url,
    apiKey: 'secret',
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
  return provider('test-model');
}

function stream(server: ModelServer, abortSignal?: AbortSignal, prompt = 'hi') {
  return streamText({
    model: model(server),
    prompt,
    maxRetries: 0,
    onError: () => {},
    ...(abortSignal === undefined ? {} : { abortSignal }),
  });
}

/** The error that a streaming client is told. */
async function errorOf(server: ModelServer): Promise<unknown> {
  for await (const part of stream(server).stream) if (part.type === 'error') return part.error;
  return undefined;
}

function post(server: ModelServer, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}
