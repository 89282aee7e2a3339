/** A unit of measurement: its size in the base unit of its dimension. */
export interface Unit {
  readonly dimension: string;
  readonly size: number;
  readonly ja: string;
  readonly en: string;
}

/** Per dimension: the size of a unit, then its names. The first name is shown in English, the first Japanese one in Japanese. */
const TABLE: Readonly<Record<string, readonly (readonly [size: number, names: string])[]>> = {
  time: [
    [1, 'seconds second secs sec s 秒 秒間'],
    [60, 'minutes minute mins min 分 分間'],
    [3600, 'hours hour hrs hr h 時間'],
    [86_400, 'days day 日 日間'],
    [604_800, 'weeks week 週間 週'],
  ],
  years: [
    [1, 'months month mth ヶ月 か月 カ月 ヵ月 箇月'],
    [12, 'years year yrs yr 年間 年'],
  ],
  length: [
    [1, 'mm millimeters millimeter millimetres millimetre ミリ ミリメートル'],
    [10, 'cm centimeters centimeter centimetres centimetre センチ センチメートル'],
    [25.4, 'inches inch インチ'],
    [304.8, 'feet foot ft フィート'],
    [914.4, 'yards yard ヤード'],
    [1000, 'm meters meter metres metre メートル'],
    [1_000_000, 'km kilometers kilometer kilometres kilometre kms キロメートル キロ'],
    [1_609_344, 'miles mile マイル'],
  ],
  mass: [
    [0.001, 'mg milligrams milligram ミリグラム'],
    [1, 'g grams gram グラム'],
    [1000, 'kg kilograms kilogram kilos kilo kgs キログラム キロ'],
    [28.349523125, 'ounces ounce oz オンス'],
    [453.59237, 'pounds pound lbs lb ポンド'],
    [1_000_000, 'tons ton tonnes tonne トン'],
  ],
  volume: [
    [1, 'ml milliliters milliliter millilitres millilitre cc ミリリットル ミリリッター シーシー'],
    [10, 'cl centiliters centilitres'],
    [100, 'dl deciliters デシリットル'],
    [1000, 'litres litre liters liter l リットル リッター'],
    [4.92892159375, 'teaspoons teaspoon tsp'],
    [14.78676478125, 'tablespoons tablespoon tbsp'],
    [5, '小さじ'],
    [15, '大さじ'],
    [236.5882365, 'cups cup'],
    [200, 'カップ'],
    [180, '合'],
    [3785.411784, 'gallons gallon ガロン'],
    [473.176473, 'pints pint パイント'],
  ],
  area: [
    [1, 'm² 平方メートル 平米 m2 sqm square_meters square_metres square_meter square_metre'],
    [10_000, 'hectares hectare ヘクタール'],
    [0.09290304, 'square_feet sqft'],
    [3.305785, '坪'],
    [1_000_000, 'km² 平方キロメートル 平方キロ square_kilometers'],
  ],
  energy: [
    [1, 'kwh キロワット時'],
    [0.00116222, 'kcal キロカロリー カロリー calories'],
  ],
  data: [
    [1, 'mb megabytes メガバイト'],
    [1000, 'gb gigabytes gigabyte ギガバイト ギガ'],
    [1_000_000, 'tb terabytes テラバイト'],
  ],
  speed: [
    [1, 'km/h kph キロ毎時'],
    [1.609344, 'mph'],
    [3.6, 'm/s メートル毎秒'],
  ],
  money: [
    [1, 'yen 円 jpy'],
    [1, 'dollars dollar usd bucks ドル'],
    [1, 'euros euro eur ユーロ'],
    [1, 'pounds_sterling gbp'],
    [1, 'cents_money'],
  ],
  temperature: [
    [1, '°c celsius centigrade 摂氏 ℃ deg_c degrees_c'],
    [1, '°f fahrenheit 華氏 deg_f degrees_f'],
  ],
};

const UNITS = new Map<string, Unit[]>();
for (const [dimension, units] of Object.entries(TABLE))
  for (const [size, names] of units) {
    const all = names.split(' ').map((name) => name.replaceAll('_', ' '));
    const ja = all.find((name) => /[^\u0020-\u024f]/.test(name)) ?? all[0] ?? '';
    const unit = { dimension, size, ja, en: all[0] ?? '' };
    for (const name of all) UNITS.set(name, [...(UNITS.get(name) ?? []), unit]);
  }

/** All unit names as a pattern, longest first. */
export const UNIT = [...UNITS.keys()]
  .toSorted((one, other) => other.length - one.length)
  .map((name) => name.replaceAll(/[/²]/g, '\\$&').replaceAll('\\²', '²'))
  .map((name) => (/[a-z]$/.test(name) ? `${name}(?![a-z])` : name))
  .join('|');

/** The units with this name: キロ is a length and a mass. */
export function unitsOf(name: string): readonly Unit[] {
  return UNITS.get(name) ?? [];
}

/** How many of `to` one `from` has. A month has no fixed number of days. */
export function ratio(from: Unit, to: Unit): string | undefined {
  if (from.dimension === to.dimension) {
    if (from.dimension === 'money' && from !== to) return undefined;
    if (from.size === to.size) return '1';
    return from.size % to.size === 0 ? String(from.size / to.size) : `${from.size} / ${to.size}`;
  }
  const days = IN_A_YEAR[`${from.en} ${to.en}`];
  const years = IN_A_YEAR[`${to.en} ${from.en}`];
  return days === undefined ? (years === undefined ? undefined : `1 / ${years}`) : String(days);
}

/** Of a year with 365 days. */
const IN_A_YEAR: Readonly<Record<string, number>> = {
  'years seconds': 31_536_000,
  'years minutes': 525_600,
  'years hours': 8760,
  'years days': 365,
  'years weeks': 52,
};

/** A converted value as an expression. */
export function conversion(value: string, from: Unit, to: Unit): string | undefined {
  if (from.dimension === 'temperature' && to.dimension === 'temperature') {
    if (from === to) return value;
    return to.en === '°f' ? `${value} * 9 / 5 + 32` : `(${value} - 32) * 5 / 9`;
  }
  const factor = ratio(from, to);
  return factor === undefined ? undefined : `${value} * ${factor}`;
}

export function unitText(unit: Unit): readonly [string, string] {
  const [ja, en] = [unit.ja, unit.en.replace(/^°([cf])$/, (_, letter: string) => `°${letter.toUpperCase()}`)];
  return unit.dimension === 'temperature' ? [en === '°C' ? '℃' : en, ` ${en}`] : [ja, ` ${en}`];
}
