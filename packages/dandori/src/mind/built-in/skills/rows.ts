import type { Json, JsonObject } from '../../../model/json.ts';
import { citiesIn } from './cities.ts';
import { pick, type Request } from './skill.ts';

/** The content of a column, by its name. */
const COLUMNS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:.*_)?(?:price|cost|amount)$/, /値段|価格|いくら|金額|price|cost|how much/],
  [
    /^(?:.*_)?(?:stock|quantity|inventory)$/,
    /在庫|残り|数量|何(?:個|本|枚|丁|杯|グラム)|いくつ|stock|how many|quantity|left/,
  ],
  [/^(?:.*_)?e?mail$/, /メール|アドレス|e-?mail/],
  [/^(?:.*_)?(?:city|town)$/, /どこ|住|都市|\bcity|where|live/],
  [/^(?:.*_on|.*date|.*_at|ordered.*)$/, /日付|いつ|日$|date|when/],
  [/^(?:.*_)?status$/, /状態|状況|ステータス|status/],
  [/^(?:.*_)?category$/, /分類|カテゴリ|category/],
];

/** Words for values that the data contains in English. */
const VALUES: readonly (readonly [RegExp, RegExp])[] = [
  [/文房具|文具|stationery/, /^stationery$/],
  [/飲み物|飲料|ドリンク|drinks?/, /^drink$/],
  [/食品|食べ物|食料|foods?\b/, /^food$/],
  [/日用品|雑貨|daily goods|household/, /^daily goods$/],
  [/キャンセル|取り消|cancel/, /^cancelled$/],
  [/発送|出荷|shipped/, /^shipped$/],
  [/支払|入金|paid/, /^paid$/],
];

const SUPERLATIVES: readonly (readonly [
  RegExp,
  (columns: readonly string[]) => string | undefined,
  1 | -1,
])[] = [
  [/(?:一番|最も|最)高|most expensive|highest price|priciest|costliest/, by(/price|cost/), -1],
  [/(?:一番|最も|最)安|cheapest|lowest price|least expensive/, by(/price|cost/), 1],
  [/(?:一番|最も|最)(?:新し|近)|最新|最後の|latest|newest|most recent|last /, by(/_on$|date|_at$/), -1],
  [/(?:一番|最も|最)古|最初の|oldest|earliest|first /, by(/_on$|date|_at$/), 1],
  [/(?:一番|最も)(?:在庫が)?(?:多|たくさん)|most (?:stock|in stock)|largest stock/, by(/stock|quantity/), -1],
  [/(?:一番|最も)(?:在庫が)?少な|least stock|lowest stock/, by(/stock|quantity/), 1],
];

const COUNT = /何件|いくつ|何人|何種類|何個|how many|number of|count/;
const SUM = /平均|average|mean|合計|総額|total|sum of/;
const LIMIT =
  /(\d+(?:\.\d+)?)\s*(?:円|yen|ドル|dollars?)?\s*(以下|未満|以上|より(?:高|大き|多)|より(?:安|小さ|少な)|を超え)|(under|below|less than|cheaper than|at most|up to|over|above|more than|at least)\s*[$¥]?(\d+(?:\.\d+)?)/;
const SOLD_OUT = /在庫切れ|在庫がない|在庫のない|品切れ|売り切れ|out of stock|sold out/;

/** Whether a goal asks about rows, instead of only for a list of them. */
export function isRowQuestion(text: string): boolean {
  const forms = [COUNT, SUM, LIMIT, SOLD_OUT, ...[...SUPERLATIVES, ...VALUES].map(([form]) => form)];
  return (
    forms.some((form) => form.test(text)) ||
    COLUMNS.some(([, words]) => words.test(text)) ||
    citiesIn(text).length > 0
  );
}

function by(form: RegExp) {
  return (columns: readonly string[]) => columns.find((column) => form.test(column));
}

