import type { RunState } from './state.ts';

/** Questions are counted in a run: q1, q2, … `skipped`: how many are asked together with it and before it. */
export function nextQuestion({ questions }: RunState, skipped = 0): string {
  let left = skipped;
  for (let number = questions.size + 1; ; number++) {
    // One that was asked before the last may have been dropped, where a command came in between.
    if (questions.has(`q${number}`)) continue;
    if (left === 0) return `q${number}`;
    left--;
  }
}
