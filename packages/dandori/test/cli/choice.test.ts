import { describe, expect, it } from 'vitest';
import { choiceLines, optionTyped } from '../../src/cli/questions/ask.ts';

const APPROVAL = [
  { label: 'Yes, call it', value: 'approve' },
  { label: 'No, do not', value: 'reject' },
];
const NUMBERS = [
  { label: 'two', value: 2 },
  { label: 'one', value: 1 },
];

describe('the answers to choose from', () => {
  it('have a number and their label, without the value that a program reads', () => {
    expect(choiceLines(APPROVAL)).toEqual(['1  Yes, call it', '2  No, do not']);
    expect(choiceLines([{ label: 'Osaka', value: { city: 'Osaka' } }])).toEqual(['1  Osaka']);
  });

  it('have their value if only that tells them apart', () => {
    const twins = [10, 11].map((value) => ({ label: 'Hanako', value }));
    expect(choiceLines(twins)).toEqual(['10  Hanako', '11  Hanako']);
  });

  it.each([
    ['2', APPROVAL, 'reject'],
    ['reject', APPROVAL, 'reject'],
    ['3', APPROVAL, 3],
    ['{"city": "Osaka"}', [{ label: 'Osaka', value: { city: 'Osaka' } }], { city: 'Osaka' }],
    ['null', [{ label: 'none', value: null }], null],
    ['2', [], '2'],
  ])('%s of %j is %j', (text, options, answer) => {
    expect(optionTyped(text, options)).toEqual(answer);
  });

  it('show their values where these are numbers, so that a number never means another one', () => {
    expect(choiceLines(NUMBERS)).toEqual(['2  two', '1  one']);
    expect(optionTyped('2', NUMBERS)).toBe(2);
  });
});
