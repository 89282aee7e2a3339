import type { Json, JsonObject } from '../../../../model/json.ts';
import { pick, type Request } from '../skill.ts';
import type { Limit, Read } from './question.ts';

export interface Shown {
  readonly measure: (row: JsonObject) => number;
  readonly show: (row: JsonObject) => string;
  readonly isCountable: boolean;
  /** A sum or an average of `measure`. */
  readonly told?: (value: number) => string;
}

/** The largest, the smallest, the number, the sum, the average, or a sorted list of rows. */
export function aggregated(
  rows: readonly JsonObject[],
  { says, text, limit }: Read,
  { measure, show, isCountable, told = String }: Shown,
  language: Request['language'],
): string | undefined {
  if (rows.length === 0) return pick(language, '該当するものはありません。', 'None.');
  const isDear = says(
    /most expensive|priciest|costliest|dearest|highest(?:[- ]priced?)?|largest|most|greatest|max(?:imum)?|(?:一番|最も|いちばん|最|番目に|もっとも)(?:値段が|価格が|在庫が)?(?:高い?|高価|多い?|たくさん)|(?:が|の)(?:一番|最も|いちばん)(?:高い|多い)|最高|最大/,
  );
  const isCheap = says(
    /cheapest|least expensive|lowest(?:[- ]priced?)?|smallest|least|min(?:imum)?|fewest|(?:一番|最も|いちばん|最|番目に|もっとも)(?:値段が|価格が|在庫が)?(?:安い?|少な[いく]?)|最安|最低|最小/,
  );
  const place = /\b(second|third|2nd|3rd)\b|(\d)番目/.exec(text);
  const top =
    /\btop (\d+)|(\d+) (?:most|cheapest|least|priciest)|(?:上位|トップ|ベスト)(\d+)|順に?(\d+)(?:つ|個|件)/.exec(
      text,
    );
  const isSorted = says(
    /sort(?:ed)?(?: by)?|in order of|order(?:ed)? by|rank(?:ed|ing)?|順(?:番)?(?:に)?|並べ\w*|並び\w*|ascending|descending|昇順|降順|first\b/,
  );
  if (place !== null || top !== null)
    says(
      /\b(?:second|third|2nd|3rd)\b|\d番目に?|\btop \d+|\d+ (?=most|cheapest|least)|(?:上位|トップ|ベスト)\d+|\d+(?:つ|個|件)/,
    );
  const isDown =
    isDear || says(/高い順|多い順|降順|descending|highest|expensive/) || (/高い|多い/.test(text) && isSorted);
  const sorted = rows.toSorted(
    (one, other) => (measure(one) - measure(other)) * (isDown && !isCheap ? -1 : 1),
  );
  if (isDear || isCheap) {
    const skip =
      place === null
        ? 0
        : Number({ second: 2, third: 3, '2nd': 2, '3rd': 3 }[place[1] ?? ''] ?? place[2]) - 1;
    const count = Number(top?.slice(1).find(Boolean) ?? 1);
    const best = sorted.slice(skip, skip + count);
    const edge = best.at(-1);
    const ties =
      count === 1 && edge !== undefined ? sorted.filter((row) => measure(row) === measure(edge)) : best;
    return (skip === 0 ? ties : best).map(show).join('\n') || undefined;
  }
  if (isSorted)
    return sorted
      .slice(0, Number(top?.slice(1).find(Boolean) ?? sorted.length))
      .map(show)
      .join('\n');
  const values = rows.map(measure);
  if (says(/average|mean|平均/))
    return pick(
      language,
      `平均は ${told(mean(values))} です（${rows.length} 件）。`,
      `The average is ${told(mean(values))} (of ${rows.length}).`,
    );
  if (
    !isCountable ||
    (says(/total|sum|合計|総(?:数|額)?|全部で|足す/) &&
      /stock|price|在庫|価格|値段|金額|value|units/.test(text) &&
      !/how many (?:products|customers)|何(?:件|人|種類)/.test(text))
  )
    return pick(
      language,
      `合計は ${told(total(values))} です（${rows.length} 件）。`,
      `The total is ${told(total(values))} (of ${rows.length}).`,
    );
  if (says(/how many|number of|count|何(?:件|人|種類|個|点|名)|いくつ|件数|人数|(?:商品|顧客)数/))
    return (
      pick(
        language,
        `${rows.length} ${/何(?:人|名)|人数/.test(text) ? '人' : '件'}です。`,
        `${rows.length}.`,
      ) + (limit === undefined ? '' : `\n${rows.map(show).join('\n')}`)
    );
  return rows.map(show).join('\n');
}

export function grouped(
  rows: readonly JsonObject[],
  column: string,
  measure: (rows: readonly JsonObject[]) => number | string,
  language: Request['language'],
): string {
  const keys = [...new Set(rows.map((row) => String(row[column])))].toSorted();
  return keys
    .map(
      (key) =>
        `${key}${pick(language, '：', ': ')}${measure(rows.filter((row) => String(row[column]) === key))}`,
    )
    .join('\n');
}

export function lines(
  rows: readonly JsonObject[],
  write: (row: JsonObject) => string,
  language: Request['language'],
): string {
  return rows.map((row) => `${title(row, language)}${pick(language, '：', ': ')}${write(row)}`).join('\n');
}

export function isWithin(value: Json | undefined, { low, high }: Limit): boolean {
  return typeof value === 'number' && value >= low && value <= high;
}

/** An amount with its currency, if the rows of the database name one. */
export function money(value: number, rows: readonly JsonObject[], language: Request['language']): string {
  const currency = rows.find((row) => typeof row.currency === 'string')?.currency;
  if (currency === undefined) return String(value);
  return currency === 'JPY' ? pick(language, `${value} 円`, `${value} yen`) : `${value} ${String(currency)}`;
}

export function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

export function mean(values: readonly number[]): number {
  return Math.round((total(values) / values.length) * 100) / 100;
}

export function title(row: JsonObject, language: Request['language']): string {
  const own = language === 'ja' ? row.name_ja : row.name;
  return String(own ?? row.name ?? row.title ?? '');
}
