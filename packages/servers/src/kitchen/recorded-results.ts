import type { DatabaseSync } from 'node:sqlite';

const KEPT_MS = 30 * 86_400_000;

/** Remembers what each idempotency key did, in the same transaction as the change itself. */
export class RecordedResults {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Runs the change at most once per key. A failed change leaves no record, so it can be retried. */
  once<Result>(key: string | undefined, request: unknown, change: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result =
        (key === undefined ? undefined : this.#recall<Result>(key, request)) ??
        this.#perform(key, request, change);
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #perform<Result>(key: string | undefined, request: unknown, change: () => Result): Result {
    const result = change();
    if (key !== undefined) {
      this.#database.prepare('DELETE FROM recorded_results WHERE recorded_at < ?').run(Date.now() - KEPT_MS);
      this.#database
        .prepare(
          'INSERT INTO recorded_results (idempotency_key, request, result, recorded_at) VALUES (?, ?, ?, ?)',
        )
        .run(key, JSON.stringify(request), JSON.stringify(result), Date.now());
    }
    return result;
  }

  #recall<Result>(key: string, request: unknown): Result | undefined {
    const row = this.#database
      .prepare('SELECT request, result FROM recorded_results WHERE idempotency_key = ?')
      .get(key);
    if (!row) return undefined;
    if (row.request !== JSON.stringify(request)) {
      throw new Error('This idempotency key was already used for a different request. Use a new key.');
    }
    return JSON.parse(String(row.result)) as Result;
  }
}
