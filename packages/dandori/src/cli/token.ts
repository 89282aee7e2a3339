import { createHash, randomBytes } from 'node:crypto';
import { ROLES, type Role } from '../config/server-shape.ts';
import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { textsFor } from './texts.ts';

export interface TokenOptions {
  readonly user: string;
  readonly role: string;
  readonly json?: boolean;
}

/** 256 bits that nobody can guess, so that a plain hash of them is enough. */
export async function token({ user, role, json }: TokenOptions): Promise<number> {
  if (!ROLES.includes(role as Role))
    throw new DandoriError('usage', `--role is one of ${ROLES.join(', ')}, not "${role}".`);
  const made = `dandori_${randomBytes(32).toString('base64url')}`;
  const sha256 = createHash('sha256').update(made).digest('hex');
  if (json === true) {
    process.stdout.write(`${stringifyJson({ token: made, sha256, user, role })}\n`);
    return 0;
  }
  const { tokenMade, tokenEntry } = textsFor({}).serving;
  process.stderr.write(`${tokenMade}\n`);
  process.stdout.write(`${made}\n`);
  process.stderr.write(`${tokenEntry}\n`);
  process.stdout.write(`- { sha256: ${sha256}, user: ${stringifyJson(user)}, role: ${role} }\n`);
  return 0;
}
