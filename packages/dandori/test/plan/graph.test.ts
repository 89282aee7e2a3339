import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Graph, sort } from '../../src/plan/graph.ts';

const findCycle = (graph: Graph) => sort(graph).cycle;
const executionOrder = (graph: Graph) => sort(graph).order;

const graphOf = (edges: Record<string, string[]>) =>
  new Map(Object.entries(edges).map(([id, targets]) => [id, new Set(targets)]));

describe('findCycle', () => {
  it.each<[string, Record<string, string[]>, string[] | undefined]>([
    ['none', { a: [], b: ['a'], c: ['a', 'b'] }, undefined],
    ['of one', { a: ['a'] }, ['a']],
    ['of two', { a: ['b'], b: ['a'] }, ['a', 'b']],
    ['behind a tail', { x: ['a'], a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c']],
    ['a diamond is none', { d: ['b', 'c'], b: ['a'], c: ['a'], a: [] }, undefined],
    ['an edge to what is not in the plan is none', { a: ['gone'] }, undefined],
    [
      'ids that are words of JavaScript',
      { __proto__x: [], constructor: ['toString'], toString: ['constructor'] },
      ['constructor', 'toString'],
    ],
  ])('names the tasks of a cycle: %s', (_, edges, expected) => {
    expect(findCycle(graphOf(edges))).toEqual(expected);
  });

  const randomGraph = fc.integer({ min: 1, max: 12 }).chain((size) =>
    fc.array(fc.array(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }), {
      minLength: size,
      maxLength: size,
    }),
  );

  it('finds a cycle exactly where there is one, and each names the next', () => {
    fc.assert(
      fc.property(randomGraph, (edges) => {
        const graph = new Map(
          edges.map((targets, index) => [`t${index}`, new Set(targets.map((target) => `t${target}`))]),
        );
        const cycle = findCycle(graph);
        expect(cycle !== undefined).toBe(hasCycle(graph));
        for (const [index, id] of cycle?.entries() ?? [])
          expect(graph.get(id)).toContain(cycle?.[(index + 1) % cycle.length]);
      }),
    );
  });

  it('a chain of 100,000 does not overflow the stack, whichever way round it is written', () => {
    const forward = chain(100_000);
    const backward = new Map([...forward].reverse());
    expect(findCycle(forward)).toBeUndefined();
    expect(findCycle(backward)).toBeUndefined();
    expect(executionOrder(backward)).toEqual(executionOrder(forward));
    forward.set('t0', new Set(['t99999']));
    expect(findCycle(forward)).toHaveLength(100_000);
  });

  it('looks at each edge of a dense graph once', () => {
    const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const dense = new Map(ids.map((id, index) => [id, new Set(ids.slice(0, index))]));
    expect(findCycle(dense)).toBeUndefined();
    expect(executionOrder(dense)).toEqual(ids);
  });
});

describe('executionOrder', () => {
  it('is the written order where nothing refers forward', () => {
    expect(executionOrder(graphOf({ b: [], a: ['b'], c: [] }))).toEqual(['b', 'a', 'c']);
  });

  it('puts a needed task first, even if it is written later', () => {
    expect(executionOrder(graphOf({ a: ['c'], b: [], c: [] }))).toEqual(['c', 'a', 'b']);
  });
});

function chain(length: number): Map<string, Set<string>> {
  return new Map(
    Array.from({ length }, (_, index) => [`t${index}`, new Set(index === 0 ? [] : [`t${index - 1}`])]),
  );
}

/** The slow and sure way: take away what waits for nothing until nothing changes. */
function hasCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const left = new Map(graph);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const [id, targets] of left) if (![...targets].some((target) => left.has(target))) left.delete(id);
  }
  return left.size > 0;
}
