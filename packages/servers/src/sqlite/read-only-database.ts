import { constants, DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { type JsonValue, toJson } from './json-value.ts';

export interface QueryResult {
  columns: string[];
  rows: Record<string, JsonValue>[];
  row_count: number;
  truncated: boolean;
}

const MAX_VALUE_BYTES = 1_000_000;
const MAX_RESULT_BYTES = 2_000_000;
const HARMLESS_PRAGMAS = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'foreign_key_list',
]);
const FORBIDDEN_FUNCTIONS = new Set(['load_extension', 'fts3_tokenizer']);

/** Spaces and comments, as SQLite skips them. */
const BLANK = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/)*`;
/**
 * Statements that start like this can only read a read-only database; ATTACH, VACUUM and PRAGMA start differently. An
 * empty statement passes, because SQLite reports it.
 */
const READING = new RegExp(`^${BLANK}(?:(?:SELECT|WITH|VALUES)\\b|$)`, 'i');
const NAMES = /\bpragma_\w+|\bload_extension\b|\bfts3_tokenizer\b/gi;

/** Node before 24.10 has no authorizer, which asks about each access of a statement. */
const HAS_AUTHORIZER = 'setAuthorizer' in DatabaseSync.prototype;

/**
 * A database in which SQLite itself prevents writing and opening other files. Without an authorizer the database is
 * still read-only, and the start and the names of a statement are checked instead.
 */
export class ReadOnlyDatabase {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, {
      readOnly: true,
      allowExtension: false,
      timeout: 2000,
      limits: { attach: 0, length: MAX_VALUE_BYTES, sqlLength: 100_000, exprDepth: 200, compoundSelect: 50 },
    });
    this.#database.exec('PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA temp_store = 2');
    if (HAS_AUTHORIZER) this.#database.setAuthorizer(authorize);
  }

  tables(): { name: string; type: string; rows: number | string | null }[] {
    const found = this.#all(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    );
    return found.map(({ name, type }) => ({
      name: String(name),
      type: String(type),
      rows: type === 'table' ? this.#rowCount(String(name)) : null,
    }));
  }

  schema(table: string): Record<string, JsonValue | Record<string, JsonValue>[]> {
    const [entry] = this.#all(
      "SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE",
      table,
    );
    if (!entry) {
      const names = this.tables().map(({ name }) => name);
      throw new Error(`There is no table "${table}". Tables: ${names.join(', ') || 'none'}.`);
    }
    const name = String(entry.name);
    const columns = this.#all('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', name);
    const foreignKeys = this.#all('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)', name);
    return {
      table: name,
      columns: columns.map((column) => ({
        name: column.name ?? '',
        type: column.type ?? '',
        nullable: column.notnull === 0 && column.pk === 0,
        primary_key: column.pk !== 0,
        default_value: column.dflt_value ?? null,
      })),
      foreign_keys: foreignKeys.map(({ from, table: target, to }) => ({
        column: from ?? '',
        references_table: target ?? '',
        references_column: to ?? null,
      })),
      sql: entry.sql ?? '',
    };
  }

  query(sql: string, limit: number): QueryResult {
    const statement = this.#prepareOnly(sql);
    const columns = distinct(statement.columns().map(({ name }) => name));
    const rows: Record<string, JsonValue>[] = [];
    let bytes = 0;
    for (const values of iterateArrays(statement)) {
      const row = Object.fromEntries(columns.map((column, index) => [column, toJson(values[index] ?? null)]));
      bytes += JSON.stringify(row).length;
      if (rows.length === limit || bytes > MAX_RESULT_BYTES) {
        return { columns, rows, row_count: rows.length, truncated: true };
      }
      rows.push(row);
    }
    return { columns, rows, row_count: rows.length, truncated: false };
  }

  /** SQLite compiles the first statement and ignores the rest; the rest must not be ignored silently. */
  #prepareOnly(sql: string): StatementSync {
    // Before it is compiled: some pragmas take effect then.
    if (!HAS_AUTHORIZER) refuseByText(sql);
    const statement = this.#database.prepare(sql);
    const rest = sql.slice(statement.sourceSQL.length);
    if (!/^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/.test(rest)) {
      throw new Error('Only one statement is allowed. Send the statements one at a time.');
    }
    return statement;
  }

  #rowCount(table: string): number | string | null {
    const [row] = this.#all(`SELECT count(*) AS rows FROM "${table.replaceAll('"', '""')}"`);
    const count = row?.rows;
    return typeof count === 'number' || typeof count === 'string' ? count : null;
  }

  #all(sql: string, ...parameters: string[]): Record<string, JsonValue>[] {
    const rows = this.#database.prepare(sql).all(...parameters);
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, toJson(value)])),
    );
  }
}

function authorize(action: number, first: string | null, second: string | null): number {
  switch (action) {
    case constants.SQLITE_SELECT:
    case constants.SQLITE_READ:
    case constants.SQLITE_RECURSIVE:
      return constants.SQLITE_OK;
    case constants.SQLITE_FUNCTION:
      return FORBIDDEN_FUNCTIONS.has(String(second).toLowerCase())
        ? constants.SQLITE_DENY
        : constants.SQLITE_OK;
    case constants.SQLITE_PRAGMA:
      return HARMLESS_PRAGMAS.has(String(first).toLowerCase()) ? constants.SQLITE_OK : constants.SQLITE_DENY;
    default:
      return constants.SQLITE_DENY;
  }
}

/** Stricter than the authorizer: it also refuses quoted text that looks like a forbidden name. */
function refuseByText(sql: string): void {
  if (!READING.test(sql)) throw new Error('not authorized: a statement begins with SELECT, WITH or VALUES');
  for (const [name] of sql.matchAll(NAMES)) {
    const pragma = name.toLowerCase().replace(/^pragma_/, '');
    if (!HARMLESS_PRAGMAS.has(pragma)) throw new Error(`not authorized to use ${name}`);
  }
}

function iterateArrays(statement: StatementSync): Iterable<SQLOutputValue[]> {
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows: Iterable<unknown> = statement.iterate();
  return rows as Iterable<SQLOutputValue[]>;
}

/** Rows are objects, and an object cannot hold "id" twice. */
function distinct(names: string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let copy = 2; seen.has(unique); copy += 1) unique = `${name}_${copy}`;
    seen.add(unique);
    return unique;
  });
}
