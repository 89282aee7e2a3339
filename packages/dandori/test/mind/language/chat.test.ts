import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { chatApi } from '../../../src/mind/language/wire/chat.ts';
import { openApi } from '../../../src/mind/language/wire/openai-api.ts';
import { OutputTooLong, type Part, type Wire } from '../../../src/mind/language/wire/wire.ts';
import { Stop } from '../../../src/model/stop.ts';
import type { ModelServer } from '../../../src/testing/model-server/index.ts';
import { closeServers, KEY, start } from './asking.ts';
import { listen } from './socket-server.ts';

afterEach(closeServers);

const ours = (server: Pick<ModelServer, 'url'>): Wire =>
  openApi(chatApi, {
    provider: 'openai-compatible',
    baseUrl: server.url,
    model: 'm',
    apiKey: KEY,
    supportsStructuredOutputs: true,
  });

async function partsOf(wire: Wire): Promise<Part[]> {
  const parts: Part[] = [];
  const request = { instructions: 'Be brief.', messages: [{ role: 'user' as const, content: '段取り?' }] };
  await wire.send(request, { stop: new Stop(), onPart: (part) => parts.push(part) });
  return parts;
}

const raw = (...events: readonly unknown[]) => ({
  raw: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
});
const delta = (given: object, rest: object = {}) => ({ choices: [{ index: 0, delta: given, ...rest }] });
const calls = (...tool_calls: readonly unknown[]) => delta({ tool_calls });
const END = delta({}, { finish_reason: 'tool_calls' });
/** A piece of a call. What is undefined is left out. */
const piece = (index: unknown, id: unknown, name: unknown, text: unknown) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
});

