import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLanguageMind, withFallback } from '../../../src/mind/language/mind.ts';
import { listModels } from '../../../src/mind/language/models.ts';
import { type AiModel, isThinker, type LanguageMindOptions } from '../../../src/mind/language/options.ts';
import { chatApi } from '../../../src/mind/language/wire/chat.ts';
import { openApi } from '../../../src/mind/language/wire/openai-api.ts';
import { openProvider } from '../../../src/mind/language/wire/provider.ts';
import { responsesApi } from '../../../src/mind/language/wire/responses.ts';
import type { ModelMessage, ModelRequest, Part, Wire } from '../../../src/mind/language/wire/wire.ts';
import { isObject, type JsonObject } from '../../../src/model/json.ts';
import { Stop } from '../../../src/model/stop.ts';
import type { Action } from '../../../src/model/task.ts';
import type { ModelReply, ModelServer } from '../../../src/testing/model-server/index.ts';
import { answer, closeServers, find, KEY, start } from './asking.ts';
import { Story } from './thought.ts';

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeServers();
});

function ours(server: Pick<ModelServer, 'url'>, model = 'gpt-4.1'): Wire {
  return openApi(responsesApi, {
    provider: 'openai',
    baseUrl: server.url,
    model,
    apiKey: KEY,
    supportsStructuredOutputs: true,
  });
}

function ofTheSdk(server: ModelServer, model = 'gpt-4.1'): Wire {
  const given = createOpenAI({ baseURL: server.url, apiKey: KEY }).responses(model) as unknown as AiModel;
  return openProvider(given, { openai: { strictJsonSchema: false } });
}

const hello: ModelRequest = { instructions: 'Be brief.', messages: [{ role: 'user', content: '段取り?' }] };

/** What came of one request. Pieces of the same text are joined, because their sizes mean nothing. */
async function partsOf(wire: Wire, request: ModelRequest = hello): Promise<Part[]> {
  const parts: Part[] = [];
  await wire.send(request, {
    stop: new Stop(),
    onPart: (part) => {
      const last = parts.at(-1);
      const isMore = last?.type === part.type && (!('id' in last) || ('id' in part && last.id === part.id));
      if (isMore && 'text' in last && 'text' in part)
        parts[parts.length - 1] = { ...last, text: last.text + part.text };
      else parts.push(part);
    },
  });
  return parts;
}

const textOf = (...events: readonly unknown[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const data = (...events: readonly unknown[]): ModelReply => ({ raw: textOf(...events) });
const completed = (rest: object = {}) => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', ...rest },
});
const said = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });
const made = (rest: object = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'read',
  arguments: '{"path":"a"}',
  ...rest,
});

