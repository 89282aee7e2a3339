import type { JsonObject } from '../../../../model/json.ts';
import { pick, type Request } from '../skill.ts';
import { grouped, isWithin, lines, mean, money, title, total } from './aggregate.ts';
import { NEGATED, type Read, type Shop } from './question.ts';

type Language = Request['language'];

const STATUS: Readonly<Record<string, string>> = {
  paid: '支払い済み',
  shipped: '発送済み',
  cancelled: 'キャンセル',
};

/** Orders, and what was sold: when, by whom, how many, for how much. */
export function aboutOrders(question: Read, shop: Shop, language: Language): string | undefined {
  const isNot = NEGATED.test(question.text) && question.says(NEGATED);
  if (isNot && asksWhoNeverOrdered(question)) return neverOrdered(shop, language);
  const chosen = choose(question, shop, isNot);
  if (chosen === undefined) return undefined;
  const asked = askedIn(question);
  const tell = tellerFor(shop, language);
  if (asked.per !== undefined) return perGroup(asked.per, question, asked, { chosen, tell });
  return (
    byDate(question, chosen, tell) ??
    (asked.isMost || asked.isLeast ? extreme(question, asked, { shop, chosen, tell }) : undefined) ??
    listOrCount(question, asked, { shop, chosen, tell })
  );
}

const isStatus = (value: string) => Object.hasOwn(STATUS, value);

function asksWhoNeverOrdered({ values, text, says }: Read): boolean {
  return (
    !values.some(isStatus) &&
    /customer|client|who|顧客|お客|誰/.test(text) &&
    says(/customers?|clients?|who|顧客|お客さ?ん?|誰|何も|anything|yet|\ban?\b/)
  );
}

function neverOrdered({ customers, orders }: Shop, language: Language): string {
  const none = customers.filter(({ customer_id: id }) => !orders.some((order) => order.customer_id === id));
  return none.length === 0
    ? pick(language, '該当する顧客はいません。全員が注文しています。', 'None: every customer has ordered.')
    : lines(none, (row) => String(row.city), language);
}

/** The orders that the question is about, and their lines. */
interface Chosen {
  readonly orders: readonly JsonObject[];
  readonly lines: readonly JsonObject[];
  /** Whether the question names a status. */
  readonly hasStatus: boolean;
}

/** Undefined if the question negates anything but a status. */
function choose(question: Read, { orders, customers, lines: all }: Shop, isNot: boolean): Chosen | undefined {
  const { people, goods, values, prefixes, text, cities } = question;
  const states = values.filter(isStatus);
  const kinds = values.filter((value) => !isStatus(value));
  // まだ発送していない、支払い済み: the plain word wins over the negated one.
  const unwanted = isNot ? states.filter((value) => isNegated(value, text)) : [];
  const wanted = states.filter((value) => !unwanted.includes(value));
  if (isNot && unwanted.length === 0) return undefined;
  const fits = (row: JsonObject) =>
    (wanted.length === 0 || wanted.includes(String(row.status))) &&
    !unwanted.includes(String(row.status)) &&
    (question.order === undefined || String(row.order_id) === question.order) &&
    (people.length === 0 || people.some(({ customer_id: id }) => id === row.customer_id)) &&
    (prefixes.length === 0 ||
      prefixes.some((prefix) => new RegExp(`^${prefix}`).test(String(row.ordered_on)))) &&
    (cities.length === 0 || cities.includes(String(row.city).toLowerCase()));
  const isGoods = (row: JsonObject) =>
    (goods.length === 0 || goods.some(({ product_id: id }) => id === row.product_id)) &&
    (kinds.length === 0 || kinds.includes(String(row.category)));
  const chosen = all.filter((row) => fits(row) && isGoods(row));
  const isAnyGoods = goods.length === 0 && kinds.length === 0;
  const found = orders
    .map((order) => ({
      ...order,
      city: customers.find(({ customer_id: id }) => id === order.customer_id)?.city ?? null,
    }))
    .filter((order) => fits(order) && (isAnyGoods || linesOf(order, 'order_id', chosen).length > 0));
  return { orders: found, lines: chosen, hasStatus: states.length > 0 };
}

