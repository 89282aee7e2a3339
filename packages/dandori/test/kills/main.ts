import { DISPATCHERS } from '../cluster/dispatcher.ts';
import { numbersAsked } from '../numbers-asked.ts';
import { type Trouble, undergo } from './trial.ts';

/** Real processes on a real PostgreSQL, killed for real. */
const KINDS = ['kill', 'stop', 'restart', 'cut', 'command'] as const satisfies readonly Trouble[];
const argv = process.argv.slice(2);
const dispatcher = DISPATCHERS.find((name) => argv[argv.indexOf('--dispatcher') + 1] === name);
const { json, servers, workers, lease, ...asked } = numbersAsked(
  'npm run kills -- [--kill 500] [--stop 20] [--restart 20] [--cut 50] [--command 200] [--servers 2] [--workers 2] [--lease 2000] [--dispatcher built-in|pg-boss|restate] [--json]',
  [...KINDS, 'servers', 'workers', 'lease'],
  dispatcher === undefined ? argv : argv.toSpliced(argv.indexOf('--dispatcher'), 2),
);
const none = KINDS.every((kind) => asked[kind] === undefined);
const usual = { kill: 500, stop: 20, restart: 20, cut: 50, command: 200 };
const troubles = KINDS.map((kind) => ({ kind, count: asked[kind] ?? (none ? usual[kind] : 0) }));
let printed = '';
const began = Date.now();
const outcome = await undergo({
  troubles,
  ...(servers !== undefined && { servers }),
  // Servers alone drive runs, too.
  ...((workers ?? servers) !== undefined && { workers: workers ?? 0 }),
  ...(lease !== undefined && { lease }),
  ...(dispatcher !== undefined && { dispatcher }),
  onProgress: process.stderr.isTTY ? (text) => process.stderr.write(`\r\u001b[K${text}`) : printOnce,
});
const seconds = Math.round((Date.now() - began) / 1000);
if (json) console.log(JSON.stringify({ ...outcome, seconds }));
else
  for (const [name, value] of Object.entries({ ...outcome, seconds }))
    console.log(`${name.padEnd(14)}${typeof value === 'object' ? JSON.stringify(value) : value}`);
const { duplicates, losses, problems } = outcome;
process.exit(duplicates.length + losses.length + problems.length > 0 ? 1 : 0);

/** A file gets a line for each change. */
function printOnce(text: string): void {
  if (text !== printed) console.error(text);
  printed = text;
}