describe('a request in the Responses API', () => {
  const picture = { name: 'a.png', type: 'image/png', data: 'iVBORw0KGgo=' };
  const paper = { name: 'a.pdf', type: 'application/pdf', data: 'JVBERi0=' };
  const conversation: readonly ModelMessage[] = [
    { role: 'user', content: 'What is in a and b?' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I read them.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a', n: [1, null] } },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: {} },
      ],
    },
    {
      role: 'tool',
      content: ['c1', 'c2'].map((toolCallId) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName: 'read',
        output: { type: 'text' as const, value: `<result ${toolCallId}>"日本"</result>` },
      })),
    },
    { role: 'assistant', content: '{"actions":[]}' },
    { role: 'user', content: 'And these?', files: [picture, paper] },
  ];
  const schema = { type: 'object', properties: { actions: { type: 'array' } } } as const;
  /** As zod writes an e-mail address and the keys of a record. */
  const awkward: JsonObject = {
    type: 'object',
    properties: {
      to: { type: 'array', items: { type: 'string', pattern: "^(?!\\.)(?!.*\\.\\.)[a-z']+@[a-z]+$" } },
      pattern: { type: 'string', pattern: '^[a-z]+$', enum: ['(?=a)'] },
      propertyNames: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: false },
    },
    anyOf: [{ not: { properties: { to: { pattern: '(?<=x)y' } } } }, { $ref: '#/$defs/other' }],
    $defs: { other: { properties: { a: { pattern: 'a(?<!b)' }, b: { pattern: '(?:a)(?<n>b)' } } } },
  };
  const read = { name: 'read', description: 'Reads a file.', inputSchema: schema };
  const requests: readonly (readonly [string, ModelRequest])[] = [
    ['a goal', hello],
    ['a whole conversation', { ...hello, messages: conversation }],
    ['tools', { ...hello, tools: [read] }],
    ['a schema', { ...hello, responseFormat: { type: 'json', name: 'turn', schema } }],
    ['JSON without a schema', { ...hello, responseFormat: { type: 'json' } }],
    [
      'schemas that OpenAI would refuse',
      {
        ...hello,
        tools: [{ name: 'send', description: 'Sends.', inputSchema: awkward }],
        responseFormat: { type: 'json', name: 'turn', schema: awkward },
      },
    ],
    ['sampling and a limit', { ...hello, temperature: 0.3, topP: 0.5, maxOutputTokens: 99 }],
  ];

  it.each(requests)('says what the request of the AI SDK says: %s', async (_, request) => {
    const server = await start([{ content: 'ok' }, { content: 'ok' }]);
    await partsOf(ours(server), request);
    await partsOf(ofTheSdk(server), request);
    const [our, their] = server.requests;
    expect(our?.path).toBe('/v1/responses');
    expect(our?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(plain(our?.body)).toEqual(plain(their?.body));
  });

  it('says to a model that thinks what the AI SDK says', async () => {
    const server = await start([{ content: 'ok' }, { content: 'ok' }]);
    const request: ModelRequest = { ...hello, reasoningEffort: 'low' };
    await partsOf(ours(server, 'gpt-5-mini'), request);
    await partsOf(ofTheSdk(server, 'gpt-5-mini'), request);
    const [our, their] = server.requests.map(({ body }) => plain(body));
    // The API treats a system message to such a model as one of the developer, and `auto` as the most detail it has.
    const asOurs = JSON.stringify(their).replace('"developer"', '"system"').replace('"detailed"', '"auto"');
    expect(our).toEqual(JSON.parse(asOurs));
    expect(our?.reasoning).toEqual({ effort: 'low', summary: 'auto' });
  });

  it('knows the models that think, as the AI SDK does', async () => {
    const names = [
      ...[
        'gpt-4o',
        'gpt-4.1-mini',
        'gpt-5',
        'gpt-5-mini-2025-08-07',
        'gpt-5-chat-latest',
        'gpt-5.1',
        'gpt-5.2-pro',
      ],
      ...['gpt-5.1-chat-latest', 'gpt-5.3-chat-latest', 'gpt-5.6', 'gpt-5.10-mini', 'gpt-6', 'gpt-6-codex'],
      ...['o1', 'o3-mini', 'o4-mini-2025-04-16', 'omni', 'ft:gpt-4o:a', 'gpt-3.5-turbo'],
    ];
    const server = await start(names.map(() => ({ content: 'ok' })));
    for (const name of names) await partsOf(ofTheSdk(server, name), { ...hello, temperature: 0.3 });
    const theirs = server.requests.map(({ body }) => [body.model, body.temperature === undefined]);
    expect(names.map((name) => [name, isThinker(name)])).toEqual(theirs);
  });

  it.each(['gpt-4.1', 'gpt-5-mini', 'gpt-5.1-chat-latest', 'gpt-5.5', 'gpt-5.6-mini', 'gpt-5.10'])(
    'says in chat completions what the AI SDK says: %s',
    async (model) => {
      const server = await start(Array.from({ length: 4 }, () => ({ content: 'ok' })));
      const given = createOpenAI({ baseURL: server.url, apiKey: KEY }).chat(model) as unknown as AiModel;
      const their = openProvider(given, { openai: { strictJsonSchema: false } });
      const our = openApi(chatApi, {
        ...{ provider: 'openai', baseUrl: server.url, model, apiKey: KEY, supportsStructuredOutputs: true },
      });
      const tools = [{ name: 'send', description: 'Sends.', inputSchema: awkward }];
      const usual = { maxOutputTokens: 99, responseFormat: { type: 'json' }, includeUsage: true } as const;
      for (const rest of [{}, { tools }])
        for (const wire of [our, their]) await partsOf(wire, { ...hello, ...rest, ...usual });
      const sent = server.requests.map(({ body }) => JSON.stringify(body).replace('"developer"', '"system"'));
      const [plainOurs, plainTheirs, withTools, theirWithTools] = sent.map((text) => withoutStrict(text));
      expect(plainOurs).toEqual(plainTheirs);
      expect(withTools).toEqual(theirWithTools);
    },
  );

  it('writes the messages again for another API, such as that of a fallback', async () => {
    const server = await start([{ status: 500 }, { content: { actions: [answer] } }]);
    vi.stubEnv('OPENAI_BASE_URL', server.url);
    const story = new Story().decided([find], { t1: 'found' });
    const first = createLanguageMind({ provider: 'openai', name: 'm', apiKey: KEY, dialect: 'tools' });
    const options: LanguageMindOptions = { provider: 'openai', name: 'm', apiKey: KEY, dialect: 'tools' };
    const second = createLanguageMind({ ...options, baseUrl: server.url });
    const thought = story.thought();
    expect(await withFallback(first, second).think(thought)).toMatchObject({ kind: 'failed' });
    await second.think(thought);
    const [here, there] = server.requests;
    expect(here?.body.input).toContainEqual(expect.objectContaining({ type: 'function_call' }));
    expect(there?.body.messages).toContainEqual(expect.objectContaining({ tool_calls: expect.anything() }));
  });
});

