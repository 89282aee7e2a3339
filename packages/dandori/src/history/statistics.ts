import * as z from 'zod';
import type { Event } from '../model/event.ts';
import { type FactHandlers, handleFact } from '../model/event-kinds.ts';
import { fold } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import { report, runOutcome } from '../views/report.ts';

const count = z.number().int();
const total = z.object({ total: z.number(), perRun: z.number() });
type Total = z.infer<typeof total>;
const tokens = z.object({ input: z.number(), output: z.number(), cachedInput: z.number() });
const outcomes = z.record(runOutcome, count).describe('`waiting`, `paused` and `open` have not ended');

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

type Calls = { -readonly [key in keyof Omit<ToolStatistics, 'errorRate'>]: number };

interface CounterOptions {
  /** Also return a series. */
  readonly every?: Every;
  /** The start of the first period, in milliseconds since 1970. With a midnight, days are calendar days. */
  readonly from?: number;
}

/**
 * Counts one run at a time and keeps only sums: a few numbers per tool and period, and one per ended run for
 * the median.
 */
interface Counter {
  add(events: readonly Event[]): void;
  statistics(): Statistics;
}

export function createCounter({ every, from = 0 }: CounterOptions = {}): Counter {
  const durations: number[] = [];
  const tools = new Map<string, Calls>();
  const periods = new Map<number, Period>();
  let all = emptyPeriod(from);
  let runs = 0;

  return {
    add(events) {
      const state = fold(events);
      if (state === undefined) return;
      runs++;
      if (state.end !== undefined) durations.push(state.activeMs);
      const calls = callsOf(events, (id) => toolOf(state.tasks.get(id)?.task.operation));
      const counted = countRun(state, calls);
      all = addPeriods(all, counted);
      if (every === undefined) return;
      const at = from + Math.floor((state.startedAt - from) / PERIOD_MS[every]) * PERIOD_MS[every];
      periods.set(at, addPeriods(periods.get(at) ?? emptyPeriod(at), counted));
    },
    statistics() {
      const ended = durations.length;
      const { outcomes, revisions, modelCalls, tokens, cost, timeouts, ratings } = all;
      const perRun = (total: number): Total => ({ total, perRun: runs === 0 ? 0 : total / runs });
      return {
        runs,
        outcomes,
        completionRate: ended === 0 ? null : outcomes.answered / ended,
        revisions: perRun(revisions),
        modelCalls: perRun(modelCalls),
        tokens,
        cost,
        timeouts,
        tools: Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(withRate)),
        duration: ended === 0 ? null : { meanMs: mean(durations), medianMs: median(durations) },
        satisfaction:
          ratings.count === 0 ? null : { mean: ratings.sum / ratings.count, count: ratings.count },
        ...(every !== undefined && { series: [...periods.values()].sort((a, b) => a.at - b.at) }),
      };
    },
  };

  function toolOf(operation: string | undefined): Calls | undefined {
    if (operation === undefined) return undefined;
    const known = tools.get(operation);
    if (known !== undefined) return known;
    const counted = { calls: 0, failed: 0, timeouts: 0, inDoubt: 0 };
    tools.set(operation, counted);
    return counted;
  }
}

function countRun(state: RunState, calls: Calls): Period {
  const { outcome, usage, rating } = report(state);
  const nothing = emptyPeriod(state.startedAt);
  return {
    ...nothing,
    ...calls,
    outcomes: { ...nothing.outcomes, [outcome]: 1 },
    ms: state.end === undefined ? 0 : usage.ms,
    revisions: state.revisions.length,
    modelCalls: usage.modelCalls,
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cachedInput: usage.cachedInputTokens ?? 0,
    },
    cost: usage.cost ?? null,
    ratings: rating === undefined ? nothing.ratings : { sum: rating.rating, count: 1 },
  };
}

/** The calls of one run, in total and by tool. */
function callsOf(events: readonly Event[], toolOf: (task: string) => Calls | undefined): Calls {
  const together = { calls: 0, failed: 0, timeouts: 0, inDoubt: 0 };
  for (const event of events) {
    const call = handleFact(event, CALLS);
    if (call === undefined) continue;
    const tool = toolOf(call.task);
    if (tool === undefined) continue;
    for (const counted of [tool, together]) {
      counted[call.what]++;
      if (call.isTimeout) counted.timeouts++;
    }
  }
  return together;
}

interface CallFact {
  readonly task: string;
  readonly what: 'calls' | 'failed' | 'inDoubt';
  readonly isTimeout: boolean;
}

const CALLS: FactHandlers<CallFact> = {
  task_started: ({ data: { task } }) => ({ task, what: 'calls', isTimeout: false }),
  task_failed: ({ data: { task, failure } }) => ({
    task,
    what: 'failed',
    isTimeout: failure.kind === 'timeout',
  }),
  task_in_doubt: ({ data: { task, cause } }) => ({ task, what: 'inDoubt', isTimeout: cause === 'timeout' }),
};

function withRate([operation, counted]: readonly [string, Calls]): [string, ToolStatistics] {
  const { calls, failed, inDoubt } = counted;
  return [operation, { ...counted, errorRate: calls === 0 ? 0 : (failed + inDoubt) / calls }];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The length of a period in milliseconds. */
export const every = z.enum(['hour', 'day']);
export type Every = z.infer<typeof every>;

export const PERIOD_MS: Readonly<Record<Every, number>> = { hour: 3_600_000, day: 86_400_000 };

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

/** The sum of two periods, starting with the first. */
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