/**
 * Answers a question about rows: the cheapest, how many, which cost less than a limit, the price of one. The
 * answer is computed from the rows. `undefined` means that the question is not about these rows. `areMeant`:
 * the goal names the kind of rows.
 */
export function aboutRows(
  rows: readonly JsonObject[],
  request: Request,
  areMeant: boolean,
): string | undefined {
  const { text, language } = request;
  const columns = Object.keys(rows[0] ?? {});
  if (rows.length === 0) return pick(language, 'データがありません。', 'There are no rows.');

  for (const [form, columnOf, order] of SUPERLATIVES) {
    const column = columnOf(columns);
    if (!form.test(text) || column === undefined) continue;
    const [best] = rows.toSorted((one, other) => compare(one[column], other[column]) * order);
    return line(best ?? {}, language, column);
  }

  const chosen = filtered(rows, columns, text);
  if (chosen === undefined && !areMeant) return undefined;
  const shown = chosen ?? rows;
  if (/平均|average|mean/.test(text)) {
    const column =
      columns.find((name) => /price|cost|stock|quantity/.test(name) && isAsked(name, text)) ??
      columns.find((name) => /price|cost/.test(name));
    if (column === undefined) return undefined;
    const values = shown.map((row) => Number(row[column]));
    const mean = Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 100) / 100;
    return pick(
      language,
      `平均は ${mean} です（${values.length} 件）。`,
      `The average is ${mean} (of ${values.length}).`,
    );
  }
  if (/合計|総額|total|sum of/.test(text)) {
    const column = columns.find((name) => /price|cost|stock|quantity/.test(name) && isAsked(name, text));
    if (column === undefined) return undefined;
    const total = shown.reduce((sum, row) => sum + Number(row[column]), 0);
    return pick(
      language,
      `合計は ${total} です（${shown.length} 件）。`,
      `The total is ${total} (of ${shown.length}).`,
    );
  }
  const column = columns.find((name) => isAsked(name, text));
  const price = priced(chosen, column, text);
  if (price !== undefined) return price;
  if (chosen !== undefined && chosen.length > 0 && column !== undefined && isNamed(chosen, text))
    return chosen
      .map(
        (row) =>
          `${title(row, language)}${pick(language, '：', ': ')}${cell(row[column], language)}${unit(row, column)}`,
      )
      .join('\n');
  if (COUNT.test(text)) return pick(language, `${shown.length} 件です。`, `${shown.length}`);
  if (chosen === undefined) return undefined;
  if (chosen.length === 0) return pick(language, '該当するものはありません。', 'No match: there are none.');
  return chosen.map((row) => line(row, language)).join('\n');
}

/** The price of several pieces: 店のノートを12冊買うといくら. */
function priced(
  rows: readonly JsonObject[] | undefined,
  column: string | undefined,
  text: string,
): string | undefined {
  const count = /(?<![\d.])(\d+)(?:つ|個|本|冊|枚|袋|箱| [a-z])/.exec(text)?.[1];
  const [row, ...others] = rows ?? [];
  if (count === undefined || row === undefined || others.length > 0) return undefined;
  const price = /price|cost/.test(column ?? '') ? row[column ?? ''] : undefined;
  return typeof price === 'number' ? `${price} × ${count} = ${price * Number(count)}` : undefined;
}

function isAsked(column: string, text: string): boolean {
  return COLUMNS.some(([name, words]) => name.test(column) && words.test(text));
}

function isNamed(rows: readonly JsonObject[], text: string): boolean {
  return rows.every((row) => names(row).some((name) => contains(text, name)));
}

