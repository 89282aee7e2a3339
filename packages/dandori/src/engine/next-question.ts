import type { RunState } from '../core/state.ts';

/** The id of the next question of a run. */
export function nextQuestion({ questions }: RunState): string {
  return `q${questions.size + 1}`;
}
