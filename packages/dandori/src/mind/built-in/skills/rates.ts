import type { Sum } from './measures.ts';
import { ratio, UNIT, type Unit, unitsOf, unitText } from './units.ts';

/**
 * Questions about rates and proportions, solved by their units: "42 litres for 600 km, how many litres per 100 km?"
 * Every quantity is multiplied or divided, so that the unit of the result is the unit asked for. If more than one
 * way gives it, or none, there is no answer.
 */
export function rateIn(goal: string): Sum | undefined {
  if (UNSAFE.test(goal)) return undefined;
  const reading = termsIn(goal);
  if (
    reading === undefined ||
    reading.terms.length <
      (typeof reading.target === 'object' && reading.target.bottom !== undefined ? 1 : 2) ||
    reading.terms.length > 5
  )
    return undefined;
  const sum = solved(reading.terms, reading.target);
  if (sum === undefined) return undefined;
  const isCounted = typeof reading.target === 'object' && !MEASURED.has(reading.target.top.name);
  if (/\b(?:full|whole|complete)\b|丸何/.test(goal))
    return { ...sum, expression: `floor(${sum.expression})` };
  const isNeeded = isCounted && /\bneed|必要|要る|いる\?|buy|買えば/.test(goal);
  return isNeeded ? { ...sum, expression: `ceil(${sum.expression})` } : sum;
}

const UNSAFE =
  /%|percent|パーセント|割(?!り)|\bfree\b|無料|except|以外|twice|half|半分|倍|than|より|\bratio\b|\bmore\b|\bless\b|remain|残り|already|すでに|もう|tax|tip\b|税|degrees|気温|天気|曜日|o'clock|[ap]m\b|\d:\d|\d時(?!間|速|給)|before|after|後|前|差|合計|冷蔵庫|在庫|kitchen|fridge|\bshop\b|database|データベース|レシピを|recipes?\b(?! for)|workers|painters|machines|pumps|builders|職人|人で.*(?:日|時間)(?:で|かか)|台で.*(?:日|時間)(?:で|かか)|in total|残る|left\b/;

/** A quantity with its unit, perhaps per another unit. */
interface Term {
  readonly value: string;
  readonly top: Dimension;
  readonly bottom?: Dimension;
  /** It belongs to the question, as the 100 km of "per 100 km", and is multiplied. */
  readonly isAsked: boolean;
}

/** A measured dimension with its unit, or things that are counted. */
interface Dimension {
  readonly name: string;
  readonly unit?: Unit;
}

interface Reading {
  readonly terms: readonly Term[];
  readonly target: Target;
}

/** The unit of the answer. `any`: money, an amount or a time, whichever fits. */
type Target = { readonly top: Dimension; readonly bottom?: Dimension } | 'any' | 'time';

const N = String.raw`(\d+(?:\.\d+)?)`;
const EVERY = '(?:(?:an?|per|each|every|in an?|in 1)\\b|/)';
const JA_COUNT =
  '人分|人前|ページ|個|枚|本|冊|杯|箱|袋|台|匹|回|人|名|問|曲|件|束|粒|切れ|皿|セット|パック|缶|株|鉢|玉|足|着|通|脚|輪|語|文字|歩|つ|[一-龠]';
const MONEY: Dimension = { name: 'money' };
const ANY_THING: Dimension = { name: '?' };

function dimension(name: string): Dimension {
  if (/^(?:円|yen|jpy)$/.test(name)) return MONEY;
  const [, currency] = /^(dollar|euro|usd|eur|ドル|ユーロ|buck)s?$/.exec(name) ?? [];
  if (currency !== undefined) return { name: currency };
  const [unit] = unitsOf(name);
  if (unit !== undefined) return { name: unit.dimension === 'years' ? 'time' : unit.dimension, unit };
  if (/^(?:人分|人前|人|名|people|persons?|guests|servings|portions)$/.test(name)) return { name: 'person' };
  if (name === 'つ') return { name: '個' };
  return {
    name: name
      .replace(/(?<=[a-z]{2})(?:ies)$/, 'y')
      .replace(/(?<=[a-z]{2}(?:ch|sh|ss|x))es$/, '')
      .replace(/(?<=[a-z]{2}[^s])s$/, ''),
  };
}

