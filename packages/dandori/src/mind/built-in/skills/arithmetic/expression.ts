/**
 * Calculations in words: "15% off 3000", 25の平方根に12をかけて. Rules replace a phrase by its value, inside out,
 * until one value is left. If anything else is left, the text is no calculation.
 */
export function expressionIn(goal: string): string | undefined {
  // 2026-05-01 and 03-1234-5678 are no subtractions.
  if (/\d+-\d+-\d+|(?<![\d.])0\d/.test(goal)) return undefined;
  const parts: string[] = [];
  const keep = (expression: string): string => {
    parts.push(expression);
    return `⟨${parts.length - 1}⟩`;
  };
  const written = (atom: string): string =>
    atom.startsWith('⟨') ? (parts[Number(atom.slice(1, -1))] ?? '') : atom;
  const factor = (atom: string): string => {
    const value = written(atom);
    return /^[\w.]+$|^\w+\([^()]*\)$/.test(value) ? value : `(${value})`;
  };
  let text = bare(goal.replaceAll(MONEY, ''));
  // A plain expression has no phrases, and compiling all rules takes longer than the calculation.
  for (let left = PLAIN.test(text) ? 0 : MOST_STEPS; left > 0; left--) {
    const rule = RULES.find(([form]) => form.test(text));
    if (rule === undefined) break;
    text = bare(
      text.replace(rule[0], (_, ...groups: unknown[]) => {
        const atoms = groups.filter((group) => typeof group === 'string' && group !== '').map(String);
        const numbers = atoms.slice(0, -1);
        return keep(rule[1](numbers.map(factor), numbers.map(written)));
      }),
    ).replaceAll(/\s+/g, ' ');
  }
  const [, last] = /^⟨(\d+)⟩$/.exec(text) ?? [];
  if (last !== undefined) return parts[Number(last)];
  const signed = SIGNS.reduce((now, [word, sign]) => now.replaceAll(word, ` ${sign} `), text);
  const expression = signed
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() | (?=\))/g, '')
    .trim();
  return WRITTEN.test(expression) && areClosed(expression)
    ? expression.replaceAll(/⟨\d+⟩/g, factor).replaceAll(/(?<=\d) ?\^ ?(?=\d)/g, '^')
    : undefined;
}

function areClosed(expression: string): boolean {
  let open = 0;
  for (const letter of expression) {
    if (letter === '(') open++;
    if (letter === ')' && --open < 0) return false;
  }
  return open === 0;
}

/** Words for operators between numbers. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/multiplied by|times|かける|掛ける|×|✕|\*|(?<=[\d⟩)]\s*)x(?=\s*[\d⟨(])/g, '*'],
  [/divided by|over|割る|わる|÷|\//g, '/'],
  [/plus|足す|たす|プラス|\+/g, '+'],
  [/minus|引く|ひく|マイナス|−|(?<=[\d⟩)]\s*)-/g, '-'],
  [/\^|\*\*/g, '^'],
];
const OPERAND = String.raw`-?\(*(?:-?\d+(?:\.\d+)?|⟨\d+⟩)\)*`;
const WRITTEN = new RegExp(`^${OPERAND}(?: ?[-+*/^] ?${OPERAND})+$`);

const MOST_STEPS = 40;
const PLAIN = /^[\d\s.+\-*/^×÷()]*$/;
const MONEY = /(?<=\d\s*)(?:円|ドル|ユーロ|(?:yen|dollars?|euros?|usd|eur|jpy|bucks)\b)|[$€¥£]\s*(?=\d)/g;

