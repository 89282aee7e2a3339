import type { RunState } from '../core/state.ts';

/** Questions are counted in a run: q1, q2, … */
export function nextQuestion({ questions }: RunState): string {
  let number = questions.size + 1;
  // One that was asked before the last may have been dropped, where a command came in between.
  while (questions.has(`q${number}`)) number++;
  return `q${number}`;
}
