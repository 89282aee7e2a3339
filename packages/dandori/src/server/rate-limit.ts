/** So many seconds' worth may be sent at once by who has been quiet. */
const BURST = 10;
const MOST_KEPT = 10_000;

export interface RateLimit {
  /** False where it is too much. */
  take(who: string): boolean;
}

/** A bucket for each, which fills up with time. */
export function createRateLimit(perSecond: number, now: () => number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const most = perSecond * BURST;
  return {
    take(who) {
      const at = now();
      const bucket = buckets.get(who) ?? { left: most, at };
      const left = Math.min(most, bucket.left + ((at - bucket.at) / 1000) * perSecond);
      // Those that have not come for longest have a full bucket anyway.
      buckets.delete(who);
      buckets.set(who, { left: Math.max(0, left - 1), at });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_KEPT && oldest !== undefined) buckets.delete(oldest);
      return left >= 1;
    },
  };
}
