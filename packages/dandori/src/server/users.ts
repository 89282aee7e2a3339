import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role, TokenConfig } from '../config/server-shape.ts';

export interface User {
  /** Undefined where there are no tokens: whoever is on this machine. */
  readonly id: string | undefined;
  readonly role: Role;
}

export interface Users {
  /** The user of an `Authorization` header; undefined where it is nobody's. */
  of(authorization: string | undefined): User | undefined;
}

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/** All hashes are compared, each in the same time, so that nobody learns from the time how near they were. */
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
