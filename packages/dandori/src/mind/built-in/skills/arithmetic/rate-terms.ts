import { UNIT, type Unit, unitsOf } from '../units.ts';

/** A quantity with its unit, perhaps per another unit. */
export interface Term {
  readonly value: string;
  readonly top: Dimension;
  readonly bottom?: Dimension;
  /** It belongs to the question, as the 100 km of "per 100 km", and is multiplied. */
  readonly isAsked: boolean;
}

/** A measured dimension with its unit, or things that are counted. */
export interface Dimension {
  readonly name: string;
  readonly unit?: Unit;
}

interface Reading {
  readonly terms: readonly Term[];
  readonly target: Target;
}

/** The unit of the answer. `any`: money, an amount or a time, whichever fits. */
export type Target = { readonly top: Dimension; readonly bottom?: Dimension } | 'any' | 'time';

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

export function rateTermsIn(goal: string): Reading | undefined {
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
export const MEASURED = new Set([
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
