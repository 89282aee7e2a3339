import type { FaultKind } from './faults.ts';
import type { Simulated } from './simulation.ts';

/** The results of many seeds. */
export interface Tally {
  readonly seeds: number;
  readonly failed: number;
  readonly events: number;
  readonly drives: number;
  /** Killed processes, alone or with the machine. */
  readonly crashes: number;
  readonly effects: number;
  /** Effects that happened twice. */
  readonly duplicates: number;
  /** Lost effects, results or acknowledged events. */
  readonly losses: number;
  /** Seeds whose end was compared with the end without faults. */
  readonly compared: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
}

const CRASHES: readonly FaultKind[] = [
  'crash_before_write',
  'torn_write',
  'crash_before_sync',
  'power_cut',
  'crash_before_acknowledgement',
  'crash_after_event',
  'crash_before_effect',
  'crash_after_effect',
  'crash_in_thought',
  'crash',
  'machine_crash',
];

export function tallyOf({
  violations,
  faults,
  lines,
  drives,
  effects,
  outcome,
  isCompared,
}: Simulated): Tally {
  const broken = (kind: string) => violations.filter((violation) => violation.startsWith(`${kind}:`)).length;
  const kinds = faults.map(({ kind }) => kind);
  return {
    seeds: 1,
    failed: violations.length > 0 ? 1 : 0,
    events: lines.length,
    drives,
    crashes: kinds.filter((kind) => CRASHES.includes(kind)).length,
    effects,
    duplicates: broken('twice'),
    losses: broken('lost'),
    compared: isCompared ? 1 : 0,
    outcomes: { [outcome]: 1 },
    faults: countOf(kinds),
  };
}

export function addTallies(one: Tally, other: Tally): Tally {
  return {
    seeds: one.seeds + other.seeds,
    failed: one.failed + other.failed,
    events: one.events + other.events,
    drives: one.drives + other.drives,
    crashes: one.crashes + other.crashes,
    effects: one.effects + other.effects,
    duplicates: one.duplicates + other.duplicates,
    losses: one.losses + other.losses,
    compared: one.compared + other.compared,
    outcomes: sumOf(one.outcomes, other.outcomes),
    faults: sumOf(one.faults, other.faults),
  };
}

function sumOf(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

function countOf(kinds: readonly FaultKind[]): Tally['faults'] {
  const counts: Partial<Record<FaultKind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

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
