import { describe, expect, it } from 'vitest';
import { choiceLines, chosen } from '../../src/cli/questions/ask.ts';

const APPROVAL = [
  { label: 'Yes, call it', value: 'approve' },
  { label: 'No, do not', value: 'reject' },
];
const NUMBERS = [
  { label: 'two', value: 2 },
  { label: 'one', value: 1 },
];

describe('the answers to choose from', () => {
  it('have a number, and a label only where it says more than the value', () => {
    expect(choiceLines(APPROVAL)).toEqual(['1  approve  Yes, call it', '2  reject  No, do not']);
    expect(choiceLines([{ label: 'blue', value: 'blue' }])).toEqual(['1  blue']);
    expect(choiceLines([{ label: 'Osaka', value: { city: 'Osaka' } }])).toEqual([
      '1  {"city":"Osaka"}  Osaka',
    ]);
  });

  it.each([
    ['2', APPROVAL, 'reject'],
    ['reject', APPROVAL, 'reject'],
    ['3', APPROVAL, 3],
    ['{"city": "Osaka"}', [{ label: 'Osaka', value: { city: 'Osaka' } }], { city: 'Osaka' }],
    ['null', [{ label: 'none', value: null }], null],
    ['2', [], '2'],
  ])('%s of %j is %j', (text, options, answer) => {
    expect(chosen(text, options)).toEqual(answer);
  });

  it('have no numbers where they are numbers, so that a number never means another one', () => {
    expect(choiceLines(NUMBERS)).toEqual(['2  two', '1  one']);
    expect(chosen('2', NUMBERS)).toBe(2);
  });
});
