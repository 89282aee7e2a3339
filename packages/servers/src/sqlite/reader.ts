import { createOnce, dataFile } from '../data-file.ts';
import { ReadOnlyDatabase } from './read-only-database.ts';
import { buildShop } from './shop.ts';
import { startWatchdog } from './watchdog.ts';

export type Request =
  | { kind: 'tables' }
  | { kind: 'schema'; table: string }
  | { kind: 'query'; query: string; limit: number };
export type Reply = { value: Record<string, unknown> } | { error: string };

const [, , configuredPath, timeLimit] = process.argv;
const watchdog = startWatchdog(Number(timeLimit));
const database = open();

process.on('message', (request: Request) => {
  watchdog.begin();
  const reply = run(request);
  watchdog.end();
  process.send?.(reply);
});
process.on('disconnect', () => process.exit(0));

function run(request: Request): Reply {
  try {
    if (database instanceof Error) throw database;
    if (request.kind === 'tables') return { value: { tables: database.tables() } };
    if (request.kind === 'schema') return { value: database.schema(request.table) };
    return { value: { ...database.query(request.query, request.limit) } };
  } catch (error) {
    return { error: explain(error) };
  }
}

function open(): ReadOnlyDatabase | Error {
  const path = configuredPath || dataFile('sample-shop.db');
  try {
    if (!configuredPath) createOnce(path, buildShop);
    return new ReadOnlyDatabase(path);
  } catch (error) {
    return new Error(`The database ${path} cannot be opened: ${explain(error)}`);
  }
}

function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (/not authorized|authorization denied|prohibited|readonly|query_only|too many attached/i.test(reason)) {
    return `Refused: ${reason}. Only reading (SELECT) is allowed; this database cannot be changed from here.`;
  }
  if (/no such (table|column)/i.test(reason))
    return `${reason}. Use list_tables and get_table_schema for the names.`;
  if (/no statements/i.test(reason)) return 'The query is empty. Send one SELECT statement.';
  return reason;
}
