import { isIP } from 'node:net';
import type { JsonObject } from '../../../model/json.ts';
import { citiesIn } from './cities.ts';
import {
  type Call,
  joinedMoves,
  pick,
  type Request,
  resultsOf,
  type Skill,
  type SkillMove,
} from './skill.ts';
import { timeAt, timesIn } from './time.ts';

const WEATHER = 'places.get_weather';
const LOCATE = 'places.locate_ip';

const SPEAKS_OF_WEATHER =
  /天気|天候|気温|温度|湿度|風速|風(?:は|が|強|の|って)|暑|寒|暖か|涼し|蒸し|雨|傘|晴れ|曇|雪|霧|雷|(?:何|なん)度|weather|temperature|humid|\bwind|rain|sunny|\bsnow|cloud|\bfog|storm|umbrella|\bhot|\bwarm|\bcold|\bcool|chilly|degrees|jacket|\bcoat\b|上着|ジャケット|コート/;
const OTHER_DAY =
  /明日|明後日|昨日|来週|今週|週末|予報|今夜|曜日|tomorrow|yesterday|\bnext\b|forecast|weekend|tonight|will it|will the|going to|later|(?:on|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day/;
const OWN_PLACE =
  /現在地|今いる|ここの|ここは|この場所|my (?:place|location|ip|city|town|area)|where (?:i am|am i)|\bhere\b|by ip|from (?:the |my )?ip|ipから|ipアドレスから|今どこ|私の(?:場所|居場所|ip)|私はどこ/;
/** What no tool here knows about an address or a city. */
const UNKNOWN =
  /\bowns?\b|ping|fast|slow|whois|所有|誰|\bwho\b|(?<!風|分|秒)速|hostname|domain|\bports?\b|provider|\bisp\b|プロバイダ|安全|ブロック|積雪|紫外線|花粉|大気|降水|降雪|\b波|気圧|水温|海面|pollen|\buv\b|pressure|air quality|how much (?:rain|snow)|sea |waves?\b|visibility|feels like|体感|ticket|flight|hotel|population|人口|標高|altitude|how far|距離|物価|my (?:own )?ip address\b|私のipアドレス/;
/** The shop and the kitchen have umbrellas, hot sauce and cold cuts of their own. */
const NOT_WEATHER =
  /\d円|\byen\b|消費税|いくら|割引|商品|在庫|\bshop\b|\bstore\b|products?|stock|値段|価格|price|注文|\border|customers?|顧客|お客|冷蔵庫|kitchen|fridge|recipe|レシピ|database|データベース|fahrenheit to|celsius to/;

/** The weather in cities, or at the place of an address; comparisons; the place and time of an address. */
export const weather: Skill = (request) => {
  const { text, language } = request;
  const ips = addressesIn(text);
  const [ip] = ips;
  if (UNKNOWN.test(text)) return undefined;
  if (ip !== undefined && request.has(LOCATE)) return ofAddresses(ips, request);
  const isOwn = OWN_PLACE.test(text) && request.has(LOCATE);
  const cities = citiesIn(text).map(({ start, end }) => text.slice(start, end));
  const isAbout = SPEAKS_OF_WEATHER.test(text) && !NOT_WEATHER.test(text);
  if (
    isOwn &&
    cities.length === 0 &&
    (isAbout || /where am i|今どこ|私はどこ|現在地|my location|居場所/.test(text))
  ) {
    const question = pick(
      language,
      'どの IP アドレスの場所を調べますか？',
      'Which IP address should be located?',
    );
    const answer = request.answerTo('address', question);
    return answer === undefined
      ? { kind: 'ask', question, about: 'address' }
      : ofAddresses([String(answer).trim()], request);
  }
  if (!request.has(WEATHER) || !isAbout) return undefined;
  if (OTHER_DAY.test(text)) {
    const why = pick(
      language,
      `${WEATHER} で分かるのは現在の天気だけです。`,
      `${WEATHER} knows only the weather of now.`,
    );
    return { kind: 'cannot', why };
  }
  const named = cities.length > 0 ? cities : unknownCity(text, request.raw);
  if (named.length === 0) return undefined;
  const reports = told([...new Set(named)], request);
  const times = WANTS_TIME.test(text) ? timesIn(citiesIn(text), request) : undefined;
  return reports === undefined || times === undefined ? reports : joinedMoves([times, reports]);
};

const WANTS_TIME =
  /何時|時刻|現地時間|what time|(?:the|local|current) time\b|\btime (?:in|and)\b|\band time\b/;

function addressesIn(text: string): string[] {
  return (text.match(/[0-9a-f]*[.:][0-9a-f.:]+[0-9a-f]/g) ?? []).filter((part) => isIP(part) !== 0);
}

/** An unlisted city: the text in the place of a city. The tool says whether it knows the city. */
function unknownCity(text: string, raw: string): string[] {
  const [, quoted] = /[“"「]([^”"」]{1,60})[”"」]/.exec(raw) ?? [];
  if (quoted !== undefined) return [quoted];
  const match =
    /^([^\sのはで、今]{2,20})(?:の|は|で|って)(?:今の|現在の|今日の)?(?:今)?(?:、)?(?:お?天気|気温|湿度|何度|雨|暑|寒|風|傘)/.exec(
      text,
    ) ??
    /(?:weather|temperature|humidity|rain(?:ing)?|wind(?: speed)?|hot|cold|warm|snowing|sunny)(?: like)? (?:in|for|at|of|on) ([a-z][a-z' -]{1,30}?)(?: (?:right )?now| today| please)?$/.exec(
      text,
    ) ??
    /^(?:the )?weather (?:in )?([a-z]{3,20})$/.exec(text);
  const city = match?.[1];
  return city === undefined || /^(?:今日|今|現在|現在地|ここ|外|here|today|now|please|outside)$/.test(city)
    ? []
    : [city];
}

function ofAddresses(ips: readonly string[], request: Request): SkillMove | undefined {
  const { text, language } = request;
  const wantsTime = /時刻|何時|\btime\b|現地時間/.test(text);
  const wantsWeather = SPEAKS_OF_WEATHER.test(text) && request.has(WEATHER);
  const calls = ips.map((ip): Call => ({ operation: LOCATE, args: { ip } }));
  const found = resultsOf(calls, request);
  if ('missing' in found) {
    const after: Call[] = [{ operation: WEATHER, args: {}, fromLast: { city: 'city' } }];
    const isOneGraph = found.missing !== undefined && wantsWeather && !request.isAdaptive && ips.length === 1;
    return isOneGraph ? { kind: 'call', calls: [...calls, ...after] } : found.missing;
  }
  const wantsPoint = /座標|緯度|経度|coordinates|latitude|longitude/.test(text);
  const where = found.results.map((place, index) => {
    const point = wantsPoint
      ? pick(
          language,
          `緯度 ${String(place.latitude)}、経度 ${String(place.longitude)}`,
          `latitude ${String(place.latitude)}, longitude ${String(place.longitude)}`,
        )
      : '';
    const sample =
      place.source === 'offline data file' ? pick(language, '（同梱データ）', ' (offline sample data)') : '';
    const city = name(place, language);
    return pick(
      language,
      `${ips[index]} は${city}（${String(place.country_ja ?? place.country)}）にあります${point === '' ? '' : `：${point}`}${sample}。`,
      `${ips[index]} is in ${city}, ${String(place.country)}${point === '' ? '' : `: ${point}`}${sample}.`,
    );
  });
  const [place = {}] = found.results;
  if (wantsTime && ips.length === 1 && typeof place.time_zone === 'string')
    return after(where, timeAt(String(place.city), place.time_zone, request));
  if (!wantsWeather) return { kind: 'answer', text: where.join('\n') };
  if (OTHER_DAY.test(text)) return undefined;
  return after(
    where,
    told(
      found.results.map(({ city }) => String(city)),
      request,
    ),
  );
}

function after(lines: readonly string[], move: SkillMove | undefined): SkillMove | undefined {
  return move?.kind === 'answer' ? { kind: 'answer', text: [...lines, move.text].join('\n') } : move;
}

/** What is measured, with the words that ask for it and how it is written in another unit. */
interface Measure {
  readonly form: RegExp;
  readonly value: (report: JsonObject, text: string) => number;
  readonly unit: (text: string) => readonly [string, string];
  readonly name: readonly [string, string];
  /** Words for more and for less. */
  readonly more: readonly [string, string];
  readonly less: readonly [string, string];
}

const FAHRENHEIT = /華氏|fahrenheit|°\s?f\b|degrees? f\b|in f$/;
const TEMPERATURE: Measure = {
  form: /気温|温度|何度|暑|寒|暖|涼|temperature|hot|warm|cold|cool|degrees|chilly/,
  value: ({ temperature_c: celsius }, text) =>
    FAHRENHEIT.test(text) ? round(Number(celsius) * 1.8 + 32) : Number(celsius),
  unit: (text) => (FAHRENHEIT.test(text) ? ['°F', ' °F'] : ['℃', ' °C']),
  name: ['気温', 'temperature'],
  more: ['暖かい', 'warmer'],
  less: ['涼しい', 'colder'],
};
function windUnit(text: string): { readonly kmh: number; readonly name: string } {
  if (/\bmph\b|miles per hour/.test(text)) return { kmh: 1.609344, name: ' mph' };
  if (/m\/s|何メートル|秒速|metres? per second/.test(text)) return { kmh: 3.6, name: ' m/s' };
  return { kmh: 1, name: ' km/h' };
}

const MEASURES: readonly Measure[] = [
  {
    form: /湿度|humid|蒸し/,
    value: ({ humidity }) => Number(humidity),
    unit: () => ['%', '%'],
    name: ['湿度', 'humidity'],
    more: ['湿度が高い', 'more humid'],
    less: ['湿度が低い', 'less humid'],
  },
  {
    form: /風|wind/,
    value: ({ wind_kmh: wind }, text) => round(Number(wind) / windUnit(text).kmh),
    unit: (text) => [windUnit(text).name, windUnit(text).name],
    name: ['風速', 'wind speed'],
    more: ['風が強い', 'windier'],
    less: ['風が弱い', 'less windy'],
  },
  TEMPERATURE,
];

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function told(cities: readonly string[], request: Request): SkillMove | undefined {
  const calls: Call[] = cities.map((city) => ({
    operation: WEATHER,
    args: { city: asWritten(city, request.raw) },
  }));
  const found = resultsOf(calls, request);
  if ('missing' in found) return found.missing;
  const { results: reports } = found;
  const measure = MEASURES.find(({ form }) => form.test(request.text));
  const together = reports.length > 1 ? compared(reports, measure, request) : undefined;
  const text = together ?? reports.map((one) => sentence(one, measure, request)).join('\n');
  return { kind: 'answer', text };
}

const ASKS_DIFFERENCE =
  /差|difference|how (?:many|much) (?:degrees? )?(?:warmer|colder|hotter|cooler|more|higher|lower)|degrees (?:warmer|colder|hotter|cooler)|何度(?:違|高|低|暖|寒)|どれ(?:だけ|くらい)/;
const ASKS_WHICH =
  /どちら|どっち|どこ|一番|いちばん|最も|順|which|where|who|\w+(?:er|est)\b.*\b(?:or|of)\b|warmer|colder|cooler|hotter|(?:more|less) (?:humid|windy)|warmest|coldest|hottest|\bor\b|比べ|compare/;
const ASKS_LESS = /寒|涼|低|弱|cold|cool|less|least|lowest|calm|dri/;

/** The average, the difference or the first of several cities. Undefined if only their weather is asked for. */
function compared(
  reports: readonly JsonObject[],
  measure: Measure | undefined,
  { text, language }: Request,
): string | undefined {
  const used = measure ?? TEMPERATURE;
  const [ja, en] = used.unit(text);
  const figure = (report: JsonObject) => used.value(report, text);
  const list = (all: readonly JsonObject[]) =>
    all
      .map((one) => `${name(one, language)} ${figure(one)}${pick(language, ja, en)}`)
      .join(pick(language, '、', ', '));
  const say = (japanese: string, english: string) => {
    const [first = {}] = reports;
    return pick(language, `${japanese}です${source(first, 'ja')}。`, `${english}${source(first, 'en')}.`);
  };
  const sorted = reports.toSorted((one, other) => figure(other) - figure(one));
  if (/平均|average|\bmean\b/.test(text)) {
    const average = round(reports.map(figure).reduce((sum, value) => sum + value, 0) / reports.length);
    return say(
      `平均${used.name[0]}は ${average}${ja}（${list(reports)}）`,
      `The average ${used.name[1]} is ${average}${en} (${list(reports)})`,
    );
  }
  if (reports.length === 2 && ASKS_DIFFERENCE.test(text)) {
    const [high = {}, low = {}] = sorted;
    const gap = round(figure(high) - figure(low));
    return say(
      `${used.name[0]}差は ${gap}${ja}（${list(reports)}）`,
      `The difference is ${gap}${en}: ${list(reports)}`,
    );
  }
  const isWhich = ASKS_WHICH.test(text) && (measure !== undefined || /より/.test(text));
  if (!isWhich || /compare|比べ/.test(text)) return undefined;
  const isLess = ASKS_LESS.test(text);
  const ordered = isLess ? sorted.toReversed() : sorted;
  const [best = {}, second = {}] = ordered;
  if (figure(best) === figure(second)) return say(`同じ（${list(ordered)}）`, `The same: ${list(ordered)}`);
  const [moreJa, moreEn] = isLess ? used.less : used.more;
  return reports.length > 2
    ? say(
        `${name(best, 'ja')}が一番${moreJa}（${list(ordered)}）`,
        `${name(best, 'en')} is the ${superlative(moreEn)}: ${list(ordered)}`,
      )
    : say(
        `${name(best, 'ja')}のほうが${moreJa}（${list(ordered)}）`,
        `${name(best, 'en')} is ${moreEn}: ${list(ordered)}`,
      );
}

/** "warmer" → "warmest", "less humid" → "least humid". */
function superlative(comparative: string): string {
  return comparative
    .replace(/^more /, 'most ')
    .replace(/^less /, 'least ')
    .replace(/er$/, 'est');
}

function sentence(report: JsonObject, measure: Measure | undefined, { text, language }: Request): string {
  const city = name(report, language);
  const condition = String(language === 'ja' ? report.condition_ja : report.condition);
  const note = source(report, language);
  const valued = (one: Measure) => `${one.value(report, text)}${pick(language, ...one.unit(text))}`;
  const isOnly =
    measure !== undefined && measure !== TEMPERATURE && !/天気|weather|気温|temperature/.test(text);
  if (isOnly)
    return pick(
      language,
      `${city}の${measure.name[0]}は ${valued(measure)} です${note}。`,
      `The ${measure.name[1]} in ${city} is ${valued(measure)}${note}.`,
    );
  const extra =
    measure !== undefined && measure !== TEMPERATURE
      ? pick(language, `、${measure.name[0]} ${valued(measure)}`, `, ${measure.name[1]} ${valued(measure)}`)
      : '';
  const asked = ASKED.find(([form]) => form.test(text));
  const isSo = asked?.[1].test(String(report.condition)) ?? false;
  const reply =
    asked === undefined ? '' : isSo ? pick(language, 'はい。', 'Yes. ') : pick(language, 'いいえ。', 'No. ');
  return pick(
    language,
    `${reply}${city}は${condition}、${valued(TEMPERATURE)}${extra} です${note}。`,
    `${reply}${city}: ${condition}, ${valued(TEMPERATURE)}${extra}${note}.`,
  );
}

const WET = /rain|shower|storm|drizzle/;
/** Yes-or-no questions, and the weather conditions that mean yes. */
const ASKED: readonly (readonly [RegExp, RegExp])[] = [
  [/umbrella|傘/, WET],
  [/雨(?:です|が降|は降|降|ふ|だ|か|？|\?|$)|(?:is|does|will) it (?:be )?rain|raining|rainy/, WET],
  [/晴れ(?:て|です|る|か|\?|$)|is it (?:sunny|clear)|sunny/, /sunny|clear/],
  [/雪(?:です|が|は|降|か|$)|is it snow|snowing|snowy/, /snow/],
  [/曇(?:って|りです|り?か|ってる)|is it cloudy/, /cloud|overcast/],
  [/霧(?:です|が|は|か)|foggy|is there fog/, /fog|mist/],
  [/雷|thunder|storm/, /thunder|storm/],
];

function name(report: JsonObject, language: Request['language']): string {
  const city = String(report.city);
  return language === 'ja' ? (citiesIn(city.toLowerCase())[0]?.japanese ?? city) : city;
}

/** Sample data must not look like today's weather. */
function source(report: JsonObject, language: Request['language']): string {
  const day = String(report.observed_at).slice(0, 10);
  return report.source === 'offline data file'
    ? pick(language, `（${day} の同梱オフラインデータ）`, ` (offline sample data of ${day})`)
    : '';
}

function asWritten(city: string, raw: string): string {
  const start = raw.toLowerCase().indexOf(city);
  return start < 0 ? city : raw.slice(start, start + city.length);
}
