import type { JsonObject } from '../../../model/json.ts';
import type { Request } from './skill.ts';
import { isoOf, readTemporal } from './temporal.ts';

/** Spellings of the same food. The first one is the name in the sample stock. */
export const SPELLINGS = [
  ['卵', 'たまご', '玉子'],
  ['ご飯', 'ごはん'],
  ['味噌', 'みそ'],
  ['醤油', 'しょうゆ', 'しょう油'],
  ['にんじん', '人参', 'ニンジン'],
  ['じゃがいも', 'ジャガイモ'],
  ['玉ねぎ', 'たまねぎ', 'タマネギ', '玉葱'],
  ['豆腐', 'とうふ'],
  ['鶏もも肉', '鶏肉', 'とり肉', 'チキン'],
  ['牛乳', 'ミルク'],
];

/** Food to add or to remove. */
export interface Change {
  readonly kind: 'add' | 'remove';
  readonly name: string;
  readonly quantity?: number;
  /** All that is there. */
  readonly isAll?: boolean;
  readonly unit?: string;
  readonly expiresOn?: string;
}

export function argsOf({ kind, name, quantity, unit, expiresOn }: Change): JsonObject {
  const usual = SPELLINGS.find((group) => group.includes(name))?.[0];
  const args: JsonObject = { name: kind === 'remove' ? (usual ?? name) : name };
  if (kind === 'add' || quantity !== undefined) args.quantity = quantity ?? 1;
  if (kind === 'add' && unit !== undefined && !/^[個つ]$/.test(unit)) args.unit = unit;
  if (expiresOn !== undefined) args.expires_on = expiresOn;
  return args;
}

/** Nothing is changed on a guess. Two items, all items, or the oldest one need a language model. */
const UNCLEAR =
  /\b(?:and|or|from|of|to|in|on|for|at|by|it|them|this|that|some|any|expired|old|latest|oldest|newest|everything|anything|all|list|with|one)\b|[,、と\d]|最新|古い|中身|全部|すべて|全て|何でも|もの|期限|何|誰|\b(?:tasks?|reminders?|events?|meetings?|alarms?|appointments?|contacts?|songs?|notes?|files?|users?|customers?|products?|orders?|minutes?|hours?|days?|yen|dollars?|people|lights?|tv|music)\b|電気|ライト|テレビ|予定|画面|音|データ|ファイル|メモ|履歴|写真|火/;
const TURNING =
  /レシピ|料理|作り方|recipe|\bdish|\bnot\b|n't\b|\bnever\b|\bif\b|\bunless\b|should|ないで|ません|なら|たら|どう|べき|以外|方法|予定|つもり|\bprice|\bcost|いくら|\d円|calend|email|メール|予約|アラーム|shop|商品|注文/;

/** An order to add or remove an item, or a report that an item was bought or used up. */
export function changeIn(request: Request): Change | undefined {
  const { text } = request;
  if (TURNING.test(text)) return undefined;
  const change = /[ぁ-んァ-ヶ一-龠]/.test(text) ? japanese(request) : english(request);
  return change === undefined || change.name === '' || UNCLEAR.test(change.name) ? undefined : change;
}

const PLACE =
  '(?:(?:kitchen |fridge |shopping )?(?:list|inventory|stock)|fridge|freezer|kitchen|pantry|cupboard)';
const CONTAINER =
  'cartons?|bottles?|packs?|packets?|packages?|pieces?|cans?|bags?|boxes|box|loaf|loaves|jars?|slices?|bunch(?:es)?|heads?|cups?|tins?|blocks?|sticks?|portions?|bowls?|tubs?';
const MEASURE = 'g|grams?|kg|kilos?|kilograms?|ml|l|litres?|liters?|oz|lbs?|pounds?';
const ITEM = `(?:(?:the|my|our|some|all (?:of )?(?:the |my |our )?|rest of (?:the )?)\\s*)*(?:(\\d+(?:\\.\\d+)?|an?)\\s*(?:(?:more|the) )?)?(?:(${CONTAINER}|${MEASURE})\\b (?:of )?(?:the )?)?([a-z][a-z' -]{1,30}?)`;
const WHERE = `(?:,? (?:in|into|to|on|onto|from|off|out of|at) (?:the |my |our )?(?:${PLACE}|home))*`;
const REPORT_OUT =
  '(?:used(?: up)?|ate|eaten|drank|drunk|finished|consumed|cooked(?: with)?|threw (?:away|out)|had)';
