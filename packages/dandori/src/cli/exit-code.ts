import type { Report } from '../views/report.ts';

const EXIT_CODES = {
  answered: [0, 'done'],
  failed: [1, 'failed'],
  usage: [2, 'usage'],
  waiting: [3, 'waiting for an answer'],
  cancelled: [4, 'cancelled'],
  exhausted: [5, 'limit reached'],
  paused: [6, 'paused'],
} as const;

export const EXIT_USAGE = EXIT_CODES.usage[0];

/** A run that is still open is driven by another process, so this command reports it as waiting. */
export function exitCodeOf(outcome: Report['outcome']): number {
  return EXIT_CODES[outcome === 'open' ? 'waiting' : outcome][0];
}

/** The list for `--help`. */
export function exitCodes(): string {
  return Object.values(EXIT_CODES)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(', ');
}
