import { DandoriError } from '../../domain/error.ts';

const FIXES: Record<string, string> = {
  EACCES: 'Give this user the right to write there, or set planning.history.directory to another folder.',
  EPERM: 'Give this user the right to write there, or set planning.history.directory to another folder.',
  EROFS: 'The file system is read-only: set planning.history.directory to a folder on another one.',
  ENOSPC: 'The disk is full: make space, then `dandori resume` the run.',
  EDQUOT: 'The disk quota is used up: make space, then `dandori resume` the run.',
  ENOTDIR: 'A part of the path is a file: set planning.history.directory to a folder.',
  EEXIST: 'A file is in the way: set planning.history.directory to a folder.',
};

/** Nothing may go on that cannot be written down, so this is thrown to the caller and not made a failure of a task. */
export function unwritable(path: string, error: unknown): never {
  if (error instanceof DandoriError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  throw new DandoriError('journal-unwritable', `Cannot write ${path}: ${message}`, {
    fix: FIXES[code] ?? 'Look at the disk and the folder, then `dandori resume` the run.',
    cause: error,
  });
}

export function unreadable(path: string, error: unknown): never {
  if (error instanceof DandoriError) throw error;
  throw new DandoriError('file-unreadable', `Cannot read ${path}: ${(error as Error).message}`, {
    fix: 'Look at the folder, its rights, and how many files are open.',
    cause: error,
  });
}
