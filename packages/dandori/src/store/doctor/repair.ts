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
 * Makes one repair and returns whether it did.
 *
 * N1  A journal is changed only if no process drives the run or writes to it, and the doctor's finding still holds.
 *     So no event that is written in the meantime is lost.
 * N2  Before any repair but the cut of a torn tail, a copy is kept beside the file:
 *     `RUN.jsonl.before-repair`. A torn tail never counted, so it needs no copy.
 */
export async function repairFinding(finding: Finding): Promise<boolean> {
  const { kind, file } = finding;
  switch (kind) {
    case 'torn-tail':
    case 'trailing-garbage':
    case 'lost-newline':
    case 'duplicated-line':
      return alone(file, () => repairOne(finding));
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
    case 'wrong-head':
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

/** Holds both the driver's claim and the writer's lock while the work runs. */
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

async function repairOne({ kind, file, run = '', conversation, offset = 0 }: Finding): Promise<boolean> {
  const bytes = await readFile(file);
  // Laws are not checked here: no repair fixes a broken law.
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
  const handle = await open(file, 'r+');
  try {
    // A whole line ends with its bracket. The byte after it stands where the newline was.
    if (kind === 'lost-newline') await handle.write('\n', bytes.lastIndexOf('}') + 1);
    else await handle.truncate(offset);
    await handle.datasync();
  } finally {
    await handle.close();
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

/** A lock is removed by taking it over, because another process may find it dead at the same time. */
async function unlock(file: string): Promise<boolean> {
  if (/\.(driver|lock)$/.test(file)) {
    const lock = tryLock(file);
    if ('heldBy' in lock) return false;
    lock.unlock();
    return true;
  }
  return lockHolder(file)?.isHeld === false && done(unlink(file));
}
