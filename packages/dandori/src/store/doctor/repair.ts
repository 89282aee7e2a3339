import { constants } from 'node:fs';
import { chmod, copyFile, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { assertNever } from '../../model/error.ts';
import type { Finding } from '../../model/finding.ts';
import { syncDirectory } from '../files/blobs.ts';
import { lockHolder, tryLock } from '../files/lock.ts';
import { CONVERSATIONS, RUNS } from '../journal.ts';
import { examineJournal } from './journal-file.ts';

/**
 * Carries one repair out, and says whether it did.
 *
 * N1  A journal is changed only while nobody drives the run and nobody writes to it, and only where it is still as it was
 *     found: what is written meanwhile is not lost.
 * N2  But for a torn tail, which never counted, a copy is kept beside it: `RUN.jsonl.before-repair`.
 */
export async function repairFinding(finding: Finding): Promise<boolean> {
  const { kind, file } = finding;
  switch (kind) {
    case 'torn-tail':
    case 'trailing-garbage':
    case 'lost-newline':
    case 'duplicated-line':
      return alone(file, () => mend(finding));
    case 'stale-lock':
      return unlock(file);
    case 'leftover':
      return done(unlink(file));
    case 'permissions':
      return done(chmod(file, 0o600));
    case 'damaged-line':
    case 'missing-line':
    case 'misplaced-line':
    case 'empty-journal':
    case 'broken-law':
    case 'foreign-lock':
    case 'missing-blob':
    case 'damaged-blob':
    case 'unreadable':
      return false;
    default:
      return assertNever(kind);
  }
}

async function done(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}

/** The claim of a driver and the lock of a writer, both, for as long as the work takes. */
async function alone(file: string, work: () => Promise<boolean>): Promise<boolean> {
  const claim = tryLock(file.replace(/\.jsonl$/, '.driver'));
  if ('heldBy' in claim) return false;
  try {
    const lock = tryLock(`${file}.lock`);
    if ('heldBy' in lock) return false;
    try {
      return await work();
    } finally {
      lock.unlock();
    }
  } finally {
    claim.unlock();
  }
}

async function mend({ kind, file, run = '', conversation, offset = 0 }: Finding): Promise<boolean> {
  const bytes = await readFile(file);
  // Only the lines matter here: no repair is for a broken law.
  const breaches = () => [];
  const { findings } =
    conversation === undefined
      ? examineJournal(bytes, { file, id: run }, { form: RUNS, breaches })
      : examineJournal(bytes, { file, id: conversation }, { form: CONVERSATIONS, breaches });
  if (!findings.some((one) => one.kind === kind && one.offset === offset)) return false;
  if (kind !== 'torn-tail') await keepCopy(file);
  const tail = bytes.indexOf(0x0a, offset);
  if (kind === 'duplicated-line') {
    await replace(file, Buffer.concat([bytes.subarray(0, offset), bytes.subarray(tail + 1)]));
    return true;
  }
  const mended = await open(file, 'r+');
  try {
    // The last byte of a whole line is its bracket; what stands behind it stands where the newline was.
    if (kind === 'lost-newline') await mended.write('\n', bytes.lastIndexOf('}') + 1);
    else await mended.truncate(offset);
    await mended.datasync();
  } finally {
    await mended.close();
  }
  return true;
}

async function keepCopy(file: string): Promise<void> {
  for (let number = 1; ; number++) {
    const copy = `${file}.before-repair${number === 1 ? '' : `-${number}`}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function replace(file: string, bytes: Buffer): Promise<void> {
  const temporary = `${file}.repair.tmp`;
  const written = await open(temporary, 'w', 0o600);
  try {
    await written.writeFile(bytes);
    await written.datasync();
  } finally {
    await written.close();
  }
  await rename(temporary, file);
  await syncDirectory(dirname(file));
}

/** By taking it over, where it is a lock: another may find it dead at the same time. */
async function unlock(file: string): Promise<boolean> {
  if (/\.(driver|lock)$/.test(file)) {
    const lock = tryLock(file);
    if ('heldBy' in lock) return false;
    lock.unlock();
    return true;
  }
  return lockHolder(file)?.isHeld === false && done(unlink(file));
}
