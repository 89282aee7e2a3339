import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Queued, ReadyQueue } from '../../src/plan/ready-queue.ts';

const itemsIn = (queue: ReadyQueue<string>) => [...queue.inOrder()].map(({ item }) => item);

describe('what may start', () => {
  it('comes the longest path first, and in written order where that is the same', () => {
    const queue = new ReadyQueue<string>();
    queue.add('short', { lane: 'a', rank: 1, order: 0 });
    queue.add('long', { lane: 'b', rank: 9, order: 1 });
    queue.add('long too', { lane: 'a', rank: 9, order: 2 });
    expect(itemsIn(queue)).toEqual(['long', 'long too', 'short']);
  });

  it('a server that is full is passed over, and the others are not', () => {
    const queue = new ReadyQueue<string>();
    for (let order = 0; order < 5; order++) queue.add(`a${order}`, { lane: 'a', rank: 9, order });
    queue.add('b', { lane: 'b', rank: 1, order: 9 });
    let room = 2;
    const taken: string[] = [];
    for (const { item: id } of queue.inOrder((lane) => lane === 'b' || room > 0)) {
      if (id !== 'b') room--;
      taken.push(id);
    }
    expect(taken).toEqual(['a0', 'a1', 'b']);
  });

  it('Q1, Q2: whatever is added and taken away, the order is that of a sorted list, and looking changes nothing', () => {
    const step = fc.record({
      id: fc.nat(20).map(String),
      lane: fc.constantFrom('a', 'b'),
      rank: fc.nat(5),
      isGone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ReadyQueue<string>();
        const entries = new Map<string, Queued<string>>();
        const model = new Map<string, { rank: number; order: number }>();
        const remove = (id: string) => {
          const entry = entries.get(id);
          const isThere = model.delete(id);
          // Once more than it is there: the second time does no harm.
          if (entry !== undefined) expect(queue.delete(entry)).toBe(isThere);
        };
        steps.forEach(({ id, lane, rank, isGone }, order) => {
          remove(id);
          if (isGone) return;
          entries.set(id, queue.add(id, { lane, rank, order }));
          model.set(id, { rank, order });
        });
        const sorted = [...model]
          .sort(([, a], [, b]) => b.rank - a.rank || a.order - b.order)
          .map(([id]) => id);
        expect(itemsIn(queue)).toEqual(sorted);
        expect(itemsIn(queue)).toEqual(sorted);
        expect(queue.first()?.item).toBe(sorted[0]);
        expect(queue.size).toBe(model.size);
      }),
    );
  });
});
