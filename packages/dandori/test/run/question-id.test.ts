import { describe, expect, it } from 'vitest';
import { nextQuestion } from '../../src/run/state/questions.ts';
import { asks, started, stateOf } from './facts.ts';

describe('the id of a question', () => {
  it('is new, also where one before the last was dropped, and for each that is asked at once', () => {
    const state = stateOf(started(), asks('q1'), asks('q3'));
    expect([0, 1, 2].map((skipped) => nextQuestion(state, skipped))).toEqual(['q4', 'q5', 'q6']);
    const odd = stateOf(started(), asks('q1'), asks('q2'), asks('q4'));
    expect([0, 1].map((skipped) => nextQuestion(odd, skipped))).toEqual(['q5', 'q6']);
  });
});