function isNegated(status: string, text: string): boolean {
  const verb = status === 'shipped' ? '発送|出荷' : status === 'paid' ? '支払|入金' : 'キャンセル';
  const prefixed = status === 'shipped' ? '発送|出荷' : '払|入金';
  const still = status === 'shipped' ? '発送|出荷' : '支払|入金';
  return new RegExp(
    `(?:not|n't)[^.]{0,20}${status.slice(0, 4)}|未(?:${prefixed})|(?:${verb})[^、。]{0,8}(?:ない|なかった|ません)|まだ(?:${still})`,
  ).test(text);
}

type Asked = ReturnType<typeof askedIn>;

/** What the question wants to know about the orders. */
function askedIn({ says, text }: Read) {
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
  const isWho = says(
    /\bwho(?:se)?\b|customers?|clients?|buyers?|誰|お客さ?[んま]?|顧客|(?:した|った)(?:人|方)/,
  );
  const groups =
    /per (\w+)|by (customer|product|category|month|status)|each (\w+)|(商品|顧客|お客様?|月|状態|ステータス|カテゴリー?)(?:ごと|別)/;
  const match = groups.exec(text);
  const per = match === null || !says(groups) ? undefined : (match.slice(1).find(Boolean) ?? '');
  return { isWhen, isMost, isLeast, isMoney, isUnits, isAverage, isWho, per };
}

type Teller = ReturnType<typeof tellerFor>;

function tellerFor({ customers, products, lines: all }: Shop, language: Language) {
  const sum = (value: number) => money(value, products, language);
  const worth = (order: JsonObject) => total(linesOf(order, 'order_id', all).map(amount));
  const order = (row: JsonObject) => {
    const customer = customers.find(({ customer_id: id }) => id === row.customer_id);
    const status = pick(language, STATUS[String(row.status)] ?? String(row.status), String(row.status));
    const parts = [String(row.ordered_on), title(customer ?? {}, language), status, sum(worth(row))];
    return `${pick(language, '注文 ', 'Order ')}${String(row.order_id)}${pick(language, '：', ': ')}${parts.join(pick(language, '、', ', '))}`;
  };
  const none = pick(language, '該当する注文はありません。', 'No order matches.');
  return {
    sum,
    worth,
    order,
    orders: (rows: readonly JsonObject[]) => rows.map(order).join('\n') || none,
    names: (names: readonly string[]) => names.join(pick(language, '、', ', ')) || none,
    none,
    language,
    say: (japanese: string, english: string) => pick(language, japanese, english),
  };
}

interface Answering {
  readonly shop: Shop;
  readonly chosen: Chosen;
  readonly tell: Teller;
}

function perGroup(
  per: string,
  { text }: Read,
  { isMoney, isUnits }: Asked,
  { chosen, tell }: Omit<Answering, 'shop'>,
): string | undefined {
  const column = GROUPS.find(([form]) => form.test(per))?.[1];
  if (column === undefined) return undefined;
  const measure = (rows: readonly JsonObject[]) => {
    if (isMoney) return tell.sum(total(rows.map(amount)));
    return isUnits && !/orders?|注文/.test(text) ? total(rows.map(quantity)) : orderCount(rows);
  };
  const keyed = chosen.lines.map((row) => ({ ...row, key: column(row, tell.language) }));
  return grouped(keyed, 'key', measure, tell.language);
}

const named = (row: JsonObject, what: 'product' | 'customer', language: Language) =>
  title({ name: row[what] ?? null, name_ja: row[`${what}_ja`] ?? null }, language);

