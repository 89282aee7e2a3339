import { assertNever } from '../model/error.ts';
import type { Report } from '../views/report.ts';

export const EXIT_USAGE = 2;

/** 0 done, 1 failed, 2 usage, 3 waiting for an answer, 4 cancelled, 5 limit reached, 6 paused. */
export function exitCodeOf(outcome: Report['outcome']): number {
  switch (outcome) {
    case 'answered':
      return 0;
    case 'failed':
      return 1;
    case 'waiting':
    case 'open':
      return 3;
    case 'cancelled':
      return 4;
    case 'exhausted':
      return 5;
    case 'paused':
      return 6;
    default:
      return assertNever(outcome);
  }
}
