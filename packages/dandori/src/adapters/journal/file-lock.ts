import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

/**
 * A lock among processes: a file that can be linked into place only once and says who holds it. The name of a dead
 * holder is taken away by the next who wants it.
 *
 * F1  `link` is atomic and the content is there from the first moment, so no half-written lock is ever seen. An empty
 *     one is what a crash of the machine left, and nobody's.
 * F2  Only the holder of `PATH.steal` takes a dead holder's lock away, after looking again, so that two who find the
 *     same dead lock do not remove each other's new one.
 */
export function tryLock(
  path: string,
  identityFile?: string,
): { unlock: () => void } | { heldBy: ProcessIdentity } {
  for (let round = 0; round < 100; round++) {
    if (linkInto(path, identityFile)) return { unlock: () => removeQuietly(path) };
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (isHeld(holder)) return { heldBy: holder };
    steal(path);
  }
  return { heldBy: holderOf(path) ?? { pid: 0, startedAt: '', host: 'unknown' } };
}

/** Who holds a lock, and whether they may still be there; undefined where it has gone. */
export function lockHolder(
  path: string,
): { readonly by: ProcessIdentity; readonly isHeld: boolean; readonly isHere: boolean } | undefined {
  const by = holderOf(path);
  return by && { by, isHeld: isHeld(by), isHere: by === NOBODY || by.host === thisProcess().host };
}

function steal(path: string): void {
  const guard = `${path}.steal`;
  if (!linkInto(guard)) {
    const thief = holderOf(guard);
    if (thief !== undefined && !isHeld(thief)) removeQuietly(guard);
    return;
  }
  try {
    const holder = holderOf(path);
    if (holder !== undefined && !isHeld(holder)) removeQuietly(path);
  } finally {
    removeQuietly(guard);
  }
}

/** A file that already names this process (the claim of a driver) spares writing one for every lock. */
function linkInto(path: string, identityFile?: string): boolean {
  const own = identityFile ?? `${path}.${process.pid}.${randomUUID().slice(0, 8)}`;
  if (identityFile === undefined)
    writeFileSync(own, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    if (identityFile === undefined) removeQuietly(own);
  }
}

const NOBODY: ProcessIdentity = { pid: 0, startedAt: '', host: '' };

function isHeld(by: ProcessIdentity): boolean {
  return by !== NOBODY && isAlive(by);
}

/** Undefined where the lock has gone in the meantime. */
function holderOf(path: string): ProcessIdentity | undefined {
  try {
    const text = readFileSync(path, 'utf8').replaceAll('\0', '');
    return text === '' ? NOBODY : (JSON.parse(text) as ProcessIdentity);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // A lock of another form was not made by us or by a version that we know: leave it to the person.
    if (error instanceof SyntaxError) return { pid: 0, startedAt: '', host: `unknown (see ${path})` };
    throw error;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
