import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Access } from '../../src/model/plan.ts';
import { hazards } from '../../src/plan/hazards.ts';

const access = (id: string, effect: Access['effect'], server = 'db', resource?: string): Access => ({
  id,
  effect,
  server,
  ...(resource !== undefined && { resource }),
});

function waitsOf(accesses: readonly Access[]): Map<string, string[]> {
  const waits = hazards(accesses);
  return new Map(accesses.map(({ id }) => [id, waits.get(id)?.flat() ?? []]));
}

describe('hazards', () => {
  it('reads overlap freely', () => {
    expect([...waitsOf([access('a', 'read'), access('b', 'read')]).values()]).toEqual([[], []]);
  });

  it('a write waits for the reads before it, a read for the write before it', () => {
    const waits = waitsOf([
      access('r1', 'read'),
      access('r2', 'read'),
      access('w', 'write'),
      access('r3', 'read'),
    ]);
    expect(waits.get('w')).toEqual(['r1', 'r2']);
    expect(waits.get('r3')).toEqual(['w']);
  });

  it('other resources do not wait', () => {
    expect(waitsOf([access('a', 'write', 'x'), access('b', 'write', 'y')]).get('b')).toEqual([]);
  });

  it('idempotent and destructive calls are writes too', () => {
    const waits = waitsOf([access('a', 'idempotent'), access('b', 'destructive'), access('c', 'read')]);
    expect(waits.get('b')).toEqual(['a']);
    expect(waits.get('c')).toEqual(['b']);
  });

  it('parts of a server do not wait for each other, but the whole waits for all parts and each part for the whole', () => {
    const waits = waitsOf([
      access('wa', 'write', 'files', 'a'),
      access('wb', 'write', 'files', 'b'),
      access('ra', 'read', 'files', 'a'),
      access('all', 'read', 'files'),
      access('wc', 'write', 'files', 'c'),
      access('clear', 'destructive', 'files'),
      access('ra2', 'read', 'files', 'a'),
    ]);
    expect(waits.get('wb')).toEqual([]);
    expect(waits.get('ra')).toEqual(['wa']);
    expect(waits.get('all')).toEqual(['wa', 'wb']);
    expect(waits.get('wc')).toEqual(['all']);
    expect(waits.get('clear')?.sort()).toEqual(['ra', 'wc']);
    expect(waits.get('ra2')).toEqual(['clear']);
  });

  it('writes that are declared independent overlap with each other and with nothing else', () => {
    const independent = (id: string, name = 'log.add'): Access => ({
      ...access(id, 'write'),
      independent: name,
    });
    const waits = waitsOf([
      independent('a'),
      independent('b'),
      access('r', 'read'),
      independent('c'),
      independent('d', 'log.other'),
    ]);
    expect(waits.get('b')).toEqual([]);
    expect(waits.get('r')).toEqual(['a', 'b']);
    expect(waits.get('c')).toEqual(['r']);
    expect(waits.get('d')).toEqual(['c']);
  });

  it('H3: groups are shared, so that 10,000 parts before 10,000 looks at the whole cost nothing twice', () => {
    const accesses = Array.from({ length: 20_000 }, (_, index) =>
      index < 10_000 ? access(`t${index}`, 'write', 'db', `p${index}`) : access(`t${index}`, 'read'),
    );
    const groups = new Set([...hazards(accesses).values()].flat());
    expect([...groups].reduce((sum, group) => sum + group.length, 0)).toBeLessThan(2 * accesses.length);
  });

  it('H1: in whatever order that respects the waits, everybody reads and leaves what the written order would give', () => {
    const one = fc.record({
      effect: fc.constantFrom<Access['effect']>('read', 'idempotent', 'write', 'destructive'),
      server: fc.constantFrom('x', 'y'),
      resource: fc.constantFrom(undefined, 'a', 'b'),
    });
    const many = fc.array(one, { maxLength: 14 });
    fc.assert(
      fc.property(many, fc.infiniteStream(fc.nat()), (list, choices) => {
        const plan = list.map((access, index) => ({ id: `t${index}`, ...access }));
        const waits = waitsOf(plan);
        const order: Access[] = [];
        const left = new Map(plan.map((access) => [access.id, access]));
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
      { numRuns: 500 },
    );
  });
});

/** What everybody saw, and what is left: each write appends its name to what it touches, part by part. */
function world(order: readonly Access[]): { seen: Record<string, string>; left: Record<string, string> } {
  const left: Record<string, string> = {};
  const seen: [string, string][] = [];
  for (const { id, effect, server, resource } of order) {
    const touched = (resource === undefined ? ['a', 'b'] : [resource]).map((part) => `${server}/${part}`);
    seen.push([id, touched.map((part) => left[part] ?? '').join('|')]);
    if (effect !== 'read') for (const part of touched) left[part] = `${left[part] ?? ''} ${id}`;
  }
  return { seen: Object.fromEntries(seen), left };
}
