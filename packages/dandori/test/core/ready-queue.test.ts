import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadyQueue, type ReadyTask } from '../../src/core/ready-queue.ts';

const everywhere = () => true;

describe('what may start', () => {
  it('comes the longest path first, and in written order where that is the same', () => {
    const queue = new ReadyQueue();
    queue.add({ id: 'short', lane: 'a', rank: 1, order: 0 });
    queue.add({ id: 'long', lane: 'b', rank: 9, order: 1 });
    queue.add({ id: 'long too', lane: 'a', rank: 9, order: 2 });
    expect([...queue.inOrder(everywhere)]).toEqual(['long', 'long too', 'short']);
  });

  it('a server that is full is passed over, and the others are not', () => {
    const queue = new ReadyQueue();
    for (let order = 0; order < 5; order++) queue.add({ id: `a${order}`, lane: 'a', rank: 9, order });
    queue.add({ id: 'b', lane: 'b', rank: 1, order: 9 });
    let room = 2;
    const taken: string[] = [];
    for (const id of queue.inOrder((lane) => lane === 'b' || room > 0)) {
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
      remove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ReadyQueue();
        const model = new Map<string, ReadyTask>();
        steps.forEach(({ id, lane, rank, remove }, order) => {
          if (remove) {
            expect(queue.delete(id)).toBe(model.delete(id));
            return;
          }
          queue.add({ id, lane, rank, order });
          model.set(id, { id, lane, rank, order });
        });
        const sorted = [...model.values()]
          .sort((a, b) => b.rank - a.rank || a.order - b.order)
          .map(({ id }) => id);
        expect([...queue.inOrder(everywhere)]).toEqual(sorted);
        expect([...queue.inOrder(everywhere)]).toEqual(sorted);
        expect(queue.size).toBe(model.size);
      }),
    );
  });
});
