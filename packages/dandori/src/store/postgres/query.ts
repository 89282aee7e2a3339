import type { Sql } from 'postgres';
import { DandoriError, messageOf } from '../../model/error.ts';

/** Errors of the connection, and of a server that starts or stops. */
const CONNECTION =
  /^(CONNECT|ECONN|EPIPE|EHOST|ENETUNREACH|ENOTFOUND|ETIMEDOUT|CONNECTION_|57P0[1-3]|08...|53300)/;

/** Whether the database could not be reached, so that it is unknown what it did. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DandoriError) return error.code === 'store-unreachable';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && CONNECTION.test(code);
}

export type Args = (string | number | null)[];

/** Runs one statement. Its errors name the fix. */
export type Query = <Row extends object>(text: string, args?: Args) => Promise<Row[]>;

export function queryOf(sql: Sql): Query {
  return async <Row extends object>(text: string, args: Args = []) =>
    sql.unsafe<Row[]>(text, args, { prepare: true }).catch(asUnreachable);
}

/** Rethrows an error of the connection as one that names the fix. */
export function asUnreachable(error: unknown): never {
  if (error instanceof DandoriError || !isUnreachable(error)) throw error;
  throw new DandoriError('store-unreachable', `The database cannot be reached: ${messageOf(error)}.`, {
    fix: 'Check that PostgreSQL runs and that `store.url` is right. Runs continue when it is back.',
    cause: error,
  });
}
