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
  return add(one, other) as unknown as Tally;
}

type Counts = { readonly [name: string]: number | Counts };

function add(one: object, other: object): Counts {
  const sum: Record<string, number | Counts> = { ...(one as Counts) };
  for (const [name, value] of Object.entries(other as Counts)) {
    const before = sum[name];
    if (typeof value === 'number') sum[name] = (typeof before === 'number' ? before : 0) + value;
    else sum[name] = add(typeof before === 'object' ? before : {}, value);
  }
  return sum;
}

function countOf(kinds: readonly FaultKind[]): Tally['faults'] {
  const counts: Partial<Record<FaultKind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
