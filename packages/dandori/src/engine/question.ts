import type { Driver } from './perform.ts';

/** Questions are counted in a run: q1, q2, … */
export function nextQuestion({ ledger }: Pick<Driver, 'ledger'>): string {
  return `q${ledger.state.questions.size + 1}`;
}
