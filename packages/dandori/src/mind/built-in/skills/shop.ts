import type { Json, JsonObject } from '../../../model/json.ts';
import { citiesIn } from './cities.ts';
import { contains } from './names.ts';
import { pick, type Request } from './skill.ts';
import { isoOf, readTemporal } from './temporal.ts';

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

/**
 * Answers a question about a shop from its rows. Every word must be understood: a word that says something else means
 * that there is no answer.
 */
export function aboutShop(text: string, shop: Shop, language: Request['language']): string | undefined {
  if (
    /\btoday|yesterday|tomorrow|(?:this|last|next) (?:week|month|year)|今日|昨日|今週|今月|先週|先月|今年|去年/.test(
      text,
    )
  )
    return undefined;
  const question = read(text, shop);
  const answer = told(question, shop, language);
  return answer === undefined || /NaN|undefined/.test(answer) || question.unread() !== ''
    ? undefined
    : answer;
}

/** Orders have dates of their own; only a month without a year depends on the day, and it fits any year. */
const ANY_DAY = 20_000;

type Read = ReturnType<typeof read>;

function read(text: string, { products, customers }: Shop) {
  const isRead = new Array<boolean>(text.length).fill(false);
  const mark = (start: number, end: number) => isRead.fill(true, start, end);
  const left = () => isRead.map((done, index) => (done ? ' ' : text[index])).join('');
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
    /** The words that nothing has understood. */
    unread: () =>
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
  const english =
    String(row.name ?? '')
      .toLowerCase()
      .split(/\s/)[0] ?? '';
  const japanese = baseName(String(row.name_ja ?? ''));
  const before = new RegExp(
    `(\\d+|\\ban?)\\s+(?:\\w+ of |packs? of |bags? of |bottles? of )?${english.replace(/(?:y|s)$/, '')}`,
  ).exec(text)?.[1];
  const after =
    japanese === ''
      ? undefined
      : new RegExp(`${japanese}[^\\d、。]{0,4}?(\\d+)\\s*(?:つ|個|本|冊|枚|袋|箱|点|パック|セット)`).exec(
          text,
        )?.[1];
  const count = after ?? before;
  return count === undefined ? undefined : /^a/.test(count) ? 1 : Number(count);
}

