import type { JsonObject } from '../../../../model/json.ts';
import { citiesIn } from '../cities.ts';
import { contains, hiraganaNoun } from '../names.ts';
import { isoOf, readTemporal } from '../temporal.ts';

/** Rows of a shop. An order line has its order, customer and product beside it. */
export interface Shop {
  readonly products: readonly JsonObject[];
  readonly customers: readonly JsonObject[];
  readonly orders: readonly JsonObject[];
  readonly lines: readonly JsonObject[];
}

/** Words for values that the data has in English. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/文房具|文具|stationery/g, 'stationery'],
  [/飲み物|飲料|ドリンク|\bdrinks?\b|beverages?/g, 'drink'],
  [/食料品|食品|食べ物|食料|\bfoods?\b/g, 'food'],
  [/日用品|雑貨|生活用品|daily goods|household(?: (?:goods|items))?/g, 'daily goods'],
  [/キャンセル(?:済み|になった|された)?|取り消(?:し|された)?|cancel+(?:ed|ations?)?/g, 'cancelled'],
  [/(?:発送|出荷)(?:済み|された|した)?|\bshipped\b|delivered|sent out/g, 'shipped'],
  [/支払い?済み?|入金済み?|支払い?|\bpaid\b/g, 'paid'],
];

/** Orders have dates of their own; only a month without a year depends on the day, and it fits any year. */
const ANY_DAY = 20_000;

export type Read = ReturnType<typeof read>;

