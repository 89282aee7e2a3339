import { describe, expect, it } from 'vitest';
import { NativeNames } from '../../../../src/mind/language/dialects/native-names.ts';

describe('names that providers allow', () => {
  const operations = [
    'answer',
    'plan.revise',
    'places.find',
    'a.b_c',
    'a_b.c',
    `x.${'y'.repeat(80)}`,
    '市.探す',
  ];

  it('lead back to the operation, each to its own', () => {
    const names = new NativeNames(operations);
    const natives = operations.map((operation) => names.toNative(operation));
    expect(new Set(natives).size).toBe(operations.length);
    for (const native of natives) expect(native).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(natives.map((native) => names.toOperation(native))).toEqual(operations);
    expect(names.toNative('places.find')).toBe('places_find');
  });

  it('do not depend on the order in which servers came up', () => {
    const names = new NativeNames(operations);
    const reversed = new NativeNames(operations.toReversed());
    for (const operation of operations) expect(reversed.toNative(operation)).toBe(names.toNative(operation));
  });

  it.each([
    ['places.find', 'places.find'],
    ['functions.places_find', 'places.find'],
    ['places_fnd', 'places.fnd'],
    ['nobody_knows', 'nobody_knows'],
  ])('%s, as a model may write it, means %s', (name, operation) => {
    expect(new NativeNames(operations).toOperation(name)).toBe(operation);
  });
});
