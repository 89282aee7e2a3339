import { createHash, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

/**
 * A lock between processes: a file that names its holder and can be linked into place only once. If the
 * holder is dead, the next process that wants the lock removes it.
 *
 * F1  `link` is atomic and the file has its content from the start, so no process ever sees a half-written
 *     lock. An empty lock is left by a crash of the machine and belongs to no process.
 * F2  To remove the lock of a dead process, a process must hold the guard named after that dead process, and
 *     then check the lock again. A process dies once, so the guard cannot be meant for any other lock. A
 *     process that gets the guard late finds nothing left to do.
 * F3  A guard left by a dead process is never reused. A process that holds the guard named after that dead
 *     process acts for it. So no living process ever loses a guard.
 * F4  A lock that its holder gave up while the disk had failed or the folder was gone may come back later. Its
 *     holder removes it when it wants the lock again: no other process may, because the holder lives.
 */
export function tryLock(
  path: string,
  identityFile?: string,
): { unlock: () => void } | { heldBy: ProcessIdentity } {
  for (let round = 0; round < 100; round++) {
    if (linkInto(path, identityFile)) {
      givenUp.delete(path);
      if (identityFile !== undefined) return { unlock: () => giveUp(path, false) };
      const ours = heldIn(dirname(path));
      ours.add(path);
      return {
        unlock() {
          ours.delete(path);
          giveUp(path, true);
        },
      };
    }
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (givenUp.delete(path)) {
      removeOwn(path);
      continue;
    }
    if (isHeld(holder)) return { heldBy: holder };
    takeAway(path, holder);
  }
  return { heldBy: holderOf(path) ?? { pid: 0, startedAt: '', host: 'unknown' } };
}

/** The locks that this process gave up and could not remove. */
const givenUp = new Set<string>();

/** Never throws: that would hide why the lock is given up. */
function giveUp(path: string, mayBeOthers: boolean): void {
  try {
    if (mayBeOthers ? removeOwn(path) : removeQuietly(path)) return;
  } catch {
    // It is still there, or cannot be seen.
  }
  givenUp.add(path);
}

/** The holder of a lock, and whether it may still be alive; undefined if the lock is gone. */
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
    // That process is removing the lock now, or has just removed it.
    if (thief === undefined || isHeld(thief)) return;
    guard = guardOf(guard, thief);
  }
  const own = guards.pop() ?? '';
  try {
    const holder = holderOf(path);
    if (holder !== undefined && nameOf(holder) === nameOf(dead)) removeQuietly(path);
    for (const guard of guards) removeQuietly(guard);
  } finally {
    // Our own guard goes last: while it exists, no other process touches the guards before it.
    removeQuietly(own);
  }
}

function guardOf(path: string, dead: ProcessIdentity): string {
  return `${path}.${nameOf(dead)}`;
}

function nameOf(identity: ProcessIdentity): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12);
}

/** The locks that this process holds in each folder. */
const held = new Map<string, Set<string>>();

function heldIn(folder: string): Set<string> {
  const known = held.get(folder) ?? new Set();
  held.set(folder, known);
  return known;
}

/**
 * `identityFile` already names this process (a driver's claim), which saves writing a file for every lock. So does any
 * other lock that this process holds.
 */
function linkInto(path: string, identityFile?: string): boolean {
  if (identityFile !== undefined) return tryLink(identityFile, path);
  const ours = heldIn(dirname(path));
  const [other] = ours;
  if (other !== undefined) {
    if (linkLike(other, path)) return true;
    if (!existsSync(other)) ours.delete(other);
  }
  const own = `${path}.${process.pid}.${randomUUID().slice(0, 8)}`;
  writeFileSync(own, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
  try {
    return tryLink(own, path);
  } finally {
    removeQuietly(own);
  }
}

/**
 * Links the lock to another one of this process. Creating and deleting a file for each of a thousand claims would
 * take ten times as long, because a file system does not reuse a file that was just deleted. False if that is not
 * possible: the other lock was deleted by hand, and may even belong to another process by now.
 */
function linkLike(other: string, path: string): boolean {
  try {
    if (!tryLink(other, path)) return false;
  } catch {
    return false;
  }
  let isOurs = false;
  try {
    const holder = holderOf(path);
    isOurs = holder !== undefined && isThisProcess(holder);
  } finally {
    // Also if it cannot be read, because no more files can be opened. A lock that stays here is held for ever.
    if (!isOurs) removeQuietly(path);
  }
  return isOurs;
}

/** False if there is a file of that name. */
function tryLink(from: string, path: string): boolean {
  try {
    linkSync(from, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const NOBODY: ProcessIdentity = { pid: 0, startedAt: '', host: '' };

function isHeld(by: ProcessIdentity): boolean {
  return by !== NOBODY && isAlive(by);
}

/** Undefined if the lock is gone by now. */
function holderOf(path: string): ProcessIdentity | undefined {
  // A lock in another format was not written by a version that we know. It is left for the user to remove.
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

/** The user may have deleted the lock by hand, and another process may hold it by now. False if it is gone. */
function removeOwn(path: string): boolean {
  const holder = holderOf(path);
  if (holder === undefined) return false;
  return !isThisProcess(holder) || removeQuietly(path);
}

/** False if it is gone. */
function removeQuietly(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

/** The holder of a lock. The start time tells a process from a later one with the same process id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

/** When this process started. Read once, because it does not change and every claim needs it. */
let started: string | undefined;

function thisProcess(): ProcessIdentity {
  started ??= startOf(process.pid) ?? '';
  return { pid: process.pid, startedAt: started, host: hostname() };
}

function isThisProcess({ pid, startedAt, host }: ProcessIdentity): boolean {
  const own = thisProcess();
  return pid === own.pid && startedAt === own.startedAt && host === own.host;
}

/** A process on another machine cannot be checked, so it counts as alive. */
function isAlive({ pid, startedAt, host }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startedAt === '' || startOf(pid) === startedAt;
}

/** Identifies the boot of the machine: after a reboot, process ids and start times begin again. */
let boot: string | undefined;

/** Field 22 of /proc/PID/stat. Undefined on other systems, where only the process id is compared. */
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
