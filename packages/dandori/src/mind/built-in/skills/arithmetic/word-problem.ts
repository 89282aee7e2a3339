import type { Sum } from './measures.ts';

/**
 * Amounts of money in sentences: "A jacket costs 89.90 and it is 30% off. What do I pay?" Each phrase takes the
 * numbers that it understands. If a number is left over, or the question is not clear, there is no answer.
 */
export function amountsIn(goal: string): Sum | undefined {
  if (UNSAFE.test(goal)) return undefined;
  const reading = readAmounts(goal);
  if (reading === undefined) return undefined;
  const isYen = /円|yen|¥/.test(goal) || (/いくら/.test(goal) && !/[$€£]|ドル|ユーロ|ポンド/.test(goal));
  const unit: Sum['unit'] = isYen ? ['円', /yen|¥/.test(goal) ? ' yen' : ''] : undefined;
  const made = calculation(goal, reading);
  if (made === undefined || !usesAll(made, reading)) return undefined;
  return 'unit' in made || unit === undefined ? made : { ...made, unit };
}

/** Whether each amount of the goal is in the calculation. One that is left out changes the answer. */
function usesAll({ expression }: Sum, { items, percents, less, people = '' }: Amounts): boolean {
  const used = new Set(expression.match(/\d+(?:\.\d+)?/g));
  const read = [
    ...items.map((one) => one.expression),
    ...percents.map(({ value }) => value),
    ...less,
    people,
  ];
  return read.flatMap((part) => part.match(/\d+(?:\.\d+)?/g) ?? []).every((number) => used.has(number));
}

/** Words that change a calculation in a way that no phrase here understands. */
const UNSAFE =
  /\bfree\b|無料|タダ|\bexcept\b|以外|twice as|\bhalf price\b|\bratio\b|比率|older|younger|年上|年下|\bloan\b|ローン|mortgage|分割|exchange|両替|換算|レート|為替|ポイント|\bpoints?\b|invest|株|lottery|確率|probab|\benough\b|足りる|足ります|在庫|冷蔵庫|kitchen|fridge|database|データベース|\bshop\b|お店の|天気|何曜日|(?:\b(?:a|an|per|every) |\/)(?:day|week|month|year|hour|minute|kwh|km|kg|kilo|lit)|時給|日給|月収|月給|月々|毎[日週月年][^\d]{0,8}\d|(?<!人)(?:あたり|当たり)|につき/;

type Percent = { readonly kind: 'off' | 'up' | 'tip' | 'part'; readonly value: string; readonly at: number };

interface Amounts {
  /** Prices that add up: a price alone, or a number of pieces at a price. */
  readonly items: readonly {
    readonly expression: string;
    readonly value: number;
    readonly isPlain: boolean;
  }[];
  readonly percents: readonly Percent[];
  /** Fixed discounts. */
  readonly less: readonly string[];
  readonly people: string | undefined;
}

const N = String.raw`(\d+(?:\.\d+)?)`;
const CASH = String.raw`(?:[$€¥£]\s*)?(\d+(?:\.\d+)?)(?:\s*(?:円|ドル|ユーロ|yen|dollars?|euros?|pounds?|bucks|usd|eur|jpy|点)(?![a-z]))?`;
const COUNTER =
  '(?:つ|個|本|冊|枚|杯|箱|袋|台|匹|着|点|パック|缶|丁|玉|足|セット|人分|人前|品|株|束|皿|回|人)';
const PEOPLE =
  '(?:people|persons?|friends|of us|ways|guests|colleagues|co-?workers|roommates|flatmates|kids|children|adults|students|members|players|equal (?:parts|shares))';
const OFF =
  '(?:off|discount|reduction|sale(?!s)|cheaper|less|coupon|引き?|びき|オフ|値引き?|割引き?|安|減|ディスカウント|クーポン)';
const UP =
  '(?:(?:sales )?(?:tax|vat|gst)|service(?: charge)?|surcharge|raise|increase|pay rise|rise|markup|more|の?消費税|の?税|の?サービス料|手数料|増し?|アップ|上乗せ|値上げ|昇給|上が)';