const REPORT_IN = '(?:bought|got|picked up|purchased|brought home|received)';
const ORDER_OUT = '(?:throw (?:away|out)|toss(?: out)?|discard|get rid of|remove|take|use up|bin|delete)';
const ORDER_IN = '(?:add|put|store|stock|register|record)';

function english({ text, isOrder, raw }: Request): Change | undefined {
  const polite = text
    .replace(
      /^(?:(?:hey|hi|ok|please|can you|could you|would you|will you|i want to|i'd like to|let's|now)[\s,]+)*/,
      '',
    )
    .replace(/[\s,]+(?:please|thanks|thank you|pls|now|today|already)$/, '');
  const { days } = readTemporal(polite, 0, false);
  const [day, ...others] = days;
  const dated =
    /,? ?(?:\(?(?:best before|expir\w+|use by|good until|bb)(?: date)?(?: of| is| on| by|:)?) ?$/.exec(
      day === undefined ? '' : polite.slice(0, day.start),
    );
  if (others.length > 0 || (day !== undefined && dated === null)) return undefined;
  const whole =
    day === undefined || dated === null
      ? polite
      : polite.slice(0, dated.index) + polite.slice(day.end).replace(/^\)/, '');
  const expiresOn = day === undefined ? undefined : isoOf(day.value);
  // "We ate 2 eggs, take them off the list": the second part repeats the first.
  const [first = '', second, ...more] = whole.split(
    /(?:,|;|\.| so| and)\s+(?=(?:so |please |can you |could you )*(?:put|take|add|remove|delete|update|record|register)\b)/,
  );
  const direction =
    second === undefined
      ? undefined
      : /\b(?:put|add|record|register)\b/.test(second)
        ? 'add'
        : /\b(?:take|remove|delete)\b/.test(second)
          ? 'remove'
          : undefined;
  const repeats =
    /^(?:so |please |can you |could you )*(?:put|take|add|remove|delete|update|record|register) (?:it|them|that|those|these|the (?:list|inventory|stock|kitchen list))\b/;
  if (more.length > 0 || (second !== undefined && (!repeats.test(second) || /\d/.test(second))))
    return undefined;
  const subject = "^(?:i|we|i've|we've|i have|we have)(?: just| already| now)* ";
  const forms: readonly (readonly [Change['kind'], RegExp, boolean])[] = [
    ['remove', new RegExp(`${subject}${REPORT_OUT} ${ITEM}(?: up)?${WHERE}$`), true],
    ['add', new RegExp(`${subject}${REPORT_IN} ${ITEM}${WHERE}$`), true],
    ['remove', new RegExp(`^${ORDER_OUT} ${ITEM}(?: (?:away|out|off))?${WHERE}$`), false],
    ['add', new RegExp(`^(?:bought) ${ITEM}${WHERE}$`), true],
    ['add', new RegExp(`^${ORDER_IN} ${ITEM}(?: away)?${WHERE}$`), false],
  ];
  for (const [kind, form, isReport] of forms) {
    const match = form.exec(first.trim());
    if (match === null) continue;
    if (isReport ? /[?？]\s*$/.test(raw) : !isOrder && second === undefined) return undefined;
    if (direction !== undefined && direction !== kind) return undefined;
    const [, count, unit = '', name = ''] = match;
    // "Buy milk" may be a note to oneself; "put a book on the table" is no food.
    if (kind === 'add' && count === undefined && !new RegExp(PLACE).test(whole)) return undefined;
    if (/^take /.test(first) && !/\b(?:off|out|from)\b/.test(first)) return undefined;
    const quantity = count === undefined ? undefined : /^a/.test(count) ? 1 : Number(count);
    return {
      kind,
      name: name.trim(),
      ...(quantity === undefined ? ALL.test(first) && { isAll: true } : { quantity }),
      ...(unit !== '' && { unit: shortUnit(unit) }),
      ...(expiresOn !== undefined && { expiresOn }),
    };
  }
  return undefined;
}

function shortUnit(unit: string): string {
  return unit
    .replace(/^(?:grams?)$/, 'g')
    .replace(/^(?:kilos?|kilograms?)$/, 'kg')
    .replace(/^(?:litres?|liters?)$/, 'l')
    .replace(/^boxes$/, 'box')
    .replace(/^loaves$/, 'loaf')
    .replace(/(?<=..)s$/, '');
}

const ALL = /全部|全て|すべて|使い切|\ball\b|\brest of\b|\bused up\b|\bfinished\b/;

const JA_UNIT =
  '個|本|枚|丁|杯|袋|箱|缶|玉|房|束|切れ|パック|つ|人分|kg|g|ml|l|グラム|キロ|リットル|ミリリットル|株|匹|尾|膳|合|斤|ケース|ダース|瓶|さじ|片|かけ';
