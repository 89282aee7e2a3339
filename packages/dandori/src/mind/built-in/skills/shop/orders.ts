import type { Json, JsonObject } from '../../../../model/json.ts';
import { pick, type Request } from '../skill.ts';
import { grouped, lines, mean, money, title, total, within } from './aggregate.ts';
import { NEGATED, type Read, type Shop } from './question.ts';

const STATUS: Readonly<Record<string, string>> = {
  paid: '支払い済み',
  shipped: '発送済み',
  cancelled: 'キャンセル',
};

export function aboutOrders(
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
    says(/customers?|clients?|who|顧客|お客さ?ん?|誰|何も|anything|yet|\ban?\b/)
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
  const sum = (amounts: number) => money(amounts, products, language);
  const value = (order: JsonObject) =>
    total(all.filter(({ order_id: id }) => id === order.order_id).map(amount));
  const orderText = (order: JsonObject) => {
    const who = customers.find(({ customer_id: id }) => id === order.customer_id);
    const status = pick(language, STATUS[String(order.status)] ?? String(order.status), String(order.status));
    const parts = [String(order.ordered_on), title(who ?? {}, language), status, sum(value(order))];
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
  const isWho = says(
    /\bwho(?:se)?\b|customers?|clients?|buyers?|誰|お客さ?[んま]?|顧客|(?:した|った)(?:人|方)/,
  );
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
        ? sum(total(rows.map(amount)))
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
    const winner = <T extends (typeof people_)[number] | (typeof goods_)[number]>(
      all: readonly T[],
      score: (one: T) => number,
      told: (count: number) => string = String,
    ) => {
      const [best] = all.toSorted((one, other) => (score(one) - score(other)) * sign);
      return best === undefined
        ? none
        : pick(
            language,
            `${title(best, 'ja')}（${told(score(best))}）です。`,
            `${title(best, 'en')} (${told(score(best))}).`,
          );
    };
    if (isWho) {
      const isCount =
        /most orders|most often|注文(?:回数|数|件数)|何回|(?:多く|たくさん)注文/.test(text) &&
        says(/most orders|often|回数|件数|(?:多く|たくさん)注文/);
      const isPieces = !isMoney && (isUnits || /(?:多く|たくさん)買/.test(text));
      const score = ({ rows }: { rows: JsonObject[] }) =>
        isCount
          ? new Set(rows.map(({ order_id: id }) => id)).size
          : isPieces
            ? total(rows.map(quantity))
            : total(rows.map(amount));
      const told = (count: number) =>
        isCount
          ? pick(language, `注文 ${count} 件`, `${count} orders`)
          : isPieces
            ? pick(language, `${count} 個`, `${count} pieces`)
            : pick(language, `合計 ${sum(count)}`, `${sum(count)} in total`);
      return winner(people_, score, told);
    }
    if (
      says(
        /products?|items?|商品|製品|sold|売れ|sell\w*|goods|what|何|もの|ordered|注文された|人気|popular/,
      ) &&
      !/order value|biggest order|largest order|高額な?注文|注文額|(?:大きい|大きな)注文/.test(text)
    ) {
      const isByMoney = isMoney && !isUnits && /revenue|money|売上(?:高|額|が)|earn|turnover/.test(text);
      const score = ({ rows }: { rows: JsonObject[] }) => total(rows.map(isByMoney ? amount : quantity));
      const pieces = (count: number) => pick(language, `${count} 個`, `${count} pieces`);
      return winner(goods_, score, isByMoney ? sum : pieces);
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
          `平均は ${sum(mean(found.map(value)))} です（${found.length} 件）。`,
          `The average is ${sum(mean(found.map(value)))} (of ${found.length} orders).`,
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
    const isAnyStatus = states.length === 0 && question.order === undefined;
    const cancelled = isAnyStatus
      ? total(chosen.filter(({ status }) => status === 'cancelled').map(amount))
      : 0;
    const note =
      cancelled === 0
        ? ''
        : pick(
            language,
            `（キャンセル分 ${sum(cancelled)} を含む）`,
            ` (including ${sum(cancelled)} of cancelled orders)`,
          );
    return pick(
      language,
      `合計は ${sum(total(chosen.map(amount)))} です${note}。`,
      `The total is ${sum(total(chosen.map(amount)))}${note}.`,
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

function amount(line: JsonObject): number {
  return Number(line.quantity) * Number(line.unit_price ?? line.price);
}

function quantity(line: JsonObject): number {
  return Number(line.quantity);
}
