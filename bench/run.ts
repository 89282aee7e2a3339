import { compileTime } from './compile.ts';
import { durableStep } from './durable-step.ts';
import { engineOverhead } from './engine.ts';
import { foldSpeed } from './fold.ts';
import { journalThroughput } from './journal-throughput.ts';
import { labels } from './labels.ts';
import { describePackages } from './library.ts';
import { makespan } from './makespan.ts';
import { product } from './product/product.ts';
import { readAhead } from './read-ahead.ts';
import type { Row } from './row.ts';
import { scheduling } from './schedule.ts';
import { start } from './start.ts';
import { stores } from './stores.ts';
import { workflows } from './workflows.ts';

/** `npm run bench`: ratios within one run on this machine. Absolute figures are shown, and mean nothing elsewhere. */
const rows: Row[] = [];
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
/** `npm run bench -- product start` measures only these. */
const wanted = process.argv.slice(2);
const chosen = measures.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
console.log(`Dandori bench, Node ${process.versions.node}`);
console.log(`Package: ${describePackages()}\n`);
for (const measure of chosen) rows.push(...(await measure()));
const width = (textOf: (row: Row) => string) => Math.max(...rows.map((row) => textOf(row).length));
const whats = width(({ what }) => what);
const figures = width(({ figure }) => figure);
const aims = width(({ aim = '' }) => aim);
for (const { what, figure, aim = '', note = '' } of rows) {
  console.log(`${what.padEnd(whats)}  ${figure.padStart(figures)}  ${aim.padEnd(aims)}  ${note}`.trimEnd());
}
