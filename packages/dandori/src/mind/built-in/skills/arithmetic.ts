import { pick, resultsOf, type Skill } from './skill.ts';

const EVALUATE = 'calc.evaluate';

/** "3000円の15%引きは？" and "What is 15% off 3000?": turned into an expression for the calculator. */
export const arithmetic: Skill = (request) => {
  if (!request.has(EVALUATE)) return undefined;
  const sum = expressionIn(request.text);
  if (sum === undefined) return undefined;
  const found = resultsOf([{ operation: EVALUATE, args: { expression: sum.expression } }], request);
  if ('missing' in found) return found.missing;
  const unit = sum.unit === undefined ? '' : pick(request.language, sum.unit[0], sum.unit[1]);
  const shown = sum.expression.replaceAll('*', '×').replaceAll('/', '÷');
  return { kind: 'answer', text: `${shown} = ${String(found.results[0]?.text)}${unit}` };
};

interface Sum {
  readonly expression: string;
  /** The unit of the result: Japanese, English. */
  readonly unit?: readonly [string, string];
}

/** The calculation that a text asks for. Undefined if a word does not belong to a calculation. */
export function expressionIn(goal: string): Sum | undefined {
  const text = bare(withDigits(goal));
  for (const [form, write] of FORMS) {
    const match = form.exec(text);
    if (match !== null) return write(match.map((part) => part ?? ''));
  }
  return written(text);
}

