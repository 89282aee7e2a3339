import * as z from 'zod';
import { outcome } from '../model/event.ts';

const count = z.number().int();
const tokens = z.object({ input: z.number(), output: z.number(), cachedInput: z.number() });
const outcomes = z
  .record(z.enum([...outcome.options, 'waiting', 'paused', 'open']), count)
  .describe('`waiting`, `paused` and `open` have not ended');

const toolStatistics = z.object({
  calls: count.describe('Attempts'),
  failed: count,
  timeouts: count,
  inDoubt: count.describe('Calls whose effect was unconfirmed'),
  errorRate: z.number().describe('Failed or in doubt, of all calls'),
});
export type ToolStatistics = Readonly<z.infer<typeof toolStatistics>>;

/** Runs that started within an hour or a day. Only sums, so that periods can be added up. */
const period = z.object({
  at: z.number().describe('Its beginning, in milliseconds since 1970'),
  outcomes,
  ms: z.number().describe('How long the runs that have ended were driven'),
  revisions: count,
  modelCalls: count,
  tokens,
  cost: z.number().nullable().describe('US dollars; null if no price is known'),
  ...toolStatistics.omit({ errorRate: true }).shape,
  ratings: z.object({ sum: z.number(), count }),
});
export type Period = Readonly<z.infer<typeof period>>;

const total = z.object({ total: z.number(), perRun: z.number() });
export type Total = z.infer<typeof total>;

/** Statistics of many runs. */
export const statisticsSchema = z.object({
  runs: count,
  outcomes,
  completionRate: z.number().nullable().describe('Answered, of those that have ended; null if none has'),
  revisions: total.describe('Plans that were accepted after the first of their run'),
  modelCalls: total,
  tokens,
  cost: z
    .number()
    .nullable()
    .describe(
      'US dollars of the model calls whose price is known; null if none is, which does not mean free',
    ),
  timeouts: count.describe('Attempts that timed out'),
  tools: z.record(z.string(), toolStatistics),
  duration: z
    .object({ meanMs: z.number(), medianMs: z.number() })
    .nullable()
    .describe('How long the runs that have ended were driven'),
  satisfaction: z.object({ mean: z.number(), count }).nullable().describe('Ratings from 1 to 5'),
  series: z
    .array(period)
    .readonly()
    .optional()
    .describe('If asked for: by start time, oldest first, without periods that have no run'),
});
export type Statistics = Readonly<z.infer<typeof statisticsSchema>>;

/** Calls of one tool, or of all. */
export type Calls = { -readonly [key in keyof Omit<ToolStatistics, 'errorRate'>]: number };

/** What statistics need of one run. A store may keep it, because it changes only with the journal. */
export interface RunCounts {
  readonly startedAt: number;
  readonly outcome: keyof Period['outcomes'];
  readonly isEnded: boolean;
  /** How long it was driven. */
  readonly ms: number;
  readonly revisions: number;
  readonly modelCalls: number;
  readonly tokens: Period['tokens'];
  readonly cost: number | null;
  readonly rating: number | null;
  readonly tools: Readonly<Record<string, Readonly<Calls>>>;
}

/** The sums over many runs. */
export interface Sums {
  readonly runs: number;
  readonly all: Omit<Period, 'at'>;
  /** Of the runs that have ended; null if none has. */
  readonly duration: Statistics['duration'];
  readonly tools: Readonly<Record<string, Readonly<Calls>>>;
  /** Without periods that have no run. */
  readonly periods: readonly Period[];
}

export interface SumOptions {
  /** Also return a series. */
  readonly every?: PeriodLength;
  /** The start of the first period, in milliseconds since 1970. With a midnight, days are calendar days. */
  readonly from?: number;
}

/** The length of a period in milliseconds. */
export const periodLength = z.enum(['hour', 'day']);
export type PeriodLength = z.infer<typeof periodLength>;

export const PERIOD_MS: Readonly<Record<PeriodLength, number>> = { hour: 3_600_000, day: 86_400_000 };
