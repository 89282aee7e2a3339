import { existsSync } from 'node:fs';
import { DandoriError } from '../../model/error.ts';

const RIGHTS =
  'Give this user the right to write there, or set planning.history.directory to another folder.';
const FIXES: Record<string, string> = {
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EROFS: 'The file system is read-only: set planning.history.directory to a folder on another one.',
  ENOTDIR: 'A part of the path is a file: set planning.history.directory to a folder.',
  EEXIST: 'A file is in the way: set planning.history.directory to a folder.',
};

/** What helps only for the time being; what to do afterwards depends on whether there is a run to go on with. */
const REMEDIES: Record<string, string> = {
  ENOSPC: 'The disk is full: make space',
  EDQUOT: 'The disk quota is used up: make space',
};

/** Nothing may go on that cannot be written down, so this is thrown to the caller and not made a failure of a task. */
export function unwritable(path: string, error: unknown): never {
  if (error instanceof DandoriError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const afterwards = isRunMissing(path)
    ? 'then start the run again: it was not written down.'
    : 'then `dandori resume` the run.';
  throw new DandoriError('journal-unwritable', `Cannot write ${path}: ${message}`, {
    fix: FIXES[code] ?? `${REMEDIES[code] ?? 'Look at the disk and the folder'}, ${afterwards}`,
    cause: error,
  });
}

/** A run is a file that is made whole or not at all; claims and blobs are made only for one that is there. */
function isRunMissing(path: string): boolean {
  return path.endsWith('.jsonl') && !existsSync(path);
}

export function unreadable(path: string, error: unknown): never {
  if (error instanceof DandoriError) throw error;
  throw new DandoriError('file-unreadable', `Cannot read ${path}: ${(error as Error).message}`, {
    fix: 'Look at the folder, its rights, and how many files are open.',
    cause: error,
  });
}
