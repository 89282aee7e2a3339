import type { ListOptions } from 'dandori/client';
import type { Query } from '../shell/route.tsx';

export const STATUSES = [
  'open',
  'waiting',
  'paused',
  'answered',
  'failed',
  'cancelled',
  'exhausted',
  'damaged',
] as const;

/** The filters in the address. Days are in the reader's time zone. */
export function filtersOf({ status, text, since, until }: Query): ListOptions {
  const from = startOfDay(since);
  const to = startOfDay(until, 1);
  const known = STATUSES.find((one) => one === status);
  return {
    ...(known && { status: known }),
    ...(text && { text: text.slice(0, 200) }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to - 1 }),
  };
}

function startOfDay(day: string | undefined, later = 0): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (date === undefined) return undefined;
  const at = new Date(Number(year), Number(month) - 1, Number(date) + later).getTime();
  return Number.isNaN(at) ? undefined : Math.max(at, 0);
}
