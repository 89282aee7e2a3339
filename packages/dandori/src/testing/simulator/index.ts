export { accountOf } from './account.ts';
export type { Violation } from './checks.ts';
export type { FaultKind, Struck } from './faults.ts';
export type { Tampering } from './machine.ts';
export { type Simulated, simulate } from './simulate.ts';
export { addTallies, type Tally, tallyOf } from './tally.ts';
