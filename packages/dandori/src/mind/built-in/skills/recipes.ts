import type { Json, JsonObject } from '../../../model/json.ts';
import { contains, nameIn } from './names.ts';
import { asRows, type Call, pick, type Request, resultsOf, type SkillMove } from './skill.ts';

const INVENTORY = 'kitchen.list_inventory';
const RECIPES = 'kitchen.find_recipes';
const MOST_RECIPES = 20;
/** If no recipe uses everything that was named. */
const FEW_RECIPES = 3;
const ASKS_RECIPE =
  /recipes?|\bcook|\bdish|\bmake\b|prepare|ingredients? (?:for|of|do)|missing for|need (?:to buy )?for|buy for|take to make|dinner|lunch|breakfast|supper|\bmeal|to eat|レシピ|料理|献立|メニュー|作(?:れ|り方|りかた|る|ろう|りたい|った)|材料|足りない|夕飯|晩ご飯|晩ごはん|夕食|昼ご飯|昼食|朝食|おかず|調理|何分|how long (?:does|do|will|would) .* take/;

export function recipes(request: Request): SkillMove | undefined {
  const { text, language } = request;
  if (!request.has(RECIPES) || !ASKS_RECIPE.test(text) || /電車|バス|会議|reservation|appointment/.test(text))
    return undefined;
  if (/\d+\s*(?:人分|人前|people|persons|servings)/.test(text)) {
    const why = pick(
      language,
      '分量の計算には言語モデルが必要です。',
      'Amounts for more people need a language model.',
    );
    return { kind: 'cannot', why };
  }
  const soonest = EXPIRING.test(text) ? soonestItem(request) : undefined;
  if (soonest !== undefined && 'kind' in soonest) return soonest;
  const wanted = soonest === undefined ? ingredientsIn(text) : [soonest.name];
  const all: Call = { operation: RECIPES, args: { max: MOST_RECIPES } };
  if (wanted.length > 0) {
    const having: Call = { operation: RECIPES, args: { ingredients: wanted, max: MOST_RECIPES } };
    const found = resultsOf([having, all], request);
    if ('missing' in found) return found.missing;
    const [rows = [], stocked = []] = found.results.map((result) => asRows(result.recipes));
    const fitting = rows.filter(({ have }) => listOf(have).length >= wanted.length);
    // The rest of the ingredients may be in stock.
    const whole = fitting.map((row) => {
      const lack = stocked.find((one) => one.name === row.name)?.missing ?? row.missing;
      return { ...row, missing: listOf(lack).filter((one) => !listOf(row.have).includes(one)) };
    });
    const chosen = whole.length > 0 ? whole : rows.slice(0, FEW_RECIPES);
    const names = wanted.join(pick(language, '、', ', '));
    if (chosen.length === 0) {
      const none = pick(language, `「${names}」を使うレシピはありません。`, `No recipe uses ${names}.`);
      return { kind: 'answer', text: none };
    }
    const move = suggested(chosen, request);
    if (soonest === undefined || move.kind !== 'answer') return move;
    const first = pick(language, `期限が一番近いのは${names}です。`, `What expires first: ${names}.`);
    return { kind: 'answer', text: `${first}\n${move.text}` };
  }
  const isOpen =
    /what (?:can|could|should|shall|do) (?:i|we) (?:cook|make|eat|prepare|have)|what's for|suggest|ideas?|which (?:recipes|dishes|meals)|what (?:recipes|dishes|meals)|any recipes|作れる|献立|メニュー|提案|おすすめ|何(?:を|が)?(?:作|食べ)|夕飯|晩ご飯|晩ごはん|夕食|料理(?:は|を|ある|教え)|quick|どんな料理|with what/.test(
      text,
    );
  const isAboutDish =
    /作り方|作りかた|足りない|材料|何分|作りたい|作るの|作るに|how (?:do|to|can|long|much time)|missing|need|ingredients|recipe for|can (?:i|we) (?:make|cook)|steps|レシピ|buy|買|take/.test(
      text,
    );
  if (!isOpen && !isAboutDish) return undefined;
  const found = resultsOf([all], request);
  if ('missing' in found) return found.missing;
  const rows = asRows(found.results[0]?.recipes);
  const dish = rows.find((one) => isNamed(one, text));
  if (dish !== undefined) return ofDish(dish, request);
  if (isOpen)
    return suggested(
      rows.filter((one) => fitsTime(one, text)),
      request,
    );
  const unknown =
    /(?:how (?:do i|to|can i) (?:make|cook|prepare)|recipe for|can (?:i|we) (?:make|cook)|(?:missing|need|buy) for|ingredients (?:for|of)) (?:an? |some |the )?([a-z ]{3,30})$/.exec(
      text,
    )?.[1] ??
    /^([^\sはがをに、]{2,12}?)(?:の作り方|のレシピ|を作|に足りない|の材料|って何分)/.exec(text)?.[1];
  if (unknown === undefined) return undefined;
  const why = pick(
    language,
    `「${unknown}」のレシピは登録されていません。`,
    `There is no recipe for "${unknown}".`,
  );
  return { kind: 'cannot', why };
}

const EXPIRING = /期限|expir|go(?:es|ing)? (?:off|bad)|傷み|傷む/;

/** The item in stock that expires first, or the call that finds it. */
function soonestItem(request: Request): { readonly name: string } | SkillMove | undefined {
  const found = resultsOf([{ operation: INVENTORY, args: {} }], request);
  if ('missing' in found) return found.missing;
  const [item] = asRows(found.results[0]?.items)
    .filter(({ days_left: days }) => typeof days === 'number')
    .toSorted((one, other) => Number(one.days_left) - Number(other.days_left));
  return item && { name: nameIn(String(item.name), request.language) };
}

