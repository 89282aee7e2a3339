import { describe, expect, it } from 'vitest';
import { indentAt, indented, offsetOf } from '../../src/run/plan/source-lines.ts';

const TEXT = 'goal: x\ntasks:\n  - id: a\n';

describe('a place in a text', () => {
  it('is found by line and column, and stays within its line', () => {
    expect(TEXT.slice(offsetOf(TEXT, 3, 5))).toBe('id: a\n');
    expect(offsetOf(TEXT, 1, 99)).toBe(7);
    expect(offsetOf(TEXT, 99, 1)).toBe(TEXT.length);
  });
});

describe('lines', () => {
  it('are indented and outdented together', () => {
    const at = { start: 2, end: 12 };
    expect(indented(TEXT, { ...at, isOut: false })).toEqual({ from: 0, to: 14, text: '  goal: x\n  tasks:' });
    expect(indented(TEXT, { start: 17, end: 17, isOut: true })).toEqual({
      from: 15,
      to: 24,
      text: '- id: a',
    });
  });

  it('keep the indentation of the line before', () => {
    expect(indentAt(TEXT, 24)).toBe('  ');
    expect(indentAt(TEXT, 7)).toBe('');
    expect(indentAt(TEXT, 16)).toBe(' ');
  });
});