/** Polite words around a calculation. */
const AROUND =
  /^(?:(?:please|hey|hi|ok|so|can you|could you|would you|will you|i need|i want to know|tell me|give me|show me|what is|what's|whats|what are|what does|calculate|compute|work out|figure out|evaluate|how much is|how much are|how much does|how much would|how many is|find|the|solve|result of|answer to|value of|次の計算をして|計算して|計算|ねえ)(?=[\s:,⟨\d(√]|$)[\s:,、]*)+|[\s、,。.]*(?:please|pls|equals?|come to|in total|altogether|make|is|be|cost|を計算してください|を計算して|を計算|の計算をして|計算してください|計算して|を教えてください|を教えて|教えてください|教えて|を求めてください|を求めて|を出してください|を出して|お願いします|お願い|はいくらになりますか|はいくらですか|はいくらになる|はいくら|はいくつですか|はいくつになりますか|はいくつ|はなんですか|は何ですか|っていくつ|っていくら|って何|は何円ですか|は何円|は何|でいくらになる|でいくらですか|でいくら|だといくら|といくら|するといくつ|するといくら|すると|たらいくつ|たらいくら|くらい|してください|して|ですか|でしょうか|になりますか|になる|だっけ|かな|いくら|いくつ|の値段|の価格|の金額|は|って|だと|で|を|[?=])+$/g;

function bare(text: string): string {
  let now = text.trim();
  for (;;) {
    const next = now.replaceAll(AROUND, '').trim();
    if (next === now) return now;
    now = next;
  }
}

const A = String.raw`((?<![\d.⟨])-?\d+(?:\.\d+)?(?![\d.⟩])|⟨\d+⟩)`;
const P = `${A}\\s*(?:%|percent|per cent|パーセント|プロ)`;
const PERCENT = '(?:percentages?|percent|per cent|%|パーセント)';
const AND = String.raw`(?:\s*(?:,|、|and|と|や|&)\s*)+`;
const rule = (
  source: string,
  write: (factors: string[], values: string[]) => string,
): readonly [RegExp, (factors: string[], values: string[]) => string] => [
  new RegExp(`${source}(?<end>)`, 'u'),
  write,
];
const list = (write: (all: string) => string, english: string, japanese: string, together = '(?!)') =>
  [5, 4, 3, 2, 1].map((more) => {
    const atoms = A + `${AND}${A}`.repeat(more);
    return rule(`(?:${english}) ${atoms}|${atoms}(?:の(?:${japanese})|${together})`, (_, values) =>
      write(values.join(', ')),
    );
  });
const off = ([a, p]: string[]) => `${a} * (1 - ${p} / 100)`;
const up = ([a, p]: string[]) => `${a} * (1 + ${p} / 100)`;
const swap =
  (write: (factors: string[]) => string) =>
  ([p = '', a = '']: string[]) =>
    write([a, p]);
const two =
  (sign: string, isSwapped = false) =>
  ([a = '', b = '']: string[], [first = '', second = '']: string[]) => {
    const [one, other] = isSwapped ? [second, first] : [first, second];
    if (sign === '+') return `${one} + ${other}`;
    if (sign === '-') return `${one} - ${isSwapped ? a : b}`;
    return isSwapped ? `${b} ${sign} ${a}` : `${a} ${sign} ${b}`;
  };
const THEN = '(?:る|す|く|て|って|いて|して|ると|すと|くと|た数|た値|えて|える)?(?:から|、|と)?';

/** From the innermost phrase to the outermost. The first match wins. */
const RULES = [
  rule(`${A}割${A}分(?=引|びき|増|$)`, ([a, b]) => `(${a} * 10 + ${b})`),
  rule(`${A}(?:割引き?|割びき|割オフ)(?:の|で|した|後の?)\\s*${A}`, ([p, a]) => `${a} * (1 - ${p} / 10)`),
  rule(
    `${A}\\s*(?:の|を|から|が)?${A}割(?:引き?|びき|オフ|安)(?:いた値段|の値段|した値段)?`,
    ([a, p]) => `${a} * (1 - ${p} / 10)`,
  ),
  rule(`${A}の${A}割増し?`, ([a, p]) => `${a} * (1 + ${p} / 10)`),
  rule(`${A}の${A}割`, ([a, p]) => `${a} * ${p} / 10`),
  rule(`(?:the )?square root of ${A}|${A}の平方根|(?:ルート|√)\\s*${A}|sqrt ?${A}`, (_, [a]) => `sqrt(${a})`),
  rule(`(?:the )?cube root of ${A}|${A}の立方根`, (_, [a]) => `cbrt(${a})`),
  rule(`${A} squared|(?:the )?square of ${A}|${A}の(?:平方|自乗)`, ([a]) => `${a}^2`),
  rule(`${A} cubed|(?:the )?cube of ${A}|${A}の立方`, ([a]) => `${a}^3`),
  rule(
    `${A} (?:to the power(?: of)?|raised to(?: the)?(?: power(?: of)?)?|to the) ${A}(?:st|nd|rd|th)?(?: power)?|${A}の${A}乗`,
    ([a, b]) => `${a}^${b}`,
  ),
  rule(`${A} factorial|(?:the )?factorial of ${A}|${A}\\s*!|${A}の階乗`, ([a]) => `factorial(${a})`),
  rule(
    `${A}\\s*/\\s*${A} (?:as|in|to) (?:an? )?${PERCENT}|${A}\\s*/\\s*${A}(?:は|って)何\\s*${PERCENT}(?:です)?か?`,
    ([a, b]) => `${a} / ${b} * 100 %`,
  ),
  rule(`${A}分の${A}(?:は|って)何\\s*${PERCENT}(?:です)?か?`, ([b, a]) => `${a} / ${b} * 100 %`),
  rule(
    `${A} (?:as|in) (?:an? )?${PERCENT}(?![a-z]| of)|${A}(?:は|って)何\\s*${PERCENT}(?:です)?か?$`,
    ([a]) => `${a} * 100 %`,
  ),
  rule(
    `round ${A} (?:off )?to ${A} (?:decimal places?|decimals?|digits?)(?: after the (?:decimal )?point)?|${A} rounded (?:off )?to ${A} (?:decimal places?|decimals?)|${A}を小数点?(?:以下)?第?${A}(?:位|桁)(?:まで|に)(?:で)?(?:四捨五入|丸め(?:る|て)?)`,
    (_, [a, n]) => `round(${a}, ${n})`,
  ),
  rule(
    `round ${A} (?:off )?(?:to the nearest (?:whole number|integer)|to (?:a|an) (?:whole number|integer))|${A}(?:を整数に|を)(?:四捨五入|丸め(?:る|て)?)`,
    (_, [a]) => `round(${a})`,
  ),
  rule(`${A}\\s*/\\s*${A} of ${A}`, ([a, b, c]) => `${c} * ${a} / ${b}`),
  rule(`${A}の${A}分の${A}`, ([c, b, a]) => `${c} * ${a} / ${b}`),
  rule(`(?:a )?half (?:of )?${A}|${A}の半分`, ([a]) => `${a} / 2`),
  rule(`(?:a |1 )?third of ${A}`, ([a]) => `${a} / 3`),
  rule(`(?:a |1 )?(?:quarter|fourth) of ${A}`, ([a]) => `${a} / 4`),
  rule(`(?:2|two) thirds of ${A}`, ([a]) => `${a} * 2 / 3`),
  rule(`(?:3|three) (?:quarters|fourths) of ${A}`, ([a]) => `${a} * 3 / 4`),
  rule(`(?:double|twice) (?:of )?${A}`, ([a]) => `${a} * 2`),
  rule(`triple (?:of )?${A}`, ([a]) => `${a} * 3`),
  rule(`${P} of what(?: number| amount)? is ${A}|${A} is ${P} of what(?: number| amount)?`, (f) => {
    const [p, a] = f;
    return `${a} / ${p} * 100`;
  }),
  rule(
    `${A} is what (?:percent|percentage|%|per cent) of ${A}|${A} as (?:a )?percent(?:age)? of ${A}`,
    ([a, b]) => `${a} / ${b} * 100 %`,
  ),
  rule(`what (?:percent|percentage|%|per cent) of ${A} (?:is|are) ${A}`, ([b, a]) => `${a} / ${b} * 100 %`),
  rule(
    `${A}は${A}の何\\s*(?:%|パーセント|割合)(?:に(?:あた|当た)る|です|に(?:なる|なりますか))?か?`,
    ([a, b]) => `${a} / ${b} * 100 %`,
  ),
  rule(`${A}は${A}の何割(?:です)?か?`, ([a, b]) => `${a} / ${b} * 10 割`),
  rule(`${P} (?:off(?: of)?|less than|discount (?:on|of)) ${A}|take ${P} off(?: of)? ${A}`, swap(off)),
  rule(`${A}(?:,? with| minus| less| at|,)? (?:a )?${P} (?:off|discount|less)`, off),
  rule(
    `${A}\\s*(?:の|を|から|が|に|で)?\\s*${P}\\s*(?:引き?|びき|オフ|off|値引き?|割引き?|減)(?:いた値段|した値段|の値段|後)?`,
    off,
  ),
  rule(`${P}\\s*(?:引き?|オフ|off|割引き?)(?:の|で)?\\s*${A}`, swap(off)),
  rule(
    `add (?:a )?${P} (?:(?:sales )?(?:tax|vat|gst)|service(?: charge)?) (?:to|on|onto) ${A}|${P} more (?:to|on|than|onto) ${A}`,
    swap(up),
  ),
  rule(`add ${P} to ${A}`, swap(up)),
  rule(
    `${A} (?:plus|with|including|incl\\.?|and|\\+) (?:a )?${P} (?:(?:sales )?(?:tax|vat|gst)|service(?: charge)?)`,
    up,
  ),
  rule(`(?<![-+*/]\\s*)${A} (?:plus|\\+) ${P}|increase ${A} by ${P}|${A} increased by ${P}`, up),
  rule(
    `(?<![-+*/]\\s*)${A} (?:minus|-) ${P}|(?:decrease|reduce) ${A} by ${P}|${A} (?:decreased|reduced) by ${P}`,
    off,
  ),
  rule(
    `${A}(?:の|に)?(?:税込み?|消費税込み?)(?:価格|金額|み)?\\s*[(、]*\\s*(?:消費税|税率)?(?:は|が)?${P}\\s*\\)?`,
    up,
  ),
  rule(
    `${A}(?:に|の)(?:消費税|税)?${P}(?:の(?:消費税|税|サービス料))?(?:を)?(?:足す|足し(?:て|た金額)?|加え(?:る|て|た金額)|かける|つける|上乗せ(?:する)?|増し|増|アップ)(?:と)?`,
    up,
  ),
  rule(`${A}の税込み?(?:価格|金額)?`, ([a]) => `${a} * 1.1`),
  rule(`税込み?(?:で|の)?${A}(?:の(?:商品|もの))?[、はの]*税抜き?(?:価格|値段)?`, ([a]) => `${a} / 1.1`),
  rule(`${P} of ${A}|(?:a )?${P} tip (?:on|for|of) (?:a )?${A}(?: bill)?`, ([p, a]) => `${a} * ${p} / 100`),
  rule(`${A}の${P}`, ([a, p]) => `${a} * ${p} / 100`),
  rule(
    `(?:the )?(?:sum|total) of (?:all )?(?:the )?(?:numbers |integers )?(?:from )?${A} (?:to|through) ${A}|(?:all )?(?:the )?numbers from ${A} to ${A} added(?: up)?|${A}から${A}まで(?:の(?:整数|数))?(?:を|の)?(?:全部)?(?:足す|たす|足し|合計|和|足した)(?:す|と|数|合計|て)?`,
    ([a, b]) => `(${a} + ${b}) * (${b} - ${a} + 1) / 2`,
  ),
  rule(
    `(?:remainder|rest) (?:of|when|if) ${A} (?:is )?divided by ${A}|${A} (?:mod|modulo) ${A}|${A} divided by ${A} remainder|${A}(?:を${A}で割った|\\s*(?:割る|÷|/)\\s*${A}の)(?:とき|時)?の?(?:余り|あまり)`,
    ([a, b]) => `mod(${a}, ${b})`,
  ),
  ...list((all) => `mean(${all})`, '(?:average|mean) of', '平均(?:値|点)?'),
  ...list((all) => `median(${all})`, 'median of', '中央値'),
  ...list(
    (all) => all.replaceAll(', ', ' + '),
    '(?:sum|total) of|add(?: up)?',
    '合計|和|総和',
    `を(?:全部|すべて|全て)?(?:足|たし|たす|合計し|合わせ)${THEN}`,
  ),
  ...list((all) => `max(${all})`, '(?:max|maximum|largest|biggest|highest) of', '最大値?'),
  ...list((all) => `min(${all})`, '(?:min|minimum|smallest|lowest) of', '最小値?'),
  rule(`(?:product of ${A} and|multiply ${A} (?:by|and|with)) ${A}`, two('*')),
  rule(`divide ${A} by ${A}`, two('/')),
  rule(
    `${A}(?:に|と)${A}を?(?:かけ|掛け|乗じ)${THEN}|${A}と${A}の積|${A}[をの、]?${A}倍(?:する|に(?:して|する)?|した数)?(?:と)?`,
    two('*'),
  ),
  rule(`${A}を${A}で(?:割|わ)${THEN}|${A}と${A}の商`, two('/')),
  rule(`(?:subtract|take) ${A} (?:away )?from ${A}`, two('-', true)),
  rule(`(?:add|sum) ${A} (?:and|to|plus) ${A}`, two('+')),
  rule(`${A}(?:に|と)${A}を?(?:足|たし|たす|加え)${THEN}|${A}と${A}の和`, two('+')),
  rule(
    `${A}から${A}を?(?:引|ひい|ひく|減らし|減らす)${THEN}|difference between ${A} and ${A}|${A}と${A}の差`,
    two('-'),
  ),
];