/** In chat completions, functions are not strict unless they say so. */
function withoutStrict(text: string): unknown {
  return JSON.parse(text, (key, value) => (key === 'strict' ? undefined : value));
}

/** A message whose content is one text may be written as that text. */
function plain(body: unknown): Record<string, unknown> {
  if (!isObject(body)) throw new Error('not a request');
  const input = Array.isArray(body.input) ? body.input.map(plainItem) : body.input;
  return { ...body, input };
}

function plainItem(item: unknown): unknown {
  if (!isObject(item) || !Array.isArray(item.content) || item.content.length !== 1) return item;
  const [part] = item.content;
  return isObject(part) && typeof part.text === 'string' ? { ...item, content: part.text } : item;
}

interface Numbered {
  readonly thought: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly { readonly name: string; readonly n: number }[];
  readonly place: (index: number) => number | undefined;
  readonly hasItemIds: boolean;
  /** Without pieces. */
  readonly isWhole: boolean;
  readonly hasItemEnds: boolean;
  /** Which events have the `call_id`. */
  readonly namedAt: string;
  /** What the last event repeats. */
  readonly last: string;
}

/** The same answer as servers send it. */
function streamOf({
  thought,
  text,
  calls,
  place,
  hasItemIds,
  isWhole,
  hasItemEnds,
  last,
}: Numbered): object[] {
  const items = [
    ...(thought === undefined
      ? []
      : [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }]),
    ...(text === undefined ? [] : [said(text)]),
    ...calls.map(({ name, n }, index) => ({
      type: 'function_call',
      call_id: `call_${index}`,
      name,
      arguments: JSON.stringify({ n }),
    })),
  ].map((item, index) => (hasItemIds ? { id: `item_${index}`, ...item } : item));
  const events = items.flatMap((item, index) => {
    const at = { output_index: place(index) };
    const of = { ...at, ...(hasItemIds && { item_id: `item_${index}` }) };
    const added = {
      type: 'response.output_item.added',
      ...at,
      item: { ...item, arguments: '', content: [] },
    };
    const done = { type: 'response.output_item.done', ...at, item };
    // A server that sends neither pieces nor whole items sends the answer with its last event.
    return [added, ...(isWhole ? [] : piecesOf(item, of)), ...(isWhole || hasItemEnds ? [done] : [])];
  });
  const output =
    last === 'all'
      ? items
      : last === 'backwards'
        ? items.toReversed()
        : items.filter(({ type }) => last === 'only calls' && type === 'function_call');
  return [...events, completed({ output })];
}

function piecesOf(item: object, of: object): object[] {
  const pieces = (type: string, text: string) =>
    [...text].map((delta) => ({ type: `response.${type}.delta`, ...of, delta }));
  if ('arguments' in item) return pieces('function_call_arguments', String(item.arguments));
  if ('summary' in item && Array.isArray(item.summary))
    return pieces('reasoning_summary_text', item.summary[0].text);
  return 'content' in item && Array.isArray(item.content) ? pieces('output_text', item.content[0].text) : [];
}