function readAmounts(goal: string): Amounts | undefined {
  const percents: Percent[] = [];
  const items: { expression: string; value: number; isPlain: boolean; at: number }[] = [];
  const less: string[] = [];
  let people: string | undefined;
  let text = goal;
  const take = (source: string, use: (groups: string[], at: number) => boolean): void => {
    text = text.replaceAll(new RegExp(source, 'g'), (found: string, ...rest: unknown[]) => {
      const at = rest.findIndex((part) => typeof part === 'number');
      const groups = rest.slice(0, at).map((part) => (part === undefined ? '' : String(part)));
      return use(groups, Number(rest[at])) ? '\ue000'.repeat(found.length) : found;
    });
  };
  const percent = (kind: Percent['kind']) => (groups: string[], at: number) => {
    const value = groups.find((group) => /^\d/.test(group)) ?? '';
    const isTenth =
      /割/.test(goal.slice(at, at + 12)) && !/%|パーセント|percent/.test(goal.slice(at, at + 12));
    percents.push({ kind, value: isTenth ? `${value}0` : value, at });
    return true;
  };
  const SIGN = '\\s*(?:%|percent|per cent|パーセント)\\s*';
  take(
    `(?:チップ|tips?|gratuity)(?: of| at| is|が|を|は)?\\s*(?:a )?${N}${SIGN}|${N}${SIGN}(?:の?チップ|tips?|gratuity)`,
    percent('tip'),
  );
  take(
    `${N}(?:${SIGN}${OFF}|割(?:引き?|びき|オフ|安))|(?:discount|reduced|marked down|coupon|値引き率?|割引率?)(?: of| by|は|が)?\\s*${N}${SIGN}`,
    percent('off'),
  );
  take(
    `${N}${SIGN}${UP}|(?:tax|vat|gst|税率|消費税|税|service charge|サービス料|raise|rises?|rose|increased?|went up|goes up|昇給率?)(?: rate)?(?: of| by| is| at|は|が|を)?\\s*${N}(?:${SIGN})|${N}割増し?`,
    percent('up'),
  );
  if (/\btip\b|チップ/.test(goal)) take(`(?:at )?${N}${SIGN}`, percent('tip'));
  take(
    `(?:split|shared?|divided?)?[^\\d\ue000]{0,12}(?:between|among|amongst|by|for|with|into|of|are|were)?\\s*(?:the |all )?${N}(?:-|\\s)${PEOPLE}\\b|\\bfor ${N}\\s*\\?|(?<!\\d)(?!1人)${N}\\s*(?:人|名)(?!分|前|あたり)(?:で|が|に|だと|なら)?`,
    (groups) => {
      people = people === undefined ? groups.find((group) => group !== '') : 'twice';
      return true;
    },
  );
  take(
    `${CASH}\\s*(?:割引|引き|値引き|オフ|クーポン|割引券|off|coupon|voucher|discount|gift card)(?![^。]{0,2}率)`,
    ([value = '']) => {
      less.push(value);
      return true;
    },
  );
  take('(?<!\\d)1(?:人|名)(?:あたり|当たり|分)?(?!前)', () => true);
  const item = (count: string, price: string, at: number): boolean => {
    const isOne = count === '1' || /^an?$/.test(count);
    items.push({
      expression: isOne ? price : `${count} * ${price}`,
      value: Number(isOne ? 1 : count) * Number(price),
      isPlain: false,
      at,
    });
    return true;
  };
  take(
    `\\b${N} (?!(?:for|km|miles?|m|g|kg|hours?|minutes?|days?|litres?|liters?|l|ml|cm) )(?:[a-z'-]+ ){1,4}?(?:at|costing|@|priced at|that cost|which cost|cost|costs|are|is|for) ${CASH}(?:,)?(?: (?:each|apiece|a piece|per [a-z]+))`,
    ([count = '', price = ''], at) => item(count, price, at),
  );
  take(
    `\\b(${N.slice(1, -1)}|an?|the) (?!(?:for|km|miles?|m|g|kg|hours?|minutes?|days?|litres?|liters?|l|ml|cm) )(?:[a-z'-]+ ){1,4}?(?:at|costing|@|priced at) ${CASH}(?! ?(?:km|mph|m/|%|percent|degrees|g\\b|kg|am\\b|pm\\b))`,
    ([count = '', price = ''], at) => item(count === 'the' ? '1' : count, price, at),
  );
  take(
    `\\b(an?|the|1|some) (?!(?:km|miles?|m|g|kg|hours?|minutes?|days?|litres?|liters?|l|ml|cm) )(?:[a-z'-]+ ){1,4}?(?:for|is|costs?|was) ${CASH}`,
    ([count = '', price = ''], at) => item(count === 'some' || count === 'the' ? '1' : count, price, at),
  );
  take(
    `1${COUNTER}(?:が|で|あたり|につき)?\\s*${N}円(?:の|で|する)?[^\\d\ue000円]{0,14}?(?:を|が)?${N}${COUNTER}`,
    ([price = '', count = ''], at) => item(count, price, at),
  );
  take(
    `${N}円(?:の|する|玉|札|硬貨)[^\\d\ue000円]{0,14}?(?:を|が)?\\s*${N}${COUNTER}`,
    ([price = '', count = ''], at) => item(count, price, at),
  );
  take(`${N}円(?:を|が|で)\\s*${N}${COUNTER}`, ([price = '', count = ''], at) => item(count, price, at));
  take(
    `(?<![\\d.])(?:[$€¥£]\\s*${N}|${N}\\s*(?:円|ドル|ユーロ|点|(?:yen|dollars?|euros?|bucks|usd|eur|jpy)\\b))|(?<![\\d.])${N}(?=[\\s.,;:?!、。)]*(?:$|[\\s.,;?!、。\\ue000])|[のでがをにはと])`,
    (groups, at) => {
      const value = groups.find((group) => group !== '') ?? '';
      // "3 apples" counts apples; a price stands alone or before a function word.
      const after = goal.slice(at).replace(/^[^\d]*[\d.]+/, '');
      const isCount =
        /^\s+(?!(?:yen|dollars?|euros?|pounds?|bucks|usd|eur|jpy|and|with|plus|to|from|between|is|but|so|on|at|minus|bill|note|for|by|in|after|before|each|or|then|now|including|incl|net|gross|total|less|last|this|if|how|what|split|shared|including)\b)[a-z]/.test(
          after,
        );
      if (isCount || /^\s*(?:%|割)/.test(after)) return false;
      items.push({ expression: value, value: Number(value), isPlain: true, at });
      return true;
    },
  );
  if (/\d/.test(text) || people === 'twice') return undefined;
  return {
    items: items.toSorted((one, other) => one.at - other.at),
    percents: percents.toSorted((one, other) => one.at - other.at),
    less,
    people,
  };
}

