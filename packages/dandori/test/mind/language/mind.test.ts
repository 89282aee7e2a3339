import { afterEach, describe, expect, it, vi } from 'vitest';
import { unusable } from '../../../src/mind/language/mind.ts';
import type { LanguageMindOptions } from '../../../src/mind/language/options.ts';
import type { Action } from '../../../src/model/task.ts';
import type { ModelReply } from '../../../src/testing/model-server/index.ts';
import { answer, closeServers, find, KEY, mind, now, start, think } from './asking.ts';
import { Story } from './thought.ts';

afterEach(closeServers);

describe('a decision through a real connection', () => {
  it('gives the actions, the reasoning, the model and what it cost', async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 600 },
    };
    const { thinking, server } = await think(
      { content: { reasoning: 'both are needed', actions: [find, now] }, usage },
      { price: { input: 2, cachedInput: 1, output: 10 } },
    );
    expect(thinking).toEqual({
      kind: 'decided',
      actions: [find, now],
      reasoning: 'both are needed',
      model: 'openai-compatible/test-model',
      usage: {
        inputTokens: 1000,
        outputTokens: 100,
        cachedInputTokens: 600,
        cost: (400 * 2 + 600 + 100 * 10) / 1e6,
      },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('tells each action before the model has finished, so that reads can start', async () => {
    const seen: { action: Action; ended: boolean }[] = [];
    const hold = (written: string) => written.endsWith(']}') && expect.poll(() => seen).toHaveLength(2);
    const server = await start([{ content: { actions: [find, now] }, chunkSize: 8, hold }]);
    const thinking = await mind(server).think(
      new Story().thought({
        onAction: (action) => seen.push({ action, ended: server.requests[0]?.endedAt !== undefined }),
      }),
    );
    expect(seen).toEqual([
      { action: find, ended: false },
      { action: now, ended: false },
    ]);
    expect(thinking).toMatchObject({ kind: 'decided', actions: seen.map(({ action }) => action) });
  });

  it('tells the answer as it is written', async () => {
    const texts: string[] = [];
    const hold = (written: string) =>
      written.includes('Sunny') && expect.poll(() => texts.join('')).not.toBe('');
    const server = await start([{ content: { actions: [answer] }, chunkSize: 8, hold }]);
    await mind(server).think(new Story().thought({ onText: (text) => texts.push(text) }));
    expect(texts.join('')).toBe(answer.args.text);
    expect(texts.length).toBeGreaterThan(1);
  });

  it('tells the text of an answer that arrives in one piece', async () => {
    const server = await start([{ content: { actions: [answer] }, chunkSize: 10_000 }]);
    const texts: string[] = [];
    await mind(server).think(new Story().thought({ onText: (text) => texts.push(text) }));
    expect(texts.join('')).toBe(answer.args.text);
  });

  it.each(['json', 'tools'] as const)(
    'sends no half of a character, which providers refuse: %s',
    async (dialect) => {
      const half = '😀'.slice(0, 1);
      const story = new Story(`Weather ${half}`)
        .decided([{ ...find, args: { q: half } }], { t1: half })
        .failed({ kind: 'failed', failure: unusable(half) });
      const reply = dialect === 'json' ? { content: { actions: [answer] } } : { content: 'Sunny.' };
      const { server } = await think(reply, { dialect }, story.thought());
      expect(JSON.stringify(server.requests[0]?.body)).not.toContain('"\\ud83d');
      expect(server.requests[0]?.body.messages?.every(({ content }) => String(content).isWellFormed())).toBe(
        true,
      );
    },
  );

  it('sends the instructions first, the conversation after, and the schema of the actions', async () => {
    const story = new Story().decided([find], { t1: 'Kyoto' });
    const { server } = await think(
      { content: { actions: [answer] } },
      { temperature: 0.2, maxOutputTokens: 500 },
      story.thought(),
    );
    const { body, headers } = server.requests[0] ?? {};
    expect(body?.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(body).toMatchObject({ model: 'test-model', stream: true, temperature: 0.2, max_tokens: 500 });
    const format = body?.response_format;
    expect(format).toMatchObject({ type: 'json_schema', json_schema: { name: 'actions', strict: false } });
    expect(JSON.stringify(format)).toContain(
      '"enum":["answer","ask","reflect","plan.propose","plan.revise","plan.update_step","places.find","weather.now"]',
    );
    expect(headers?.authorization).toBe(`Bearer ${KEY}`);
  });

  it('sends the same schema whatever happened before, as caches count it to the prefix', async () => {
    const server = await start([{ content: { actions: [answer] } }, { content: { actions: [answer] } }]);
    await mind(server).think(new Story().thought());
    await mind(server).think(new Story().decided([find], { t1: 'Kyoto' }).thought({ purpose: 'generate' }));
    expect(server.requests[0]?.body.response_format).toEqual(server.requests[1]?.body.response_format);
  });

  it('asks only for JSON where the server knows no schemas', async () => {
    const { server } = await think({ content: { actions: [answer] } }, { supportsStructuredOutputs: false });
    expect(server.requests[0]?.body.response_format).toEqual({ type: 'json_object' });
  });

  it('keeps what a reasoning model thought aloud as the reasoning', async () => {
    const { thinking } = await think({ content: { actions: [answer] }, reasoning: 'Let me see.' });
    expect(thinking).toMatchObject({ kind: 'decided', reasoning: 'Let me see.' });
  });

  it('reports no cost for an unknown price', async () => {
    const { thinking } = await think({
      content: { actions: [answer] },
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    });
    expect(thinking).toHaveProperty('usage', { inputTokens: 5, outputTokens: 2 });
  });

  it('counts the tokens itself where the server is silent, and says so, as limits must hold there too', async () => {
    const { thinking } = await think(
      { content: { actions: [answer] }, usage: null },
      { price: { input: 1, output: 1 } },
    );
    expect(thinking).toMatchObject({ kind: 'decided', usage: { estimated: true, cost: expect.any(Number) } });
    const { inputTokens = 0, outputTokens = 0 } = thinking.usage ?? {};
    expect(inputTokens).toBeGreaterThan(500);
    expect(outputTokens).toBeGreaterThan(10);
    expect(outputTokens).toBeLessThan(60);
  });

  it('says before a call what it can take, so that a limit is kept and not only noticed', async () => {
    const server = await start([]);
    const options = { maxOutputTokens: 2_000, price: { input: 1, output: 1 } };
    const weighed = await mind(server, options).weigh?.(new Story().thought());
    expect(weighed?.tokens).toBeGreaterThan(2_500);
    expect(weighed?.cost).toBeCloseTo((weighed?.tokens ?? 0) / 1e6);
  });

  it('counts nothing for a call that never reached the model', async () => {
    const { thinking } = await think({ status: 500 });
    expect(thinking).not.toHaveProperty('usage');
  });
});

describe('an output that is not as asked for', () => {
  it.each<[string, ModelReply, readonly unknown[]]>([
    [
      'in a fence with prose',
      { content: `Sure!\n\`\`\`json\n${JSON.stringify({ actions: [find] })}\n\`\`\`` },
      [find],
    ],
    ['as elements', { actions: [find] }, [find]],
    ['with a comma too many', { content: `{"actions":[${JSON.stringify(find)},]}` }, [find]],
    ['in plain words', { content: 'Sunny.' }, [{ id: 't1', operation: 'answer', args: { text: 'Sunny.' } }]],
    [
      "as the provider's own calls",
      { toolCalls: [{ name: 'places.find', arguments: { q: 'Kyoto' }, id: 'call_1' }] },
      [{ ...find, id: 'call_1' }],
    ],
    [
      "as the provider's own calls beside a remark",
      {
        content: 'Let me look.',
        toolCalls: [{ name: 'places_find', arguments: { q: 'Kyoto' }, id: 'call_1' }],
      },
      [{ ...find, id: 'call_1' }],
    ],
    [
      'as calls with the same id',
      {
        toolCalls: [
          { name: 'places_find', arguments: { q: 'Kyoto' }, id: 'x' },
          { name: 'places_find', arguments: { q: 'Nara' }, id: 'x' },
        ],
      },
      [
        { ...find, id: 'x' },
        { operation: 'places.find', args: { q: 'Nara' } },
      ],
    ],
  ])('is understood %s', async (_, reply, actions) => {
    const { thinking } = await think(reply, {}, new Story('Tell me about Kyoto.').thought());
    expect(thinking).toMatchObject({ kind: 'decided', actions });
  });

  it.each<[string, ModelReply, RegExp]>([
    ['empty', { content: '' }, /could not be used: it is empty/],
    [
      'cut off at the limit',
      { content: JSON.stringify({ actions: [find] }), finishReason: 'length' },
      /cut off/,
    ],
    ['an unfinished list', { content: `{"actions":[${JSON.stringify(find)},` }, /still open/],
    ['another object', { content: { weather: 'sunny' } }, /no list of actions/],
    ['an action without operation', { content: { actions: [{ args: {} }] } }, /has no "operation"/],
  ])('fails when it is %s, and is asked for again at once', async (_, reply, message) => {
    const { thinking } = await think(reply);
    expect(thinking).toMatchObject({
      kind: 'failed',
      failure: { kind: 'unusable_output', retryable: false, message: expect.stringMatching(message) },
    });
  });

  it('calls tools for a step whose time has come', async () => {
    const step = { ...find, step: 's1' };
    const thought = new Story('x', { mode: 'hierarchical' }).thought({ purpose: 'generate' });
    const { thinking } = await think({ content: { actions: [step] } }, {}, thought);
    expect(thinking).toMatchObject({ kind: 'decided', actions: [step] });
  });

  it('counts the tokens of an output that could not be used', async () => {
    const { thinking } = await think({ content: '{}', usage: { prompt_tokens: 7, completion_tokens: 1 } });
    expect(thinking).toMatchObject({ kind: 'failed', usage: { inputTokens: 7 } });
  });

  it.each([
    ['answer', 'auto'],
    ['conclude', 'auto'],
    ['act', 'direct'],
  ] as const)('calls no tool where only an answer was asked for (%s, %s)', async (purpose, mode) => {
    const onAction = vi.fn();
    const hold = (written: string) =>
      written.endsWith(']}') && expect.poll(() => onAction.mock.calls).toHaveLength(1);
    const server = await start([
      { content: { actions: [{ ...find, id: 't9' }, answer] }, hold },
      { content: { actions: [find] } },
    ]);
    const thought = new Story('x', { mode }).thought({ purpose, onAction });
    expect(await mind(server).think(thought)).toMatchObject({
      kind: 'decided',
      actions: [answer],
      repaired: 'left out, as only an answer was asked for: places.find',
    });
    expect(await mind(server).think(thought)).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringMatching(/no more tools/) },
    });
    expect(onAction.mock.calls).toEqual([[answer]]);
  });
});