interface Limit {
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

const NEGATED = /\bnot\b|n't\b|never|without|\bno\b|lack|missing|未|ていない|ない|なし|まだ/;

function told(question: Read, shop: Shop, language: Request['language']): string | undefined {
  const { says, values, people, goods } = question;
  const isPlaced = says(
    /(?:have |has )?(?:been )?(?:ordered|order(?:s|ing)?\b|bought|buy(?:s|ing)?\b|purchas\w*|sold|sales?\b|revenue|turnover|income|earn(?:ed|ings)?|spent|spend\w*|placed|best.?sell\w*|popular)|注文|購入|買[いうえおっわ]|売上げ?|売り上げ|売れ|収益|人気|受注|使った/,
  );
  const isPricing =
    goods.length > 0 &&
    question.counts.some((count) => count !== undefined) &&
    says(/how much|cost|price|total|いくら|合計|値段|何円|pay|払/);
  if (isPricing) return priced(question, language);
  if (
    isPlaced ||
    question.order !== undefined ||
    values.some((value) => /cancelled|shipped|paid/.test(value))
  )
    return aboutOrders(question, shop, language);
  const isCustomer =
    people.length > 0 ||
    says(/customers?|clients?|顧客|お客|得意先|e-?mails?|メール(?:アドレス)?|\blives?\b|住[んむ]/);
  return isCustomer ? aboutCustomers(question, shop, language) : aboutProducts(question, shop, language);
}

/** The price of several pieces, with tax or discount: 緑茶を3つと醤油を2本. */
function priced(question: Read, language: Request['language']): string | undefined {
  const { goods, counts, text } = question;
  const parts = goods.map((row, index) => `${String(row.price)} × ${counts[index] ?? 1}`);
  const sum = goods.reduce((total, row, index) => total + Number(row.price) * (counts[index] ?? 1), 0);
  const [, rate] = /(\d+(?:\.\d+)?)\s*(?:%|パーセント)/.exec(text) ?? [];
  const numbers = text.match(/\d+(?:\.\d+)?/g) ?? [];
  if (
    numbers.length !==
    counts.filter(
      (count) => count !== undefined && new RegExp(`\\b${count}|${count}(?:つ|個|本|冊|枚|袋|箱)`).test(text),
    ).length +
      (rate === undefined ? 0 : 1)
  )
    return undefined;
  question.says(
    /\d+(?:\.\d+)?(?:\s*(?:つ|個|本|冊|枚|袋|箱|%|パーセント|人))?(?: (?:bags?|packs?|bottles?|boxes|cups|pieces|units) of)?/,
  );
  const isOff = question.says(/引き?|オフ|\boff\b|discount|割引/);
  const isTax = question.says(/消費税|税込み?|税|\btax\b|\bvat\b|込み?|加え|足/);
  if (rate !== undefined && isOff === isTax) return undefined;
  const result =
    rate === undefined ? sum : Math.round(sum * (isOff ? 100 - Number(rate) : 100 + Number(rate))) / 100;
  const extra = rate === undefined ? '' : ` ${isOff ? '-' : '+'} ${rate}%`;
  return pick(
    language,
    `${result} です（${parts.join(' + ')}${extra}）。`,
    `${result} (${parts.join(' + ')}${extra}).`,
  );
}

function aboutProducts(
  question: Read,
  { products }: Shop,
  language: Request['language'],
): string | undefined {
  const { says, goods, values, limit } = question;
  const asksStock = says(
    /在庫(?:数|量)?|残って|残り|\bstock(?:ed)?\b|\bleft\b|inventory|how many (?=\w+ )|いくつ|何(?:個|本|冊|枚|点)/,
  );
  const asksPrice = says(
    /値段|価格|いくら|金額|何円|\bprices?d?\b|\bcosts?\b|how much|expensive|cheap|高い|安い/,
  );
  if (goods.length > 0) {
    const isLimit = limit !== undefined;
    if (isLimit) return undefined;
    if (says(/価値|評価額|stock value|worth|total value of (?:the )?stock|value/) && asksStock)
      return lines(goods, (row) => String(Number(row.price) * Number(row.stock)), language);
    if (says(/categor\w+|カテゴリー?|分類|ジャンル|kind|type/))
      return lines(goods, (row) => String(row.category), language);
    if (asksPrice && !asksStock) {
      if (
        goods.length === 2 &&
        says(/difference|差額|差|how much (?:more|cheaper)|compare|どっち|どちら|which|cheaper|安い|高い/)
      )
        return compared(goods, language);
      return lines(goods, (row) => String(row.price), language);
    }
    if (asksStock || says(/\b(?:do|is|are|have)\b.*|ある|あります|扱って|売って/))
      return lines(goods, (row) => stockText(row, language), language);
    return undefined;
  }
  let rows =
    values.length === 0 ? products : products.filter(({ category }) => values.includes(String(category)));
  if (limit !== undefined) rows = rows.filter((row) => within(row[limit.isStock ? 'stock' : 'price'], limit));
  if (
    says(
      /在庫切れ|在庫(?:が|の)?(?:ない|なし|ゼロ|0)|品切れ|売り切れ|欠品|out of stock|sold out|not (?:currently )?(?:in stock|available)|unavailable|no stock/,
    )
  )
    rows = rows.filter(({ stock }) => stock === 0);
  else if (
    says(/in stock|在庫(?:が)?ある|在庫あり|available/) &&
    asksStock &&
    !says(/most|least|highest|lowest|total|average|多|少|合計|平均|sum|value|価値/)
  )
    rows = rows.filter(({ stock }) => Number(stock) > 0);
  const isValue = says(
    /在庫(?:の)?(?:金額|総額|評価額|価値)|(?:stock|inventory) value|value of (?:the |our |all )?(?:stock|inventory)|worth/,
  );
  const measure = (row: JsonObject) =>
    isValue
      ? Number(row.price) * Number(row.stock)
      : Number(row[asksStock && !asksPrice ? 'stock' : 'price']);
  const show = (row: JsonObject) => productText(row, language);
  if (
    says(/ごと|別(?:の|に)|per category|by category|each category|in each|categor(?:y|ies)|カテゴリー?|分類/)
  ) {
    const isAverage = says(/average|mean|平均/);
    const isCounted = says(/how many|number of|count|何(?:個|件|種類|点)|いくつ|商品数|数/);
    if (!isAverage && !isCounted && !asksStock && !asksPrice)
      return [...new Set(products.map(({ category }) => String(category)))].join(pick(language, '、', ', '));
    return grouped(
      rows,
      'category',
      (group) =>
        isAverage
          ? mean(group.map(measure))
          : isCounted && !asksPrice && !/在庫|stock/.test(question.text)
            ? group.length
            : total(group.map(measure)),
      language,
    );
  }
  return aggregated(rows, question, { measure, show, isCountable: !isValue }, language);
}

function stockText(row: JsonObject, language: Request['language']): string {
  const count = Number(row.stock);
  return count === 0
    ? pick(language, '在庫切れ（0）', 'out of stock (0)')
    : pick(language, `在庫 ${count}`, `${count} in stock`);
}

function productText(row: JsonObject, language: Request['language']): string {
  return `${title(row, language)}${pick(language, '：', ': ')}${String(row.price)}${pick(language, '、', ', ')}${stockText(row, language)}`;
}

function compared(goods: readonly JsonObject[], language: Request['language']): string {
  const [big, small] = goods.toSorted((one, other) => Number(other.price) - Number(one.price));
  const [one, other] = [title(big ?? {}, language), title(small ?? {}, language)];
  const difference = Number(big?.price) - Number(small?.price);
  return pick(
    language,
    `${one}（${String(big?.price)}）は${other}（${String(small?.price)}）より ${difference} 高いです。`,
    `${one} (${String(big?.price)}) costs ${difference} more than ${other} (${String(small?.price)}).`,
  );
}

function aboutCustomers(
  question: Read,
  { customers }: Shop,
  language: Request['language'],
): string | undefined {
  const { says, people, cities, text } = question;
  const asksMail = says(/e-?mails?(?: address(?:es)?)?|メール(?:アドレス)?|アドレス|連絡先|contact/);
  const asksCity = says(
    /where|\blives?\b|\bcity\b|cities|from|based|located|住[んむ]|どこ|都市|街|町|居住|在住|住所/,
  );
  if (people.length > 0) {
    if (asksMail)
      return lines(
        people,
        (row) => String(row.email ?? pick(language, '登録されていません', 'not known')),
        language,
      );
    if (asksCity || says(/who is/)) return lines(people, (row) => String(row.city), language);
    return undefined;
  }
  let rows =
    cities.length === 0
      ? customers
      : customers.filter(({ city }) => cities.includes(String(city).toLowerCase()));
  if (asksMail && NEGATED.test(text) && says(NEGATED)) rows = rows.filter(({ email }) => email === null);
  else if (asksMail && says(/\bwith\b|has an|have an|登録されて|ある/))
    rows = rows.filter(({ email }) => email !== null);
  const show = (row: JsonObject) =>
    `${title(row, language)}${pick(language, '（', ' (')}${[row.city, row.email].filter((part) => part !== null && part !== undefined).join(', ')}${pick(language, '）', ')')}`;
  if (says(/per city|by city|each city|in each|都市ごと|都市別|街ごと/))
    return grouped(rows, 'city', (group) => group.length, language);
  if (asksCity && cities.length === 0 && !/from|based|located/.test(text))
    return lines(rows, (row) => String(row.city), language);
  return aggregated(rows, question, { measure: () => 1, show, isCountable: true }, language);
}

const STATUS: Readonly<Record<string, string>> = {
  paid: '支払い済み',
  shipped: '発送済み',
  cancelled: 'キャンセル',
};

function aboutOrders(
  question: Read,
  { orders, customers, products, lines: all }: Shop,
  language: Request['language'],
): string | undefined {
  const { says, people, goods, values, prefixes, text, cities, limit } = question;
  const states = values.filter((value) => /cancelled|shipped|paid/.test(value));
  const kinds = values.filter((value) => !states.includes(value));
  const isNot = NEGATED.test(text) && says(NEGATED);
  if (
    isNot &&
    states.length === 0 &&
    /customer|client|who|顧客|お客|誰/.test(text) &&
    says(/customers?|clients?|who|顧客|お客さ?ん?|誰|何も|anything|yet|an?/)
  ) {
    const none = customers.filter(({ customer_id: id }) => !orders.some((order) => order.customer_id === id));
    return none.length === 0
      ? pick(language, '該当する顧客はいません。全員が注文しています。', 'None: every customer has ordered.')
      : lines(none, (row) => String(row.city), language);
  }
  // まだ発送していない、支払い済み: the plain word wins over the negated one.
  const isNegated = (value: string) =>
    isNot &&
    new RegExp(
      `(?:not|n't)[^.]{0,20}${value.slice(0, 4)}|未(?:${value === 'shipped' ? '発送|出荷' : '払|入金'})|(?:${value === 'shipped' ? '発送|出荷' : value === 'paid' ? '支払|入金' : 'キャンセル'})[^、。]{0,8}(?:ない|なかった|ません)|まだ(?:${value === 'shipped' ? '発送|出荷' : '支払|入金'})`,
    ).test(text);
  const wanted = states.filter((value) => !isNegated(value));
  const unwanted = states.filter(isNegated);
  if (isNot && unwanted.length === 0) return undefined;
  const byStatus = (status: Json | undefined) =>
    (wanted.length === 0 || wanted.includes(String(status))) && !unwanted.includes(String(status));
  const fits = (row: JsonObject) =>
    byStatus(row.status) &&
    (question.order === undefined || String(row.order_id) === question.order) &&
    (people.length === 0 || people.some(({ customer_id: id }) => id === row.customer_id)) &&
    (prefixes.length === 0 ||
      prefixes.some((prefix) => new RegExp(`^${prefix}`).test(String(row.ordered_on)))) &&
    (cities.length === 0 || cities.includes(String(row.city).toLowerCase()));
  const isGoods = (row: JsonObject) =>
    (goods.length === 0 || goods.some(({ product_id: id }) => id === row.product_id)) &&
    (kinds.length === 0 || kinds.includes(String(row.category)));
  const withCustomer = orders.map((order) => ({
    ...order,
    ...pickCity(customers.find(({ customer_id: id }) => id === order.customer_id)),
  }));
  const chosen = all.filter((row) => fits(row) && isGoods(row));
  const found = withCustomer.filter(
    (order) =>
      fits(order) &&
      ((goods.length === 0 && kinds.length === 0) ||
        chosen.some(({ order_id: id }) => id === order.order_id)),
  );
  const value = (order: JsonObject) =>
    total(all.filter(({ order_id: id }) => id === order.order_id).map(amount));
  const orderText = (order: JsonObject) => {
    const who = customers.find(({ customer_id: id }) => id === order.customer_id);
    const status = pick(language, STATUS[String(order.status)] ?? String(order.status), String(order.status));
    const parts = [String(order.ordered_on), title(who ?? {}, language), status, String(value(order))];
    return `${pick(language, '注文 ', 'Order ')}${String(order.order_id)}${pick(language, '：', ': ')}${parts.join(pick(language, '、', ', '))}`;
  };
  const none = pick(language, '該当する注文はありません。', 'No order matches.');
  const people_ = customers
    .map((row) => ({ ...row, rows: chosen.filter(({ customer_id: id }) => id === row.customer_id) }))
    .filter(({ rows }) => rows.length > 0);
  const goods_ = products.map((row) => ({
    ...row,
    rows: chosen.filter(({ product_id: id }) => id === row.product_id),
  }));
  const isWhen = says(/\bwhen\b|いつ|日付|何日|\bdates?\b/);
  const isMost = says(
    /(?:一番|最も|いちばん|最)(?:も)?(?:多く|たくさん|高い?|多い|大き[いな]|売れ(?:て|た|行き|筋)?)?|most|best|highest|largest|biggest|top|popular|人気|売れ筋/,
  );
  const isLeast = says(
    /least|lowest|worst|smallest|fewest|(?:一番|最も|いちばん)?(?:少ない|売れていない|小さい|安い)/,
  );
  const isMoney = says(
    /revenue|turnover|sales\b|income|earn\w*|spent|spend\w*|value|worth|amount|total|sum|how much|売上げ?(?:高|額)?|売り上げ|金額|総額|合計|いくら|収益|使った/,
  );
  const isUnits = says(/units?|pieces?|copies|how many|quantity|個数?|いくつ|何(?:個|本|冊|枚|点)|数量/);
  const isAverage = says(/average|mean|平均/);
  const isWho = says(/\bwho(?:se)?\b|customers?|clients?|buyers?|誰|お客さ?[んま]?|顧客/);
  const per =
    /per (\w+)|by (customer|product|category|month|status)|each (\w+)|(商品|顧客|お客様?|月|状態|ステータス|カテゴリー?)(?:ごと|別)/.exec(
      text,
    );
  if (
    per !== null &&
    says(
      /per \w+|by (?:customer|product|category|month|status)|each \w+|(?:商品|顧客|お客様?|月|状態|ステータス|カテゴリー?)(?:ごと|別)/,
    )
  ) {
    const key = per.slice(1).find(Boolean) ?? '';
    const measure = (rows: readonly JsonObject[]) =>
      isMoney
        ? total(rows.map(amount))
        : isUnits && !/orders?|注文/.test(text)
          ? total(rows.map(quantity))
          : new Set(rows.map(({ order_id: id }) => id)).size;
    const keyed = chosen.map((row) => ({
      ...row,
      key: /product|商品/.test(key)
        ? title({ name: row.product ?? null, name_ja: row.product_ja ?? null }, language)
        : /categ|カテ/.test(key)
          ? String(row.category)
          : /month|月/.test(key)
            ? String(row.ordered_on).slice(0, 7)
            : /status|状態|ステ/.test(key)
              ? String(row.status)
              : title({ name: row.customer ?? null, name_ja: row.customer_ja ?? null }, language),
    }));
    return /month|月|status|状態|ステ|product|商品|categ|カテ|customer|顧客|客|person|client/.test(key)
      ? grouped(keyed, 'key', measure, language)
      : undefined;
  }
  if (
    says(
      /latest|newest|most recent(?:ly)?|\blast\b|recent|最新|(?:一番|最も|いちばん)?(?:最近|新しい)|最後|直近/,
    )
  )
    return byDate(found, -1, orderText) ?? none;
  if (says(/oldest|earliest|\bfirst\b|最初|最古|古い/)) return byDate(found, 1, orderText) ?? none;
  if (isMost || isLeast) {
    const sign = isLeast && !isMost ? 1 : -1;
    if (isWho) {
      const isCount =
        /most orders|most often|注文(?:回数|数|件数)|何回/.test(text) && says(/most orders|often|回数|件数/);
      const isPieces = !isMoney && isUnits;
      const score = ({ rows }: { rows: JsonObject[] }) =>
        isCount
          ? new Set(rows.map(({ order_id: id }) => id)).size
          : isPieces
            ? total(rows.map(quantity))
            : total(rows.map(amount));
      const [best] = people_.toSorted((one, other) => (score(one) - score(other)) * sign);
      return best === undefined
        ? none
        : pick(
            language,
            `${title(best, 'ja')}（${score(best)}）です。`,
            `${title(best, 'en')} (${score(best)}).`,
          );
    }
    if (
      says(
        /products?|items?|商品|製品|sold|売れ|sell\w*|goods|what|何|もの|ordered|注文された|人気|popular/,
      ) &&
      !/order value|biggest order|largest order|高額な?注文|注文額|(?:大きい|大きな)注文/.test(text)
    ) {
      const score = ({ rows }: { rows: JsonObject[] }) =>
        isMoney && !isUnits && /revenue|money|売上(?:高|額|が)|earn|turnover/.test(text)
          ? total(rows.map(amount))
          : total(rows.map(quantity));
      const [best] = goods_.toSorted((one, other) => (score(one) - score(other)) * sign);
      return best === undefined
        ? none
        : pick(
            language,
            `${title(best, 'ja')}（${score(best)}）です。`,
            `${title(best, 'en')} (${score(best)}).`,
          );
    }
    const [best] = found.toSorted((one, other) => (value(one) - value(other)) * sign);
    return best === undefined ? none : orderText(best);
  }
  if (says(/status|状態|状況|ステータス|どうなっ/)) return found.map(orderText).join('\n') || none;
  if (limit !== undefined)
    return (
      found
        .filter((order) => within(value(order), limit))
        .map(orderText)
        .join('\n') || none
    );
  if (isWhen) return found.map(orderText).join('\n') || none;
  if (isAverage)
    return found.length === 0
      ? none
      : pick(
          language,
          `平均は ${mean(found.map(value))} です（${found.length} 件）。`,
          `The average is ${mean(found.map(value))} (of ${found.length} orders).`,
        );
  if (isWho && people.length === 0) {
    if (says(/how many|何人|number of/))
      return pick(language, `${people_.length} 人です。`, `${people_.length}.`);
    if (states.length > 0 || question.order !== undefined) return found.map(orderText).join('\n') || none;
    return people_.map((row) => title(row, language)).join(pick(language, '、', ', ')) || none;
  }
  const isCount =
    says(
      /how many orders|number of orders|orders? (?:count|are there|do we have)|how often|how many times|何件|件数|注文数|何回|count/,
    ) ||
    (isUnits && /\borders\b/.test(text) && !/units|pieces/.test(text));
  if (isCount)
    return pick(
      language,
      `${found.length} 件です。`,
      `${found.length} order${found.length === 1 ? '' : 's'}.`,
    );
  if (isUnits && (goods.length > 0 || kinds.length > 0 || /sold|売れ|units|ordered/.test(text)))
    return pick(language, `${total(chosen.map(quantity))} です。`, `${total(chosen.map(quantity))}.`);
  if (isMoney) {
    const isAll = states.length === 0 && question.order === undefined && people.length === 0;
    const cancelled = isAll ? total(chosen.filter(({ status }) => status === 'cancelled').map(amount)) : 0;
    const note =
      cancelled === 0
        ? ''
        : pick(
            language,
            `（キャンセル分 ${cancelled} を含む）`,
            ` (including ${cancelled} of cancelled orders)`,
          );
    return pick(
      language,
      `合計は ${total(chosen.map(amount))} です${note}。`,
      `The total is ${total(chosen.map(amount))}${note}.`,
    );
  }
  const asksWhat = says(
    /what (?:did|has|have|was|were|is|are)|which products?|products?|items?|contents?|what's in|何を|中身|内容|明細|どの商品|商品/,
  );
  if (asksWhat && (people.length > 0 || question.order !== undefined))
    return (
      chosen
        .map(
          (row) =>
            `${title({ name: row.product ?? null, name_ja: row.product_ja ?? null }, language)} × ${String(row.quantity)}`,
        )
        .join(pick(language, '、', ', ')) || none
    );
  return found.map(orderText).join('\n') || none;
}

function pickCity(customer: JsonObject | undefined): JsonObject {
  return customer === undefined ? {} : { city: customer.city ?? null };
}

function byDate(
  orders: readonly JsonObject[],
  sign: 1 | -1,
  text: (order: JsonObject) => string,
): string | undefined {
  const [first] = orders.toSorted(
    (one, other) => (String(one.ordered_on) < String(other.ordered_on) ? -1 : 1) * sign,
  );
  return first === undefined ? undefined : text(first);
}

interface Shown {
  readonly measure: (row: JsonObject) => number;
  readonly show: (row: JsonObject) => string;
  readonly isCountable: boolean;
}

/** The largest, the smallest, the number, the sum, the average, or a sorted list of rows. */
function aggregated(
  rows: readonly JsonObject[],
  { says, text, limit }: Read,
  { measure, show, isCountable }: Shown,
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
      `平均は ${mean(values)} です（${rows.length} 件）。`,
      `The average is ${mean(values)} (of ${rows.length}).`,
    );
  if (
    !isCountable ||
    (says(/total|sum|合計|総(?:数|額)?|全部で|足す/) &&
      /stock|price|在庫|価格|値段|金額|value|units/.test(text) &&
      !/how many (?:products|customers)|何(?:件|人|種類)/.test(text))
  )
    return pick(
      language,
      `合計は ${total(values)} です（${rows.length} 件）。`,
      `The total is ${total(values)} (of ${rows.length}).`,
    );
  if (says(/how many|number of|count|何(?:件|人|種類|個|点|名)|いくつ|件数|人数|(?:商品|顧客)数/))
    return (
      pick(language, `${rows.length} 件です。`, `${rows.length}.`) +
      (limit === undefined ? '' : `\n${rows.map(show).join('\n')}`)
    );
  return rows.map(show).join('\n');
}

function grouped(
  rows: readonly JsonObject[],
  column: string,
  measure: (rows: readonly JsonObject[]) => number,
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

function lines(
  rows: readonly JsonObject[],
  write: (row: JsonObject) => string,
  language: Request['language'],
): string {
  return rows.map((row) => `${title(row, language)}${pick(language, '：', ': ')}${write(row)}`).join('\n');
}

function within(value: Json | undefined, { low, high }: Limit): boolean {
  return typeof value === 'number' && value >= low && value <= high;
}

function amount(line: JsonObject): number {
  return Number(line.quantity) * Number(line.unit_price ?? line.price);
}

function quantity(line: JsonObject): number {
  return Number(line.quantity);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function mean(values: readonly number[]): number {
  return Math.round((total(values) / values.length) * 100) / 100;
}

function title(row: JsonObject, language: Request['language']): string {
  const own = language === 'ja' ? row.name_ja : row.name;
  return String(own ?? row.name ?? row.title ?? '');
}