/** 卵と牛乳で作れるレシピ, "recipes with tofu". What is in stock needs no list. */
function ingredientsIn(text: string): string[] {
  const match =
    /(?:cook|make|recipes?|dish(?:es)?|meals?|something|prepare)[^.?]*? (?:with|using|that uses?|from|containing) (?:only |the |some |my |our )*([a-z][a-z ,]{1,60}?)(?: at home| left)?$/.exec(
      text,
    ) ??
    /^(?:冷蔵庫の)?([^。?]{1,30}?)(?:で(?:何|なに)?[がか]?(?:を)?(?:作れる|作れます|できる料理)|を使った|を使う|を使って|が入った|を使える)(?:.*)$/.exec(
      text,
    );
  const list = match?.[1] ?? '';
  if (
    list === '' ||
    /what|ある(?:もの|食材|材料)|今ある|家にある|冷蔵庫|材料|食材|stock|have|分以内|残り物|everything|fridge|kitchen|\d/.test(
      list,
    )
  )
    return [];
  return list
    .split(/\s*(?:,|、| and |と|や)\s*/)
    .map((part) => part.trim())
    .filter(Boolean);
}

function fitsTime(recipe: JsonObject, text: string): boolean {
  const [, english, japanese] =
    /(?:under|less than|within|in|below|at most|up to|no more than) (\d+) ?min|(\d+)分(?:以内|以下|未満|で)/.exec(
      text,
    ) ?? [];
  const limit = Number(english ?? japanese ?? Infinity);
  return (
    Number(recipe.minutes) < limit ||
    (Number(recipe.minutes) === limit && !/less than|under|below|未満/.test(text))
  );
}

/** Recipes without shopping first. */
function suggested(rows: readonly JsonObject[], { text, language }: Request): SkillMove {
  const ready = rows.filter(({ missing }) => Array.isArray(missing) && missing.length === 0);
  const isTimed = /min\b|minutes|\d分/.test(text);
  const chosen = (ready.length > 0 && !isTimed ? ready : rows).toSorted((one, other) =>
    /quick|fast|すぐ|早く|簡単/.test(text) ? Number(one.minutes) - Number(other.minutes) : 0,
  );
  const lines = chosen.slice(0, 6).map((one) => {
    const lack = listed(one.missing, language);
    const title = `${dishName(one, language)}${pick(language, `（${String(one.minutes)}分）`, ` (${String(one.minutes)} minutes)`)}`;
    return lack === '' ? title : `${title}${pick(language, `：足りない材料 ${lack}`, `: missing ${lack}`)}`;
  });
  const none = pick(language, '作れる料理は見つかりませんでした。', 'No recipe fits.');
  return { kind: 'answer', text: lines.join('\n') || none };
}

function ofDish(dish: JsonObject, { text, language }: Request): SkillMove {
  const title = dishName(dish, language);
  const lack = listed(dish.missing, language);
  const minutes = pick(language, `${String(dish.minutes)}分`, `${String(dish.minutes)} minutes`);
  const missing =
    lack === ''
      ? pick(language, `${title}の材料はそろっています。`, `Everything for ${title} is there.`)
      : pick(language, `${title}に足りない材料：${lack}`, `Missing for ${title}: ${lack}`);
  if (/how long|how much time|何分|時間|how many minutes/.test(text))
    return {
      kind: 'answer',
      text: pick(language, `${title}は ${minutes}かかります。`, `${title} takes ${minutes}.`),
    };
  if (/missing|足りない|\bbuy\b|買/.test(text)) return { kind: 'answer', text: missing };
  if (/can (?:i|we) (?:make|cook)|作れる|作れます/.test(text))
    return {
      kind: 'answer',
      text: `${lack === '' ? pick(language, 'はい。', 'Yes. ') : pick(language, 'いいえ。', 'No. ')}${missing}`,
    };
  const told = language === 'ja' ? dish.steps_ja : dish.steps;
  const steps = Array.isArray(told) ? told.map((step, index) => `${index + 1}. ${String(step)}`) : [];
  const have = listed(dish.have, language);
  const lines = [
    `${title}${pick(language, `（${minutes}）`, ` (${minutes})`)}`,
    pick(language, `ある材料：${have}`, `At hand: ${have}`),
    ...(lack === '' ? [] : [missing]),
    ...steps,
  ];
  return { kind: 'answer', text: lines.join('\n') };
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function dishName(dish: JsonObject, language: Request['language']): string {
  return String(language === 'ja' ? dish.name_ja : dish.name);
}

/** 味噌汁 means 豆腐の味噌汁, curry means Curry rice. */
function isNamed(dish: JsonObject, text: string): boolean {
  const [english = ''] = String(dish.name).split(/\s*\(| with /);
  const japanese = String(dish.name_ja);
  const [head = ''] = english.toLowerCase().split(' ');
  const heads = /^(?:cream|fried|french|buttered|milk|miso)$/.test(head) ? [] : [head];
  const parts = [
    japanese,
    japanese.split('の').at(-1) ?? '',
    japanese.replace(/ライス$/, ''),
    japanese.replace(/^クリーム/, ''),
  ].filter((part) => part.length > 1);
  return (
    contains(text, english) ||
    heads.some((word) => new RegExp(`\\b${word}s?\\b`).test(text)) ||
    parts.some((part) => text.includes(part))
  );
}

function listed(value: Json | undefined, language: Request['language']): string {
  return Array.isArray(value)
    ? value.map((item) => nameIn(String(item), language)).join(pick(language, '、', ', '))
    : '';
}
