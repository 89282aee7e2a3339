import type { Simulated } from './simulation.ts';

export type { Violation } from './checks.ts';
export type { FaultKind, Struck } from './faults.ts';
export type { Tampering } from './machine.ts';
export { type Simulated, simulate } from './simulation.ts';
export { addTallies, type Tally, tallyOf } from './tally.ts';

const LAST_EVENTS = 25;
const LONGEST_LINE = 400;

/** A readable report about a failed seed: the violations, the faults before them, and the last events. */
export function accountOf({ seed, violations, faults, lines }: Simulated): string {
  const began = faults[0]?.at ?? 0;
  const last = lines.slice(-LAST_EVENTS).map((line) => `  ${line.slice(0, LONGEST_LINE)}`);
  return [
    `seed ${seed}`,
    ...violations.map((violation) => `  ${violation}`),
    'faults, with milliseconds since the first:',
    ...faults.map(({ kind, at, about }) => `  ${String(at - began).padStart(9)} ${kind} (${about})`),
    `events, the last ${last.length} of ${lines.length}:`,
    ...last,
    `again: npm run simulate -- --seed ${seed}`,
  ].join('\n');
}