describe('calls in chat completions', () => {
  it.each<[string, unknown[], string[][]]>([
    [
      // So do Ollama and others: https://github.com/ollama/ollama/issues/15457
      'all have the index 0',
      [calls(piece(0, 'a', 'read', '{"n":1}')), calls(piece(0, 'b', 'pay', '{"n":2}'))],
      [
        ['a', 'read', '{"n":1}'],
        ['b', 'pay', '{"n":2}'],
      ],
    ],
    [
      'all have the index 0 in one event, and come in pieces',
      [
        calls(piece(0, 'a', 'read', ''), piece(0, 'b', 'pay', '{"n')),
        calls(piece(0, 'a', undefined, '{"n":1}'), piece(0, undefined, undefined, '":2')),
        calls(piece(0, 'b', null, '}')),
      ],
      [
        ['a', 'read', '{"n":1}'],
        ['b', 'pay', '{"n":2}'],
      ],
    ],
    [
      'have no index, and only their first piece has an id',
      [
        calls(piece(null, 'a', 'read', '{"n"')),
        calls(piece(undefined, undefined, undefined, ':1}')),
        calls(piece(undefined, 'b', 'pay', '{"n"')),
        calls(piece(undefined, '', '', ':2}')),
      ],
      [
        ['a', 'read', '{"n":1}'],
        ['b', 'pay', '{"n":2}'],
      ],
    ],
    [
      'have another id in each piece',
      [
        calls(piece(0, 'a', 'read', '{"n"')),
        calls(piece(0, 'x', undefined, ':1')),
        calls(piece(0, 'y', '', '}')),
      ],
      [['a', 'read', '{"n":1}']],
    ],
    [
      'have their names in each piece',
      [
        calls(piece(0, 'a', 'read', '{"n"')),
        calls(piece(0, 'a', 'read', ':1')),
        calls(piece(0, '', 'read', '}')),
      ],
      [['a', 'read', '{"n":1}']],
    ],
    [
      // So do gateways to Gemini: https://github.com/su-kaka/gcli2api/pull/406
      'all have the index 0 and no ids, and come whole',
      [
        calls(piece(0, '', 'read', '{"n":1}'), piece(0, '', 'read', '{"n":2}')),
        calls(piece(0, '', 'pay', '{"n":3}')),
        calls(piece(0, undefined, 'pay', '{"n":4}')),
        calls(piece(0, undefined, 'pay', '')),
      ],
      [
        ['call_0', 'read', '{"n":1}'],
        ['call_0_', 'read', '{"n":2}'],
        ['call_0__', 'pay', '{"n":3}'],
        ['call_0___', 'pay', '{"n":4}'],
      ],
    ],
    [
      'have their names in each piece, and pieces that look like whole texts',
      [
        calls(piece(0, '', 'read', '{"n":[')),
        calls(piece(0, '', 'read', '{}')),
        calls(piece(0, '', 'read', '{"m":2}')),
        calls(piece(0, '', 'read', ']}')),
      ],
      [['call_0', 'read', '{"n":[{}{"m":2}]}']],
    ],
    [
      // So does vLLM with what its parser held back: https://github.com/vllm-project/vllm/issues/44098
      'have their name and id again in the last piece',
      [
        calls(piece(0, 'a', 'read', '{"n"')),
        calls(piece(0, undefined, undefined, ':{"m":')),
        calls(piece(0, 'a', 'read', '{}}}')),
      ],
      [['a', 'read', '{"n":{"m":{}}}']],
    ],
    [
      'get their names and ids late',
      [
        calls(piece(1, '', '', '{"n"')),
        calls(piece(0, 'a', 'read', '{}')),
        calls(piece(1, 'b', 'pay', ':2}')),
      ],
      [
        ['b', 'pay', '{"n":2}'],
        ['a', 'read', '{}'],
      ],
    ],
    [
      'have the same ids',
      [
        calls(piece(0, 'call_1', 'read', '{"n":1}')),
        calls(piece(1, 'call_1', 'pay', '{"n"')),
        calls(piece(1, 'call_1', undefined, ':2}')),
        calls(piece(2, undefined, 'read', '{}')),
        calls(piece(3, 'call_2', 'read', '{}')),
      ],
      [
        ['call_1', 'read', '{"n":1}'],
        ['call_1_', 'pay', '{"n":2}'],
        ['call_2', 'read', '{}'],
        ['call_3', 'read', '{}'],
      ],
    ],
  ])('are each read once and whole if they %s', async (_, events, expected) => {
    const parts = await partsOf(ours(await start([raw(...events, END)])));
    const told = parts.flatMap((part) => (part.type === 'call' ? [[part.id, part.name, part.input]] : []));
    expect(told).toEqual(expected);
    const begun = parts.flatMap((part) => (part.type === 'call-start' ? [part.id] : []));
    expect(begun.toSorted()).toEqual(expected.map(([id]) => id).toSorted());
    for (const [id, , whole] of expected) {
      const pieces = parts.map((part) => (part.type === 'call-piece' && part.id === id ? part.text : ''));
      expect(pieces.join('')).toBe(whole);
    }
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  it.each([['a'], ['']])('are not made twice if the server repeats one at its end: id %j', async (id) => {
    const events = [
      // So does a parser of vLLM: https://github.com/vllm-project/vllm/issues/51697
      calls(piece(0, id, 'pay', '{"n":1}')),
      calls(piece(0, id, 'pay', '{"n": 1}')),
    ];
    const parts = await partsOf(ours(await start([raw(...events, END)])));
    const told = parts.flatMap((part) => (part.type === 'call' ? [part.input] : []));
    // The model is asked again, because this is no JSON.
    expect(told).toEqual(['{"n":1}{"n": 1}']);
  });

  it('without names do not fill the memory', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => piece(index, undefined, undefined, ''));
    await expect(partsOf(ours(await start([raw(calls(...many), END)])))).rejects.toThrow(OutputTooLong);
  });
});

