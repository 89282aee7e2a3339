import { createHash, timingSafeEqual } from 'node:crypto';
import type { Runtime } from '../app/index.ts';
import type { TokenConfig } from '../config/index.ts';
import { DandoriError } from '../model/error.ts';
import type { Role } from '../model/settings.ts';
import { clip } from '../model/text.ts';

export interface User {
  /** Undefined if the server has no tokens. Then every local caller is the same unnamed user. */
  readonly id: string | undefined;
  readonly role: Role;
}

export interface Users {
  /** The user of an `Authorization` header, or undefined if the token is missing or unknown. */
  of(authorization: string | undefined): User | undefined;
}

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/** Compares every hash in constant time, so that response times reveal nothing about the tokens. */
export function createUsers(tokens: readonly TokenConfig[]): Users {
  if (tokens.length === 0) return { of: () => ({ id: undefined, role: 'admin' }) };
  const known = tokens.map(({ sha256, user, role }) => ({
    hash: Buffer.from(sha256, 'hex'),
    user: { id: user, role },
  }));
  return {
    of(authorization) {
      const token = BEARER.exec(authorization ?? '')?.[1];
      if (token === undefined) return undefined;
      const hash = tokenHash(token);
      return known.filter((one) => timingSafeEqual(one.hash, hash))[0]?.user;
    },
  };
}

function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export function mayAct({ role }: User, as: Role): boolean {
  return RANK[role] >= RANK[as];
}

/** The owners of the runs, or of the conversations. An owner never changes, so lookups are cached. */
export interface Owners {
  /** Throws "not found" for another user's item, so that callers cannot tell whether it exists. */
  check(id: string, user: User): Promise<void>;
}

const REMEMBERED = 10_000;
/** The ids that the journal accepts. Other ids are refused before a lookup. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export function createOwners(dandori: Pick<Runtime, 'ownerOf'>, kind: 'run' | 'conversation'): Owners {
  const owners = new Map<string, string | undefined>();

  async function ownerOf(id: string): Promise<string | undefined> {
    if (owners.has(id)) return owners.get(id);
    const owner = await dandori.ownerOf(kind, id);
    owners.set(id, owner);
    const [oldest] = owners.keys();
    if (owners.size > REMEMBERED && oldest !== undefined) owners.delete(oldest);
    return owner;
  }

  async function isOwn(id: string, user: User): Promise<boolean> {
    if (!ID.test(id)) return false;
    if (user.role === 'admin') return true;
    try {
      return user.id !== undefined && (await ownerOf(id)) === user.id;
    } catch (error) {
      // The owner of a damaged journal is unknown.
      if (error instanceof DandoriError) return false;
      throw error;
    }
  }

  return {
    async check(id, user) {
      if (await isOwn(id, user)) return;
      throw new DandoriError(`${kind}-not-found`, `There is no ${kind} "${clip(id, 128)}".`, {
        fix: `GET /api/${kind}s lists your ${kind}s.`,
      });
    },
  };
}

/** How many seconds of quota an idle caller may use at once. */
const BURST = 10;
const MOST_KEPT = 10_000;

export interface RateLimit {
  /** False if the caller has exceeded the limit. */
  take(who: string): boolean;
}

/** A token bucket for each caller. */
export function createRateLimit(perSecond: number, now: () => number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const most = perSecond * BURST;
  return {
    take(who) {
      const at = now();
      const bucket = buckets.get(who) ?? { left: most, at };
      const left = Math.min(most, bucket.left + ((at - bucket.at) / 1000) * perSecond);
      // Move this caller to the end. The first caller in the map has been idle longest, and its bucket is
      // full.
      buckets.delete(who);
      buckets.set(who, { left: Math.max(0, left - 1), at });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_KEPT && oldest !== undefined) buckets.delete(oldest);
      return left >= 1;
    },
  };
}
