import { asObject, type Json, type JsonObject } from '../../../model/json.ts';
import { argsOf, type Change, changeIn, SPELLINGS } from './kitchen-change.ts';
import { contains, hiraganaNoun, nameIn } from './names.ts';
import { recipes } from './recipes.ts';
import { asRows, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';
import { ratio, unitsOf } from './units.ts';

const INVENTORY = 'kitchen.list_inventory';
const REMOVE = 'kitchen.remove_item';
const ADD = 'kitchen.add_item';
const SOON_DAYS = 3;
const MOST_ITEMS = 20;

/** The stock of the kitchen, what expires soon, recipes, and adding or removing items. */
export const kitchen: Skill = (request) => {
  if (!request.has(INVENTORY)) return undefined;
  const change = changed(request);
  if (change !== undefined) return change;
  if (
    /\bshop\b|\bstore\b|products?|customers?|\border|商品|お?店|注文|顧客|お客|値段|価格|いくら|price|expensive/.test(
      request.text,
    )
  )
    return undefined;
  return recipes(request) ?? stock(request);
};

const WORDS =
  /\b(?:the|an?|of|in|on|at|for|to|from|by|with|is|are|was|do|does|did|we|i|you|me|my|our|us|it|there|that|this|these|what|what's|which|when|where|how|many|much|long|have|has|got|any|some|all|enough|least|more|show|list|give|tell|find|get|check|look|please|pls|can|could|would|should|will|need|know|see|currently|right|now|still|left|remaining|home|house|fridge|refrigerator|freezer|kitchen|pantry|inventory|stock|stocked|food|foods|ingredients?|items?|things?|stuff|groceries|inside|contents?|amount|quantity|number|count|and|or|each|both|everything|anything|go|goes|going|bad|off|expir\w*|soon|first|next|up|use|eat|before|best|date|days?|weeks?|within|today|tomorrow|already|past|out|closest|earliest|oldest|spoil\w*|be|must|about|keep|last|s|grams?|ml|hey|hi|ok|then|run|running|low|older|close|their|its)\b|'s|冷蔵庫|冷凍庫|台所|キッチン|家|在庫|食材|食品|食料|材料|中身|中|一覧|全部|残|何|個|本|枚|丁|杯|数|量|教|見|知|調|表示|確認|願|下|現在|今|賞味|消費|期限|日|以内|以上|以下|未満|週間|切|近|一番|最|早|過|使|食|傷|腐|先|順|番|使い切|必要|方|今週|週|良|間|持|それぞれ|グラム|ミリ|リットル|いくつ|あと|もの|分|内|リスト|出|言|思|入|置|残量|種類/g;

/** Whether a text has words that are not about the stock. */
function saysMore(text: string, items: readonly JsonObject[]): boolean {
  const names = items.flatMap(forms);
  const rest = names.reduce((now, name) => {
    if (/[^\u0020-\u007f]/.test(name)) return now.replaceAll(name.toLowerCase(), ' ');
    return name
      .toLowerCase()
      .split(/[\s-]+/)
      .reduce(
        (left, word) =>
          left.replaceAll(new RegExp(`\\b${word.replace(/(?:es|s|y)$/, '')}\\w{0,3}\\b`, 'g'), ' '),
        now,
      );
  }, text);
  return (
    hiraganaNoun(rest) || rest.replaceAll(WORDS, ' ').replaceAll(/[ぁ-んー\d\s\p{P}\p{S}]+/gu, '') !== ''
  );
}

const ABOUT_KITCHEN =
  /冷蔵庫|冷凍庫|台所|キッチン|食材|fridge|refrigerator|kitchen|pantry|at home|groceries|\bfood\b/;
const ASKS_STOCK =
  /do (?:i|we) (?:still )?have|have (?:i|we) got|is there (?:any|some|still)|are there (?:any|some|still)|how (?:many|much) .*(?:do (?:i|we) have|left|there|remain|in stock)|(?:any|some) .* left|run(?:ning)? (?:out|low)|残って|残り|(?:ある|あります|ありますか|あったっけ|ない|いる)$|あるか|あと何|あといくつ|いくつ(?:ある|残|あり)|何(?:個|本|枚|丁|杯|グラム|g|ml|パック)(?:ある|残|あり|$|です)|在庫|inventory/;
/** 卵はいくつ？, "How many eggs?": about the kitchen only if such a thing is there. */
const SHORT_COUNT = /^how many [a-z -]{2,25}$|^[^\s、]{1,12}は(?:いくつ|何個|何本|何枚|何パック)(?:ですか)?$/;
const ASKS_DATE =
  /期限|expir|go(?:es|ing)? (?:off|bad)|use up|best before|spoil|傷み|腐り|早め(?:に)?(?:使|食)|使い切ら|いつまで|use (?:first|soon)|eat (?:first|soon)|使うべき/;

function stock(request: Request): SkillMove | undefined {
  const { text, language } = request;
  const isDated = ASKS_DATE.test(text);
  const isShort = SHORT_COUNT.test(text);
  if (!isDated && !ABOUT_KITCHEN.test(text) && !ASKS_STOCK.test(text) && !isShort) return undefined;
  if (/天気|weather|temperature|\btables?\b|テーブル|予定|calendar|\btime\b|money|お金/.test(text))
    return undefined;
  if (
    /how long|\bkeeps?\b|日持ち|長持ち|保存(?:方法|でき)|食べられ|食べても|大丈夫|\bsafe\b|can (?:i|we) (?:still )?eat|okay to|ok to|冷凍|掃除|温度|電気/.test(
      text,
    )
  )
    return undefined;
  if (!isDated && /tomorrow|yesterday|next|明日|昨日|来週/.test(text)) return undefined;
  const found = resultsOf([{ operation: INVENTORY, args: {} }], request);
  if ('missing' in found) return found.missing;
  const items = asRows(found.results[0]?.items);
  const named = items.filter(
    (item) =>
      forms(item).some((form) => contains(text, form)) || heads(item).some((head) => contains(text, head)),
  );
  if (isShort && named.length === 0) return undefined;
  if (saysMore(text, named)) return named.length > 0 || isDated ? undefined : absent(request, items);
  if (isDated) return dated(named, items, request);
  if (named.length > 0) {
    const list = named.map((item) => itemText(item, language)).join('\n');
    return { kind: 'answer', text: `${isEnough(named, request) ?? ''}${list}` };
  }
  // 在庫一覧, "What's in the fridge?"
  const asksAll =
    /what|list|show|inventory|contents|everything|food|groceries|一覧|中身|何|全部|食材|リスト|見せ|表示|在庫|教え/.test(
      text,
    );
  if (!asksAll || items.length === 0)
    return items.length === 0 && asksAll
      ? { kind: 'answer', text: pick(language, '何もありません。', 'There is nothing.') }
      : undefined;
  if (/how many|何(?:個|種類|品|点)|いくつ/.test(text))
    return { kind: 'answer', text: pick(language, `${items.length} 品あります。`, `${items.length} items.`) };
  const more = items.length - MOST_ITEMS;
  const rest = more <= 0 ? [] : [pick(language, `… ほか ${more} 件`, `… and ${more} more`)];
  return {
    kind: 'answer',
    text: [...items.slice(0, MOST_ITEMS).map((item) => itemText(item, language)), ...rest].join('\n'),
  };
}

/** The reply to "at least 10 eggs?" An amount in another unit than the stock has no reply. */
function isEnough([only, ...others]: readonly JsonObject[], { text, language }: Request): string | undefined {
  const [, ja, unit, en] = /(\d+)\s*([^\d\s]{0,3}?)以上|(?:at least |\b)(\d+)(?: or more)?/.exec(text) ?? [];
  const least = ja ?? (/at least|or more/.test(text) ? en : undefined);
  const isOther = unit !== undefined && unit !== '' && unit !== only?.unit;
  if (
    least === undefined ||
    only === undefined ||
    others.length > 0 ||
    isOther ||
    /\d\s*k?(?:g|ml|l)\b/.test(text)
  )
    return undefined;
  return Number(only.quantity) >= Number(least)
    ? pick(language, 'はい。', 'Yes. ')
    : pick(language, 'いいえ。', 'No. ');
}

/** Kinds of things, which no item is called, and things of the shop. */
const KINDS =
  /野菜|果物|フルーツ|飲み物|ドリンク|調味料|乳製品|魚介|お菓子|おやつ|文房具|文具|日用品|家電|洗剤|vegetables?|fruits?|veggies|meat|drinks?|beverages?|dairy|condiments?|spices?|snacks?|sweets|stationery|detergent|soap/;

/** A thing that is not in stock: "Do I have bread?" 肉 is a part of 鶏もも肉. */
function absent({ text, language }: Request, items: readonly JsonObject[]): SkillMove | undefined {
  const match =
    /^(?:冷蔵庫に|家に|うちに|台所に)?([^\sはがの、に何]{1,12})(?:は|が|って|の残りは?)(?:まだ|あと|、)*(?:何(?:個|本|枚|丁|杯|グラム|g|ml)|いくつ)?(?:ある|あります|残って|ありますか|残り|あったっけ)/.exec(
      text,
    ) ??
    /(?:do (?:i|we) (?:still )?have|have (?:i|we) got|is there|are there|how (?:many|much)) (?:any |some |enough |still )*([a-z][a-z -]{1,25}?)(?: (?:do (?:i|we) have|(?:is|are) (?:left|there)))?(?: left| at home| in (?:the|my|our) (?:fridge|kitchen|pantry))*$/.exec(
      text,
    );
  const what = match?.[1]?.trim();
  const isOther =
    what === undefined ||
    /在庫|商品|予定|時間|テーブル|注文|stock|product|table|days|hours|people|minutes|weeks|time|money|calor|years|months|kinds?/.test(
      what,
    ) ||
    KINDS.test(what) ||
    / in | of | per | for /.test(what);
  const partly = isOther ? [] : items.filter((item) => forms(item).some((form) => form.includes(what)));
  if (partly.length > 0)
    return { kind: 'answer', text: partly.map((item) => itemText(item, language)).join('\n') };
  return isOther
    ? undefined
    : {
        kind: 'answer',
        text: pick(language, `${what}はありません（台所の在庫）。`, `There is no ${what} in the kitchen.`),
      };
}

function dated(
  named: readonly JsonObject[],
  items: readonly JsonObject[],
  { text, language }: Request,
): SkillMove {
  const sorted = items
    .filter(({ days_left: days }) => typeof days === 'number')
    .toSorted((one, other) => Number(one.days_left) - Number(other.days_left));
  const line = (item: JsonObject) =>
    typeof item.days_left === 'number'
      ? pick(
          language,
          `${name(item, 'ja')}：${String(item.expires_on)}（残り ${item.days_left} 日）`,
          `${name(item, 'en')}: ${String(item.expires_on)} (${item.days_left} day${item.days_left === 1 ? '' : 's'} left)`,
        )
      : pick(language, `${name(item, 'ja')}：期限の登録がありません`, `${name(item, 'en')}: no date`);
  if (named.length > 0) return { kind: 'answer', text: named.map(line).join('\n') };
  const isExpired = /expired|過ぎ|切れた|切れて|切れの|past/.test(text) && !/近|soon|以内|within/.test(text);
  const [, count, unit] = /(\d+)\s*(days?|weeks?|日|週間)/.exec(text) ?? [];
  const limit =
    count !== undefined
      ? Number(count) * (/^w|^週/.test(unit ?? '') ? 7 : 1)
      : /today|今日/.test(text)
        ? 0
        : /tomorrow|明日/.test(text)
          ? 1
          : /this week|今週/.test(text)
            ? untilSunday(sorted)
            : /week|週/.test(text)
              ? 7
              : SOON_DAYS;
  const isFirst =
    /first|next|earliest|closest|oldest|一番|最初|最も|いちばん/.test(text) && count === undefined;
  const [first] = sorted;
  const chosen = isFirst
    ? sorted.filter(({ days_left: days }) => days === first?.days_left)
    : sorted.filter(({ days_left: days }) => (isExpired ? Number(days) < 0 : Number(days) <= limit));
  const none = isExpired
    ? pick(language, '期限切れのものはありません。', 'Nothing has expired.')
    : pick(
        language,
        `${limit} 日以内に期限が切れるものはありません。`,
        `Nothing expires within ${limit} days.`,
      );
  return { kind: 'answer', text: chosen.map(line).join('\n') || none };
}

/** Days until the end of this week. What day it is now follows from any item. */
function untilSunday([item = {}]: readonly JsonObject[]): number {
  const expires = new Date(`${String(item.expires_on)}T00:00:00Z`).getUTCDay();
  const weekday = (((expires - Number(item.days_left)) % 7) + 7) % 7;
  return (7 - weekday) % 7;
}

function changed(request: Request): SkillMove | undefined {
  const change = changeIn(request) ?? chosenChange(request);
  if (change === undefined) return undefined;
  if ('move' in change) return change.move;
  const operation = change.kind === 'add' ? ADD : REMOVE;
  if (!request.has(operation)) return undefined;
  const fitting = change.kind === 'remove' ? inStockUnits(change, request) : change;
  if (fitting === undefined || !('name' in fitting)) return fitting;
  const call = { operation, args: argsOf(fitting) };
  if (!request.isDone(call)) return { kind: 'call', calls: [call] };
  const done = asObject(request.result(call));
  const item = asObject(done.item);
  const { language } = request;
  const unit = String(item.unit ?? '');
  const counted = (count: Json | undefined) => amountText(count, unit, 'en');
  const text =
    change.kind === 'add'
      ? pick(
          language,
          `${name(item, 'ja')}を追加しました（この分は ${String(item.quantity)} ${unit}）${expiry(item, 'ja')}。`,
          `Added ${name(item, 'en')}. This entry now has ${counted(item.quantity)}${expiry(item, 'en')}.`,
        )
      : pick(
          language,
          `${name(item, 'ja')}を ${String(done.removed)} ${unit}減らしました。残りは ${String(done.remaining)} ${unit}です。`,
          `Removed ${counted(done.removed)} of ${name(item, 'en')}. In stock now: ${counted(done.remaining)}.`,
        );
  return { kind: 'answer', text };
}

/**
 * A weight or volume to remove must be in the unit of the stock, because the tool takes only a number. So must "all of
 * it", if it is clear what is meant.
 */
function inStockUnits(change: Change, request: Request): Change | SkillMove | undefined {
  const [unit] = unitsOf(change.unit ?? '');
  if (unit === undefined && change.isAll !== true) return change;
  const found = resultsOf([{ operation: INVENTORY, args: {} }], request);
  if ('missing' in found) return found.missing;
  const items = asRows(found.results[0]?.items).filter((item) =>
    forms(item).some((form) => contains(form, change.name) || contains(change.name, form)),
  );
  if (unit === undefined) {
    const [only, ...more] = items;
    return more.length > 0 || only === undefined ? change : { ...change, quantity: Number(only.quantity) };
  }
  const factors = new Set(
    items
      .map((item) => unitsOf(String(item.unit))[0])
      .map((own) => (own === undefined ? undefined : ratio(unit, own))),
  );
  const [factor, ...others] = factors;
  if (factor !== undefined && others.length === 0) {
    const [top = 1, bottom = 1] = factor.split(' / ').map(Number);
    return { ...change, quantity: ((change.quantity ?? 0) * top) / bottom };
  }
  const why = pick(
    request.language,
    `「${change.name}」の在庫は ${change.unit} で数えていません。`,
    `The stock of "${change.name}" is not counted in ${change.unit}.`,
  );
  return { kind: 'cannot', why };
}

/** An amount alone, 牛乳を2本, does not say whether to add or remove: the user is asked. */
function chosenChange(request: Request): Change | { readonly move: SkillMove } | undefined {
  const { text, language } = request;
  const japanese = /^([^\d、。]{1,15}?)を?\s?(\d+)\s?(本|個|枚|パック|丁|杯|袋|箱|缶|房|玉)$/.exec(text);
  const english = /^(\d+) (cartons?|bottles?|packs?|pieces?|cans?|bags?) of ([a-z -]{2,30})$/.exec(text);
  const [what = '', quantity = '', unit] = japanese?.slice(1) ?? [
    english?.[3],
    english?.[1],
    english?.[2]?.replace(/s$/, ''),
  ];
  if (what === '' || !request.has(ADD) || !request.has(REMOVE)) return undefined;
  const [amount] = /^\d+ [a-z]+/.exec(text) ?? [`${quantity} ${unit}`];
  const question = pick(
    language,
    `${what} ${amount}をどうしますか？`,
    `What should be done with ${amount} of ${what}?`,
  );
  const options = [pick(language, '追加', 'Add'), pick(language, '使った', 'Used')];
  const former = pick(
    language,
    `${what}を ${quantity} どうしますか？`,
    `What should be done with ${quantity} ${what}?`,
  );
  const answer = request.answerTo('change', former);
  if (answer === undefined) return { move: { kind: 'ask', question, about: 'change', options } };
  return {
    kind: ['追加', 'Add'].includes(String(answer)) ? 'add' : 'remove',
    name: what,
    quantity: Number(quantity),
    ...(unit !== undefined && { unit }),
  };
}

function expiry(item: JsonObject, language: Request['language']): string {
  return typeof item.expires_on === 'string'
    ? pick(language, `（期限 ${item.expires_on}）`, ` (best before ${item.expires_on})`)
    : '';
}

function itemText(item: JsonObject, language: Request['language']): string {
  return `${name(item, language)}${pick(language, '：', ': ')}${amountText(item.quantity, String(item.unit), language)}${expiry(item, language)}`;
}

/** Japanese counters have no English form: two cartons are just 2. */
function amountText(count: Json | undefined, unit: string, language: Request['language']): string {
  const isCounter = /^[\p{Script=Han}\p{Script=Hiragana}]+$/u.test(unit);
  if (language === 'en' && isCounter) return String(count);
  const isMany = /^(?:carton|bottle|pack|packet|piece|can|bag|jar|slice|cup|tin|block|portion)$/.test(unit);
  return `${String(count)} ${unit}${isMany && count !== 1 ? 's' : ''}`;
}

/** 牛乳 (低脂肪) / low-fat milk has four forms. */
function forms(item: JsonObject): string[] {
  return String(item.name)
    .split(/\s*[/()（）]\s*/)
    .filter((part) => part !== '');
}

/** The last word of an English name and common spellings: milk, rice, chicken. */
function heads(item: JsonObject): string[] {
  const english = forms(item).filter((form) => /^[a-z -]+$/i.test(form));
  const others = SPELLINGS.filter((group) => group.some((word) => String(item.name).includes(word))).flat();
  return [
    ...english
      .flatMap((form) => form.split(/\s+/))
      .filter((word) => !/^(?:sauce|thigh|fat|low|whole|cooked|soy)$/.test(word)),
    ...others,
  ];
}

function name(item: JsonObject, language: Request['language']): string {
  return nameIn(String(item.name), language);
}
