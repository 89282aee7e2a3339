import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { spoken } from '../said.ts';
import { ReaderProcess } from './reader-process.ts';

const DEFAULT_ROWS = 100;
const MAX_ROWS = 1000;
const DEFAULT_TIME_LIMIT_MS = 5000;

const { values: options } = parseArgs({ options: { database: { type: 'string' } } });
const configured = options.database ?? process.env.DANDORI_SQLITE_PATH;
const timeLimitMs = Number(process.env.DANDORI_SQLITE_TIMEOUT_MS) || DEFAULT_TIME_LIMIT_MS;
const reader = new ReaderProcess(configured ? resolve(configured) : '', timeLimitMs);

const cell = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.object({ base64: z.string(), bytes: z.number() }).describe('A blob'),
]);

export function registerTools(server: McpServer): void {
  server.registerTool(
    'list_tables',
    {
      title: 'List tables (テーブル一覧)',
      description:
        'List the tables of the SQLite database with their number of rows. ' +
        'テーブル一覧 (list tables): データベース・DBにどんな表があるか調べる. Without other settings it is a sample shop ' +
        '(商品・顧客・注文: products, customers, orders, order_items).',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({
        tables: z
          .array(
            z.object({
              name: z.string().describe('Table name (テーブル名)'),
              type: z.string().describe('table or view'),
              rows: z
                .union([z.number(), z.string(), z.null()])
                .describe('Number of rows (行数); null for a view'),
            }),
          )
          .describe('Tables and views (テーブル一覧)'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async (_input, context) => {
      const result = await reader.ask({ kind: 'tables' }, context.mcpReq.signal);
      return answer(result, JSON.stringify(result.tables));
    }),
  );

  server.registerTool(
    'get_table_schema',
    {
      title: 'Table schema (テーブル定義)',
      description:
        'Get the columns, types and keys of one table of the SQLite database. ' +
        'テーブル定義・スキーマ (table schema): 表の列・カラム・型・主キーを調べる.',
      inputSchema: z.strictObject({
        table: z.string().min(1).max(200).describe('Table name (テーブル名), e.g. products'),
      }),
      outputSchema: z.object({
        table: z.string().describe('Table name (テーブル名)'),
        columns: z
          .array(
            z.object({
              name: z.string().describe('Column name (列名)'),
              type: z.string().describe('Declared type (型)'),
              nullable: z.boolean().describe('Whether NULL is allowed'),
              primary_key: z.boolean().describe('Whether it is part of the primary key (主キー)'),
              default_value: z.union([z.string(), z.null()]).describe('Default as SQL, or null'),
            }),
          )
          .describe('Columns (列)'),
        foreign_keys: z
          .array(
            z.object({
              column: z.string(),
              references_table: z.string(),
              references_column: z.union([z.string(), z.null()]),
            }),
          )
          .describe('Foreign keys (外部キー)'),
        sql: z.string().describe('The CREATE statement'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async ({ table }, context) => {
      const result = await reader.ask({ kind: 'schema', table }, context.mcpReq.signal);
      return answer(result, String(result.sql));
    }),
  );

  server.registerTool(
    'execute_safe_query',
    {
      title: 'Query the database (データベース検索)',
      description:
        'Run one read-only SQL SELECT query on the SQLite database and return the rows. ' +
        'データベース検索・SQL問い合わせ (query): 商品・在庫・価格・注文・売上・顧客を検索・集計する. Writing is impossible.',
      inputSchema: z.strictObject({
        query: z
          .string()
          .min(1)
          .max(20_000)
          .describe('One SELECT statement (SQL文), e.g. SELECT name, price FROM products'),
        limit: z
          .number()
          .int()
          .min(1)
          .max(MAX_ROWS)
          .default(DEFAULT_ROWS)
          .describe(`Most rows to return (最大行数), default ${DEFAULT_ROWS}`),
      }),
      outputSchema: z.object({
        columns: z.array(z.string()).describe('Column names (列名)'),
        rows: z
          .array(z.record(z.string(), cell))
          .describe('Rows (行). Integers beyond 2^53 are strings; blobs are {base64, bytes}'),
        row_count: z.number().int().describe('Number of rows returned (件数)'),
        truncated: z.boolean().describe('Whether there are more rows than returned'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async ({ query, limit }, context) => {
      const result = await reader.ask({ kind: 'query', query, limit }, context.mcpReq.signal);
      const more = result.truncated ? '\nThere are more rows: raise limit, or narrow the query.' : '';
      return answer(result, `${JSON.stringify(result.rows)}${more}`);
    }),
  );
}