/** The words for a group, and the group of an order line. */
const GROUPS: readonly (readonly [RegExp, (row: JsonObject, language: Language) => string])[] = [
  [/product|商品/, (row, language) => named(row, 'product', language)],
  [/categ|カテ/, (row) => String(row.category)],
  [/month|月/, (row) => String(row.ordered_on).slice(0, 7)],
  [/status|状態|ステ/, (row) => String(row.status)],
  [/customer|顧客|客|person|client/, (row, language) => named(row, 'customer', language)],
];

/** The newest or the oldest order, if the question asks for it. */
function byDate({ says }: Read, { orders }: Chosen, tell: Teller): string | undefined {
  const isNewest = says(
    /latest|newest|most recent(?:ly)?|\blast\b|recent|最新|(?:一番|最も|いちばん)?(?:最近|新しい)|最後|直近/,
  );
  if (!isNewest && !says(/oldest|earliest|\bfirst\b|最初|最古|古い/)) return undefined;
  const [first] = orders.toSorted(
    (one, other) => (String(one.ordered_on) < String(other.ordered_on) ? -1 : 1) * (isNewest ? -1 : 1),
  );
  return first === undefined ? tell.none : tell.order(first);
}

/** The customer, the product or the order with the most or the least of something. */
function extreme(question: Read, asked: Asked, { shop, chosen, tell }: Answering): string {
  const { says, text } = question;
  const { isMost, isMoney, isUnits, isWho } = asked;
  const sign = isMost ? -1 : 1;
  const best = <T>(rows: readonly T[], score: (row: T) => number): T | undefined =>
    rows.toSorted((one, other) => (score(one) - score(other)) * sign)[0];
  const winner = (
    rows: readonly JsonObject[],
    key: 'customer_id' | 'product_id',
    { score, told }: { score: (lines: readonly JsonObject[]) => number; told: (value: number) => string },
  ) => {
    const scored = rows.map((row) => ({ row, bought: linesOf(row, key, chosen.lines) }));
    const first = best(
      key === 'customer_id' ? scored.filter(({ bought }) => bought.length > 0) : scored,
      ({ bought }) => score(bought),
    );
    if (first === undefined) return tell.none;
    const value = told(score(first.bought));
    return tell.say(`${title(first.row, 'ja')}（${value}）です。`, `${title(first.row, 'en')} (${value}).`);
  };
  const units = (rows: readonly JsonObject[]) => total(rows.map(quantity));
  const revenue = (rows: readonly JsonObject[]) => total(rows.map(amount));
  const pieces = (count: number) => tell.say(`${count} 個`, `${count} pieces`);
  if (isWho) {
    const isCount =
      /most orders|most often|注文(?:回数|数|件数)|何回|(?:多く|たくさん)注文/.test(text) &&
      says(/most orders|often|回数|件数|(?:多く|たくさん)注文/);
    if (isCount) {
      const told = (count: number) => tell.say(`注文 ${count} 件`, `${count} orders`);
      return winner(shop.customers, 'customer_id', { score: orderCount, told });
    }
    if (!isMoney && (isUnits || /(?:多く|たくさん)買/.test(text)))
      return winner(shop.customers, 'customer_id', { score: units, told: pieces });
    const told = (value: number) => tell.say(`合計 ${tell.sum(value)}`, `${tell.sum(value)} in total`);
    return winner(shop.customers, 'customer_id', { score: revenue, told });
  }
  const isProduct =
    says(/products?|items?|商品|製品|sold|売れ|sell\w*|goods|what|何|もの|ordered|注文された|人気|popular/) &&
    !/order value|biggest order|largest order|高額な?注文|注文額|(?:大きい|大きな)注文/.test(text);
  if (isProduct) {
    const isByMoney = isMoney && !isUnits && /revenue|money|売上(?:高|額|が)|earn|turnover/.test(text);
    const measure = isByMoney ? { score: revenue, told: tell.sum } : { score: units, told: pieces };
    return winner(shop.products, 'product_id', measure);
  }
  const order = best(chosen.orders, tell.worth);
  return order === undefined ? tell.none : tell.order(order);
}

