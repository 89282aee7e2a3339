import type { JsonObject } from '../../../../model/json.ts';
import { asRows, type Call, pick, type Request, resultsOf, type Skill, type SkillMove } from '../skill.ts';
import type { Shop } from './question.ts';
import { aboutShop } from './shop.ts';

const TABLES = 'sqlite.list_tables';
const SCHEMA = 'sqlite.get_table_schema';
const QUERY = 'sqlite.execute_safe_query';

/** The table that holds a kind of rows, by its name. */
const ROLES: Readonly<Record<keyof Shop, RegExp>> = {
  products: /product|goods|^items?$/,
  customers: /customer|client/,
  lines: /order.*(?:item|line|detail)|line_?item/,
  orders: /order(?!.*(?:item|line|detail))/,
};

const KITCHEN = /冷蔵庫|キッチン|台所|食材|レシピ|賞味|消費期限|fridge|kitchen|pantry|recipe|at home|\bcook/;
const CHANGE =
  /削除|追加|捨て|入れて|登録して|消し|減ら|更新|変更して|remove|delete|\badd\b|update|insert|\bset\b|throw|discard/;
const WRITE =
  /^(?:please |can you |could you )*(?:order|cancel|change|rename|ship|refund|set|raise|lower|write|send) |(?:キャンセル|注文|変更|発送|返金|値上げ|値下げ|送信)して(?!い|る|あ)|(?:に|へ)(?:変え|送っ)て/;
const ORDERS =
  /\borders?\b|ordered|did (?:we|you|i|they) sell|bought|\bbuy\b|purchas|\bsold\b|\bsales\b|revenue|turnover|best.?sell|spent|spend|shipped|cancel|\bpaid\b|placed|popular|注文|購入|買った|買って|買いま|売上|売り上げ|売れ|発送|出荷|キャンセル|支払い済|受注|人気/;
const CUSTOMERS = /customers?|clients?|e-?mail|\blives?\b|顧客|お客|メール|住んで|得意先/;
const PRODUCTS =
  /\bshop\b|\bstore\b|products?|\bsell\b|stationery|\bstock\b|sold out|\bprices?\b|\bcosts?\b|how much (?:is|are|does|do|for|would)|expensive|cheap|どちらが(?:高い|安い)|商品|製品|店|値段|価格|いくら|在庫|文房具|文具|品切れ|売り切れ|日用品|飲料/;

/** Questions about the rows of a database: the cheapest product, the orders of a customer, the revenue of a month. */
export const database: Skill = (request) => {
  const { text, language } = request;
  if (![TABLES, SCHEMA, QUERY].every((operation) => request.has(operation))) return undefined;
  const isAboutTables =
    /テーブル(?:の)?一覧|どんなテーブル|テーブル(?:が|は|を)|(?:which|what|list|show)[^.]*\btables\b|tables are/.test(
      text,
    );
  const isAboutColumns = /列|カラム|スキーマ|構造|columns?|schema|structure|fields/.test(text);
  const roles = rolesIn(text);
  if (CHANGE.test(text) || (KITCHEN.test(text) && !/shop|store|商品|店/.test(text))) return undefined;
  if (!isAboutTables && !isAboutColumns && roles.length === 0) return undefined;
  if (/^(?:please |can you |could you )*(?:send|write)\b|(?:に|へ)送って|送信して/.test(text))
    return undefined;
  if (WRITE.test(text)) {
    const why = pick(
      language,
      'データベースは読み取り専用で、変更や注文はできません。',
      'The database is read-only: nothing can be ordered or changed.',
    );
    return { kind: 'cannot', why };
  }
  const tables = resultsOf([{ operation: TABLES, args: {} }], request);
  if ('missing' in tables) return tables.missing;
  const names = asRows(tables.results[0]?.tables).map(({ name }) => String(name));
  if (isAboutTables && !isAboutColumns)
    return {
      kind: 'answer',
      text: pick(
        language,
        `テーブルは ${names.length} 個です：${names.join('、')}`,
        `${names.length} tables: ${names.join(', ')}`,
      ),
    };
  if (isAboutColumns) return columns(names, roles, request);
  const chosen = roles.map((role) => [role, tableFor(names, ROLES[role])] as const);
  if (chosen.some(([, table]) => table === undefined)) return undefined;
  return rows(
    chosen.map(([role, table]) => [role, table ?? '']),
    request,
  );
};

/** The kinds of rows that a goal needs. Orders need the customers and products that they mention. */
export function rolesIn(text: string): (keyof Shop)[] {
  if (ORDERS.test(text)) return ['products', 'customers', 'lines', 'orders'];
  if (CUSTOMERS.test(text)) return ['customers'];
  return PRODUCTS.test(text) ? ['products'] : [];
}

/** The only table with such a name. If two fit, the user chooses. */
function tableFor(names: readonly string[], form: RegExp): string | undefined {
  const [table, ...others] = names.filter((name) => form.test(name.toLowerCase()));
  return others.length === 0 ? table : undefined;
}

function columns(
  names: readonly string[],
  roles: readonly (keyof Shop)[],
  request: Request,
): SkillMove | undefined {
  const named = names.filter((name) => new RegExp(`\\b${name.toLowerCase()}\\b`).test(request.text));
  const [role] = roles.toReversed();
  const table =
    named.toSorted((one, other) => other.length - one.length)[0] ?? (role && tableFor(names, ROLES[role]));
  if (table === undefined) return undefined;
  const schema = resultsOf([{ operation: SCHEMA, args: { table } }], request);
  if ('missing' in schema) return schema.missing;
  const list = asRows(schema.results[0]?.columns).map(
    ({ name, type }) => `${String(name)} (${String(type)})`,
  );
  return { kind: 'answer', text: `${table}${pick(request.language, '：', ': ')}${list.join(', ')}` };
}

function rows(tables: readonly (readonly [keyof Shop, string])[], request: Request): SkillMove | undefined {
  if (request.isRuled(SCHEMA, QUERY)) {
    const schemas = resultsOf(
      tables.map(([, table]) => ({ operation: SCHEMA, args: { table } })),
      request,
    );
    if ('missing' in schemas) return schemas.missing;
  }
  const queries = tables.map(([, table]): Call => {
    const name = /^\w+$/.test(table) ? table : `"${table.replaceAll('"', '""')}"`;
    return { operation: QUERY, args: { query: `SELECT * FROM ${name}` } };
  });
  const found = resultsOf(queries, request);
  if ('missing' in found) return found.missing;
  if (found.results.some(({ truncated }) => truncated === true)) return undefined;
  const empty: Shop = { products: [], customers: [], orders: [], lines: [] };
  const shop = {
    ...empty,
    ...Object.fromEntries(tables.map(([role], index) => [role, asRows(found.results[index]?.rows)])),
  };
  const answer = aboutShop(request.text, { ...shop, lines: joined(shop) }, request.language);
  return answer === undefined ? undefined : { kind: 'answer', text: answer };
}

/** Order lines with their order, customer and product. */
function joined({ lines, orders, customers, products }: Shop): JsonObject[] {
  return lines.map((line) => {
    const order = orders.find((row) => row.order_id === line.order_id) ?? {};
    const customer = customers.find((row) => row.customer_id === order.customer_id) ?? {};
    const product = products.find((row) => row.product_id === line.product_id) ?? {};
    return {
      ...product,
      ...order,
      ...line,
      city: customer.city ?? null,
      customer: customer.name ?? null,
      customer_ja: customer.name_ja ?? null,
      product: product.name ?? null,
      product_ja: product.name_ja ?? null,
    };
  });
}
