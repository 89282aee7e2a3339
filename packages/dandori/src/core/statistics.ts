import type { Event } from '../domain/event.ts';
import { fold } from './apply.ts';
import { type Report, report } from './report.ts';

/** What became of many runs. */
export interface Statistics {
  readonly runs: number;
  /** `waiting`, `paused` and `open` have not ended. */
  readonly outcomes: { readonly [outcome in Report['outcome']]: number };
  /** Answered, of those that have ended; null where none has. */
  readonly completionRate: number | null;
  /** Plans that were accepted after the first of their run. */
  readonly revisions: Total;
  readonly modelCalls: Total;
  readonly tokens: { readonly input: number; readonly output: number; readonly cachedInput: number };
  /** US dollars of the model calls whose price is known; null where none is, which is not the same as free. */
  readonly cost: number | null;
  /** Attempts that took longer than they may. */
  readonly timeouts: number;
  /** By name. */
  readonly tools: { readonly [operation: string]: ToolStatistics };
  /** Of the runs that have ended: the time in which somebody drove them. */
  readonly duration: { readonly meanMs: number; readonly medianMs: number } | null;
  /** Of the runs that somebody has rated, from 1 to 5. */
  readonly satisfaction: { readonly mean: number; readonly count: number } | null;
}

export interface Total {
  readonly total: number;
  readonly perRun: number;
}

export interface ToolStatistics {
  /** Attempts that were made. */
  readonly calls: number;
  readonly failed: number;
  readonly timeouts: number;
  /** Called, and nobody knew whether it took effect. */
  readonly inDoubt: number;
  /** Failed or in doubt, of all calls. */
  readonly errorRate: number;
}

type Counted = { -readonly [key in keyof Omit<ToolStatistics, 'errorRate'>]: number };

/**
 * Counts one run after the other, so that only what is counted is kept: a few numbers a tool, and one a run that has
 * ended, for the median.
 */
export interface Counter {
  add(events: readonly Event[]): void;
  statistics(): Statistics;
}

export function createCounter(): Counter {
  const outcomes = { answered: 0, failed: 0, cancelled: 0, exhausted: 0, waiting: 0, paused: 0, open: 0 };
  const sums = { revisions: 0, modelCalls: 0, input: 0, output: 0, cachedInput: 0 };
  const ratings = { sum: 0, count: 0 };
  const durations: number[] = [];
  const tools = new Map<string, Counted>();
  let runs = 0;
  let cost: number | null = null;

  return {
    add(events) {
      const state = fold(events);
      if (state === undefined) return;
      const { outcome, usage, rating } = report(state);
      runs++;
      outcomes[outcome]++;
      if (state.end !== undefined) durations.push(usage.ms);
      if (rating !== undefined) {
        ratings.sum += rating.rating;
        ratings.count++;
      }
      sums.modelCalls += usage.modelCalls;
      sums.input += usage.inputTokens;
      sums.output += usage.outputTokens;
      sums.cachedInput += usage.cachedInputTokens ?? 0;
      if (usage.cost !== undefined) cost = (cost ?? 0) + usage.cost;
      sums.revisions += state.revisions.length;
      for (const event of events) countCall(event, (id) => toolOf(state.tasks.get(id)?.task.operation));
    },
    statistics() {
      const ended = durations.length;
      const { input, output, cachedInput } = sums;
      const perRun = (total: number): Total => ({ total, perRun: runs === 0 ? 0 : total / runs });
      return {
        runs,
        outcomes: { ...outcomes },
        completionRate: ended === 0 ? null : outcomes.answered / ended,
        revisions: perRun(sums.revisions),
        modelCalls: perRun(sums.modelCalls),
        tokens: { input, output, cachedInput },
        cost,
        timeouts: [...tools.values()].reduce((sum, { timeouts }) => sum + timeouts, 0),
        tools: Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(withRate)),
        duration: ended === 0 ? null : { meanMs: mean(durations), medianMs: median(durations) },
        satisfaction:
          ratings.count === 0 ? null : { mean: ratings.sum / ratings.count, count: ratings.count },
      };
    },
  };

  function toolOf(operation: string | undefined): Counted | undefined {
    if (operation === undefined) return undefined;
    const known = tools.get(operation);
    if (known !== undefined) return known;
    const counted = { calls: 0, failed: 0, timeouts: 0, inDoubt: 0 };
    tools.set(operation, counted);
    return counted;
  }
}

function countCall(event: Event, toolOf: (task: string) => Counted | undefined): void {
  switch (event.type) {
    case 'task_started': {
      const tool = toolOf(event.data.task);
      if (tool !== undefined) tool.calls++;
      return;
    }
    case 'task_failed': {
      const tool = toolOf(event.data.task);
      if (tool === undefined) return;
      tool.failed++;
      if (event.data.failure.kind === 'timeout') tool.timeouts++;
      return;
    }
    case 'task_in_doubt': {
      const tool = toolOf(event.data.task);
      if (tool === undefined) return;
      tool.inDoubt++;
      if (event.data.cause === 'timeout') tool.timeouts++;
      return;
    }
    default:
      return;
  }
}

function withRate([operation, counted]: readonly [string, Counted]): [string, ToolStatistics] {
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