/** Polite words around a calculation. */
const AROUND =
  /^(?:(?:please|can you|could you|tell me|what is|what's|whats|what are|calculate|compute|work out|evaluate|how much is|how much are|how much does|find|the|solve|次の計算をして|計算)[\s:,]*)+|[\s、,]*(?:please|equals?|in total|altogether|make|is|を計算してください|を計算して|を計算|の計算をして|計算して|を教えてください|を教えて|を求めて|を出して|はいくらになりますか|はいくらですか|はいくらになる|はいくら|はいくつですか|はいくつ|はなんですか|は何ですか|は何|でいくらになる|でいくらですか|でいくら|だといくら|といくら|するといくつ|するといくら|すると|くらい|してください|して|ですか|になる|いくら|いくつ|は|[?=])+$/g;

function bare(text: string): string {
  let now = text;
  for (;;) {
    const next = now.replaceAll(AROUND, '').trim();
    if (next === now) return now;
    now = next;
  }
}

/** 2億5000万 → 250000000, 1,200 → 1200. */
function withDigits(text: string): string {
  return text
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replaceAll(/(\d+(?:\.\d+)?)億(?:(\d+(?:\.\d+)?)万)?|(\d+(?:\.\d+)?)万/g, (_, oku, man, only) =>
      String(only === undefined ? Number(oku) * 1e8 + Number(man ?? 0) * 1e4 : Number(only) * 1e4),
    )
    .replaceAll(/(\d+)千(?!\d)/g, (_, digits) => String(Number(digits) * 1000));
}

const N = String.raw`(-?\d+(?:\.\d+)?)`;
const MONEY = `(?:円|ドル|ユーロ|yen|dollars?|euros?|usd|eur|jpy)?`;
const LEAD = String.raw`(?:\$|€|¥|usd|eur|jpy)?\s*`;
const AMOUNT = `${LEAD}${N}\\s*${MONEY}`;
const PERCENT = `${N}\\s*(?:%|percent|パーセント)`;
const LIST = `(${N.slice(1, -1)}(?:(?:\\s*(?:,|、|and|と|や|\\s)\\s*)+${N.slice(1, -1)})+)`;
const COUNTED = '(?:つ|個|本|冊|枚|杯|人|箱|袋|台|匹|着|点|回|セット|パック|ダース)';

const form = (source: string) => new RegExp(`^${source}$`);
const numbers = (list = '') => list.match(/-?\d+(?:\.\d+)?/g) ?? [];
const sumOf = (expression: string): Sum => ({ expression });

/** Patterns for a whole goal. The first match wins. */
const FORMS: readonly (readonly [RegExp, (match: readonly string[]) => Sum | undefined])[] = [
  [form(`multiply ${N} (?:by|and|with) ${N}`), ([, a, b]) => sumOf(`${a} * ${b}`)],
  [form(`divide ${N} by ${N}`), ([, a, b]) => sumOf(`${a} / ${b}`)],
  [form(`(?:add|sum) ${N} (?:and|to|plus) ${N}`), ([, a, b]) => sumOf(`${a} + ${b}`)],
  [form(`(?:subtract|take) ${N} (?:away )?from ${N}`), ([, a, b]) => sumOf(`${b} - ${a}`)],
  [
    form(`${N}から${N}を?(?:引く|ひく|引い|ひい|引き|引いて|ひいて|減らす)(?:と|たら)?`),
    ([, a, b]) => sumOf(`${a} - ${b}`),
  ],
  [
    form(`${N}(?:に|と)${N}を?(?:足す|たす|足して|足し|加える|加えて)(?:と|たら)?`),
    ([, a, b]) => sumOf(`${a} + ${b}`),
  ],
  [
    form(`${N}(?:に|と)${N}を?(?:かける|掛ける|かけて|掛けて)(?:と|たら)?`),
    ([, a, b]) => sumOf(`${a} * ${b}`),
  ],
  [form(`${N}を${N}倍(?:する|にする)?(?:と|たら)?`), ([, a, b]) => sumOf(`${a} * ${b}`)],
  [form(`${N}を${N}で割った(?:余り|あまり)`), ([, a, b]) => sumOf(`mod(${a}, ${b})`)],
  [
    form(`(?:remainder of )?${N} (?:divided by|mod|modulo) ${N}(?: remainder)?`),
    ([all, a, b]) => sumOf(/remainder|mod/.test(all ?? '') ? `mod(${a}, ${b})` : `${a} / ${b}`),
  ],
  [form(`remainder (?:when|if) ${N} is divided by ${N}`), ([, a, b]) => sumOf(`mod(${a}, ${b})`)],
  [form(`${N}(?:割る|÷|/)${N}の(?:余り|あまり)`), ([, a, b]) => sumOf(`mod(${a}, ${b})`)],
  [form(`${N}を${N}で割る?(?:る|って|ると|った商)?`), ([, a, b]) => sumOf(`${a} / ${b}`)],
  [
    form(`${N}と${N}の(和|差|積|商)`),
    ([, a, b, what]) => sumOf(`${a} ${{ 和: '+', 差: '-', 積: '*', 商: '/' }[what ?? '']} ${b}`),
  ],
  [
    form(`(?:sum|total) of ${N} (?:to|through) ${N}|(?:all )?(?:the )?numbers from ${N} to ${N} added`),
    ([, a, b, c, d]) => series(a || c, b || d),
  ],
  [
    form(`${N}から${N}まで(?:の整数)?(?:を|の)?(?:足す|たす|足し|合計|全部足す|足した)(?:す|と|数|合計)?`),
    ([, a, b]) => series(a, b),
  ],
  [form(`(?:average|mean) of ${LIST}|${LIST}の平均(?:値)?`), ([, a, b]) => average(numbers(a || b))],
  [form(`(?:sum|total) of ${LIST}|${LIST}の(?:合計|和)`), ([, a, b]) => sumOf(numbers(a || b).join(' + '))],
  [
    form(`(?:max|maximum|largest|biggest) of ${LIST}|${LIST}の最大(?:値)?`),
    ([, a, b]) => sumOf(`max(${numbers(a || b).join(', ')})`),
  ],
  [
    form(`(?:min|minimum|smallest) of ${LIST}|${LIST}の最小(?:値)?`),
    ([, a, b]) => sumOf(`min(${numbers(a || b).join(', ')})`),
  ],
  [form(`${N} squared|square of ${N}|${N}の(?:2|二)乗|${N}の平方`), ([, ...n]) => sumOf(`${one(n)}^2`)],
  [form(`${N} cubed|cube of ${N}|${N}の(?:3|三)乗|${N}の立方`), ([, ...n]) => sumOf(`${one(n)}^3`)],
  [
    form(
      `${N} (?:to the power(?: of)?|to the|raised to(?: the power of)?) ${N}(?:th|st|nd|rd)?(?: power)?|${N}の${N}乗`,
    ),
    ([, a, b, c, d]) => sumOf(`${a || c}^${b || d}`),
  ],
  [form(`square root of ${N}|${N}の平方根|ルート${N}|√${N}`), ([, ...n]) => sumOf(`sqrt(${one(n)})`)],
  [form(`cube root of ${N}|${N}の立方根`), ([, ...n]) => sumOf(`cbrt(${one(n)})`)],
  [form(`${N} factorial|factorial of ${N}|${N}!|${N}の階乗`), ([, ...n]) => sumOf(`factorial(${one(n)})`)],
  [
    form(
      `${PERCENT} off(?: of)? ${AMOUNT}|${AMOUNT}(?: with| minus| less)? (?:a )?${PERCENT} (?:off|discount)`,
    ),
    ([, a, b, c, d]) => sumOf(`${b || c} * (1 - ${a || d} / 100)`),
  ],
  [
    form(`${AMOUNT}(?:の|を|から|が)?${PERCENT}(?:引き|びき|オフ|off|値引き|割引)(?:き|した値段|の値段|後)?`),
    ([, a, b]) => ({ ...sumOf(`${a} * (1 - ${b} / 100)`), unit: ['円', ''] }),
  ],
  [
    form(`${AMOUNT}(?:の|を|から|が)?${N}割(?:引き?|びき|引いた値段|引きの値段)`),
    ([, a, b]) => ({ ...sumOf(`${a} * (1 - ${b} / 10)`), unit: ['円', ''] }),
  ],
  [
    form(`${N}割引き?(?:の|で|した)?${AMOUNT}(?:の商品)?`),
    ([, a, b]) => ({ ...sumOf(`${b} * (1 - ${a} / 10)`), unit: ['円', ''] }),
  ],
  [
    form(`${PERCENT}(?:引き?|オフ|off)(?:の|で)?${AMOUNT}`),
    ([, a, b]) => ({ ...sumOf(`${b} * (1 - ${a} / 100)`), unit: ['円', ''] }),
  ],
  [
    form(`(?:add )?(?:a )?${PERCENT} (?:sales )?(?:tax|vat) (?:to|on) ${AMOUNT}`),
    ([, a, b]) => sumOf(`${b} * (1 + ${a} / 100)`),
  ],
  [
    form(`${AMOUNT} (?:plus|with|including|incl\\.?|and) (?:a )?${PERCENT} (?:sales )?(?:tax|vat)`),
    ([, a, b]) => sumOf(`${a} * (1 + ${b} / 100)`),
  ],
  [
    form(
      `${AMOUNT}(?:の|に)?(?:税込み?(?:価格|金額|み)?|消費税込み?)(?:価格|金額)?[ (]*(?:(?:消費税|税率)?${PERCENT}[)]?)?`,
    ),
    ([, a, b]) => ({ ...sumOf(`${a} * (1 + ${b || '10'} / 100)`), unit: ['円', ''] }),
  ],
  [
    form(`${AMOUNT}に(?:消費税)?${PERCENT}(?:の消費税|の税)?を?(?:足す|加える|かける|つける)?(?:と|た金額)?`),
    ([, a, b]) => ({ ...sumOf(`${a} * (1 + ${b} / 100)`), unit: ['円', ''] }),
  ],
  [
    form(`(?:a )?${PERCENT} tip (?:on|for|of) (?:a )?${AMOUNT}(?: bill)?`),
    ([, a, b]) => sumOf(`${b} * ${a} / 100`),
  ],
  [form(`${PERCENT} of ${AMOUNT}`), ([, a, b]) => sumOf(`${b} * ${a} / 100`)],
  [form(`${AMOUNT}の${PERCENT}`), ([, a, b]) => sumOf(`${a} * ${b} / 100`)],
  [
    form(`${N} is what (?:percent|percentage|%) of ${N}|what (?:percent|percentage|%) of ${N} is ${N}`),
    ([, a, b, c, d]) => ({ ...sumOf(`${a || d} / ${b || c} * 100`), unit: ['%', '%'] }),
  ],
  [
    form(`${N}は${N}の何(?:%|パーセント)`),
    ([, a, b]) => ({ ...sumOf(`${a} / ${b} * 100`), unit: ['%', '%'] }),
  ],
  [form(`half (?:of )?${AMOUNT}|${AMOUNT}の半分`), ([, ...n]) => sumOf(`${one(n)} / 2`)],
  [form(`(?:a |one )?third of ${AMOUNT}`), ([, n]) => sumOf(`${n} / 3`)],
  [form(`(?:a |one )?quarter of ${AMOUNT}`), ([, n]) => sumOf(`${n} / 4`)],
  [form(`(?:double|twice) (?:of )?${AMOUNT}|${AMOUNT}の2倍`), ([, ...n]) => sumOf(`${one(n)} * 2`)],
  [
    form(
      `(?:split|divide|share) (?:a bill of )?${AMOUNT} (?:between|among|by|for|into|with|equally between|evenly between) ${N}(?: people| persons| friends| ways| parts)?`,
    ),
    ([, a, b]) => sumOf(`${a} / ${b}`),
  ],
  [
    form(
      `${AMOUNT}を${N}人で(?:割り勘|割る|分ける|わける|分け|割って|割ると)(?:する|にする|ると|と|一人いくら|1人いくら|一人あたり)?.{0,8}`,
    ),
    ([, a, b]) => ({ ...sumOf(`${a} / ${b}`), unit: ['円', ''] }),
  ],
  [
    form(
      `(?:buying |i buy )?((?:(?:,| and)?\\s*\\d+ (?:[a-z]+ ){1,3}(?:at|for|costing|of) ${LEAD}\\d+(?:\\.\\d+)?(?: ?(?:yen|dollars?|euros?))?(?: each| apiece)?)+)[\\s,]*(?:how much)?`,
    ),
    ([, list]) => bought(list, /(\d+) [a-z ]+?(?:at|for|costing|of) [$€¥]?\s*(\d+(?:\.\d+)?)/g, 1, 2),
  ],
  [
    form(
      `((?:と?、?\\d+円の[^\\d円]{1,12}?を?\\d+${COUNTED}(?:と|、)?)+)(?:買う|で|を買う|買った|買)?(?:と|ら|合計)?`,
    ),
    ([, list]) => bought(list, /(\d+)円の[^\d円]{1,12}?(\d+)/g, 2, 1),
  ],
  [
    form(`(\\d+)円(?:の[^\\d]{1,12})?を(\\d+)${COUNTED}(?:買う|買った)?(?:と|ら|とき)?`),
    ([, a, b]) => ({ ...sumOf(`${a} * ${b}`), unit: ['円', ''] }),
  ],
  [
    form(
      `(?:convert )?${N} ?(?:°|degrees? )?(?:c|celsius|centigrade) (?:to|in|into) (?:°|degrees )?(?:f|fahrenheit)`,
    ),
    ([, c]) => toFahrenheit(c),
  ],
  [
    form(
      `(?:convert )?${N} ?(?:°|degrees? )?(?:f|fahrenheit) (?:to|in|into) (?:°|degrees )?(?:c|celsius|centigrade)`,
    ),
    ([, f]) => toCelsius(f),
  ],
  [
    form(`(?:摂氏)?${N}(?:°c|度)?(?:は|を|って)(?:、)?華氏(?:で|に)?(?:は)?(?:何度|変換|なおす|直す)?.{0,6}`),
    ([, c]) => toFahrenheit(c),
  ],
  [
    form(`(?:華氏)?${N}(?:°f|度)?(?:は|を|って)(?:、)?摂氏(?:で|に)?(?:は)?(?:何度|変換|なおす|直す)?.{0,6}`),
    ([, f]) => toCelsius(f),
  ],
  [
    form(
      `how many ([a-z]+) (?:are )?(?:there )?in ${N} ?([a-z]+)|how many ([a-z]+) (?:are )?(?:there )?in (?:an?|one) ([a-z]+)`,
    ),
    ([, a, n, b, c, d]) => converted(n || '1', b || d, a || c),
  ],
  [form(`(?:convert )?${N} ?([a-z]+) (?:to|in|into) ([a-z]+)`), ([, n, from, to]) => converted(n, from, to)],
  [
    form(
      `${N} ?([a-zぁ-んァ-ヶー一-龠]+?)(?:は|を|って)(?:何)?([a-zぁ-んァ-ヶー一-龠]+?)(?:に(?:変換|換算|直す)?)?`,
    ),
    ([, n, from, to]) => converted(n, from, (to ?? '').replace(/^何/, '')),
  ],
];

function one(parts: readonly string[]): string {
  return parts.find((part) => part !== '') ?? '';
}

function series(from = '', to = ''): Sum {
  return sumOf(`(${from} + ${to}) * (${to} - ${from} + 1) / 2`);
}

function average(list: readonly string[]): Sum {
  return sumOf(`(${list.join(' + ')}) / ${list.length}`);
}

function bought(list = '', each: RegExp, count: number, price: number): Sum | undefined {
  const parts = [...list.matchAll(each)].map((match) => `${match[count]} * ${match[price]}`);
  return parts.length === 0 ? undefined : { expression: parts.join(' + '), unit: ['円', ''] };
}

function toFahrenheit(celsius = ''): Sum {
  return { expression: `${celsius} * 9 / 5 + 32`, unit: ['°F', ' °F'] };
}

function toCelsius(fahrenheit = ''): Sum {
  return { expression: `(${fahrenheit} - 32) * 5 / 9`, unit: ['℃', ' °C'] };
}

/** Units by kind: the size of each in the smallest unit, and its names. */
const UNITS: readonly (readonly [size: number, names: string][])[] = [
  [
    [1, 'second seconds sec secs s 秒'],
    [60, 'minute minutes min mins 分'],
    [3600, 'hour hours h 時間'],
    [86_400, 'day days 日 日間'],
    [604_800, 'week weeks 週 週間'],
  ],
  [
    [1, 'mm millimeter millimeters ミリ ミリメートル'],
    [10, 'cm centimeter centimeters センチ センチメートル'],
    [25.4, 'inch inches インチ'],
    [304.8, 'foot feet ft フィート'],
    [1000, 'm meter meters metre metres メートル'],
    [1_000_000, 'km kilometer kilometers kilometre kilometres キロ キロメートル'],
    [1_609_344, 'mile miles マイル'],
  ],
  [
    [1, 'g gram grams グラム'],
    [1000, 'kg kilogram kilograms kilos キロ キログラム'],
    [28.349523125, 'ounce ounces oz オンス'],
    [453.59237, 'pound pounds lb lbs ポンド'],
    [1_000_000, 'ton tons tonne tonnes トン'],
  ],
  [
    [1, 'ml milliliter milliliters ミリリットル'],
    [1000, 'l liter liters litre litres リットル'],
    [200, 'カップ'],
    [180.39, '合'],
  ],
];

function converted(count = '', from = '', to = ''): Sum | undefined {
  for (const kind of UNITS) {
    const sizeOf = (unit: string) => kind.find(([, names]) => names.split(' ').includes(unit))?.[0];
    const [source, target] = [sizeOf(from), sizeOf(to)];
    if (source === undefined || target === undefined) continue;
    const isWhole = source % target === 0;
    const expression = isWhole ? `${count} * ${source / target}` : `${count} * ${source} / ${target}`;
    return { expression, unit: [to, ` ${to}`] };
  }
  return undefined;
}

/** Words for operators between numbers. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/multiplied by|times|かける|掛ける|[×x✕*](?=\s*[\d(])/g, '*'],
  [/divided by|割る|÷/g, '/'],
  [/plus|足す|たす|プラス|＋/g, '+'],
  [/minus|引く|ひく|マイナス|−/g, '-'],
  [/円|ドル|\$|¥/g, ''],
];

/** A calculation written with operators or words for them. */
function written(text: string): Sum | undefined {
  const signs = SIGNS.reduce((now, [word, sign]) => now.replaceAll(word, ` ${sign} `), text);
  const expression = signs.replaceAll(/\s+/g, ' ').trim();
  const isSum = /^[\d.+\-*/^() ]+$/.test(expression) && /\d\s*\)*\s*[-+*/^]\s*\(*\s*[\d-]/.test(expression);
  // 2026-05-01 and 03-1234-5678 are not subtractions.
  const isOther = /^\d+(?:-\d+){2,}$/.test(expression) || /(?<![\d.])0\d/.test(expression);
  return isSum && !isOther ? sumOf(expression) : undefined;
}
