import type { Event } from '../model/event.ts';
import { type FactHandlers, handleFact } from '../model/event-kinds.ts';
import { fold } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import {
  type Calls,
  PERIOD_MS,
  type Period,
  type PeriodLength,
  type RunCounts,
  type Statistics,
  type SumOptions,
  type Sums,
  type ToolStatistics,
  type Total,
} from '../store/statistics.ts';
import { report } from '../views/report.ts';

/** Undefined if there is no run. */
export function countsOf(events: readonly Event[]): RunCounts | undefined {
  const state = fold(events);
  if (state === undefined) return undefined;
  const { outcome, usage, rating } = report(state);
  return {
    startedAt: state.startedAt,
    outcome,
    isEnded: state.end !== undefined,
    ms: state.end === undefined ? 0 : usage.ms,
    revisions: state.revisions.length,
    modelCalls: usage.modelCalls,
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cachedInput: usage.cachedInputTokens ?? 0,
    },
    cost: usage.cost ?? null,
    rating: rating?.rating ?? null,
    tools: callsOf(events, state),
  };
}

/**
 * Adds one run at a time and keeps only sums: a few numbers per tool and period, and one per ended run for
 * the median.
 */
interface Counter {
  add(counts: RunCounts): void;
  sums(): Sums;
}

export function createCounter({ every, from = 0 }: SumOptions = {}): Counter {
  const durations: number[] = [];
  const tools = new Map<string, Calls>();
  const periods = new Map<number, Period>();
  let all = emptyPeriod(from);
  let runs = 0;

  return {
    add(counts) {
      runs++;
      if (counts.isEnded) durations.push(counts.ms);
      for (const [operation, calls] of Object.entries(counts.tools))
        tools.set(operation, sums(tools.get(operation) ?? NO_CALLS, calls));
      const counted = asPeriod(counts);
      all = addPeriods(all, counted);
      if (every === undefined) return;
      const at = from + Math.floor((counts.startedAt - from) / PERIOD_MS[every]) * PERIOD_MS[every];
      periods.set(at, addPeriods(periods.get(at) ?? emptyPeriod(at), counted));
    },
    sums: () => ({
      runs,
      all,
      duration: durations.length === 0 ? null : { meanMs: mean(durations), medianMs: median(durations) },
      tools: Object.fromEntries(tools),
      periods: [...periods.values()].sort((a, b) => a.at - b.at),
    }),
  };
}

/** The series is included if it was asked for. */
export function statisticsOf(
  { runs, all, duration, tools, periods }: Sums,
  every?: PeriodLength,
): Statistics {
  const { outcomes, revisions, modelCalls, tokens, cost, timeouts, ratings } = all;
  const ended = outcomes.answered + outcomes.failed + outcomes.cancelled + outcomes.exhausted;
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
    tools: Object.fromEntries(
      Object.entries(tools)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(withRate),
    ),
    duration,
    satisfaction: ratings.count === 0 ? null : { mean: ratings.sum / ratings.count, count: ratings.count },
    ...(every !== undefined && { series: periods }),
  };
}

const NO_CALLS: Readonly<Calls> = { calls: 0, failed: 0, timeouts: 0, inDoubt: 0 };

function asPeriod({ outcome, rating, tools, ...counts }: RunCounts): Period {
  const { startedAt, ms, revisions, modelCalls, tokens, cost } = counts;
  const nothing = emptyPeriod(startedAt);
  const calls = Object.values(tools).reduce<Readonly<Calls>>((one, other) => sums(one, other), NO_CALLS);
  return {
    ...nothing,
    ...calls,
    outcomes: { ...nothing.outcomes, [outcome]: 1 },
    ms,
    revisions,
    modelCalls,
    tokens,
    cost,
    ratings: rating === null ? nothing.ratings : { sum: rating, count: 1 },
  };
}

function callsOf(events: readonly Event[], { tasks }: RunState): Record<string, Calls> {
  const tools = new Map<string, Calls>();
  for (const event of events) {
    const call = handleFact(event, CALLS);
    if (call === undefined) continue;
    const operation = tasks.get(call.task)?.task.operation;
    if (operation === undefined) continue;
    const counted = tools.get(operation) ?? { ...NO_CALLS };
    tools.set(operation, counted);
    counted[call.what]++;
    if (call.isTimeout) counted.timeouts++;
  }
  return Object.fromEntries(tools);
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
