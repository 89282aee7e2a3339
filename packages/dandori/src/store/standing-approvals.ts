import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, stringifyJson } from '../model/json.ts';
import { type StandingApproval, standingApproval } from '../model/question.ts';
import { unreadable, unwritable } from './files/disk.ts';
import { createWhole } from './files/journal.ts';

/** Standing approvals, per user. */
export interface Approvals {
  /** Oldest first. `undefined` stands for runs without a user. */
  list(user: string | undefined): Promise<StandingApproval[]>;
  /** Durable when it resolves. The same approval again changes nothing. Returns its id. */
  add(approval: Omit<StandingApproval, 'id'>): Promise<string>;
  /** False if there is none. */
  remove(user: string | undefined, id: string): Promise<boolean>;
}

export function createMemoryApprovals(): Approvals {
  const kept = new Map<string, StandingApproval>();
  const nameOf = (user: string | undefined, id: string) => `${ownerName(user)}/${id}`;
  return {
    list: async (user) => [...kept.values()].filter((one) => one.user === user),
    async add(approval) {
      const id = approvalId(approval);
      const name = nameOf(approval.user, id);
      if (!kept.has(name)) kept.set(name, { id, ...approval });
      return id;
    },
    remove: async (user, id) => kept.delete(nameOf(user, id)),
  };
}

/** One file per approval, so that two processes never overwrite each other's. */
export function createFileApprovals(directory: string): Approvals {
  const folder = (user: string | undefined) => join(directory, ownerName(user));
  return {
    async list(user) {
      const names = await readdir(folder(user)).catch((error: NodeJS.ErrnoException) =>
        error.code === 'ENOENT' ? [] : unreadable(folder(user), error),
      );
      const files = names.filter((name) => FILE.test(name)).map((name) => join(folder(user), name));
      const found = await Promise.all(files.map(readApproval));
      return found
        .filter((one) => one !== undefined)
        .filter((one) => one.user === user)
        .sort((a, b) => a.at - b.at);
    },
    async add(approval) {
      const id = approvalId(approval);
      const path = join(folder(approval.user), `${id}.json`);
      try {
        await mkdir(folder(approval.user), { recursive: true });
        await createWhole(folder(approval.user), path, stringifyJson({ id, ...approval }));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritable(path, error);
      }
      return id;
    },
    async remove(user, id) {
      if (!FILE.test(`${id}.json`)) return false;
      const path = join(folder(user), `${id}.json`);
      try {
        await rm(path);
        return true;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ENOENT' ? false : unwritable(path, error);
      }
    },
  };
}

const FILE = /^[0-9a-f]{12}\.json$/;

/** A file that cannot be understood approves nothing. */
export async function readApproval(path: string): Promise<StandingApproval | undefined> {
  try {
    return standingApproval.safeParse(parseJson(await readFile(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The same tool and arguments have the same id. */
export function approvalId({
  operation,
  digest = '',
}: Pick<StandingApproval, 'operation' | 'digest'>): string {
  return hashOf(stringifyJson([operation, digest])).slice(0, 12);
}

/** A hash, because the name of a user may contain any character. */
export function ownerName(user: string | undefined): string {
  return user === undefined ? 'local' : hashOf(user).slice(0, 32);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
