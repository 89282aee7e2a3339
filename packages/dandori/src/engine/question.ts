import type { RunState } from '../core/state.ts';

/** Questions are counted in a run: q1, q2, … */
export function nextQuestion({ questions }: RunState): string {
  return `q${questions.size + 1}`;
}
