import { describe, expect, it } from 'vitest';
import { plainAnswer, takesWords } from '../../src/commands/answer-words.ts';
import type { Question } from '../../src/model/question.ts';

const YES_OR_NO = [
  { label: 'Yes, call it', value: 'approve' },
  { label: 'No, do not', value: 'reject' },
];
const approval: Question = { id: 'q1', kind: 'approval', text: 'May it?', options: YES_OR_NO };
const plan: Question = { ...approval, kind: 'plan_approval' };
const milk: Question = {
  id: 'q2',
  kind: 'ambiguity',
  text: 'Which milk?',
  options: [
    { label: 'Low-fat milk', value: 'low' },
    { label: '牛乳', value: 'whole' },
  ],
};

describe('a plain answer', () => {
  it.each([
    ['yes', approval, 'approve'],
    ['  Okay. ', plan, 'approve'],
    ['ＯＫ', plan, 'approve'],
    ['はい、お願いします', plan, 'approve'],
    ['いいえ', approval, 'reject'],
    ['2', approval, 'reject'],
    ['no, do not', approval, 'reject'],
    ['low-fat MILK', milk, 'low'],
    ['牛乳。', milk, 'whole'],
    ['1', milk, 'low'],
  ])('%s', (text, question, value) => {
    expect(plainAnswer(text, question)).toEqual({ value });
  });

  it.each([
    ['yes, but skip step 2', plan],
    ['yes and no', approval],
    ['no problem, what is the weather?', approval],
    ['はいという字を書いて', plan],
    ['3', milk],
    ['0', milk],
    ['yes', milk],
    ['', approval],
    ['approve everything from now on', approval],
  ])('is not "%s", which somebody has to understand first', (text, question) => {
    expect(plainAnswer(text, question)).toBeUndefined();
  });

  it('by number is none where the values are numbers themselves', () => {
    const count: Question = {
      ...milk,
      options: [
        { label: 'a pair', value: 2 },
        { label: 'one', value: 1 },
      ],
    };
    expect(plainAnswer('1', count)).toEqual({ value: 1 });
    expect(plainAnswer('3', count)).toBeUndefined();
  });

  it('in any words is taken only by a question of the mind without options', () => {
    expect(takesWords({ id: 'q', kind: 'missing_input', text: '' })).toBe(true);
    expect(takesWords({ ...milk, kind: 'missing_input' })).toBe(false);
    expect(takesWords({ id: 'q', kind: 'missing_input', text: '', form: {} })).toBe(false);
    expect(takesWords(approval)).toBe(false);
  });
});