describe('a response in the Responses API', () => {
  const usage = {
    prompt_tokens: 70,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 60 },
  };
  const calls = [
    { name: 'read', arguments: { path: 'a' }, id: 'c1' },
    { name: 'read', arguments: { path: 'ü' }, id: 'c2' },
  ];
  const replies: readonly (readonly [string, ModelReply])[] = [
    ['text', { content: 'Hello 段取り 🙂', usage }],
    ['thoughts, text and calls', { content: 'I read.', reasoning: 'hm, a', toolCalls: calls, usage }],
    ['calls alone', { toolCalls: calls }],
    ['a refusal', { refusal: 'I cannot help.' }],
    ['too long a text', { content: 'half', finishReason: 'length' }],
    ['filtered text', { content: 'half', finishReason: 'content_filter' }],
  ];

  it.each(replies)('is read as the AI SDK reads it: %s', async (_, reply) => {
    const server = await start([reply, reply]);
    const our = await partsOf(ours(server));
    expect(our).toEqual(await partsOf(ofTheSdk(server)));
    expect(our.at(-1)).toMatchObject({ type: 'finish' });
  });

  it.each<[string, ModelReply, Part[]]>([
    [
      'whole, from a server that does not stream',
      {
        raw: JSON.stringify({ ...completed().response, output: [said('hi'), made()] }),
        contentType: 'application/json',
      },
      [
        { type: 'text', text: 'hi' },
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'in whole items without pieces',
      data({ type: 'response.output_item.done', output_index: 0, item: said('hi') }, completed()),
      [
        { type: 'text', text: 'hi' },
        { type: 'finish', reason: 'stop', usage: undefined },
      ],
    ],
    [
      'only at its end',
      data(completed({ output: [said('hi')] })),
      [
        { type: 'text', text: 'hi' },
        { type: 'finish', reason: 'stop', usage: undefined },
      ],
    ],
    [
      'with an item that is told twice',
      data(
        { type: 'response.output_text.delta', output_index: 0, delta: 'hi' },
        { type: 'response.output_item.done', output_index: 0, item: said('hi') },
        completed({ output: [said('hi')] }),
      ),
      [
        { type: 'text', text: 'hi' },
        { type: 'finish', reason: 'stop', usage: undefined },
      ],
    ],
    [
      'with a call that ends without its end',
      data(
        { type: 'response.output_item.added', output_index: 0, item: made({ arguments: '' }) },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"path":' },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '"a"}' },
        completed({ output: [made()] }),
      ),
      [
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'with a call whose arguments only the last event has',
      data(
        { type: 'response.output_item.added', output_index: 1, item: made({ arguments: '' }) },
        completed({ output: [made()] }),
      ),
      [
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'with a call that gets its name at its end',
      data(
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: made({ name: '', call_id: '', arguments: '' }),
        },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"path":"a"}' },
        { type: 'response.output_item.done', output_index: 0, item: made() },
        completed(),
      ),
      [
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'with a call whose name is missing at its end',
      data(
        { type: 'response.output_item.added', output_index: 0, item: made({ arguments: '' }) },
        { type: 'response.output_item.done', output_index: 0, item: made({ name: undefined }) },
        completed(),
      ),
      [
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'with a call whose arguments end before they are told',
      data(
        { type: 'response.output_item.added', output_index: 0, item: made({ arguments: '' }) },
        { type: 'response.function_call_arguments.done', output_index: 0, arguments: '' },
        { type: 'response.output_item.done', output_index: 0, item: made() },
        completed(),
      ),
      [
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'with two calls of one id',
      data(completed({ output: [made(), made({ id: 'call_1' })] })),
      [
        { type: 'call-start', id: 'call_1', name: 'read' },
        { type: 'call-piece', id: 'call_1', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1', name: 'read', input: '{"path":"a"}' },
        { type: 'call-start', id: 'call_1_', name: 'read' },
        { type: 'call-piece', id: 'call_1_', text: '{"path":"a"}' },
        { type: 'call', id: 'call_1_', name: 'read', input: '{"path":"a"}' },
        { type: 'finish', reason: 'tool-calls', usage: undefined },
      ],
    ],
    [
      'with new kinds of events, and without places',
      data(
        { type: 'response.queued' },
        { type: 'response.something_new', delta: 7 },
        { type: 'response.output_text.delta', delta: 'hi' },
        completed(),
      ),
      [
        { type: 'text', text: 'hi' },
        { type: 'finish', reason: 'stop', usage: undefined },
      ],
    ],
  ])('is read %s', async (_, reply, parts) => {
    const server = await start([reply]);
    expect(await partsOf(ours(server))).toEqual(parts);
  });

  it.each([
    ['response.completed', { status: 'incomplete' }],
    ['response.completed', { incomplete_details: { reason: 'other' } }],
    ['response.incomplete', { incomplete_details: null }],
    ['response.incomplete', { incomplete_details: { reason: 'max_tokens' } }],
  ])('is cut whatever the reason is: %s %j', async (type, response) => {
    // Its last calls may be missing.
    const item = { type: 'response.output_item.done', output_index: 0, item: made() };
    const parts = await partsOf(ours(await start([data(item, { type, response })])));
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });

  it.each([
    [{ type: 'response.failed', response: {} }],
    [{ type: 'response.cancelled', response: { status: 'cancelled', output: [said('half')] } }],
    [completed({ output: [made({ name: '' })] })],
  ])('has failed, even if the server does not say why: %j', async (event) => {
    const parts = await partsOf(ours(await start([data(event)])));
    expect(parts).toMatchObject([{ type: 'error' }, { type: 'finish', reason: 'error' }]);
  });

  it('ends with its last event, even where the connection does not', async () => {
    const open = createServer((request, response) => {
      request.resume();
      response.write(textOf(completed({ output: [said('hi')] }), { type: 'error', message: 'late' }));
    });
    await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
    const { port } = open.address() as AddressInfo;
    expect(await partsOf(ours({ url: `http://127.0.0.1:${port}/v1` }))).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'finish', reason: 'stop', usage: undefined },
    ]);
    open.closeAllConnections();
    open.close();
  });

  it('is read once and in full, however the server numbers and repeats it', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
    const answers = fc.record({
      thought: fc.option(text, { nil: undefined }),
      text: fc.option(text, { nil: undefined }),
      calls: fc.array(fc.record({ name: fc.constantFrom('read', 'pay'), n: fc.nat(9) }), { maxLength: 3 }),
      place: fc.constantFrom<(index: number) => number | undefined>(
        (index) => index,
        (index) => index + 1,
        (index) => 10 - index,
        () => 0,
        () => undefined,
      ),
      hasItemIds: fc.boolean(),
      isWhole: fc.boolean(),
      hasItemEnds: fc.boolean(),
      namedAt: fc.constantFrom('begin and end', 'begin', 'end'),
      last: fc.constantFrom('all', 'none', 'only calls', 'backwards'),
    });
    const cases = fc.sample(answers, { numRuns: 1_000, seed: 17 });
    const server = await start(cases.map((one) => data(...streamOf(one))));
    const wire = ours(server);
    for (const one of cases) {
      const parts = await partsOf(wire);
      const told = (type: 'text' | 'thought') =>
        parts.map((part) => (part.type === type ? part.text : '')).join('');
      const calls = parts.flatMap((part) => (part.type === 'call' ? [[part.name, part.input]] : []));
      const about = JSON.stringify({ one, parts });
      expect(calls, about).toEqual(one.calls.map(({ name, n }) => [name, JSON.stringify({ n })]));
      expect(told('text'), about).toBe(one.text ?? '');
      expect(told('thought'), about).toBe(one.thought ?? '');
      expect(parts.at(-1)).toMatchObject({ reason: calls.length > 0 ? 'tool-calls' : 'stop' });
    }
  });

  it('may be anything: the call ends, and says so once', async () => {
    const word = fc.constantFrom(
      'response.output_item.added',
      'response.output_item.done',
      'response.output_text.delta',
      'response.refusal.delta',
      'response.function_call_arguments.delta',
      'response.reasoning_text.delta',
      'response.completed',
      'response.incomplete',
      'response.failed',
      'error',
    );
    const item = fc.oneof(
      fc.constantFrom<unknown>(said('x'), made(), made({ call_id: '' }), made({ name: 7 })),
      fc.jsonValue(),
    );
    const event = fc.record(
      {
        type: word,
        output_index: fc.oneof(fc.nat(3), fc.jsonValue()),
        item,
        delta: fc.oneof(fc.string(), fc.jsonValue()),
        response: fc.oneof(
          fc.record({ output: fc.array(item), usage: fc.jsonValue(), error: fc.jsonValue() }),
          fc.jsonValue(),
        ),
        error: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    );
    const replies = fc.sample(fc.array(event, { maxLength: 6 }), { numRuns: 150, seed: 17 });
    const server = await start(replies.map((events) => data(...events)));
    const wire = ours(server);
    for (const events of replies) {
      const parts = await partsOf(wire);
      const ends = parts.filter(({ type }) => type === 'finish');
      expect(ends, JSON.stringify(events)).toHaveLength(1);
      expect(parts.at(-1)).toBe(ends[0]);
      const begun = parts.flatMap((part) => (part.type === 'call-start' ? [part.id] : []));
      expect(new Set(begun).size).toBe(begun.length);
      for (const part of parts)
        if (part.type === 'call' || part.type === 'call-piece') expect(begun).toContain(part.id);
    }
  });
});

