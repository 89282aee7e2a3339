import * as z from 'zod';
import { duration } from './duration.ts';
import { choice, list, section, text, wholeNumber } from './field.ts';

/** `viewer` reads, `operator` also starts and steers; both their own runs only. `admin` may everything. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const HASH = 'must be the SHA-256 of a token in 64 hexadecimal digits; `dandori token` makes both';
const PORT = 'must be a port from 0 (any free one) to 65535, such as 4310';

const token = section({
  sha256: z.string({ error: HASH }).regex(/^[0-9a-f]{64}$/, { error: HASH }),
  user: text('u-42'),
  role: choice(ROLES),
});

export const serverShape = section({
  host: text('127.0.0.1').default('127.0.0.1'),
  port: z
    .number({ error: PORT })
    .int({ error: PORT })
    .min(0, { error: PORT })
    .max(65_535, { error: PORT })
    .default(4310),
  hosts: list(text('dandori.example.com'), '[dandori.example.com]').default([]),
  tokens: list(token, '[{ sha256: …, user: u-42, role: operator }]').default([]),
  max_runs: wholeNumber({ example: 16 }).default(16),
  grace: duration({ example: '10s', zero: true }).prefault('10s'),
  rate_limit: wholeNumber({ example: 100 }).default(100),
  max_streams: wholeNumber({ example: 100 }).default(100),
});

export interface TokenConfig {
  readonly sha256: string;
  readonly user: string;
  readonly role: Role;
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Names under which it is reached besides localhost and plain addresses. */
  readonly hosts: readonly string[];
  /** Empty: whoever is on this machine may everything. */
  readonly tokens: readonly TokenConfig[];
  /** Runs driven at the same time. */
  readonly maxRuns: number;
  /** Milliseconds that running calls have when it is told to stop. */
  readonly grace: number;
  /** Requests a second of one user or address. */
  readonly rateLimit: number;
  /** Streams that one user may have open. */
  readonly maxStreams: number;
}

export function resolveServer({
  max_runs: maxRuns,
  rate_limit: rateLimit,
  max_streams: maxStreams,
  ...rest
}: z.infer<typeof serverShape>): ServerConfig {
  return { ...rest, maxRuns, rateLimit, maxStreams };
}
