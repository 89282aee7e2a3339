/**
 * Corrects two faults of postgres.js 3.4 (porsager/postgres issues 1066, 1154 and 1208, without a release that has the
 * corrections).
 *
 * - A connection that closes while a write waits for the next turn of the event loop left the write behind. It was then made
 *   without a socket, outside of every promise, and ended the process.
 * - The connection that replaced it was never used: its first message was added to the write that had been cancelled.
 *
 * The build corrects what it bundles. Run as a program, this file corrects the installed copy, which `npm ci` does in a
 * clone, so that Dandori run from its source has the same client.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

interface Correction {
  wrong: string;
  right: string;
}

const CORRECTIONS: readonly Correction[] = [
  {
    wrong: 'clearImmediate(nextWriteTimer)\n    if (socket) {',
    right: 'clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    if (socket) {',
  },
  {
    wrong: 'clearImmediate(nextWriteTimer)\n    socket.removeListener',
    right: 'clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener',
  },
  {
    wrong: 'function nextWrite(fn) {\n    const x = socket.write(chunk, fn)',
    right: `function nextWrite(fn) {
    if (socket === null) {
      nextWriteTimer !== null && clearImmediate(nextWriteTimer)
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      return false
    }
    const x = socket.write(chunk, fn)`,
  },
];

export function fixPostgres(source: string): string {
  return CORRECTIONS.reduce((text, { wrong, right }) => replaceOnce(text, wrong, right), source);
}

/** The client as it is published, for the test that shows what the corrections are for. */
export function unfixPostgres(source: string): string {
  return CORRECTIONS.reduce((text, { wrong, right }) => replaceOnce(text, right, wrong), source);
}

/** Another version of the client may not need the correction, so an unknown text is refused. */
function replaceOnce(source: string, from: string, to: string): string {
  if (source.includes(to)) return source;
  if (source.split(from).length !== 2)
    throw new Error(`postgres/src/connection.js has changed: look at build/fix-postgres.ts (${from}).`);
  return source.replace(from, () => to);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('connection.js', import.meta.resolve('postgres')));
  await writeFile(file, fixPostgres(await readFile(file, 'utf8')));
}
