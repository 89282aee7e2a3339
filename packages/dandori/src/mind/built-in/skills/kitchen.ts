import type { JsonObject } from '../../../model/json.ts';
import { contains } from './rows.ts';
import { asObject, asRows, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';

const INVENTORY = 'kitchen.list_inventory';
const RECIPES = 'kitchen.find_recipes';
const REMOVE = 'kitchen.remove_item';
const ADD = 'kitchen.add_item';
const SOON_DAYS = 3;

/** The stock of the kitchen, what expires soon, recipes, and adding or removing items. */
export const kitchen: Skill = (request) => {
  if (!request.has(INVENTORY)) return undefined;
  return changed(request) ?? recipe(request) ?? stock(request);
};

function stock(request: Request): SkillMove | undefined {
  const { text, language } = request;
  const isSoon = /期限|expire|expir|go(?:es|ing)? (?:off|bad)|use up|早めに/.test(text);
  const asksFor = thing(text);
  if (!isSoon && asksFor === undefined) return undefined;
  const found = resultsOf([{ operation: INVENTORY, args: {} }], request);
  if ('missing' in found) return found.missing;
  const items = asRows(found.results[0]?.items);
  if (isSoon) {
    const soon = items.filter(({ days_left: days }) => typeof days === 'number' && days <= SOON_DAYS);
    const lines = soon.map((item) =>
      pick(
        language,
        `${name(item, language)}：残り ${String(item.days_left)} 日`,
        `${name(item, language)}: ${String(item.days_left)} days left`,
      ),
    );
    return {
      kind: 'answer',
      text: lines.join('\n') || pick(language, '期限の近いものはありません。', 'Nothing expires soon.'),
    };
  }
  const fitting = items.filter((item) =>
    forms(item).some((form) => contains(asksFor ?? '', form) || contains(form, asksFor ?? '')),
  );
  // The shop may have the item.
  if (fitting.length === 0 && /在庫|stock/.test(text)) return undefined;
  if (fitting.length === 0) {
    const what = asksFor ?? '';
    return { kind: 'answer', text: pick(language, `${what}はありません。`, `There is no ${what}.`) };
  }
  const lines = fitting.map(
    (item) =>
      `${name(item, language)}${pick(language, '：', ': ')}${String(item.quantity)} ${String(item.unit)}`,
  );
  return { kind: 'answer', text: lines.join('\n') };
}

/** What a question about the stock asks for: 卵は何個ある, do I have bread. */
function thing(text: string): string | undefined {
  const match =
    /^(?:冷蔵庫に|家に|うちに)?([^\sはがの、に]{1,15})(?:は|が|って|の残りは?|の在庫は?)(?:まだ|あと)?(?:何(?:個|本|枚|丁|杯|グラム|g|ml)|いくつ|どれくらい|どのくらい|残って)?(?:ある|あります|残って|ありますか|いる|います|残り)/.exec(
      text,
    ) ??
    /^(?:do|have) (?:i|we) (?:have|got) (?:any |some |enough )?([a-z -]{2,30}?)(?: left| at home| in the (?:fridge|kitchen))?$/.exec(
      text,
    ) ??
    /^is there (?:any |some )?([a-z -]{2,30}?)(?: left| at home| in the (?:fridge|kitchen))?$/.exec(text) ??
    /^how (?:many|much) ([a-z -]{2,30}?) (?:do (?:i|we) have|(?:is|are) (?:left|there|in the (?:fridge|kitchen)))(?: left| in the (?:fridge|kitchen)| at home)?$/.exec(
      text,
    );
  const what = match?.[1]?.trim();
  return what === undefined ||
    /^(?:何|在庫|商品|注文|顧客|食材|もの|products?|orders?|customers?|items?|food|stock|.*stock|tables?)$/.test(
      what,
    )
    ? undefined
    : what;
}

function recipe(request: Request): SkillMove | undefined {
  const { text, language } = request;
  if (!request.has(RECIPES)) return undefined;
  if (/\d+\s*(?:人分|人前|people|persons|servings)/.test(text)) {
    const why = pick(
      language,
      '分量の計算には言語モデルが必要です。',
      'Amounts for more people need a language model.',
    );
    return { kind: 'cannot', why };
  }
  if (
    /(?:cook|make|eat) (?:today |tonight )?with what (?:i|we) have|(?:今|家に|冷蔵庫に)?ある(?:もの|材料|食材)で(?:何が|なにが)?作れる/.test(
      text,
    )
  )
    return cookable(request);
  const dish =
    /(?:how (?:do i|to|can i) (?:make|cook|prepare)|recipe (?:for|of)|missing for|need for|ingredients (?:for|of)) (?:an? |some |the )?([a-z ]{3,40})$/.exec(
      text,
    )?.[1] ??
    /^how long does (?:an? |the )?([a-z ]{3,40}?) take(?: to (?:make|cook))?$/.exec(text)?.[1] ??
    /^(.{2,15}?)(?:の作り方|の作りかた|のレシピ|を作るには|を作るのに|はどう作る|に足りない|の材料|って何分|は何分)/.exec(
      text,
    )?.[1];
  if (dish === undefined) return undefined;
  const found = resultsOf([{ operation: RECIPES, args: { max: 20 } }], request);
  if ('missing' in found) return found.missing;
  const recipes = asRows(found.results[0]?.recipes);
  const best = recipes.find((one) =>
    [one.name, one.name_ja].some((own) => contains(String(own), dish) || contains(dish, String(own))),
  );
  if (best === undefined) return undefined;
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map(String).join(pick(language, '、', ', ')) : '';
  const steps = Array.isArray(best.steps)
    ? best.steps.map((step, index) => `${index + 1}. ${String(step)}`)
    : [];
  const lines = [
    `${String(language === 'ja' ? best.name_ja : best.name)} (${String(best.minutes)} ${pick(language, '分', 'minutes')})`,
    `${pick(language, 'ある材料', 'At hand')}: ${list(best.have)}`,
    ...(list(best.missing) === ''
      ? []
      : [`${pick(language, '足りない材料', 'Missing')}: ${list(best.missing)}`]),
    ...steps,
  ];
  return { kind: 'answer', text: lines.join('\n') };
}

function cookable(request: Request): SkillMove | undefined {
  const { language } = request;
  const found = resultsOf([{ operation: RECIPES, args: {} }], request);
  if ('missing' in found) return found.missing;
  const lines = asRows(found.results[0]?.recipes).map(
    (one) => `- ${String(language === 'ja' ? one.name_ja : one.name)}`,
  );
  const none = pick(language, '作れる料理は見つかりませんでした。', 'No recipe fits what is there.');
  return { kind: 'answer', text: lines.join('\n') || none };
}

interface Change {
  readonly operation: string;
  readonly args: JsonObject;
}

function changed(request: Request): SkillMove | undefined {
  const { text, language } = request;
  const change = changeIn(request);
  if (change === undefined) {
    const bare =
      /^(.{1,15}?)を?\s?(\d+)\s?(本|個|枚|パック|丁|杯)$/.exec(text) ??
      /^(\d+) (?:cartons?|bottles?|packs?|pieces?|cans?|bags?) of ([a-z -]{2,30})$/.exec(text);
    if (bare === null || !request.has(ADD) || !request.has(REMOVE)) return undefined;
    return unclear(bare, request);
  }
  if (!request.has(change.operation)) return undefined;
  if (!request.isDone(change)) return { kind: 'call', calls: [change] };
  const result = request.result(change);
  const done = asObject(result);
  const item = asObject(done.item);
  const left = change.operation === ADD ? item.quantity : done.remaining;
  return {
    kind: 'answer',
    text: pick(
      language,
      `${name(item, language)}を${change.operation === ADD ? '追加' : '減ら'}しました。残り：${String(left)} ${String(item.unit ?? '')}`,
      `${change.operation === ADD ? 'Added' : 'Removed'}: ${name(item, language)}. In stock now: ${String(left)} ${String(item.unit ?? '')}`,
    ),
  };
}

const USED =
  /^(?:i|we) (?:have )?(?:used|ate|drank|finished)|(?:使った|使い切った|食べた|飲んだ|消費した)(?:よ)?$/;

/** An order to add or remove an item, or a statement that an item was used up. */
function changeIn({ text, isOrder }: Request): Change | undefined {
  if (
    /レシピ|料理|recipe|dish|ない|ません|\bnot\b|n't\b|\bif\b|なら|たら|どう|べき|should|\?$|か$/.test(text)
  )
    return undefined;
  const out =
    /^(?:please )?(?:throw (?:away|out)|discard|get rid of|remove) (?:the |my |all (?:the |my )?)?(?:(\d+(?:\.\d+)?) )?([a-z][a-z -]{1,30}?)(?: (?:from|out of) the (?:fridge|(?:kitchen )?(?:inventory|stock)|kitchen))?$/.exec(
      text,
    ) ??
    /^(?:i|we) (?:have )?(?:used|ate|drank|finished)(?: up)? (?:the |all (?:the )?)?(?:(\d+(?:\.\d+)?) )?([a-z][a-z -]{1,30}?)$/.exec(
      text,
    );
  if (!isOrder && !USED.test(text)) return undefined;
  if (out !== null) return removal(out[2], out[1]);
  const inside =
    /^(?:please )?(?:add|put|buy|bought|i bought|store) (?:(\d+(?:\.\d+)?|an?|one|some) )?([a-z][a-z -]{1,30}?)(?: (?:in|into|to) the (?:fridge|(?:kitchen )?(?:inventory|stock)|kitchen))?$/.exec(
      text,
    );
  if (inside !== null && /fridge|kitchen|inventory|\d|\ban?\b|\bone\b/.test(text))
    return addition(inside[2], /^\d/.test(inside[1] ?? '') ? inside[1] : '1');
  const ja =
    /^(?:冷蔵庫の|冷蔵庫から)?(.{1,15}?)を(?:(\d+(?:\.\d+)?)\s?(?:個|本|枚|丁|杯|g|ml|パック|つ))?(?:全部|すべて)?(捨て|使っ|使い切|消費|食べ|飲ん|減らし|取り出)/.exec(
      text,
    );
  if (ja !== null) return removal(ja[1], ja[2]);
  const jaIn =
    /^(.{1,15}?)を(\d+(?:\.\d+)?)\s?(個|本|枚|丁|杯|g|ml|パック|つ)?、?(?:冷蔵庫に|在庫に)?(追加|入れ|買っ|足し|登録)/.exec(
      text,
    );
  return jaIn === null ? undefined : addition(jaIn[1], jaIn[2], jaIn[3]);
}

/** Nothing is changed on a guess. Two items, all items, or the oldest one need a language model. */
const UNCLEAR =
  /\b(?:and|or|from|of)\b|,|、|と|everything|anything|all\b|latest|oldest|newest|\bold\b|expired|最新|古い|全部|すべて|全て|何でも/;

function removal(what = '', quantity?: string): Change | undefined {
  if (UNCLEAR.test(what)) return undefined;
  return {
    operation: REMOVE,
    args: { name: what.trim(), ...(quantity !== undefined && { quantity: Number(quantity) }) },
  };
}

function addition(what = '', quantity = '1', unit?: string): Change | undefined {
  if (UNCLEAR.test(what)) return undefined;
  return {
    operation: ADD,
    args: {
      name: what.trim(),
      quantity: Number(quantity),
      ...(unit !== undefined && !/^[個つ]$/.test(unit) && { unit }),
    },
  };
}

/** An amount alone does not say whether to add or remove. */
function unclear(match: RegExpExecArray, request: Request): SkillMove | undefined {
  const { language } = request;
  const [first = '', second = ''] = match.slice(1);
  const [what, quantity] = /^\d/.test(first) ? [second, first] : [first, second];
  const question = pick(
    language,
    `${what}を ${quantity} どうしますか？`,
    `What should be done with ${quantity} ${what}?`,
  );
  const options = [pick(language, '追加', 'Add'), pick(language, '使った', 'Used')];
  const answer = request.answerTo(question);
  if (answer === undefined) return { kind: 'ask', question, options };
  const change = answer === options[0] ? addition(what, quantity, match[3]) : removal(what, quantity);
  if (change === undefined) return undefined;
  return !request.isDone(change)
    ? { kind: 'call', calls: [change] }
    : { kind: 'answer', text: pick(language, '反映しました。', 'Done.') };
}

function forms(item: JsonObject): string[] {
  return String(item.name)
    .split(/\s*[/()（）]\s*/)
    .filter((part) => part !== '');
}

function name(item: JsonObject, language: Request['language']): string {
  const [japanese = '', english] = String(item.name).split(/\s+\/\s+/);
  return language === 'ja' ? japanese : (english ?? japanese);
}
