import { duration } from '../core/duration.ts';
import type { Estimate } from '../domain/estimate.ts';
import type { Style } from './style.ts';
import type { Texts } from './texts.ts';

/** Of a list of tasks; the first ones and the last tell enough. */
const MAX_SHOWN = 12;

/** What a plan will take, so that a person can say yes or no before the first call. */
export function estimateLines(estimate: Estimate, texts: Texts, style?: Style): string[] {
  const {
    calls,
    reads,
    writes,
    open = [],
    irreversible,
    criticalPath,
    expectedMs,
    worstMs,
    cost,
    worstCost,
  } = estimate;
  const red = style?.red ?? ((text: string) => text);
  const times = [
    ...(expectedMs === undefined ? [] : [texts.expected(duration(expectedMs))]),
    ...(worstMs === undefined ? [] : [texts.atWorst(duration(worstMs))]),
  ];
  return [
    ...(calls > 0 || open.length === 0 ? [texts.calls(calls, reads, writes)] : []),
    ...(open.length > 0 ? [texts.leftOpen(shortened(open, ', '))] : []),
    ...(irreversible.length > 0 ? [red(texts.irreversible(shortened(irreversible, ', ')))] : []),
    ...(criticalPath.length > 1 ? [texts.longestPath(shortened(criticalPath, ' → '))] : []),
    ...(times.length > 0 ? [texts.time(times.join(texts.comma))] : []),
    ...(worstCost > 0 ? [texts.cost(`$${cost}`, `$${worstCost}`)] : []),
  ];
}

function shortened(ids: readonly string[], between: string): string {
  if (ids.length <= MAX_SHOWN) return ids.join(between);
  const left = ids.length - MAX_SHOWN;
  return [...ids.slice(0, MAX_SHOWN - 1), `… (${left})`, ...ids.slice(-1)].join(between);
}
