/**
 * How much more processor time ten times the work takes: 10 where it is linear, 100 where it is quadratic. The time
 * of this process only, and the best of a few rounds, so that a busy machine does not make a test fail.
 */
export async function growth(work: (size: number) => unknown, size = 1_000): Promise<number> {
  await work(size);
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && !(large / small < LINEAR); round++) {
    for (let times = 0; times < 3; times++) small = Math.min(small, await cost(() => work(size)));
    large = Math.min(large, await cost(() => work(10 * size)));
  }
  return large / small;
}

/** Leeway for the collector and for caches that no longer hold everything. */
export const LINEAR = 35;

async function cost(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}
