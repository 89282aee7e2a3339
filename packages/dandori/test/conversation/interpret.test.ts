import { expect, it } from 'vitest';
import { interpret } from '../../src/conversation/interpret.ts';

const asked = {
  run: 'r1',
  goal: 'a goal',
  question: {
    id: 'q1',
    kind: 'ambiguity' as const,
    text: 'Which milk?',
    options: ['Low-fat milk', 'Whole milk'].map((label, index) => ({ label, value: index })),
    askedAt: 0,
    blocks: [],
  },
};
const meant = (text: string, hasModel: boolean) =>
  interpret(text, { open: [asked], state: undefined, hasModel });

it('an option that only a model can recognize is asked about again without a model', () => {
  expect(meant('the cheaper one', true)).toEqual({ kind: 'goal' });
  expect(meant('the cheaper one', false)).toEqual({ kind: 'unclear', why: 'which', about: [asked] });
  expect(meant('安い方', false)).toMatchObject({ kind: 'unclear', why: 'which' });
  expect(meant('What is the weather in Osaka?', false)).toEqual({ kind: 'goal' });
});
