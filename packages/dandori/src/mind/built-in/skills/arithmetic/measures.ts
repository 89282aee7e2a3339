import { conversion, ratio, UNIT, type Unit, unitsOf, unitText } from '../units.ts';

/** A calculation to make, and the unit of its result: Japanese, English. */
export interface Sum {
  readonly expression: string;
  readonly unit?: readonly [string, string];
}

const N = String.raw`(\d+(?:\.\d+)?)`;
const NUMBER = /(?<![\d.])\d+(?:\.\d+)?/g;

/** One quantity in another unit: "I'm 180 cm tall, what's that in feet?", 10マイルは何キロ？ */
export function conversionIn(text: string): Sum | undefined {
  const quantity = quantityIn(text);
  if (quantity === undefined) return undefined;
  const rest = `${text.slice(0, quantity.start)} ${text.slice(quantity.end)}`;
  if (NUMBER.test(rest.replaceAll(/\b(?:1|an?|one) /g, ''))) return undefined;
  if (
    /あたり|当たり|につき|ごと|\bper\b|\beach\b|差|than\b|より|[後前](?!の?半)|何月|円|\b(?:date|today|now|ago|from)\b/.test(
      rest,
    )
  )
    return undefined;
  const wanted = new RegExp(
    `(?:\\bin|\\bto|\\binto|\\bhow many|\\bas|=|何|なん|は|を|に|で|って|→)\\s*(?:about |roughly |degrees? |°|deg |square )?(${UNIT})`,
    'g',
  );
  const targets = [...rest.matchAll(wanted)].map((match) => match[1] ?? '');
  if (/何度|なん度|degrees?/.test(rest) && quantity.units[0]?.dimension === 'temperature')
    targets.push(...(rest.match(/摂氏|華氏|celsius|centigrade|fahrenheit|°[cf]/g) ?? []));
  for (const from of quantity.units)
    for (const to of targets.flatMap(unitsOf)) {
      if (to === from && /^\(/.test(quantity.value))
        return { expression: quantity.value.slice(1, -1), unit: unitText(to) };
      if (to === from || (from.dimension !== to.dimension && from.dimension !== 'years')) continue;
      const expression = conversion(quantity.value, from, to);
      if (expression !== undefined) return { expression: tidy(expression), unit: unitText(to) };
    }
  return undefined;
}

/** The only quantity in a text: 180 cm, 5 feet 9 inches, 3時間45分, 華氏98.6度, "a week". */
function quantityIn(
  text: string,
): { value: string; units: readonly Unit[]; start: number; end: number } | undefined {
  const heat =
    /(摂氏|華氏)\s*(-?\d+(?:\.\d+)?)\s*(?:度|°)?/.exec(text) ??
    /(-?\d+(?:\.\d+)?)\s*(?:°|degrees? |deg )?\s*(c|f|celsius|centigrade|fahrenheit)\b/.exec(text) ??
    /(?:体温|気温|水温|温度)?(-?\d+(?:\.\d+)?)(度)(?=.*(?:華氏|摂氏))/.exec(text);
  if (heat !== null) {
    const [first = '', second = ''] = heat.slice(1);
    const [value, name] = /\d/.test(first) ? [first, second] : [second, first];
    const isOther = name === '度' && /摂氏/.test(text.slice(heat.index + heat[0].length));
    const units = unitsOf(
      /^[cf]$/.test(name) ? `°${name}` : name === '度' ? (isOther ? '華氏' : '摂氏') : name,
    );
    return { value, units, start: heat.index, end: heat.index + heat[0].length };
  }
  const feet = /(\d+)\s*(?:feet|foot|ft|')\s*(\d+)\s*(?:"|'')?(?=\s+(?:in|to|into) )/.exec(text);
  if (feet !== null) {
    const value = `(${feet[1]} * 12 + ${feet[2]})`;
    return { value, units: unitsOf('inches'), start: feet.index, end: feet.index + feet[0].length };
  }
  const double = new RegExp(`${N}\\s*(${UNIT})\\s*(?:and )?${N}\\s*(${UNIT})`).exec(text);
  if (double !== null) {
    const [, a = '', one = '', b = '', other = ''] = double;
    for (const big of unitsOf(one))
      for (const small of unitsOf(other)) {
        const factor = big.dimension === small.dimension ? ratio(big, small) : undefined;
        if (factor === undefined || big.size <= small.size) continue;
        const value = `(${a} * ${factor} + ${b})`;
        return { value, units: [small], start: double.index, end: double.index + double[0].length };
      }
  }
  const single =
    new RegExp(`${N}\\s*(?:square )?(${UNIT})`).exec(text) ??
    new RegExp(`\\b(?:in|is|to|of) (?:()(?:an?|1)) (${UNIT})`).exec(text);
  if (single === null) return undefined;
  const [all, value, name = ''] = single;
  return { value: value || '1', units: unitsOf(name), start: single.index, end: single.index + all.length };
}

/** `2 * 60 * 1` → `2 * 60`. */
function tidy(expression: string): string {
  return expression.replace(/^1 \* (?=\d)/, '').replace(/ \* 1$/, '');
}

const LENGTH = `${N}\\s*(mm|cm|km|m|センチメートル|センチ|ミリ|メートル|metres?|meters?|feet|foot|ft|inch(?:es)?)`;

/** Areas, volumes and the body mass index. */
export function geometryIn(text: string): Sum | undefined {
  const sides = [...text.matchAll(new RegExp(LENGTH, 'g'))].map((match) => ({
    value: match[1] ?? '',
    unit: unitsOf(match[2] ?? '')[0],
  }));
  const numbers = text.match(NUMBER) ?? [];
  const [a, b, c] = sides.map(({ value }) => value);
  const unit = sides[0]?.unit;
  if (/\bbmi\b|体格指数/.test(text)) return bodyMass(text);
  if (unit === undefined || sides.some((side) => side.unit !== unit) || numbers.length !== sides.length)
    return undefined;
  const square: Pick<Sum, 'unit'> = { unit: [`平方${unit.ja}`, ` square ${unit.en}`] };
  const cubic: Pick<Sum, 'unit'> = { unit: [`立方${unit.ja}`, ` cubic ${unit.en}`] };
  const isArea = /area|面積|広さ|平米|平方|how big|square (?:m|f|c)|floor space/.test(text);
  const isVolume = /volume|体積|容積|立方|cubic/.test(text);
  const isRound = /circle|round|円(?!柱)の?|半径|直径|radius|diameter/.test(text);
  const isWide = /diameter|直径/.test(text);
  if (sides.length === 1 && isRound) {
    const radius = isWide ? `(${a} / 2)` : a;
    if (/circumference|円周|perimeter|周り|around/.test(text))
      return { expression: `2 * pi * ${radius}`, unit: unitText(unit) };
    return isArea ? { expression: `pi * ${radius}^2`, ...square } : undefined;
  }
  if (sides.length === 1 && /square|正方形/.test(text) && isArea) return { expression: `${a}^2`, ...square };
  if (sides.length === 1 && /cube|立方体/.test(text) && isVolume) return { expression: `${a}^3`, ...cubic };
  if (sides.length === 2 && /triang|三角/.test(text)) return { expression: `${a} * ${b} / 2`, ...square };
  if (sides.length === 2 && /perimeter|周囲|周の?長さ|周り|all the way around/.test(text))
    return { expression: `2 * (${a} + ${b})`, unit: unitText(unit) };
  if (sides.length === 2 && isArea && !isRound) return { expression: `${a} * ${b}`, ...square };
  if (sides.length === 3 && isVolume && !isRound) return { expression: `${a} * ${b} * ${c}`, ...cubic };
  return undefined;
}

/** A length or weight in equal parts: "cut 2.4 m into 6 pieces", 2.4mを6等分. */
export function partsIn(text: string): Sum | undefined {
  const match = new RegExp(
    `${N}[ -]?(${UNIT}).{0,30}?(?:into ${N} (?:equal )?(?:pieces|parts|portions|slices|lengths|shares)|を?${N}等分)`,
  ).exec(text);
  const [unit] = unitsOf(match?.[2] ?? '');
  const count = match?.[3] ?? match?.[4];
  if (match === null || unit === undefined || (text.match(NUMBER) ?? []).length !== 2) return undefined;
  return { expression: `${match[1]} / ${count}`, unit: unitText(unit) };
}

const CURRENCY = '(ドル|ユーロ|ポンド|元|ウォン|円|dollars?|euros?|pounds?|yuan|won|yen)';

/** At a rate that is given: 1ドル150円のとき80ドルは何円？ */
export function exchangeIn(text: string): Sum | undefined {
  const same = (one = '', other = '') => one.replace(/(?<=.)s$/, '') === other.replace(/(?<=.)s$/, '');
  const form = new RegExp(
    `(?:1|an?)\\s*${CURRENCY}\\s*(?:=|は|が|is|equals|costs)?\\s*${N}\\s*${CURRENCY}(.*?)${N}\\s*${CURRENCY}(.*)$`,
  );
  const [, one, rate, other, , amount, from, asked = ''] = form.exec(text) ?? [];
  if (rate === undefined || (text.match(NUMBER) ?? []).length !== (/(?<!\d)1\s*[^\d\s]/.test(text) ? 3 : 2))
    return undefined;
  const to = same(from, one) ? other : same(from, other) ? one : undefined;
  if (to === undefined || same(one, other) || !/いくら|何|how|what|\bin\b|$/.test(asked)) return undefined;
  const sign = to === other ? '*' : '/';
  return {
    expression: `${amount} ${sign} ${rate}`,
    unit: /[a-z]/.test(to) ? [` ${to}`, ` ${to}`] : [to, ''],
  };
}

/** A part of a whole in percent: 40人中12人, "12 out of 40". */
export function shareIn(text: string): Sum | undefined {
  if (!/何\s*(?:%|パーセント|割)|率は|percent|%/.test(text) || (text.match(NUMBER) ?? []).length !== 2)
    return undefined;
  const whole = new RegExp(`${N}[^\\d]{0,6}?(?:中|のうち)[^\\d]{0,8}?${N}`).exec(text);
  const part = new RegExp(`${N}(?: [a-z]+)? (?:out )?of (?:the |our |my )?${N}`).exec(text);
  const [, a, b] = whole ?? [part, part?.[2], part?.[1]];
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  return /何割/.test(text)
    ? { expression: `${b} / ${a} * 10`, unit: ['割', ''] }
    : { expression: `${b} / ${a} * 100`, unit: ['%', '%'] };
}

function bodyMass(text: string): Sum | undefined {
  const [, kilos] = new RegExp(`${N}\\s*(?:kg|キロ|kilos?)`).exec(text) ?? [];
  const [, length, name] = new RegExp(`${N}\\s*(cm|m|センチ|メートル)(?![a-z])`).exec(text) ?? [];
  if (kilos === undefined || length === undefined || (text.match(NUMBER) ?? []).length !== 2)
    return undefined;
  const metres = /^c|^セ/.test(name ?? '') ? `(${length} / 100)` : length;
  return { expression: `${kilos} / ${metres}^2` };
}
