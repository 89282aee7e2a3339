import * as z from 'zod';
import type { Report } from './report.ts';

/** How long a period is. */
export const every = z.enum(['hour', 'day']);
export type Every = z.infer<typeof every>;

export const PERIOD_MS: Readonly<Record<Every, number>> = { hour: 3_600_000, day: 86_400_000 };

/** What became of the runs that started within an hour or a day. Sums only, so that periods can be added up. */
export interface Period {
  /** Its beginning, in milliseconds since 1970. */
  readonly at: number;
  readonly outcomes: { readonly [outcome in Report['outcome']]: number };
  /** In which the runs that have ended were driven. */
  readonly ms: number;
  readonly revisions: number;
  readonly modelCalls: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly cachedInput: number };
  /** US dollars; null where no price is known. */
  readonly cost: number | null;
  /** Attempts of tasks, and how many of them failed, are in doubt, or took longer than they may. */
  readonly calls: number;
  readonly failed: number;
  readonly inDoubt: number;
  readonly timeouts: number;
  readonly ratings: { readonly sum: number; readonly count: number };
}

export function emptyPeriod(at: number): Period {
  return {
    at,
    outcomes: { answered: 0, failed: 0, cancelled: 0, exhausted: 0, waiting: 0, paused: 0, open: 0 },
    ms: 0,
    revisions: 0,
    modelCalls: 0,
    tokens: { input: 0, output: 0, cachedInput: 0 },
    cost: null,
    calls: 0,
    failed: 0,
    inDoubt: 0,
    timeouts: 0,
    ratings: { sum: 0, count: 0 },
  };
}

/** Both together, as one that begins with the first. */
export function addPeriods(one: Period, other: Period): Period {
  const { at, outcomes, tokens, ratings, cost, ...counts } = one;
  return {
    at,
    ...sums(counts, other),
    outcomes: sums(outcomes, other.outcomes),
    tokens: sums(tokens, other.tokens),
    ratings: sums(ratings, other.ratings),
    cost: cost === null ? other.cost : cost + (other.cost ?? 0),
  };
}

type Counts<Name extends string> = Readonly<Record<Name, number>>;

function sums<Name extends string>(one: Counts<Name>, other: NoInfer<Counts<Name>>): Counts<Name> {
  const names = Object.keys(one) as Name[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Counts<Name>;
}