function termsIn(goal: string): Reading | undefined {
  const terms: (Term & { readonly at: number })[] = [];
  let text = goal;
  const take = (
    source: string,
    use: (groups: string[]) => (Omit<Term, 'isAsked'> & { isAsked?: boolean }) | undefined,
  ): void => {
    text = text.replaceAll(new RegExp(source, 'g'), (found: string, ...rest: unknown[]) => {
      const place = rest.findIndex((part) => typeof part === 'number');
      const term = use(rest.slice(0, place).map((part) => (part === undefined ? '' : String(part))));
      if (term === undefined) return found;
      terms.push({ isAsked: false, ...term, at: Number(rest[place]) });
      return '\ue000'.repeat(found.length);
    });
  };
  const isJapanese = /[ぁ-んァ-ヶ一-龠]/.test(goal);
  const target = isJapanese ? japanese(goal, take) : english(goal, take);
  if (target === undefined || /\d/.test(text)) return undefined;
  const currencies = new Set(terms.map(({ top }) => top.name).filter((name) => CURRENCY.test(name)));
  const isPaidInOne = currencies.size <= 1 && !terms.some(({ top }) => top.name === 'money');
  const things = terms.flatMap(({ top, bottom }) => [top.name, bottom?.name ?? '?']);
  /** "each" and a bare number mean the only other things that are counted. */
  const named = (one: Dimension, own?: string): Dimension => {
    if (isPaidInOne && CURRENCY.test(one.name)) return MONEY;
    if (one.name !== '?') return one;
    const others = new Set(things.filter((name) => name !== '?' && name !== own && !MEASURED.has(name)));
    return others.size === 1 ? { name: [...others][0] ?? '' } : one;
  };
  const asked = typeof target === 'string' ? undefined : target.top.name;
  const all = terms
    .toSorted((one, other) => one.at - other.at)
    .map(({ at: _, ...term }) => ({
      ...term,
      top: named(term.top, term.bottom?.name),
      ...(term.bottom !== undefined && { bottom: named(term.bottom, term.top.name) }),
    }));
  return {
    terms: all,
    target: typeof target === 'string' ? target : { ...target, top: named(target.top, asked) },
  };
}

const CURRENCY = /^(?:dollar|euro|usd|eur|ドル|ユーロ|buck)$/;
const MEASURED = new Set([
  'money',
  'time',
  'length',
  'mass',
  'volume',
  'area',
  'energy',
  'data',
  'speed',
  'temperature',
]);

type Take = (
  source: string,
  use: (groups: string[]) => (Omit<Term, 'isAsked'> & { isAsked?: boolean }) | undefined,
) => void;

const KNOWN =
  /^(?:and|with|to|from|is|was|for|in|at|on|of|the|a|an|or|if|so|then|by|per|each|every|how|what|it|that|we|i|you|do|does|will|needs?|takes?|costs?|requires?|uses?|calls|makes?|lasts?|gives?|holds?|out|left|minutes?ago)$/;

