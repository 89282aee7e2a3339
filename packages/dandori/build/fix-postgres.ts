/**
 * Corrects two faults of postgres.js 3.4 in the code that is bundled (porsager/postgres issues 1066, 1154 and 1208, without
 * a release that has the corrections).
 *
 * - A connection that closes while a write waits for the next turn of the event loop left the write behind. It was then made
 *   without a socket, outside of every promise, and ended the process.
 * - The connection that replaced it was never used: its first message was added to the write that had been cancelled.
 */
export function fixPostgres(source: string): string {
  const cleared = once(source, 'clearImmediate(nextWriteTimer)\n    if (socket) {', (found) =>
    found.replace('\n', '\n    chunk = nextWriteTimer = null\n'),
  );
  const closed = once(cleared, 'clearImmediate(nextWriteTimer)\n    socket.removeListener', (found) =>
    found.replace('\n', '\n    chunk = nextWriteTimer = null\n'),
  );
  return once(
    closed,
    'const x = socket.write(chunk, fn)',
    (found) => `if (socket === null) {
      nextWriteTimer !== null && clearImmediate(nextWriteTimer)
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      return false
    }
    ${found}`,
  );
}

/** Another version of the client may not need the correction, so the build says that it must be looked at. */
function once(source: string, found: string, change: (found: string) => string): string {
  if (source.split(found).length !== 2)
    throw new Error(`postgres/src/connection.js has changed: look at build/fix-postgres.ts (${found}).`);
  return source.replace(found, () => change(found));
}
