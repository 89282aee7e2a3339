import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader, type OversizeLine } from '../../src/tools/mcp/lines.ts';

function read(chunks: Buffer[], limit: number) {
  const lines: string[] = [];
  const oversize: OversizeLine[] = [];
  const reader = createLineReader(limit, {
    line: (line) => lines.push(line),
    large: () => false,
    oversize: (line) => oversize.push(line),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { lines, oversize };
}

describe('messages are the same however the pipe cuts them', () => {
  it('at any byte, even inside a character', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '日', '🎋', '"') });
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat(40)), (written, cuts) => {
        const bytes = Buffer.from(written.map((line) => `${line}\n`).join(''));
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        expect(read(chunks, 1_000_000)).toEqual({
          lines: written.filter((line) => line !== ''),
          oversize: [],
        });
      }),
    );
  });

  it('and a line above the limit is left out with its edges kept, and the next one is read', () => {
    const long = `{"id":1,${'x'.repeat(10_000)},"end":2}`;
    const bytes = Buffer.from(`before\n${long}\nafter\n`);
    for (const size of [1, 7, 999, 4_096, 20_000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const { lines, oversize } = read(chunks, 5_000);
      expect(lines).toEqual(['before', 'after']);
      expect(oversize).toEqual([
        { head: long.slice(0, 1_024), tail: long.slice(-1_024), bytes: long.length },
      ]);
    }
  });
});
