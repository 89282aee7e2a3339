import { ratio, unitsOf, unitText } from '../units.ts';
import type { Sum } from './measures.ts';
import { type Dimension, MEASURED, rateTermsIn, type Target, type Term } from './rate-terms.ts';

/**
 * Questions about rates and proportions, solved by their units: "42 litres for 600 km, how many litres per 100 km?"
 * Every quantity is multiplied or divided, so that the unit of the result is the unit asked for. If more than one
 * way gives it, or none, there is no answer.
 */
export function rateIn(goal: string): Sum | undefined {
  if (UNSAFE.test(goal)) return undefined;
  const reading = rateTermsIn(goal);
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
  /%|\benough\b|足りる|足ります|percent|パーセント|割(?!り)|\bfree\b|無料|except|以外|twice|half|半分|倍|than|より|\bratio\b|\bmore\b|\bless\b|remain|残り|already|すでに|もう|tax|tip\b|税|degrees|気温|天気|曜日|o'clock|[ap]m\b|\d:\d|\d時(?!間|速|給)|before|after|後|前|差|合計|冷蔵庫|在庫|kitchen|fridge|\bshop\b|database|データベース|レシピを|recipes?\b(?! for)|workers|painters|machines|pumps|builders|職人|人で.*(?:日|時間)(?:で|かか)|台で.*(?:日|時間)(?:で|かか)|in total|残る|left\b/;

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
export function offersIn(text: string): readonly Offer[] | undefined {
  const goal = text.replaceAll(/(?:per|each) \d+ ?[a-z]+|\d+ ?(?:g|ml|グラム|個|枚)(?:あたり|当たり)/g, '');
  if (
    !/cheaper|better (?:deal|value|buy)|best (?:deal|value|buy)|お得|得(?:です|な|か)|安い|割安|コスパ/.test(
      goal,
    )
  )
    return undefined;
  const N = String.raw`(\d+(?:\.\d+)?)`;
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
