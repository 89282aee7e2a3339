import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * A lock among processes: a file that can be linked into place only once and says who holds it. The name of a dead
 * holder is taken away by the next who wants it.
 *
 * F1  `link` is atomic and the content is there from the first moment, so no half-written lock is ever seen. An empty
 *     one is what a crash of the machine left, and nobody's.
 * F2  What a dead process left is taken away only by who holds the guard that is named after that process, after looking
 *     again. A process dies once, so the guard cannot be meant for any other lock, and one who comes late with it finds
 *     that there is nothing left to do.
 * F3  A guard whose holder died is never taken away to be taken anew: who holds the guard named after that one acts in
 *     its place. So no living process ever loses a guard.
 */
export function tryLock(
  path: string,
  identityFile?: string,
): { unlock: () => void } | { heldBy: ProcessIdentity } {
  for (let round = 0; round < 100; round++) {
    if (linkInto(path, identityFile))
      return { unlock: () => (identityFile === undefined ? removeOwn(path) : removeQuietly(path)) };
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (isHeld(holder)) return { heldBy: holder };
    takeAway(path, holder);
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

function takeAway(path: string, dead: ProcessIdentity): void {
  const guards = [guardOf(path, dead)];
  for (let guard = guards[0] ?? ''; !linkInto(guard); guards.push(guard)) {
    const thief = holderOf(guard);
    // It is at work, or has just done it.
    if (thief === undefined || isHeld(thief)) return;
    guard = guardOf(guard, thief);
  }
  const holder = holderOf(path);
  if (holder !== undefined && nameOf(holder) === nameOf(dead)) removeQuietly(path);
  // The own one last: while it is there, nobody else lays hands on those before it.
  for (const guard of guards) removeQuietly(guard);
}

function guardOf(path: string, dead: ProcessIdentity): string {
  return `${path}.${nameOf(dead)}`;
}

function nameOf(identity: ProcessIdentity): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12);
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
  // A lock of another form was not made by us or by a version that we know: leave it to the person.
  const unknown = { pid: 0, startedAt: '', host: `unknown (see ${path})` };
  try {
    const text = readFileSync(path, 'utf8').replaceAll('\0', '');
    if (text === '') return NOBODY;
    const holder = JSON.parse(text) as Partial<ProcessIdentity> | null;
    return typeof holder?.pid === 'number' && typeof holder.host === 'string'
      ? (holder as ProcessIdentity)
      : unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return unknown;
    throw error;
  }
}

/** Somebody may have deleted it by hand, and then it is another's by now. */
function removeOwn(path: string): void {
  const holder = holderOf(path);
  if (holder !== undefined && nameOf(holder) === nameOf(thisProcess())) removeQuietly(path);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Who holds a lock. The start time tells a living process from another one that got the same number later. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? '', host: hostname() };
}

/** A process on another machine cannot be looked at, so it counts as alive. */
function isAlive({ pid, startedAt, host }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startedAt === '' || startOf(pid) === startedAt;
}

/** Which start of the machine this is: after a restart numbers and times begin again. */
let boot: string | undefined;

/** Field 22 of /proc/PID/stat; elsewhere unknown, and the number alone must do. */
function startOf(pid: number): string | undefined {
  try {
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state[0] === 'Z' ? undefined : `${boot}/${state[19]}`;
  } catch {
    return undefined;
  }
}