describe('a response in chat completions', () => {
  it.each([
    ['an error', 'data: {"error":{"message":"overloaded"}}\n\n'],
    ['an event that is no JSON', 'data: {oops\n\n'],
  ])('ends with %s, even if the server leaves it open', async (_, text) => {
    const server = createServer((request, response) => {
      request.resume();
      response.write(text);
    });
    const { port } = await listen(server);
    const parts = await partsOf(ours({ url: `http://127.0.0.1:${port}/v1` }));
    expect(parts).toMatchObject([{ type: 'error' }, { type: 'finish', reason: 'error' }]);
    server.closeAllConnections();
    server.close();
  });

  it('tells its thoughts once, whichever name they have', async () => {
    const thoughts = [
      { reasoning: 'a' },
      { reasoning_content: 'b' },
      { reasoning: null, reasoning_content: 'c' },
      { reasoning: 'd', reasoning_content: 'd' },
    ];
    const parts = await partsOf(ours(await start([raw(...thoughts.map((one) => delta(one)), END)])));
    expect(parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe('abcd');
  });

  it('may have empty events, which keep the connection open, and blanks behind its end', async () => {
    const whole = delta({ content: 'hi' }, { finish_reason: 'stop' });
    const events = `data:\n\ndata: \n\ndata: ${JSON.stringify(whole)}\n\ndata:\n\ndata: [DONE] \n\n`;
    expect(await partsOf(ours(await start([{ raw: events }])))).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'finish', reason: 'stop', usage: undefined },
    ]);
  });

  it.each([null, '', false, 0])('has no error if it is %j', async (error) => {
    const whole = delta({ content: 'hi' }, { finish_reason: 'stop' });
    expect(await partsOf(ours(await start([raw({ error, ...whole })])))).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'finish', reason: 'stop', usage: undefined },
    ]);
  });

  it('does not end with an empty reason', async () => {
    const events = [delta({ content: 'half' }, { finish_reason: '' })];
    const parts = await partsOf(ours(await start([raw(...events)])));
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'error' });
  });

  it.each([
    ['a whole response', 'application/json', (line: string) => line],
    ['an event', 'text/event-stream', (line: string) => `data: ${line}`],
  ])('is too long if %s has too many lines, which would fill the memory', async (_, type, toLine) => {
    // Each line is shorter than the longest line.
    const lines = Array<string>(18).fill(toLine(`${' '.repeat(1024 * 1024)}{},\n`));
    const packed = gzipSync([toLine('{"choices":[\n'), ...lines, toLine('{}]}\n\n')].join(''));
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(packed);
    });
    const { port } = await listen(server);
    await expect(partsOf(ours({ url: `http://127.0.0.1:${port}/v1` }))).rejects.toThrow(OutputTooLong);
    server.closeAllConnections();
    server.close();
  });

  it('may be anything: the call ends, and says so once', async () => {
    const value = fc.jsonValue();
    const call = fc.record(
      {
        index: fc.oneof(fc.nat(2), value),
        id: fc.oneof(fc.constantFrom('a', 'b', 'call_0', ''), value),
        function: fc.oneof(
          fc.record({ name: fc.oneof(fc.constant('read'), value), arguments: fc.oneof(fc.string(), value) }),
          value,
        ),
      },
      { requiredKeys: [] },
    );
    const said = fc.record(
      {
        content: fc.oneof(fc.string(), value),
        reasoning: value,
        refusal: value,
        tool_calls: fc.oneof(fc.array(fc.oneof(call, value), { maxLength: 3 }), value),
      },
      { requiredKeys: [] },
    );
    const choice = fc.record(
      { delta: fc.oneof(said, value), message: fc.oneof(said, value), finish_reason: value },
      { requiredKeys: [] },
    );
    const event = fc.oneof(
      { weight: 9, arbitrary: fc.record({ choices: fc.array(choice, { maxLength: 2 }), usage: value }) },
      { weight: 1, arbitrary: value },
    );
    const replies = fc.sample(fc.array(event, { maxLength: 8 }), { numRuns: 300, seed: 17 });
    const wire = ours(await start(replies.map((events) => raw(...events))));
    for (const events of replies) {
      const parts = await partsOf(wire);
      const about = JSON.stringify(events);
      expect(
        parts.filter(({ type }) => type === 'finish'),
        about,
      ).toHaveLength(1);
      expect(parts.at(-1), about).toMatchObject({ type: 'finish' });
      const begun = parts.flatMap((part) => (part.type === 'call-start' ? [part.id] : []));
      expect(new Set(begun).size, about).toBe(begun.length);
      for (const part of parts)
        if (part.type === 'call' || part.type === 'call-piece') expect(begun, about).toContain(part.id);
    }
  });
});