const PERCENT_ASKED =
  /what percent|how many percent|what('s| is| was)? the (?:percent|discount|increase|decrease|growth)|percent(?:age)? (?:change|increase|decrease|discount|off|did|is|was)|in percent|by what percent|how much (?:percent|%)|what % |何\s*(?:%|パーセント|割)|伸び率|増加率|減少率|割引率|値上がり率|成長率|上昇率|変化率/;
const TOTAL =
  /total|altogether|in all|sum\b|all together|add(?:ed)? up|come to|合計|全部で|総額|合わせて|あわせて|計\b|足す|together|what do (?:i|we) (?:pay|owe)|how much (?:do|will|did|would) (?:i|we) (?:pay|owe|spend)|(?:円|つ|個|本|枚|冊)(?:で|だと)[^\d]{0,6}(?:いくら|何円)|買.{0,6}いくら/;
const DIFFERENCE =
  /(?:how much|いくら|何円|どれだけ)[^.]{0,12}(?:increase|rise|go up|went up|grow|drop|fall|fell|増え|減っ|上がっ|下がっ|高く|安く|変わ)|(?:増え|減っ|上がっ|下がっ).{0,8}いくら|how much (?:more|less|cheaper|longer|higher|lower)|what('s| is) the difference|difference|差額|差は|いくら(?:高|安|多|少な)|何円(?:高|安|多|少な)|どれだけ(?:高|安)/;

function calculation(goal: string, { items, percents, less, people }: Amounts): Sum | undefined {
  const [first, second, ...others] = items;
  if (first === undefined) return undefined;
  if (PERCENT_ASKED.test(goal)) {
    if (second === undefined || others.length + percents.length + less.length > 0) return undefined;
    const isOff = /off|discount|引き|割引|値引|オフ/.test(goal);
    const [from, to] = isOff && first.value < second.value ? [second, first] : [first, second];
    const isTenths = /何割/.test(goal);
    const change = isOff
      ? `(${from.expression} - ${to.expression})`
      : `(${to.expression} - ${from.expression})`;
    const unit: Sum['unit'] = isTenths ? ['割', ''] : ['%', '%'];
    return { expression: `${change} / ${from.expression} * ${isTenths ? 10 : 100}`, unit };
  }
  if (
    /平均|average|\bmean\b/.test(goal) &&
    percents.length === 0 &&
    items.length > 1 &&
    items.every(({ isPlain }) => isPlain)
  ) {
    const unit: Sum['unit'] = /点/.test(goal) ? ['点', ''] : /円/.test(goal) ? ['円', ''] : ['', ''];
    return { expression: `mean(${items.map(({ expression }) => expression).join(', ')})`, unit };
  }
  if (/お?釣り|おつり|\bchange\b/.test(goal)) {
    const paid = items.filter(({ isPlain }) => isPlain).toSorted((one, other) => other.value - one.value)[0];
    const bought = items.filter((one) => one !== paid);
    if (paid === undefined || bought.length === 0 || people !== undefined || less.length > 0)
      return undefined;
    const price = modified(sum(bought), percents);
    return price === undefined ? undefined : { expression: `${paid.expression} - ${wrapped(price)}` };
  }
  if (
    /\bleft\b|remain|残り|残る|残って/.test(goal) &&
    /spen[dt]|pa(?:y|id)|bought|cost|使|払|買/.test(goal)
  ) {
    const [, ...spent] = items;
    if (spent.length === 0 || percents.length + less.length > 0 || people !== undefined || !first.isPlain)
      return undefined;
    return { expression: [first.expression, ...spent.map(({ expression }) => expression)].join(' - ') };
  }
  if (DIFFERENCE.test(goal) && items.length === 2 && percents.length === 0) {
    const [big, small] = items.toSorted((one, other) => other.value - one.value);
    return { expression: `${big?.expression} - ${wrapped(small?.expression ?? '')}` };
  }
  const inverse = isInverse(goal, percents);
  if (inverse) {
    if (items.length !== 1 || percents.length !== 1 || people !== undefined || less.length > 0)
      return undefined;
    const [rate] = percents;
    return {
      expression: `${first.expression} / (1 ${rate?.kind === 'off' ? '-' : '+'} ${rate?.value} / 100)`,
    };
  }
  const isChange = /増え|減っ|上が|下が|変わ|より|\b(?:went|rose|fell|grew|than|instead|or)\b/.test(goal);
  if (items.length > 1 && (isChange || !TOTAL.test(goal)) && items.some(({ isPlain }) => isPlain))
    return undefined;
  const base = sum(items);
  if (percents.length === 1 && isPartAsked(goal, percents[0]))
    return { expression: `${wrapped(base)} * ${percents[0]?.value} / 100` };
  const isReduced = percents.length > 0 || less.length > 0;
  if (!isReduced && people === undefined && items.length === 1 && first.isPlain) return undefined;
  const after = modified(base, percents);
  if (after === undefined) return undefined;
  const paid = less.reduce((now, value) => `${now} - ${value}`, after);
  if (people === undefined) return isAsked(goal) ? { expression: paid } : undefined;
  return SPLIT.test(goal) ? { expression: `${wrapped(paid)} / ${people}` } : undefined;
}

const SPLIT =
  /split|share|divid|each|per person|apiece|per head|割り勘|割る|割って|割ると|わりかん|分け|1人|ひとり|(?:一|1)人|everyone|every person|all pay/;
const isAsked = (goal: string) =>
  /\?|what|how much|いくら|何円|教えて|合計|total|calculate|計算|take|add|price|salary|pay|値段|価格|金額|になりますか|は$/.test(
    goal,
  );

/** Whether the price before a tax or a discount is asked for: the end of the goal names it, without a number. */
function isInverse(goal: string, percents: readonly Percent[]): boolean {
  const kind = percents[0]?.kind;
  const text = goal.replaceAll(
    /(?:税率|消費税|tax rate)[^\d]{0,4}\d+(?:\.\d+)?\s*%[^\d]{0,6}$|[(][^)]*%[^)]*[)]/g,
    '',
  );
  if (kind === 'up')
    return /(?:\bbefore|without|excluding|excl\.?|net of) (?:the )?(?:tax|vat|gst|service)[^\d]*$|pre-?tax[^\d]*$|net price[^\d]*$|(?:税抜き?|税別|本体価格|税を除)[^\d]*$/.test(
      text,
    );
  if (kind === 'off')
    return /(?:original|before (?:the )?(?:discount|sale|reduction)|full price|regular price|normal price)[^\d]*$|(?:元(?:は|の値段|の価格|値|々)|割引前|定価|通常価格|もとの値段)[^\d]*$/.test(
      text,
    );
  return false;
}