describe('a model of OpenAI', () => {
  let server: ModelServer;
  const openai = (options: Partial<LanguageMindOptions> = {}) =>
    createLanguageMind({ provider: 'openai', name: 'gpt-5-mini', apiKey: KEY, ...options });
  const serve = async (...replies: readonly ModelReply[]) => {
    server = await start(replies);
    vi.stubEnv('OPENAI_BASE_URL', server.url);
  };

  beforeEach(() => vi.stubEnv('OPENAI_API_KEY', undefined));

  it.each(['json', 'tools'] as const)('decides in the Responses API with the %s dialect', async (dialect) => {
    const reply: ModelReply =
      dialect === 'json'
        ? { content: { actions: [answer] } }
        : { toolCalls: [{ name: 'answer', arguments: answer.args }] };
    await serve(reply);
    const story = new Story().decided([find], { t1: 'found' });
    expect(await openai({ dialect }).think(story.thought())).toMatchObject({
      kind: 'decided',
      actions: [{ operation: 'answer', args: answer.args }],
      model: 'openai/gpt-5-mini',
      usage: { inputTokens: expect.any(Number) },
    });
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/responses');
    expect(request?.body).toMatchObject({ stream: true, model: 'gpt-5-mini' });
    expect(request?.body).not.toHaveProperty('temperature');
    if (dialect === 'json')
      expect(request?.body.text).toMatchObject({ format: { type: 'json_schema', strict: false } });
    else
      expect(request?.body.input).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: 'function_call', name: 'places_find', call_id: 'call_1_1' }),
          expect.objectContaining({ type: 'function_call_output', call_id: 'call_1_1' }),
        ]),
      );
  });

  it('takes its key from OPENAI_API_KEY, without a line end of its file', async () => {
    await serve({ content: { actions: [answer] } });
    vi.stubEnv('OPENAI_API_KEY', `${KEY}\n`);
    expect(await openai({ apiKey: undefined }).think(new Story().thought())).toMatchObject({
      kind: 'decided',
    });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('leaves a key from such a file out of the failure that quotes it', async () => {
    await serve({ status: 400, body: { error: { message: `Nothing is known of ${KEY}` } } });
    vi.stubEnv('OPENAI_API_KEY', `${KEY}\n`);
    const thinking = await openai({ apiKey: undefined }).think(new Story().thought());
    expect(thinking).toMatchObject({ failure: { message: expect.stringContaining('Nothing is known of') } });
    expect(JSON.stringify(thinking)).not.toContain(KEY);
  });

  it('is asked with a temperature only if it takes one', async () => {
    await serve(...Array.from({ length: 3 }, () => ({ content: { actions: [answer] } })));
    for (const name of ['gpt-4.1', 'gpt-5-chat-latest', 'o4-mini'])
      await openai({ name }).think(new Story().thought());
    expect(server.requests.map(({ body }) => body.temperature)).toEqual([0.1, 0.1, undefined]);
  });

  it('is asked again without an effort that it does not know', async () => {
    const message = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
    await serve({ status: 400, body: { error: { message } } }, { content: { actions: [answer] } });
    const mind = openai({ name: 'gpt-4.1-without-effort', reasoningEffort: 'low' });
    expect(await mind.think(new Story().thought())).toMatchObject({ kind: 'decided' });
    expect(server.requests.map(({ body }) => isObject(body.reasoning))).toEqual([true, false]);
  });

  it.each([
    ['insufficient_quota', { retryable: false, message: expect.stringContaining('no credit left') }],
    ['rate_limit_exceeded', { retryable: true, message: expect.stringContaining('too many requests') }],
    ['server_error', { retryable: true }],
    ['context_length_exceeded', { retryable: false, message: expect.stringContaining('too long') }],
    [401, { retryable: false, message: expect.stringContaining('model.api_key_env') }],
    [503, { retryable: true }],
    ['invalid_api_key', { retryable: false, message: expect.stringContaining('model.api_key_env') }],
  ])('fails in the middle of an answer: %s', async (code, failure) => {
    const error = { code, message: `Something about ${KEY}.` };
    const failed = { type: 'response.failed', response: { status: 'failed', error } };
    await serve(data(failed), data({ type: 'error', ...error }), data({ type: 'error', error }));
    for (let count = 0; count < 3; count++) {
      const thinking = await openai().think(new Story().thought());
      expect(thinking).toMatchObject({ kind: 'failed', failure: { kind: 'model_error', ...failure } });
      expect(JSON.stringify(thinking)).not.toContain(KEY);
    }
  });

  it('is not asked again for a temperature once it has begun to answer', async () => {
    const error = { type: 'error', code: 'invalid_prompt', message: 'Not about the room temperature.' };
    await serve(data({ type: 'response.output_text.delta', delta: 'half' }, error));
    expect(await openai({ name: 'gpt-4.1' }).think(new Story().thought())).toMatchObject({
      failure: { retryable: false },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('is listed at the address where it is asked', async () => {
    await serve();
    expect(await listModels({ provider: 'openai', name: '', apiKey: KEY })).toEqual(['scripted']);
  });

  it('says that OPENAI_BASE_URL is no address', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'notaurl');
    expect(await openai().think(new Story().thought())).toMatchObject({
      failure: { retryable: false, message: expect.stringContaining('OPENAI_BASE_URL is not an address') },
    });
  });

  it('may write its calls into one of `parallel`, a tool that it was not offered', async () => {
    const uses = [
      { recipient_name: 'functions.places_find', parameters: { q: 'Kyoto' } },
      { recipient_name: 'weather_now', parameters: { q: 'Nara' } },
    ];
    const heard: string[] = [];
    await serve({ toolCalls: [{ name: 'parallel', arguments: { tool_uses: uses } }] });
    const thought = { ...new Story().thought(), onAction: ({ operation }: Action) => heard.push(operation) };
    expect(await openai({ dialect: 'tools' }).think(thought)).toMatchObject({
      kind: 'decided',
      actions: [
        { id: 't1', operation: 'places.find', args: { q: 'Kyoto' } },
        { id: 't2', operation: 'weather.now', args: { q: 'Nara' } },
      ],
    });
    expect(heard).toEqual([]);
  });

  it.each([
    [{}],
    [{ tool_uses: [] }],
    [{ tool_uses: [{ recipient_name: 'places_find' }] }],
    ['{"tool_uses":'],
  ])('may write `parallel` without readable calls, and is corrected: %j', async (given) => {
    await serve({ toolCalls: [{ name: 'parallel', arguments: given }] });
    const thinking = await openai({ dialect: 'tools' }).think(new Story().thought());
    expect(JSON.stringify(thinking)).toContain('parallel');
    expect(JSON.stringify(thinking)).not.toContain('"operation":"places');
  });

  it('makes a call with its whole arguments, whatever their pieces were', async () => {
    const item = made({ name: 'places_find', arguments: '{"q":"Kyoto station"}' });
    const pieces = ['{"q":"Kyoto', '"}'].map((delta) => ({
      type: 'response.function_call_arguments.delta',
      output_index: 0,
      delta,
    }));
    await serve(
      data(
        { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
        ...pieces,
        { type: 'response.output_item.done', output_index: 0, item },
        completed(),
      ),
    );
    expect(await openai({ dialect: 'tools' }).think(new Story().thought())).toMatchObject({
      kind: 'decided',
      actions: [{ operation: 'places.find', args: { q: 'Kyoto station' } }],
    });
  });

  it('fails where the stream ends before the answer does', async () => {
    await serve(data({ type: 'response.output_text.delta', output_index: 0, delta: '{"actions":' }));
    expect(await openai().think(new Story().thought())).toMatchObject({
      failure: { retryable: true, message: expect.stringContaining('finish reason') },
    });
  });

  it('at another address has the name of that address for the limit of the output', async () => {
    await serve({ content: { actions: [answer] } }, { content: { actions: [answer] } });
    for (const name of ['gpt-5-mini', 'gpt-4.1'])
      await openai({ name, baseUrl: server.url, maxOutputTokens: 500 }).think(new Story().thought());
    expect(
      server.requests.map(({ path, body: { max_tokens: old, max_completion_tokens: now } }) => ({
        ...{ path, old, now },
      })),
    ).toEqual([
      { path: '/v1/chat/completions', old: undefined, now: 500 },
      { path: '/v1/chat/completions', old: 500, now: undefined },
    ]);
  });
});