export function read(text: string, { products, customers }: Shop) {
  const isRead = new Array<boolean>(text.length).fill(false);
  const mark = (start: number, end: number) => isRead.fill(true, start, end);
  const left = (instead = ' ') => isRead.map((done, index) => (done ? instead : text[index])).join('');
  const says = (form: RegExp): boolean => {
    const found = [...text.matchAll(new RegExp(form.source, 'g'))].filter(([part]) => part !== '');
    for (const { 0: part, index } of found) mark(index, index + part.length);
    return found.length > 0;
  };
  const named = (rows: readonly JsonObject[], isPerson: boolean): JsonObject[] => {
    const found = rows.filter((row) => namesOf(row, isPerson).some((name) => contains(text, name)));
    for (const name of found.flatMap((row) => namesOf(row, isPerson)))
      if (contains(text, name)) says(nameForm(name));
    return found;
  };
  const people = named(customers, true);
  const goods = named(products, false);
  const values = VALUES.filter(([form]) => says(form)).map(([, value]) => value);
  const cities = citiesIn(text);
  for (const { start, end } of cities) mark(start, end);
  const [order] = text.matchAll(
    /\border\s*(?:no\.?|number|#)?\s*#?(\d+)|注文(?:番号)?\s*(?:no\.?)?#?\s*(\d+)(?:番)?|(\d+)番(?:目)?の注文/g,
  );
  if (order !== undefined) mark(order.index, order.index + order[0].length);
  const limit = limitIn(left());
  if (limit !== undefined) mark(limit.start, limit.end);
  const { days, months } = readTemporal(left(), ANY_DAY, true);
  for (const { start, end } of [...days, ...months]) mark(start, end);
  const prefixes = [
    ...days.map(({ value }) => isoOf(value)),
    ...months.map(
      ({ value: { year, month } }) =>
        `${/\d{4}/.test(text) ? year : '....'}-${String(month).padStart(2, '0')}`,
    ),
  ];
  return {
    text,
    says,
    people,
    goods,
    values,
    limit,
    prefixes,
    cities: [...new Set(cities.map(({ english }) => english))],
    order: order?.slice(1).find(Boolean),
    counts: goods.map((row) => countOf(row, text)),
    writtenCounts: goods.filter((row) => /^\d/.test(countIn(row, text) ?? '')).length,
    /** The words that nothing has understood. */
    unread: () =>
      (hiraganaNoun(left('語')) ? 'noun' : '') +
      left()
        .replaceAll(FILLER, ' ')
        .replaceAll(/[ぁ-んー\s\p{P}\p{S}]+/gu, ''),
  };
}

function namesOf(row: JsonObject, isPerson: boolean): string[] {
  return [row.name, row.name_ja]
    .filter((name) => typeof name === 'string')
    .flatMap((name) => [name, ...(isPerson ? name.split(/[\s・]+/) : [baseName(name)])])
    .filter((name) => name.length > 1 || /[一-龠]/.test(name));
}

/** Words that are about the shop as a whole, or only polite. */
const FILLER =
  /\b(?:the|an?|of|in|on|at|for|to|from|by|with|and|or|is|are|was|were|be|been|do|does|did|we|i|you|me|my|our|us|they|them|it|its|there|that|this|these|what|which|who|whose|whom|when|where|how|many|much|have|has|had|any|all|each|every|show|list|give|tell|find|get|look|up|search|display|print|please|pls|can|could|would|should|will|shall|like|want|need|know|see|check|currently|right|now|shop|store|shop's|database|db|table|records?|entries|products?|items?|goods|things?|customers?|clients?|buyers?|orders?|ordered|name|names|named|called|details?|info(?:rmation)?|about|so|far|total|overall|altogether|if|buy|bought|cost|costs|then|also|plus|out|units?|pieces?|yen|dollars?|left|sell|sells|selling|available|offer|carry|one|ones|most|than|not|no|more|their|his|her|address|number|amount|value|price|prices|priced|ever|got|make|made|have|placed|place|per|s|hey|hi|just|only|exactly|still|say|stuff|kinds?|types?|different|registered|system|live|lives|ok|brings?|came|come)\b|'s|データベース|データ|テーブル|お店|当店|うちの店|店舗|店|ショップ|商品|製品|品物|アイテム|顧客|お客さん|お客様|お客|客|得意先|注文|受注|一覧|リスト|全部|全て|すべて|全|全員|全体|合計|総額|金額|価格|値段|在庫数?|名前|氏名|教|見|知|調|探|出|表示|検索|取得|確認|願|下|現在|今|何件|何人|何種類|何個|何冊|何本|何|誰|人|登録|情報|詳細|種類|件数|件|数|個|円|買|売|購入|方|さん|様|くん|ちゃん|番号|番|住所|思|言|中|内|分|合|計|場合|欲|持|扱|販売|取|扱/g;

function baseName(name: string): string {
  // "Rice 5 kg" is also called rice.
  return name.replace(/\s*\d+\s*(?:kg|g|ml|l)$/i, '').replace(/^お(?=米)/, '');
}

/** A name as it may be written: without spaces, in the plural. */
function nameForm(name: string): RegExp {
  const plain = name.normalize('NFKC').toLowerCase();
  if (/[^\u0020-\u007f]/.test(plain))
    return new RegExp(
      [...plain.replaceAll(/[\s・]/g, '')]
        .map((letter) => letter.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[\\s・]*'),
    );
  const words = plain.split(/[^a-z0-9]+/).filter(Boolean);
  return new RegExp(
    words.map((word) => `\\b${word.replace(/(?<=..)(?:y|s)$/, '')}(?:y|s|es|ies)?\\b`).join('|'),
  );
}

/** How many pieces of a product: "3 lunch boxes", ノートを12冊. */
function countOf(row: JsonObject, text: string): number | undefined {
  const count = countIn(row, text);
  return count === undefined ? undefined : /^a/.test(count) ? 1 : Number(count);
}

function countIn(row: JsonObject, text: string): string | undefined {
  const [english = ''] = String(row.name ?? '')
    .toLowerCase()
    .split(/\s/);
  const japanese = baseName(String(row.name_ja ?? ''));
  const before = new RegExp(`(\\d+|\\ban?)\\s+(?:\\w+ of )?${english.replace(/(?:y|s)$/, '')}`).exec(text);
  const after = new RegExp(
    `${japanese}[^\\d、。]{0,4}?(\\d+)\\s*(?:つ|個|本|冊|枚|袋|箱|点|パック|セット)`,
  ).exec(text);
  return (japanese === '' ? undefined : after?.[1]) ?? before?.[1];
}

export interface Limit {
  readonly start: number;
  readonly end: number;
  readonly low: number;
  readonly high: number;
  readonly isStock: boolean;
}

function limitIn(text: string): Limit | undefined {
  const N = String.raw`[$¥]?(\d+(?:\.\d+)?)\s*(?:円|yen|個|本|点|冊|dollars?|units?)?`;
  const edge = 1e-9;
  const forms: readonly (readonly [string, (a: number, b: number) => readonly [number, number]])[] = [
    [
      `(?:between|from) ${N} (?:and|to) ${N}|${N}\\s*(?:から|以上、?|〜|~|-)\\s*${N}(?:まで|以下|の間)?`,
      (a, b) => [a, b],
    ],
    [
      `(?:under|below|less than|cheaper than|fewer than|lower than|beneath) ${N}|${N}\\s*(?:未満|より(?:安|少|小|下)[いなく]*|を下回る|を切)`,
      (a) => [-Infinity, a - edge],
    ],
    [
      `(?:at most|up to|no more than|within|max(?:imum)?) ${N}|${N}\\s*(?:以下|以内|まで)|${N} or (?:less|under|fewer|cheaper)`,
      (a) => [-Infinity, a],
    ],
    [
      `(?:over|above|more than|greater than|higher than|exceeding|pricier than) ${N}|${N}\\s*(?:より(?:高|多|大|上)[いくき]*|を超え[るた]?|超)`,
      (a) => [a + edge, Infinity],
    ],
    [`(?:at least|from|minimum|no less than) ${N}|${N}\\s*以上|${N} or more`, (a) => [a, Infinity]],
  ];
  for (const [source, range] of forms) {
    const match = new RegExp(source).exec(text);
    if (match === null) continue;
    const [a = 0, b = 0] = match
      .slice(1)
      .filter((part) => part !== undefined)
      .map(Number);
    const [low, high] = range(a, b);
    const isStock = /在庫|stock|left|units|fewer/.test(text) && !/円|yen|price|cost|値段|価格/.test(text);
    return { start: match.index, end: match.index + match[0].length, low, high, isStock };
  }
  return undefined;
}

export const NEGATED = /\bnot\b|n't\b|never|without|\bno\b|lack|missing|未|ていない|ない|なし|まだ/;
