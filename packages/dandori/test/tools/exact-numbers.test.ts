import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createExactNumbers } from '../../src/tools/mcp/exact-numbers.ts';

const LIMIT = 50_000_000;

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Uint8Array.from(Buffer.from(text));
}

async function read(events: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of events) text += Buffer.from(chunk);
  return text;
}

describe('events of an MCP server', () => {
  it.each([
    ['of one line', 'id: 1\ndata: {"a":1}\n\n'],
    ['of several lines', 'data: {"a":\ndata:1}\n\ndata: {}\n\n'],
    ['with comments and other fields between', ': hi\ndata: {\nretry: 5\ndata: }\n\n'],
    ['with another name', 'event: endpoint\ndata: /messages?session=9007199254740993\n\n'],
  ])('pass to the SDK with all their lines: %s', async (_name, text) => {
    const lines = (given: string) => given.split('\n').sort();
    for (const end of ['\n', '\r\n', '\r'])
      for (const cut of [1, 7, text.length]) {
        const sent = text.replaceAll('\n', end);
        const exact = createExactNumbers();
        const passed = await read(exact.events(chunksOf(sent.slice(0, cut), sent.slice(cut)), LIMIT));
        expect(lines(passed)).toEqual(lines(text));
      }
  });

  it('of many short lines take about their own size in memory', async () => {
    const text = 'data:x\n'.repeat(20_000);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    async function* chunks() {
      yield* chunksOf(text);
      most = process.memoryUsage().arrayBuffers - before;
    }
    expect(await read(createExactNumbers().events(chunks(), LIMIT))).toBe(text);
    expect(most).toBeLessThan(20 * text.length);
  });

  it.each([
    ['under another name', (params: string) => `event: other\ndata: ${message('"m"', params)}\n\n`],
    ['without a method that can be read', (params: string) => `data: ${message('7', params)}\n\n`],
    ['with an id of no kind', (params: string) => `data: ${message('"m"', params, '"id":{},')}\n\n`],
  ])('that the SDK drops are not kept: %s', async (_name, write) => {
    const exact = createExactNumbers();
    const text = write(`{"n":9007199254740993,"s":"${'x'.repeat(100_000)}"}`);
    const before = heapUsed();
    let passed = 0;
    for await (const chunk of exact.events(chunksOf(...Array.from({ length: 300 }, () => text)), LIMIT))
      passed += chunk.length;
    expect(passed).toBeGreaterThan(0);
    expect(heapUsed() - before).toBeLessThan(100 * text.length);
    // The messages of this connection are still needed.
    expect(exact.unmarked({ jsonrpc: '2.0' })).toEqual({ jsonrpc: '2.0' });
  });
});

function message(method: string, params: string, more = ''): string {
  return `{"jsonrpc":"2.0",${more}"method":${method},"params":${params}}`;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
