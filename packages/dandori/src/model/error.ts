import { stringifyJson } from './json.ts';
import type { Diagnostic } from './plan.ts';

/**
 * Thrown to the caller, who asked for something that cannot work. Each code has a page in `docs/errors/`. A
 * problem inside a run is a `Failure` instead, and is journaled.
 */
export type ErrorCode =
  | 'config-invalid'
  | 'config-not-found'
  | 'environment-variable-missing'
  | 'plan-invalid'
  | 'goal-invalid'
  | 'run-not-found'
  | 'run-exists'
  | 'run-ended'
  | 'run-not-ended'
  | 'run-waiting'
  | 'run-failed'
  | 'run-driven-elsewhere'
  | 'tools-missing'
  | 'conversation-not-found'
  | 'journal-conflict'
  | 'journal-damaged'
  | 'journal-unwritable'
  | 'blob-damaged'
  | 'question-not-found'
  | 'question-answered'
  | 'question-expired'
  | 'answer-invalid'
  | 'answer-not-allowed'
  | 'approval-not-found'
  | 'service-invalid'
  | 'store-incomplete'
  | 'store-outdated'
  | 'store-unreachable'
  | 'file-unreadable'
  | 'key-reused'
  | 'unauthorized'
  | 'forbidden'
  | 'request-invalid'
  | 'request-too-large'
  | 'route-not-found'
  | 'too-many-requests'
  | 'server-stopping'
  | 'server-failed'
  | 'server-unreachable'
  | 'worker-failed'
  | 'login-failed'
  | 'usage';

export class DandoriError extends Error {
  override readonly name = 'DandoriError';
  readonly code: ErrorCode;
  /** What to do about it, in one sentence. */
  readonly fix: string | undefined;
  /** What the compiler found, if the caller passed an invalid plan. */
  readonly diagnostics: readonly Diagnostic[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: { fix?: string; cause?: unknown; diagnostics?: readonly Diagnostic[] } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.fix = details.fix;
    this.diagnostics = details.diagnostics;
  }
}

export function runNotFound(run: string): DandoriError {
  return new DandoriError('run-not-found', `There is no run "${run}".`, {
    fix: '`dandori runs` lists the runs.',
  });
}

/** Reaching this is a bug of ours, never bad input. The run stops and the journal stays intact. */
export function assertNever(value: never): never {
  throw new Error(`This case was forgotten: ${stringifyJson(value)}`);
}

/** The message of anything that was thrown. Never throws: a thrown value may be an object without a text. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'unknown error';
  }
}
