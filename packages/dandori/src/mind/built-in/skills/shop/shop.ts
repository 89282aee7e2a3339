import type { JsonObject } from '../../../../model/json.ts';
import { pick, type Request } from '../skill.ts';
import { aggregated, grouped, isWithin, lines, mean, money, title, total } from './aggregate.ts';
import { aboutOrders } from './orders.ts';
import { NEGATED, type Read, read, type Shop } from './question.ts';

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
    : answer.replaceAll(/円 (?=です|を)/g, '円');
}

function told(question: Read, shop: Shop, language: Request['language']): string | undefined {
  const { says, values, people, goods } = question;
  const isPlaced = says(
    /(?:have |has )?(?:been )?(?:ordered|order(?:s|ing)?\b|bought|buy(?:s|ing)?\b|purchas\w*|sold|(?<=did \w+ )sell\b|sales?\b|revenue|turnover|income|earn(?:ed|ings)?|spent|spend\w*|placed|best.?sell\w*|popular)|注文|購入|買[いうえおっわ]|売上げ?|売り上げ|売れ|収益|人気|受注|使った/,
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
  if (numbers.length !== question.writtenCounts + (rate === undefined ? 0 : 1)) return undefined;
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
    `${money(result, goods, language)}です（${parts.join(' + ')}${extra}）。`,
    `${money(result, goods, language)} (${parts.join(' + ')}${extra}).`,
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
      return lines(goods, (row) => money(Number(row.price) * Number(row.stock), [row], language), language);
    if (says(/categor\w+|カテゴリー?|分類|ジャンル|kind|type/))
      return lines(goods, (row) => String(row.category), language);
    if (asksPrice && !asksStock) {
      if (
        goods.length === 2 &&
        says(/difference|差額|差|how much (?:more|cheaper)|compare|どっち|どちら|which|cheaper|安い|高い/)
      )
        return compared(goods, language);
      return lines(goods, (row) => price(row, language), language);
    }
    if (asksStock || says(/\b(?:do|is|are|have)\b.*|ある|あります|扱って|売って/))
      return lines(goods, (row) => stockText(row, language), language);
    return undefined;
  }
  let rows =
    values.length === 0 ? products : products.filter(({ category }) => values.includes(String(category)));
  if (limit !== undefined)
    rows = rows.filter((row) => isWithin(row[limit.isStock ? 'stock' : 'price'], limit));
  if (
    says(
      /在庫切れ|在庫(?:が|の)?(?:ない|なし|ゼロ|0)|品切れ|売り切れ|欠品|out of stock|sold out|not (?:currently )?(?:in stock|available)|unavailable|no stock/,
    )
  )
    rows = rows.filter(({ stock }) => stock === 0);
  else if (
    limit === undefined &&
    says(/in stock|在庫(?:が)?ある|在庫あり|available/) &&
    asksStock &&
    !says(/most|least|highest|lowest|total|average|多|少|合計|平均|sum|value|価値/)
  )
    rows = rows.filter(({ stock }) => Number(stock) > 0);
  const isValue = says(/worth/) || (asksStock && says(/金額|総額|評価額|価値|\bvalue\b/));
  const measure = (row: JsonObject) =>
    isValue
      ? Number(row.price) * Number(row.stock)
      : Number(row[asksStock && !asksPrice ? 'stock' : 'price']);
  const isMoney = isValue || !asksStock || asksPrice;
  const told = (value: number) => (isMoney ? money(value, rows, language) : String(value));
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
        isCounted && !isAverage && !asksPrice && !/在庫|stock/.test(question.text)
          ? group.length
          : told((isAverage ? mean : total)(group.map(measure))),
      language,
    );
  }
  return aggregated(rows, question, { measure, show, isCountable: !isValue, told }, language);
}

function price(row: JsonObject, language: Request['language']): string {
  return money(Number(row.price), [row], language);
}

function stockText(row: JsonObject, language: Request['language']): string {
  const count = Number(row.stock);
  return count === 0
    ? pick(language, '在庫切れ（0）', 'out of stock (0)')
    : pick(language, `在庫 ${count}`, `${count} in stock`);
}

function productText(row: JsonObject, language: Request['language']): string {
  return `${title(row, language)}${pick(language, '：', ': ')}${price(row, language)}${pick(language, '、', ', ')}${stockText(row, language)}`;
}

function compared(goods: readonly JsonObject[], language: Request['language']): string {
  const [big, small] = goods.toSorted((one, other) => Number(other.price) - Number(one.price));
  const [one, other] = [title(big ?? {}, language), title(small ?? {}, language)];
  const difference = money(Number(big?.price) - Number(small?.price), goods, language);
  const [more, less] = [price(big ?? {}, language), price(small ?? {}, language)];
  return pick(
    language,
    `${one}（${more}）は${other}（${less}）より ${difference}高いです。`,
    `${one} (${more}) costs ${difference} more than ${other} (${less}).`,
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