function listOrCount(question: Read, asked: Asked, { shop, chosen, tell }: Answering): string {
  const { says, people, text, limit } = question;
  const { orders: found } = chosen;
  if (says(/status|状態|状況|ステータス|どうなっ/)) return tell.orders(found);
  if (limit !== undefined) return tell.orders(found.filter((order) => isWithin(tell.worth(order), limit)));
  if (asked.isWhen) return tell.orders(found);
  if (asked.isAverage) {
    if (found.length === 0) return tell.none;
    const average = tell.sum(mean(found.map(tell.worth)));
    return tell.say(
      `平均は ${average} です（${found.length} 件）。`,
      `The average is ${average} (of ${found.length} orders).`,
    );
  }
  if (asked.isWho && people.length === 0) return buyers(question, { shop, chosen, tell });
  const isCount =
    says(
      /how many orders|number of orders|orders? (?:count|are there|do we have)|how often|how many times|何件|件数|注文数|何回|count/,
    ) ||
    (asked.isUnits && /\borders\b/.test(text) && !/units|pieces/.test(text));
  if (isCount)
    return tell.say(`${found.length} 件です。`, `${found.length} order${found.length === 1 ? '' : 's'}.`);
  return amounts(question, asked, { chosen, tell });
}

/** Who ordered, or how many customers did. */
function buyers({ says, order }: Read, { shop, chosen, tell }: Answering): string {
  const who = shop.customers.filter((row) => linesOf(row, 'customer_id', chosen.lines).length > 0);
  if (says(/how many|何人|number of/)) return tell.say(`${who.length} 人です。`, `${who.length}.`);
  if (chosen.hasStatus || order !== undefined) return tell.orders(chosen.orders);
  return tell.names(who.map((row) => title(row, tell.language)));
}

/** How many pieces, for how much, or which products. Otherwise the orders themselves. */
function amounts(
  { says, goods, values, people, order, text }: Read,
  { isUnits, isMoney }: Asked,
  { chosen, tell }: Omit<Answering, 'shop'>,
): string {
  const isOfGoods = goods.length > 0 || values.some((value) => !isStatus(value));
  if (isUnits && (isOfGoods || /sold|売れ|units|ordered/.test(text))) {
    const units = total(chosen.lines.map(quantity));
    return tell.say(`${units} です。`, `${units}.`);
  }
  if (isMoney) {
    const isAnyStatus = !chosen.hasStatus && order === undefined;
    const cancelled = chosen.lines.filter(({ status }) => isAnyStatus && status === 'cancelled');
    const part = tell.sum(total(cancelled.map(amount)));
    const note =
      cancelled.length === 0
        ? ''
        : tell.say(`（キャンセル分 ${part} を含む）`, ` (including ${part} of cancelled orders)`);
    const whole = tell.sum(total(chosen.lines.map(amount)));
    return tell.say(`合計は ${whole} です${note}。`, `The total is ${whole}${note}.`);
  }
  const asksWhat = says(
    /what (?:did|has|have|was|were|is|are)|which products?|products?|items?|contents?|what's in|何を|中身|内容|明細|どの商品|商品/,
  );
  if (!asksWhat || (people.length === 0 && order === undefined)) return tell.orders(chosen.orders);
  return tell.names(
    chosen.lines.map((row) => `${named(row, 'product', tell.language)} × ${String(row.quantity)}`),
  );
}

function linesOf(
  row: JsonObject,
  key: 'order_id' | 'customer_id' | 'product_id',
  all: readonly JsonObject[],
): JsonObject[] {
  return all.filter((line) => line[key] === row[key]);
}

function orderCount(rows: readonly JsonObject[]): number {
  return new Set(rows.map(({ order_id: id }) => id)).size;
}

function amount(line: JsonObject): number {
  return Number(line.quantity) * Number(line.unit_price ?? line.price);
}

function quantity(line: JsonObject): number {
  return Number(line.quantity);
}
