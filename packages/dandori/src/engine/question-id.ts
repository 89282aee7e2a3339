import type { RunState } from '../core/state.ts';

/** One that was asked before it may have been dropped, where a command came in between. */
export function nextQuestion({ questions }: RunState): string {
  let number = questions.size + 1;
  while (questions.has(`q${number}`)) number++;
  return `q${number}`;
}