function english(goal: string, take: Take): Target | undefined {
  const question =
    goal
      .split(/(?<=[.?!;])\s+|,\s+(?=how|what|so how|so what)/)
      .findLast((part) => /\bhow\b|\bwhat\b|per\b|price|cost/.test(part)) ?? '';
  const target = englishTarget(question, goal);
  if (target === undefined) return undefined;
  // "per 100 g", "for 6": these numbers belong to the question.
  const asked = (name: string, value: string) => ({
    value,
    top: name === '' ? ANY_THING : dimension(name),
    isAsked: true,
  });
  take(`\\b(?:recipe (?:for|serves)|serves|feeds) ${N}(?: people| persons)?`, ([value = '']) => ({
    value,
    top: dimension('people'),
  }));
  take(
    `(?<=how (?:many|much)[^.?]{0,40}?|price |cost )\\bper ${N} ?(${UNIT}|[a-z]+)`,
    ([value = '', name = '']) => asked(name, value),
  );
  take(
    `\\b(?:for|would) ${N}(?: (people|persons|guests|servings|portions|of us))?(?=\\s*$|\\s*\\?)`,
    ([value = '', name = '']) => asked(name, value),
  );
  take(
    `(?<=how (?:many|much)[^.?]{0,60}?)\\b(?:for|in|to (?:make|get)) ${N} (${UNIT}|[a-z]+)`,
    ([value = '', name = '']) => asked(name, value),
  );
  take(
    `[$€£¥]\\s*${N}(?: dollars?| yen| euros?)? ?${EVERY} ?(${UNIT}|[a-z]+)`,
    ([value = '', name = '']) => ({ value, top: MONEY, bottom: dimension(name) }),
  );
  take(`${N} ?(km/h|kph|mph)\\b`, ([value = '', name = '']) => ({
    value,
    top: dimension(name === 'mph' ? 'miles' : 'km'),
    bottom: dimension('hours'),
  }));
  take(`${N} ?(${UNIT}|[a-z]+) ${EVERY} ?(${UNIT}|[a-z]+)`, ([value = '', top = '', bottom = '']) =>
    KNOWN.test(top) ? undefined : { value, top: dimension(top), bottom: dimension(bottom) },
  );
  take(`${N} ${EVERY} (${UNIT}|[a-z]+)`, ([value = '', bottom = '']) => ({
    value,
    top: isPriced(goal, value) ? MONEY : ANY_THING,
    bottom: dimension(bottom),
  }));
  take(
    `(?:each|every)(?: ((?!gets|needs|has|holds|costs|takes|is\\b)[a-z]+))? (?:gets?|needs?|has|holds?|contains?|costs?|takes?|weighs?|eats?|uses?|is|fits) ${N}(?: (${UNIT}|[a-z]+))?`,
    ([owner = '', value = '', name = '']) => ({
      value,
      top: name === '' ? MONEY : dimension(name),
      bottom: owner === '' ? ANY_THING : dimension(owner),
    }),
  );
  take(`${N} (${UNIT}|[a-z]+) each`, ([value = '', name = '']) => ({
    value,
    top: dimension(name),
    bottom: ANY_THING,
  }));
  take(`${N} each`, ([value = '']) => ({ value, top: MONEY, bottom: ANY_THING }));
  take(`[$€£¥]\\s*${N}`, ([value = '']) => ({ value, top: MONEY }));
  take(`${N}[ -]?(${UNIT}|[a-z]+)(?: of [a-z]+)?`, ([value = '', name = '']) =>
    KNOWN.test(name) ? undefined : { value, top: dimension(name) },
  );
  take(`${N}`, ([value = '']) => ({ value, top: MONEY }));
  return target;
}

/** A bare number is a price, unless a verb of use comes before it: "use 18 a day". */
function isPriced(goal: string, value: string): boolean {
  return !new RegExp(
    `\\b(?:use|eat|drink|read|make|need|take|write|do|produce|sell|run|walk|get through|burn)s?(?: about)? ${value.replace('.', '\\.')}\\b`,
  ).test(goal);
}

