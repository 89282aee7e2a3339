import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DandoriError } from '../../model/error.ts';
import { type ProcessIdentity, tryLock } from './lock.ts';

/**
 * Longer than any write takes. Only a lock from another machine lasts longer, and we cannot check whether
 * that machine is gone.
 */
const LONGEST_LOCK = 30_000;
/** Short, because the holder gives way. With long pauses the two would take turns waiting. */
const LONGEST_PAUSE = 8;

/** Milliseconds in which a process that waits tries again, if it is alive. */
const GIVING_WAY = 2 * LONGEST_PAUSE;

/** Milliseconds for which a driver keeps the lock after a write. */
const KEPT = 10;

export interface WriteLock {
  /** Resolves when this process holds the lock. */
  take(): Promise<void>;
  /** For a driver, the lock is kept for a moment. Every other writer gives it up at once. */
  giveUpSoon(): void;
  giveUp(): void;
  isHeld(): boolean;
}

/**
 * The lock of one run. Creating and removing its file takes as long as the write itself. So a driver keeps it between
 * two appends in quick succession. A process that has to wait creates a request file. The holder gives way to it
 * before its next write. Otherwise a driver that writes without a pause would lock out all others, and never see a
 * cancel request.
 */
export function createWriteLock(path: string, identityFile: string | undefined): WriteLock {
  const request = `${path}.request`;
  let unlock: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let freeSince = performance.now();

  function giveUp(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unlock === undefined) return;
    unlock();
    unlock = undefined;
    freeSince = performance.now();
  }

  /** After a long enough time without our lock, no process waits for us to give it up. */
  function isAsked(): boolean {
    const isLongFree = unlock === undefined && performance.now() - freeSince > GIVING_WAY;
    return !isLongFree && existsSync(request);
  }

  return {
    async take() {
      clearTimeout(timer);
      timer = undefined;
      const mustGiveWay = isAsked();
      if (unlock !== undefined && !mustGiveWay) return;
      giveUp();
      if (mustGiveWay) await giveWay(request);
      ({ unlock } = await waitForLock(path, identityFile));
    },
    giveUpSoon() {
      if (identityFile === undefined) giveUp();
      else timer = setTimeout(giveUp, KEPT).unref();
    },
    giveUp,
    isHeld: () => unlock !== undefined,
  };
}

/** A lock is held for a few milliseconds, so short pauses are enough. */
async function waitForLock(path: string, identityFile: string | undefined): Promise<{ unlock: () => void }> {
  const request = `${path}.request`;
  let waited = 0;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    const attempt = lockOnce(path, identityFile);
    if ('unlock' in attempt) {
      if (waited > 0) rmSync(request, { force: true });
      return attempt;
    }
    if (waited > LONGEST_LOCK) lockedOut(path, attempt.heldBy);
    writeFileSync(request, '', { mode: 0o600 });
    await sleep(pause);
    waited += pause;
  }
}

/**
 * A user who deletes a claim believes that its driver is dead. A living driver takes the claim again, so that
 * what it knows is not lost. If another driver was faster, that driver's events make this one stand down.
 */
function lockOnce(path: string, claim: string | undefined): ReturnType<typeof tryLock> {
  try {
    return tryLock(path, claim);
  } catch (error) {
    if (claim === undefined || existsSync(claim)) throw error;
    tryLock(claim);
    return tryLock(path, claim);
  }
}

/**
 * Waits longer than the other process pauses between two attempts. After that the other process is dead, and
 * its request file is removed.
 */
async function giveWay(request: string): Promise<void> {
  for (let waited = 0; waited <= GIVING_WAY; waited += 2) {
    if (!existsSync(request)) return;
    await sleep(2);
  }
  rmSync(request, { force: true });
}

function lockedOut(path: string, { pid, host }: ProcessIdentity): never {
  throw new DandoriError(
    'journal-unwritable',
    `${path} has been held by process ${pid} on ${host} for ${LONGEST_LOCK / 1000} s.`,
    {
      fix: 'If that process is gone for good, delete the file.',
    },
  );
}
