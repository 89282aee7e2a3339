import { compileTime } from './compile.ts';
import { durableStep } from './durable-step.ts';
import { engineOverhead } from './engine.ts';
import { foldSpeed } from './fold.ts';
import { journalThroughput } from './journal-throughput.ts';
import { labels } from './labels.ts';
import { makespan } from './makespan.ts';
import { product } from './product/product.ts';
import { readAhead } from './read-ahead.ts';
import { scheduling } from './schedule.ts';
import { start } from './start.ts';
import { stores } from './stores.ts';
import { workflows } from './workflows.ts';

/** `npm run bench`: ratios within one run on this machine. Absolute figures are shown, and mean nothing elsewhere. */
const rows = [];
const measures = [
  product,
  start,
  durableStep,
  makespan,
  readAhead,
  journalThroughput,
  foldSpeed,
  compileTime,
  scheduling,
  engineOverhead,
  labels,
  workflows,
  stores,
];
/** `npm run bench -- product` measures only that. */
const [wanted] = process.argv.slice(2);
const chosen = measures.filter(({ name }) => wanted === undefined || name === wanted);
for (const measure of chosen) rows.push(...(await measure()));
const width = Math.max(...rows.map(({ what }) => what.length));
console.log(`Dandori bench, Node ${process.versions.node}\n`);
for (const { what, figure, aim, note } of rows) {
  console.log(
    `${what.padEnd(width)}  ${figure.padStart(12)}  ${(aim ?? '').padEnd(14)}  ${note ?? ''}`.trimEnd(),
  );
}
