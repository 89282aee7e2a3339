import { describe, expect, it, onTestFinished } from 'vitest';
import { whyNotParsed } from '../../src/tools/mcp/json-limits.ts';
import { openToolbox, succeeded, toCall } from './fixtures/calls.ts';
import { serverArgs, startResultServer } from './fixtures/large-result.ts';

const namesFrom = (count: number, name: (id: number) => string) =>
  `{${Array.from({ length: count }, (_, id) => `${JSON.stringify(name(id))}:${id}`).join(',')}}`;
const blanks = ' '.repeat(1_000_000);

describe('a text that JSON.parse would read for seconds is not read', () => {
  it.each<[string, string]>([
    ['one object of many names', namesFrom(600_000, (id) => `n${id}`)],
    [
      'many objects of other names',
      `[${Array.from({ length: 600_000 }, (_, id) => `{"n${id}":1}`).join(',')}]`,
    ],
    ['names with escapes', namesFrom(600_000, (id) => `"\\${id}\\`)],
  ])('%s', (_name, text) => {
    expect(whyNotParsed(text)?.message).toBe('the result has more than 500,000 different names');
  });

  it('lists in lists, and objects in objects', () => {
    expect(whyNotParsed(blanks + '['.repeat(20_000))?.message).toBe('the result has more than 10,000 levels');
    expect(whyNotParsed(blanks + '{"a":'.repeat(20_000))?.message).toBe(
      'the result has more than 10,000 levels',
    );
  });

  it.each<[string, string]>([
    [
      'the same names in many rows',
      `[${Array.from({ length: 300_000 }, () => '{"id":1,"name":"x"}').join(',')}]`,
    ],
    ['what looks like names within a text', JSON.stringify({ text: namesFrom(600_000, (id) => `n${id}`) })],
    ['many names, but not too many', namesFrom(300_000, (id) => `n${id}`)],
    ['many lists beside each other', `[${'[],'.repeat(400_000)}1]`],
    ['no JSON', `${blanks}"`],
  ])('read as before: %s', (_name, text) => {
    expect(whyNotParsed(text)).toBeUndefined();
  });
});

describe('such a result costs its call and no other', () => {
  it.each(['stdio', 'http', 'sse'])('over %s', async (wire) => {
    const open = async (kind: string) =>
      wire === 'stdio'
        ? { command: process.execPath, args: serverArgs(kind, '8000000', wire) }
        : startResultServer(kind, '8000000', wire);
    const toolbox = await openToolbox({
      mcpServers: { names: await open('names'), levels: await open('levels'), rows: await open('rows') },
    });
    onTestFinished(() => toolbox.close());
    const failure = { kind: 'too_large', message: expect.stringContaining('the result has more than') };
    for (const kind of ['names', 'levels'])
      expect(await toolbox.call(toCall(`${kind}.get`))).toMatchObject({ kind: 'failed', failure });
    expect(succeeded(await toolbox.call(toCall('rows.get')))).toHaveProperty('rows');
  });
});
