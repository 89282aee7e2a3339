import type { Client } from '../../../dandori/src/client/client.ts';
import { moveClock } from './clock.ts';

const GOALS = ['Calculate 100 + 200', 'The weather in Kyoto', 'What can I cook tonight?'];
const FAILING = 'Is the night market closed?';
const HOUR = 3_600_000;

/** Runs on several days, for the dashboard. */
export async function liveDays(client: Client, { days, until }: { days: number; until: number }) {
  for (let day = days; day > 0; day--) {
    moveClock(until - day * 24 * HOUR - 2 * HOUR);
    const count = 3 + ((day * 5) % 4) + (day % 3);
    const goalOf = (index: number) =>
      index === 0 && day % 4 === 1 ? FAILING : (GOALS[(day + index) % GOALS.length] ?? FAILING);
    const runs = await Promise.all(
      Array.from({ length: count }, (_, index) => client.start(goalOf(index), { mode: 'planned' })),
    );
    await Promise.all(runs.map((run) => client.settled(run)));
    for (const [index, run] of runs.entries())
      if ((index + day) % 2 === 0) await client.rate(run, { rating: 3 + ((day + index) % 3) });
  }
  moveClock(until);
}
