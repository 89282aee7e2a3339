import { numbersAsked } from '../numbers-asked.ts';
import { type Ordeal, undergo } from './ordeal.ts';
import type { Deciding, Kill } from './victim.ts';

/** Kills that one run goes through before it is left alone. */
const KILLS_EACH = 4;
/** More events than a run has, so that the first kill of some run falls on each of them. */
const MOST_EVENTS = 24;

const BY: readonly Deciding[] = ['plan', 'service', 'model', 'service'];

/** Real processes, killed for real. */
const {
  kills: wanted = 300,
  parallel = 2,
  json,
} = numbersAsked('npm run crash -- --kills 300 [--parallel 2] [--json]', ['kills', 'parallel']);
const began = performance.now();
const ordeals: Ordeal[] = [await undergo('plan', [])];
/** How long a process lives on this machine if it is not killed. */
const wholeLife = performance.now() - began;
let begun = 0;
const killed = () => ordeals.reduce((sum, { kills }) => sum + kills, 0);

await Promise.all(
  Array.from({ length: parallel }, async () => {
    while (killed() < wanted) {
      const number = begun++;
      ordeals.push(await undergo(BY[number % BY.length] ?? 'plan', killsOf(number)));
      if (process.stderr.isTTY) process.stderr.write(`\r${killed()} of ${wanted} kills`);
    }
  }),
);
if (process.stderr.isTTY) process.stderr.write('\n');

/** The first at each event in turn; of the others half right behind a write and half at any moment. */
function killsOf(number: number): Kill[] {
  return Array.from({ length: KILLS_EACH }, (_, index) => {
    if (index === 0) return { afterEvents: 1 + (number % MOST_EVENTS) };
    if (Math.random() < 0.5) return { afterEvents: 1 + Math.floor(Math.random() * 6) };
    return { afterMs: Math.random() * wholeLife };
  });
}

const points = new Set(ordeals.flatMap((ordeal) => ordeal.points));
const summary = {
  kills: killed(),
  runs: ordeals.length,
  points: points.size,
  effects: ordeals.reduce((sum, { effects }) => sum + effects, 0),
  questions: ordeals.reduce((sum, { questions }) => sum + questions, 0),
  duplicates: ordeals.flatMap(({ duplicates }) => duplicates).length,
  losses: ordeals.flatMap(({ losses }) => losses).length,
  problems: ordeals.flatMap(({ problems }) => problems),
};
if (json) console.log(JSON.stringify(summary));
else {
  for (const [name, value] of Object.entries(summary))
    console.log(`${name.padEnd(12)}${Array.isArray(value) ? value.length : value}`);
  for (const problem of summary.problems) console.log(problem);
  console.log(`lengths of the journal at a kill: ${[...points].sort((a, b) => a - b).join(' ')}`);
}
process.exitCode = summary.duplicates + summary.losses + summary.problems.length > 0 ? 1 : 0;
