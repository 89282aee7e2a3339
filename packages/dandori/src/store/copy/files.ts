import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StandingApproval } from '../../model/question.ts';
import { createFileBlobs } from '../files/blobs.ts';
import { unreadable, unwritable } from '../files/disk.ts';
import { createJsonlJournalOf, createWhole } from '../files/journal.ts';
import { joinLines, splitLine } from '../files/line.ts';
import { alreadyExists, CONVERSATIONS, type Entry, type Form, RUNS } from '../journal.ts';
import { createFileApprovals, readApproval } from '../standing-approvals.ts';
import type { CopiedJournal, CopiedStore, StoredKey } from './copy.ts';

const KEY = /^[0-9a-f]{64}$/;

/** The files of a folder. */
export function openFilesForCopy(given: string): CopiedStore {
  const directory = resolve(given);
  const secretsFile = join(directory, 'secrets.key');
  const approvals = createFileApprovals(join(directory, 'approvals'));
  return {
    address: directory,
    runs: copiedJournal(RUNS, directory),
    conversations: copiedJournal(CONVERSATIONS, join(directory, 'conversations')),
    blobs: createFileBlobs(join(directory, 'blobs')),
    keys: copiedKeys(join(directory, 'keys')),
    approvals: { all: () => allApprovals(join(directory, 'approvals')), add: approvals.add },
    secrets: {
      read: async () => (await textOf(secretsFile))?.trim(),
      hold: (key) => holdWhole(directory, secretsFile, key),
    },
    close: async () => {},
  };
}

function copiedJournal<E extends Entry, Summary>(
  form: Form<E, Summary>,
  directory: string,
): CopiedJournal<E, Summary> {
  const pathOf = (run: string) => join(directory, `${run}.jsonl`);
  const journal = createJsonlJournalOf(form, directory);
  return {
    ...journal,
    async lines(run) {
      // Throws if the name is not that of a run, so that it never becomes a path.
      await journal.size(run);
      const text = await readFile(pathOf(run), 'utf8').catch((error) => unreadable(pathOf(run), error));
      return text
        .split('\n')
        .slice(0, -1)
        .flatMap((line) => splitLine(line, run));
    },
    async createFrom(run, lines) {
      const text = joinLines(lines, run);
      await createWhole(directory, pathOf(run), text).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST' && error.syscall === 'link') alreadyExists(form.owner, run);
        return unwritable(pathOf(run), error);
      });
    },
  };
}

function copiedKeys(directory: string): CopiedStore['keys'] {
  return {
    async *all(): AsyncGenerator<StoredKey> {
      for (const hash of await namesIn(directory)) {
        const path = join(directory, hash);
        const value = KEY.test(hash) ? await textOf(path) : undefined;
        if (value !== undefined) yield { hash, value, at: (await stat(path)).mtimeMs };
      }
    },
    async hold({ hash, value, at }) {
      const path = join(directory, hash);
      const held = await holdWhole(directory, path, value);
      if (held === value) await utimes(path, at / 1000, at / 1000).catch((error) => unwritable(path, error));
      return held;
    },
  };
}

/** Writes the file unless it is there, and returns its content. */
async function holdWhole(directory: string, path: string, text: string): Promise<string> {
  try {
    await createWhole(directory, path, text);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritable(path, error);
  }
  return (await textOf(path))?.trim() ?? text;
}

async function allApprovals(directory: string): Promise<StandingApproval[]> {
  const all: StandingApproval[] = [];
  for (const owner of await namesIn(directory))
    for (const name of await namesIn(join(directory, owner))) {
      const approval = await readApproval(join(directory, owner, name));
      if (approval !== undefined) all.push(approval);
    }
  return all;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' || error.code === 'ENOTDIR' ? [] : unreadable(directory, error),
  );
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : unreadable(path, error),
  );
}
