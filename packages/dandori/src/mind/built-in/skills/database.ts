import { aboutRows, isRowQuestion } from './rows.ts';
import { asRows, type Call, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';

const TABLES = 'sqlite.list_tables';
const SCHEMA = 'sqlite.get_table_schema';
const QUERY = 'sqlite.execute_safe_query';

/** Recognizes the table that a goal means, by a word for its content or for a column. */
const SUBJECTS: readonly (readonly [RegExp, RegExp])[] = [
  [/^order_items$/, /注文明細|明細|order items/],
  [/order/, /注文|受注|\borders?\b/],
  [/customer|client|user/, /顧客|お客|客|customers?|clients?|メールアドレス|email/],
  [
    /product|item|goods/,
    /商品|製品|品物|products?|goods|値段|価格|在庫切れ|price|in stock|out of stock|sold out|stationery|文房具|文具/,
  ],
];

/** Questions about the rows of a database: the cheapest product, the number of orders, an address. */
export const database: Skill = (request) => {
  const { text } = request;
  if (![TABLES, SCHEMA, QUERY].every((operation) => request.has(operation))) return undefined;
  const isAboutTables =
    /テーブル(?:の)?一覧|どんなテーブル|which tables|what tables|list (?:the |all )?tables|tables are/.test(
      text,
    );
  const isAboutColumns = /列|カラム|スキーマ|構造|columns?|schema|structure|fields/.test(text);
  const subject = SUBJECTS.find(([, words]) => words.test(text));
  const isAboutGoods =
    /値段|価格|いくら|在庫(?!一覧|リスト|を|の食材)|品切れ|売り切れ|price|how much (?:is|are|does)|in stock|out of stock|sold out/.test(
      text,
    );
  if (!isAboutTables && !isAboutColumns && subject === undefined && !isAboutGoods) return undefined;
  // The general planner handles plain lists.
  if (!isAboutTables && !isAboutColumns && !isRowQuestion(text)) return undefined;
  // A question over several tables, or with an unknown condition, needs SQL.
  if (
    /さん|様|まだ|未|ていない|しない|済み|誰が|何を|who (?:placed|ordered|bought)|sold|売れ|without|has no|have no|not yet|月の|合計金額/.test(
      text,
    ) &&
    !/メール|e-?mail (?:address )?of|email address/.test(text)
  )
    return undefined;
  if (
    /削除|追加|捨て|入れ|登録|消し|remove|delete|\badd\b|冷蔵庫|キッチン|台所|食材|fridge|kitchen/.test(text)
  )
    return undefined;
  const tables = resultsOf([{ operation: TABLES, args: {} }], request);
  if ('missing' in tables) return tables.missing;
  const names = asRows(tables.results[0]?.tables).map(({ name }) => String(name));
  if (isAboutTables) return { kind: 'answer', text: names.join(pick(request.language, '、', ', ')) };
  const table = tableFor(names, (subject ?? GOODS)[0], text);
  return table === undefined
    ? undefined
    : ofTable(table, { isAboutColumns, isNamed: subject !== undefined }, request);
};

const GOODS = [/product|item|goods/, /./] as const;

/** The table that the goal names, otherwise the plainest match: orders instead of order_items. */
function tableFor(names: readonly string[], subject: RegExp, text: string): string | undefined {
  const named = names.find((name) => new RegExp(`\\b${name.toLowerCase()}\\b`).test(text));
  const fitting = names.filter((name) => subject.test(name.toLowerCase()));
  const own = fitting.filter((name) => name.toLowerCase().search(subject) === 0);
  const [best, next] = (own.length > 0 ? own : fitting).toSorted((one, other) => one.length - other.length);
  // If two tables fit equally well, the user chooses.
  return named ?? (best?.length === next?.length ? undefined : best);
}

function ofTable(
  table: string,
  { isAboutColumns, isNamed }: { isAboutColumns: boolean; isNamed: boolean },
  request: Request,
): SkillMove | undefined {
  if (isAboutColumns || request.isRuled(SCHEMA, QUERY)) {
    const schema = resultsOf([{ operation: SCHEMA, args: { table } }], request);
    if ('missing' in schema) return schema.missing;
    if (!isAboutColumns) return rowsOf(table, isNamed, request);
    const columns = asRows(schema.results[0]?.columns).map(
      ({ name, type }) => `${String(name)} (${String(type)})`,
    );
    return { kind: 'answer', text: `${table}: ${columns.join(', ')}` };
  }
  return rowsOf(table, isNamed, request);
}

function rowsOf(table: string, isNamed: boolean, request: Request): SkillMove | undefined {
  const name = /^\w+$/.test(table) ? table : `"${table.replaceAll('"', '""')}"`;
  const query: Call = { operation: QUERY, args: { query: `SELECT * FROM ${name}` } };
  const rows = resultsOf([query], request);
  if ('missing' in rows) return rows.missing;
  const found = rows.results[0] ?? {};
  if (found.truncated === true) return undefined;
  const all = asRows(found.rows);
  const answer = aboutRows(all, request, isNamed);
  return answer === undefined ? undefined : { kind: 'answer', text: answer };
}