describe('what a model may write', () => {
  const within = (limits: object) => {
    const story = new Story();
    const { settings } = story.state;
    story.state.settings = { ...settings, limits: { ...settings.limits, ...limits } };
    return story.thought();
  };
  const mostSent = async (limits: object, options: Partial<LanguageMindOptions> = {}) => {
    const { server } = await think({ content: { actions: [answer] } }, options, within(limits));
    return server.requests[0]?.body.max_tokens as number | undefined;
  };
  const needed = async (options: Partial<LanguageMindOptions> = {}) => {
    const server = await start([]);
    return (await mind(server, { maxOutputTokens: 0, ...options }).weigh?.(within({})))?.tokens ?? 0;
  };

  it('is what its limits leave, where that is less than every model can write', async () => {
    const input = await needed();
    expect(await mostSent({})).toBeUndefined();
    expect(await mostSent({ tokens: input + 700 })).toBe(700);
    expect(await mostSent({ tokens: input + 700 }, { maxOutputTokens: 300 })).toBe(300);
    expect(await mostSent({ tokens: 1_000_000 })).toBeUndefined();
    expect(await mostSent({ tokens: 1_000_000 }, { maxOutputTokens: 9_000 })).toBe(9_000);
    const price = { input: 1, output: 10 };
    expect(await mostSent({ cost: (input + 800 * 10) / 1e6 }, { price })).toBe(800);
  });

  it('and what it reads includes the tools that are sent beside the prompt', async () => {
    const [json, tools] = [await needed(), await needed({ dialect: 'tools' })];
    expect(tools).toBeGreaterThan(json);
  });
});