function englishTarget(question: string, goal: string): Target | undefined {
  if (/\bmpg\b|miles per gallon/.test(goal)) return { top: dimension('miles'), bottom: dimension('gallons') };
  const speed = /(?:how fast|average speed|\bspeed\b)/.test(question);
  if (speed)
    return /\bmiles?\b/.test(goal)
      ? { top: dimension('miles'), bottom: dimension('hours') }
      : { top: dimension('km'), bottom: dimension('hours') };
  const [, period] = /\b(daily|weekly|monthly|yearly|annual)\b/.exec(question) ?? [];
  const [, each] =
    /\b(?:per|each|every|a|an|in a|in one|in 1) (day|week|month|year|hour|minute|person|kilo|kg|litre|liter|piece)\b(?! cost)/.exec(
      question.replace(/.*?\b(?:how|what)\b/, ''),
    ) ?? [];
  const bottom =
    { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year', annual: 'year' }[period ?? ''] ?? each;
  const per = bottom === undefined || bottom === '' ? {} : { bottom: dimension(bottom) };
  const [, many] = new RegExp(`how many (?:full |whole |more )?(${UNIT}|[a-z]+)`).exec(question) ?? [];
  if (many !== undefined) return { top: dimension(many), ...per };
  if (/how long|how much time|what time/.test(question)) return 'time';
  if (/how far/.test(question)) return { top: dimension(/miles?/.test(goal) ? 'miles' : 'km') };
  if (
    /how much (?:flour|sugar|rice|butter|milk|water|\w+) (?:do|does|is|for|would)|how much for|how much (?:do|would) (?:i|we) need/.test(
      question,
    )
  )
    return 'any';
  if (/how much|price|cost|\bpay\b|bill|salary|earn|what do i|what does|wage|spend/.test(question))
    return { top: MONEY, ...per };
  if (/how (?:long|big|heavy) is each|length of each/.test(question)) return 'any';
  return undefined;
}

const PERIOD: Readonly<Record<string, string>> = { 時: '時間', 日: '日', 週: '週', 月: 'ヶ月', 年: '年' };

function japanese(goal: string, take: Take): Target | undefined {
  const target = japaneseTarget(goal);
  if (target === undefined) return undefined;
  const unit = `(${UNIT}|${JA_COUNT})`;
  const rate = (value = '', top = '', bottom = ''): Omit<Term, 'isAsked'> => ({
    value,
    top: dimension(top),
    bottom: dimension(bottom),
  });
  const hasWeek = /週(?:に)?\d+日/.test(goal);
  take(`時速(?:約)?${N} ?(km|キロ(?:メートル)?)?`, ([value]) => rate(value, 'km', '時間'));
  take(`分速${N} ?(m|メートル)?`, ([value]) => rate(value, 'm', '分'));
  take(
    `(?:リッター|1リットル(?:で|あたり|当たり)?|燃費(?:が|は)?(?:リッター)?)${N} ?(?:km|キロ)(?:/l)?`,
    ([value]) => rate(value, 'km', 'リットル'),
  );
  take(`時給(?:が|は)?${N}円?`, ([value]) => rate(value, '円', '時間'));
  take(`日給(?:が|は)?${N}円?`, ([value]) => rate(value, '円', '日'));
  take(`(?:月収|月給|月々|毎月|月額|1[ヶか]月(?:に|で)?|家賃(?:は|が)?月?)(?:が|は)?${N} ?円`, ([value]) =>
    rate(value, '円', 'ヶ月'),
  );
  take(`(?:年収|年額|毎年)(?:が|は)?${N} ?円`, ([value]) => rate(value, '円', '年'));
  take(`(?:週|毎週|1週間)(?:に)?${N}(日)`, ([value]) => rate(value, '日', '週'));
  take(
    `(?:毎(日|週|月|年)|1(日|週間|[ヶか]月|年|時間|分)(?:に|で|あたり|当たり|につき)?)[^\\d、。何い]{0,8}?${N} ?${unit}`,
    ([every, one, value, name]) =>
      rate(value, name, every === '' ? (one ?? '').replace(/^[ヶか]月/, 'ヶ月') : PERIOD[every ?? '']),
  );
  take(`1${unit}(?:は|が|で|に|あたり|当たり|につき|=)?\\s*${N} ?${unit}`, ([bottom, value, top]) =>
    bottom === top ? undefined : rate(value, top, bottom),
  );
  take(`(?:一|1|ひと)(?:人|名)(?:あたり|当たり|分|につき)?(?=、?[^\\d]{0,6}(?:いくら|何))()`, () => ({
    value: '1',
    top: { name: 'person' },
    isAsked: true,
  }));
  take(
    `${N} ?${unit}(?:あたり|当たり|につき|なら|だと|では|の場合|で(?=何)|には?(?=.{0,6}(?:何|いくら|どれ))|作るには|分(?:だと|なら|では))`,
    ([value = '', name = '']) => ({ value, top: dimension(name), isAsked: true }),
  );
  take(
    `(?:(?<!\\d)(1)(日|週間?|[ヶか]月|年|時間)(?:に|で|だと)?|(?<!\\d)(週|月|年)(?:に|で))、?(?=[^\\d]{0,6}(?:いくら|何|どれ))`,
    ([, one = '', period = '']) => ({
      value: '1',
      top: dimension(one === '' ? (PERIOD[period] ?? '') : one.replace(/^[ヶか]月/, 'ヶ月')),
      isAsked: true,
    }),
  );
  if (/年収/.test(goal) && /年収は?(?:いくら|何円|どれ)|年収(?:を|に)|と年収/.test(goal))
    take('(年収)', () => ({ value: '1', top: dimension('年'), isAsked: true }));
  take(`${N} ?${unit}`, ([value = '', name = '']) =>
    name === '時間' && hasWeek ? rate(value, name, '日') : { value, top: dimension(name) },
  );
  return target;
}

function japaneseTarget(goal: string): Target | undefined {
  const asked = [...goal.matchAll(new RegExp(`(?:何|なん)(${UNIT}|${JA_COUNT})`, 'g'))].map(
    (match) => match[1] ?? '',
  );
  const money = /いくら|何円|年収は|月収は|給料は/.test(goal);
  if (asked.length > 1 || (asked.length === 1 && money)) return undefined;
  if (asked.length === 1) {
    const name = asked[0] ?? '';
    return { top: name === '円' ? MONEY : dimension(name) };
  }
  if (/速さは|時速は|平均時速/.test(goal)) return { top: dimension('km'), bottom: dimension('時間') };
  if (/燃費は/.test(goal)) return { top: dimension('km'), bottom: dimension('リットル') };
  if (/どの(?:くらい|ぐらい)(?:の時間)?かか|何時間/.test(goal)) return 'time';
  return money ? { top: MONEY } : undefined;
}

/**
 * All ways to multiply and divide the terms that give the right unit. Of two quantities of the same kind, the later
 * one is asked about: "3 kg cost 7.50, how much is 1 kg?"
 */
function solved(terms: readonly Term[], target: Target): Sum | undefined {
  const found: Way[] = [];
  const later = terms.filter(
    ({ top, bottom }, index) =>
      bottom === undefined &&
      terms.some(
        (other, place) => place < index && other.bottom === undefined && other.top.name === top.name,
      ),
  );
  for (let ways = 0; ways < 2 ** terms.length; ways++) {
    const signs = terms.map((_, index) => ((ways >> index) & 1) === 0);
    if (terms.some(({ isAsked }, index) => isAsked && signs[index] === false)) continue;
    const made = combined(terms, signs, target);
    if (made !== undefined)
      found.push({ ...made, fitsOrder: later.every((term) => signs[terms.indexOf(term)] === true) });
  }
  const isOne = (ways: readonly Way[]) => new Set(ways.map(({ value }) => value.toPrecision(9))).size === 1;
  // The fewest conversions first: 7 hours a day and 5 days a week fit without any.
  const exact = found.filter(({ conversions }) => conversions === 0);
  const ordered = found.filter(({ fitsOrder }) => fitsOrder);
  const best = [found, exact, ordered, exact.filter(({ fitsOrder }) => fitsOrder)].find(isOne)?.[0];
  return best === undefined ? undefined : { expression: best.expression, unit: best.unit };
}

interface Way {
  readonly expression: string;
  readonly unit: readonly [string, string];
  readonly value: number;
  readonly conversions: number;
  readonly fitsOrder: boolean;
}

function combined(
  terms: readonly Term[],
  signs: readonly boolean[],
  target: Target,
): Omit<Way, 'fitsOrder'> | undefined {
  const tops: Dimension[] = [];
  const bottoms: Dimension[] = [];
  terms.forEach(({ top, bottom }, index) => {
    const [up, down] = signs[index] === true ? [tops, bottoms] : [bottoms, tops];
    up.push(top);
    if (bottom !== undefined) down.push(bottom);
  });
  if (typeof target === 'object') {
    bottoms.push(target.top);
    if (target.bottom !== undefined) tops.push(target.bottom);
  }
  const factors: string[] = [];
  const rest = [...bottoms];
  const open: Dimension[] = [];
  for (const top of tops) {
    const same = rest.findIndex((bottom) => factorOf(top, bottom) === '1');
    const index = same < 0 ? rest.findIndex((bottom) => factorOf(top, bottom) !== undefined) : same;
    if (index < 0) {
      open.push(top);
      continue;
    }
    const [bottom] = rest.splice(index, 1);
    const factor = factorOf(top, bottom ?? top);
    if (factor !== undefined && factor !== '1') factors.push(factor);
  }
  const isAny = typeof target === 'string';
  if (rest.length > 0 || open.length !== (isAny ? 1 : 0)) return undefined;
  const [answer] = isAny ? open : [target.top];
  if (answer === undefined || (target === 'time' && answer.name !== 'time')) return undefined;
  const above = terms.filter((_, index) => signs[index] === true).map(({ value }) => value);
  const below = terms.filter((_, index) => signs[index] === false).map(({ value }) => value);
  const upper = [
    ...above.filter((value, index) => value !== '1' || (index === 0 && above.length === 1)),
    ...factors.filter((factor) => !factor.startsWith('1 / ')),
  ];
  const lower = [
    ...below,
    ...factors.filter((factor) => factor.startsWith('1 / ')).map((factor) => factor.slice(4)),
  ].filter((value) => value !== '1');
  const expression = [upper.join(' * ') || '1', ...lower].join(' / ');
  const value = evaluated(upper) / evaluated(lower);
  const bottom = isAny ? undefined : target.bottom;
  return { expression, value, unit: textOf(answer, bottom), conversions: factors.length };
}

function evaluated(parts: readonly string[]): number {
  return parts.reduce((product, part) => {
    const [top = 1, bottom = 1] = part.split(' / ').map(Number);
    return (product * top) / bottom;
  }, 1);
}

/** How many of the lower unit the upper one has. Undefined if they measure different things. */
function factorOf(top: Dimension, bottom: Dimension): string | undefined {
  const isThing =
    [top, bottom].some(({ name }) => name === '?') && ![top, bottom].some(({ name }) => MEASURED.has(name));
  if (top.name !== bottom.name && !isThing) return undefined;
  if (top.unit === undefined || bottom.unit === undefined) return '1';
  return ratio(top.unit, bottom.unit);
}

function textOf({ name, unit }: Dimension, bottom: Dimension | undefined): readonly [string, string] {
  if (name === 'money') return ['円', ''];
  const [ja, en] =
    unit === undefined
      ? [name === 'person' ? '人' : name, name === 'person' ? ' people' : name === '?' ? '' : ` ${name}s`]
      : unitText(unit);
  if (bottom?.unit === undefined) return [ja, en];
  const [perJa, perEn] = unitText(bottom.unit);
  return [`${ja}/${perJa}`, `${en} per ${perEn.trim().replace(/s$/, '')}`];
}

/** Compound or simple interest: 100万円を年利2%の複利で3年. */
export function interestIn(goal: string): Sum | undefined {
  const isCompound = /compound|複利/.test(goal);
  const isSimple = /simple interest|単利/.test(goal);
  const [, rate] = /(\d+(?:\.\d+)?)\s*(?:%|percent|パーセント)/.exec(goal) ?? [];
  const [, years] = /(\d+)\s*(?:years?|年間?)(?!利)/.exec(goal) ?? [];
  const rest = goal
    .replace(/\d+(?:\.\d+)?\s*(?:%|percent|パーセント)/, '')
    .replace(/\d+\s*(?:years?|年間?)(?!利)/, '');
  const [sum, ...others] = rest.match(/\d+(?:\.\d+)?/g) ?? [];
  if (!/interest|年利|利率|金利|利息|複利|単利/.test(goal) || /loan|ローン|monthly|月利|返済/.test(goal))
    return undefined;
  if (sum === undefined || others.length > 0 || rate === undefined || years === undefined) return undefined;
  const unit = ['円', ''] as const;
  if (isCompound || (years === '1' && !isSimple))
    return { expression: `${sum} * (1 + ${rate} / 100)^${years}`, unit };
  return isSimple ? { expression: `${sum} * (1 + ${rate} / 100 * ${years})`, unit } : undefined;
}

export interface Offer {
  readonly label: string;
  readonly expression: string;
}

/** Two or more packages and their prices: which one costs less per unit? */
export function offersIn(goal: string): readonly Offer[] | undefined {
  if (
    !/cheaper|better (?:deal|value|buy)|best (?:deal|value|buy)|お得|得(?:です|な|か)|安い|割安|コスパ/.test(
      goal,
    )
  )
    return undefined;
  const size = `${N} ?(g|kg|ml|l|グラム|キロ|リットル|個|枚|本|ロール|袋|oz|ounces?|litres?|liters?|pieces?|rolls?|sheets?|cans?|bottles?|eggs|tablets|pack)`;
  const forms = [
    new RegExp(
      `${size}(?:入り|パック)?(?:で|が|は|、|の)?(?:[a-z ]{0,20}?(?:for|at|costs?|is))?\\s*[$€¥£]?\\s*${N}(?:円| ?yen| ?dollars?| ?euros?)?`,
      'g',
    ),
    new RegExp(`[$€¥£]?${N}(?:円| ?yen| ?dollars?| ?euros?)(?:で|の| for )${size}`, 'g'),
  ];
  for (const [index, form] of forms.entries()) {
    const found = [...goal.matchAll(form)];
    const numbers = goal.match(/\d+(?:\.\d+)?/g) ?? [];
    if (found.length < 2 || numbers.length !== found.length * 2) continue;
    const offers = found.map((match) => {
      const [amount = '', name = '', price = ''] =
        index === 0 ? match.slice(1) : [match[2], match[3], match[1]];
      return { label: `${amount}${/^[a-z]/.test(name) ? ' ' : ''}${name}`, amount, name, price };
    });
    const units = offers.map(({ name }) => unitsOf(name)[0]);
    const isMixed = new Set(offers.map(({ name }) => name)).size > 1;
    if (isMixed && (units.includes(undefined) || new Set(units.map((unit) => unit?.dimension)).size > 1))
      continue;
    return offers.map(({ label, amount, price }, place) => ({
      label,
      expression: isMixed ? `${price} / (${amount} * ${units[place]?.size ?? 1})` : `${price} / ${amount}`,
    }));
  }
  return undefined;
}