/** Whether only the tip, the tax or the saving is asked for. */
function isPartAsked(goal: string, percent: Percent | undefined): boolean {
  if (percent?.kind === 'tip')
    return !/plus|with (?:the |an? )?(?:\d+(?:\.\d+)?\s*%\s*)?tip|including|total|owe|in all|altogether|込み|合計|足すと|含め|do i pay|and (?:a )?\d+\s*% tip/.test(
      goal,
    );
  if (percent?.kind === 'up')
    return /how much (?:is the )?(?:tax|vat)|(?:tax|vat|gst|service charge) on (?!.*(?:total|pay|cost|altogether|incl))|(?:tax|vat) (?:amount|is due)|税(?:額)?は(?:いくら|何円)|税金は/.test(
      goal,
    );
  if (percent?.kind === 'off')
    return /how much (?:do|would|will|can) (?:i|we) save|saving|いくら(?:お得|得|安くなる|引かれ)|割引額|値引き額/.test(
      goal,
    );
  return false;
}

function modified(base: string, percents: readonly Percent[]): string | undefined {
  if (percents.some(({ kind }) => kind === 'part')) return undefined;
  return percents.reduce(
    (now, { kind, value }) => `${wrapped(now)} * (1 ${kind === 'off' ? '-' : '+'} ${value} / 100)`,
    base,
  );
}

function sum(items: readonly { readonly expression: string }[]): string {
  return items.map(({ expression }) => expression).join(' + ');
}

function wrapped(expression: string): string {
  return /[+-]/.test(expression.replaceAll(/\([^()]*\)/g, '')) ? `(${expression})` : expression;
}