/** The rows that the question is about. Undefined if it is about all rows. */
function filtered(
  rows: readonly JsonObject[],
  columns: readonly string[],
  text: string,
): readonly JsonObject[] | undefined {
  const limit = LIMIT.exec(text);
  const price =
    columns.find((name) => /price|cost/.test(name)) ?? columns.find((name) => /stock|quantity/.test(name));
  if (limit !== null && price !== undefined) {
    const bound = Number(limit[1] ?? limit[4]);
    const word = limit[2] ?? limit[3] ?? '';
    return rows.filter((row) => within(Number(row[price]), bound, word));
  }
  const stock = columns.find((name) => /stock|quantity/.test(name));
  if (stock !== undefined && SOLD_OUT.test(text)) return rows.filter((row) => Number(row[stock]) === 0);
  const named = rows.filter((row) => names(row).some((name) => contains(text, name)));
  if (named.length > 0) return named;
  const wanted = VALUES.filter(([words]) => words.test(text)).map(([, value]) => value);
  const cities = citiesIn(text).map(({ english }) => english);
  const valued = rows.filter((row) =>
    Object.values(row).some(
      (value) =>
        typeof value === 'string' &&
        (wanted.some((form) => form.test(value)) || cities.includes(value.toLowerCase())),
    ),
  );
  return wanted.length + cities.length > 0 ? valued : undefined;
}

function within(value: number, bound: number, word: string): boolean {
  if (/以下|at most|up to/.test(word)) return value <= bound;
  if (/以上|at least/.test(word)) return value >= bound;
  if (/未満|安|小さ|少な|under|below|less|cheaper/.test(word)) return value < bound;
  return value > bound;
}

/** The name of a row. A name may have several forms: 牛乳 (低脂肪) / low-fat milk. */
function names(row: JsonObject): string[] {
  return Object.entries(row)
    .filter(([column, value]) => /(?:^|_)(?:name|title)(?:_|$)/.test(column) && typeof value === 'string')
    .flatMap(([, value]) => String(value).split(/\s*[/()（）]\s*/))
    .filter((name) => name.length > 0);
}

/** Whether a text mentions a name: 佐藤花子 matches 佐藤 花子, and "green teas" matches Green tea. */
export function contains(text: string, name: string): boolean {
  const plain = name.normalize('NFKC').toLowerCase();
  if (/[^\u0020-\u007f]/.test(plain)) return text.replaceAll(/\s/g, '').includes(plain.replaceAll(/\s/g, ''));
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word.length > 2 || /\d/.test(word));
  const said = text.split(/[^a-z0-9]+/).map(singular);
  return words.length > 0 && words.every((word) => said.includes(singular(word)));
}

function singular(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=o|ch|sh|x|ss)es$/, '')
    .replace(/(?<!s)s$/, '');
}

function compare(one: Json | undefined, other: Json | undefined): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0;
}

function title(row: JsonObject, language: Request['language']): string {
  const own = language === 'ja' ? row.name_ja : row.name;
  return String(own ?? row.name ?? row.title ?? Object.values(row)[0] ?? '');
}

/** A row in one line: its name with the requested fields, or with all fields. */
function line(row: JsonObject, language: Request['language'], column?: string): string {
  const rest = Object.entries(row).filter(
    ([key, value]) =>
      !/(?:^|_)(?:name|id|title)(?:_|$)/.test(key) &&
      value !== null &&
      (column === undefined || key === column),
  );
  const shown = rest.map(([key, value]) =>
    column === undefined ? `${key} ${cell(value, language)}` : cell(value, language),
  );
  const id =
    row.name === undefined
      ? Object.entries(row)
          .filter(([key]) => /(?:^|_)id$/.test(key))
          .map(([key, value]) => `${key} ${cell(value, language)}`)
      : [];
  return row.name === undefined
    ? [...id, ...shown].join(', ')
    : `${title(row, language)}${pick(language, '：', ': ')}${shown.join(', ')}`;
}

function cell(value: Json | undefined, language: Request['language']): string {
  return value === null || value === undefined ? pick(language, '未登録', 'not known') : String(value);
}

function unit(row: JsonObject, column: string): string {
  return column === 'quantity' && typeof row.unit === 'string' ? ` ${row.unit}` : '';
}
