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

/** Fixes that only free space. What to do next depends on whether there is a run to resume. */
const REMEDIES: Record<string, string> = {
  ENOSPC: 'The disk is full: make space',
  EDQUOT: 'The disk quota is used up: make space',
};

/**
 * The engine may not continue with what it cannot write down. So this is thrown to the caller instead of
 * failing a task.
 */
export function unwritable(path: string, error: unknown): never {
  if (error instanceof DandoriError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const afterwards = isRunMissing(path)
    ? 'then start the run again: it was not saved.'
    : 'then `dandori resume` the run.';
  throw new DandoriError('journal-unwritable', `Cannot write ${path}: ${message}`, {
    fix: FIXES[code] ?? `${REMEDIES[code] ?? 'Check the disk and the folder'}, ${afterwards}`,
    cause: error,
  });
}

/** A run's file is created whole or not at all. Claims and blobs are created only for a run that exists. */
function isRunMissing(path: string): boolean {
  return path.endsWith('.jsonl') && !existsSync(path);
}

export function unreadable(path: string, error: unknown): never {
  if (error instanceof DandoriError) throw error;
  throw new DandoriError('file-unreadable', `Cannot read ${path}: ${(error as Error).message}`, {
    fix: 'Check the folder, its permissions and the number of open files.',
    cause: error,
  });
}

export function orUnreadable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return unreadable(path, error);
  }
}