const JA_PLACE = /(?:冷蔵庫|冷凍庫|台所|キッチン|在庫|リスト|家)(?:リスト)?(?:の中)?(?:から|に|へ|の)/g;
const JA_IN = /追加|入れ|買っ|買い|登録|足し|補充|しまっ|もらっ|届い|届き/;
const JA_OUT =
  /捨て|使っ|使い切|使いまし|食べ|飲ん|飲み|減ら|消し|削除|消費|取り出|処分|なくなっ|傷ん|腐っ|切らし/;
const JA_REPORTED = /買っ|買い|もらっ|届い|届き|使っ|使い切|使いまし|食べ|飲ん|飲み|消費|なくなっ|切らし/;

function japanese({ text, isOrder, raw }: Request): Change | undefined {
  const { days } = readTemporal(text, 0, false);
  const [day, ...others] = days;
  const isDated = day !== undefined && /(?:賞味|消費)?期限(?:は|が|、)?\s*$/.test(text.slice(0, day.start));
  if (
    others.length > 0 ||
    (day !== undefined && !isDated && !/今日|昨日/.test(text.slice(day.start, day.end)))
  )
    return undefined;
  const undated =
    day === undefined
      ? text
      : `${text.slice(0, day.start).replace(/、?\(?(?:賞味|消費)?期限(?:は|が|、)?\s*$/, '')}${text.slice(day.end).replace(/^(?:まで)?の?(?:で|の)?\)?/, '')}`;
  const own = undated
    .replaceAll(JA_PLACE, '')
    .replace(/^(?:さっき|今日|ちょっと|ごめん|ねえ|すみません)[、\s]*/, '');
  const turned = new RegExp(`^(\\d+(?:\\.\\d+)?)\\s*(${JA_UNIT})の([^をがはと、。\\d]{1,15}?)を(.+)$`).exec(
    own,
  );
  const plain = new RegExp(
    `^([^をがはと、。\\d]{1,15}?)(?:を|が|は|も)?[、\\s]*(?:もう|さっき|全部)?(?:(\\d+(?:\\.\\d+)?)\\s*(${JA_UNIT})(?:入り)?)?(?:を|が|は|ほど|くらい|だけ|分)*[、\\s]*(?:全部|全て|すべて|残り全部)?(?:を)?[、\\s]*((?:${JA_IN.source}|${JA_OUT.source}).*)$`,
  ).exec(own);
  const [name = '', count, unit, verbs = ''] =
    turned === null ? (plain?.slice(1) ?? []) : [turned[3], turned[1], turned[2], turned[4]];
  if (name === '') return undefined;
  const [isIn, isOut] = [JA_IN.test(verbs), JA_OUT.test(verbs)];
  const extra = verbs.replaceAll(
    new RegExp(`${JA_IN.source}|${JA_OUT.source}|下さい|願|致|全部|在庫|置`, 'g'),
    '',
  );
  if (isIn === isOut || /[一-龠ァ-ヶa-z\d]/.test(extra) || /ない|ません|ば/.test(verbs)) return undefined;
  const isPast = /(?:た|だ|ました|ちゃった|たよ|だよ)(?:よ|ね|の|から|ので|、|。)*$/.test(verbs);
  // 削除しました reports what was done; 使いました asks to record it.
  if (isPast ? !JA_REPORTED.test(verbs) || /[?？]\s*$|か$/.test(raw) : !isOrder) return undefined;
  // 電気を消して is not about food.
  if (
    /消し/.test(verbs) &&
    count === undefined &&
    !JA_REPORTED.test(verbs) &&
    !/在庫|リスト|冷蔵庫|台所/.test(text)
  )
    return undefined;
  // 買ってきて sends the user shopping.
  if (!isPast && /買/.test(verbs) && !/追加|入れ|登録|足し|しまっ/.test(verbs)) return undefined;
  const quantity = count === undefined ? undefined : Number(count);
  if (isIn && quantity === undefined && !JA_PLACE.test(undated) && isPast) return undefined;
  const ml = { グラム: 'g', キロ: 'kg', リットル: 'l', ミリリットル: 'ml' }[unit ?? ''] ?? unit;
  return {
    kind: isIn ? 'add' : 'remove',
    name: name.trim(),
    ...(quantity === undefined ? ALL.test(own) && { isAll: true } : { quantity }),
    ...(ml !== undefined && { unit: ml }),
    ...(day !== undefined && isDated && { expiresOn: isoOf(day.value) }),
  };
}
