import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Access, hazards } from '../../src/core/hazards.ts';

const access = (id: string, effect: Access['effect'], resource = 'db'): Access => ({ id, effect, resource });

describe('hazards', () => {
  it('reads overlap freely', () => {
    expect([...hazards([access('a', 'read'), access('b', 'read')]).values()]).toEqual([[], []]);
  });

  it('a write waits for the reads before it, a read for the write before it', () => {
    const waits = hazards([
      access('r1', 'read'),
      access('r2', 'read'),
      access('w', 'write'),
      access('r3', 'read'),
    ]);
    expect(waits.get('w')).toEqual(['r1', 'r2']);
    expect(waits.get('r3')).toEqual(['w']);
  });

  it('other resources do not wait', () => {
    expect(hazards([access('a', 'write', 'x'), access('b', 'write', 'y')]).get('b')).toEqual([]);
  });

  it('idempotent and destructive calls are writes too', () => {
    const waits = hazards([access('a', 'idempotent'), access('b', 'destructive'), access('c', 'read')]);
    expect(waits.get('b')).toEqual(['a']);
    expect(waits.get('c')).toEqual(['b']);
  });

  it('the lists together are no longer than the plan, so that 10,000 reads before each write cost nothing twice', () => {
    const accesses = Array.from({ length: 20_000 }, (_, index) =>
      access(`t${index}`, index % 100 === 99 ? 'write' : 'read'),
    );
    const total = [...hazards(accesses).values()].reduce((sum, waits) => sum + waits.length, 0);
    expect(total).toBeLessThan(2 * accesses.length);
  });

  it('in whatever order that respects the waits, everybody reads and leaves what the written order would give', () => {
    const accesses = fc.array(
      fc.record({
        effect: fc.constantFrom<Access['effect']>('read', 'idempotent', 'write', 'destructive'),
        resource: fc.constantFrom('x', 'y'),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(accesses, fc.infiniteStream(fc.nat()), (list, choices) => {
        const plan = list.map((one, index) => ({ id: `t${index}`, ...one }));
        const waits = hazards(plan);
        const order: Access[] = [];
        const left = new Map(plan.map((one) => [one.id, one]));
        while (left.size > 0) {
          const free = [...left.values()].filter(
            ({ id }) => !(waits.get(id) ?? []).some((wait) => left.has(wait)),
          );
          const chosen = free[(choices.next().value ?? 0) % free.length];
          if (chosen === undefined) throw new Error('the waits are a cycle');
          order.push(chosen);
          left.delete(chosen.id);
        }
        expect(world(order)).toEqual(world(plan));
      }),
    );
  });
});

/** What everybody saw, and what is left: each write appends its name to its resource. */
function world(order: readonly Access[]): { seen: Record<string, string>; left: Record<string, string> } {
  const left: Record<string, string> = {};
  const seen: [string, string][] = [];
  for (const { id, effect, resource } of order) {
    seen.push([id, left[resource] ?? '']);
    if (effect !== 'read') left[resource] = `${left[resource] ?? ''} ${id}`;
  }
  return { seen: Object.fromEntries(seen), left };
}
