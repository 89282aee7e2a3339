import { expect, it } from 'vitest';
import { shownKind } from '../../src/texts/words.ts';

it('a question is called what the user is asked for', () => {
  const options = [{ label: 'red', value: 'red' }];
  expect(shownKind({ kind: 'missing_input', options })).toBe('ambiguity');
  expect(shownKind({ kind: 'missing_input' })).toBe('missing_input');
  expect(shownKind({ kind: 'approval', context: { step: 's2' } })).toBe('plan_approval');
  expect(shownKind({ kind: 'approval', context: { operation: 'a.b', step: 's2' } })).toBe('approval');
});
