import type { RunState } from './state.ts';

/** Questions are counted in a run: q1, q2, … `skipped`: how many are asked with it and before it. */
export function nextQuestion({ questions }: RunState, skipped = 0): string {
  let number = questions.size + 1 + skipped;
  // One that was asked before the last may have been dropped, where a command came in between.
  while (questions.has(`q${number}`)) number++;
  return `q${number}`;
}
