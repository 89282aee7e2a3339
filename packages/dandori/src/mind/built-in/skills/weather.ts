import { isIP } from 'node:net';
import type { JsonObject } from '../../../model/json.ts';
import { citiesIn } from './cities.ts';
import { asObject, type Call, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';

const WEATHER = 'places.get_weather';
const LOCATE = 'places.locate_ip';

const SPEAKS_OF_WEATHER =
  /天気|天候|気温|温度|湿度|風速|風は|風が|暑|寒|暖か|涼し|雨|晴れ|曇|雪|(?:何|なん)度|weather|temperature|humid|wind|rain|sunny|snow|cloud|\bhot\b|\bwarm|\bcold|\bcool|degrees/;
const OTHER_DAY =
  /明日|明後日|昨日|来週|今週|週末|予報|tomorrow|yesterday|next|forecast|weekend|tonight|will it|will the/;
const OWN_PLACE =
  /現在地|今いる|ここの|この場所|my (?:place|location|ip)|where i am|here|by ip|from (?:the |my )?ip|ipから|ipアドレスから/;

/** The weather in cities, or at the place of an address; which of them is warmer, and by how much. */
export const weather: Skill = (request) => {
  const { text, language } = request;
  const ip = addressIn(text);
  if (ip !== undefined && request.has(LOCATE)) {
    if (!/時刻|何時|\btime\b/.test(text)) return ofAddress(ip, request);
    const why = pick(
      language,
      'IP アドレスの現地時刻は調べられません。',
      'The time at the place of an address is not known.',
    );
    return { kind: 'cannot', why };
  }
  if (!request.has(WEATHER) || !SPEAKS_OF_WEATHER.test(text)) return undefined;
  if (OTHER_DAY.test(text)) {
    const why = pick(
      language,
      `${WEATHER} で分かるのは現在の天気だけです。`,
      `${WEATHER} knows only the weather of now.`,
    );
    return { kind: 'cannot', why };
  }
  const cities = citiesIn(text).map(({ start, end }) => text.slice(start, end));
  const named = cities.length > 0 ? cities : unknownCity(text);
  if (named.length > 0) return told(named, request);
  if (!OWN_PLACE.test(text) || !request.has(LOCATE)) return undefined;
  const question = pick(
    language,
    'どの IP アドレスの場所を調べますか？',
    'Which IP address should be located?',
  );
  const answer = request.answerTo(question);
  if (answer === undefined) return { kind: 'ask', question };
  return ofAddress(String(answer).trim(), { ...request, text: `${text} weather` });
};

function addressIn(text: string): string | undefined {
  return text.match(/[0-9a-f]*[.:][0-9a-f.:]+[0-9a-f]/g)?.find((part) => isIP(part) !== 0);
}

/** An unlisted city: the text in the place of a city. The tool says whether it knows the city. */
function unknownCity(text: string): string[] {
  const match =
    /^([^\sのはで、]{2,20})(?:の|は|で)(?:今の|現在の|今日の)?(?:今)?(?:天気|気温|湿度|何度|雨|暑|寒|風)/.exec(
      text,
    ) ??
    /(?:weather|temperature|humidity|rain(?:ing)?|wind(?: speed)?|hot|cold|warm)(?: like)? (?:in|for|at|of|on) ([a-z][a-z' -]{1,30}?)(?: (?:right )?now| today)?$/.exec(
      text,
    ) ??
    /^(?:the )?weather (?:in )?([a-z]{3,20})$/.exec(text);
  const city = match?.[1];
  return city === undefined || /^(?:今日|今|現在|現在地|ここ|外|here)$/.test(city) ? [] : [city];
}

function ofAddress(ip: string, request: Request): SkillMove | undefined {
  const { text, language } = request;
  const wantsWeather = SPEAKS_OF_WEATHER.test(text) && request.has(WEATHER);
  const locate: Call = { operation: LOCATE, args: { ip } };
  const found = resultsOf([locate], request);
  if ('missing' in found) {
    const after: Call[] = [{ operation: WEATHER, args: {}, fromLast: { city: 'city' } }];
    const isOneGraph = found.missing !== undefined && wantsWeather && !request.isAdaptive;
    return isOneGraph ? { kind: 'call', calls: [locate, ...after] } : found.missing;
  }
  const place = found.results[0] ?? {};
  const where = pick(
    language,
    `${ip} は ${String(place.city)}（${String(place.country)}）にあります。`,
    `${ip} is in ${String(place.city)}, ${String(place.country)}.`,
  );
  if (!wantsWeather) return { kind: 'answer', text: where };
  const move = told([String(place.city)], request);
  return move?.kind === 'answer' ? { kind: 'answer', text: `${where}\n${move.text}` } : move;
}

function told(cities: readonly string[], request: Request): SkillMove | undefined {
  const { text } = request;
  const calls: Call[] = cities.map((city) => ({
    operation: WEATHER,
    args: { city: asWritten(city, request.raw) },
  }));
  const found = resultsOf(calls, request);
  if ('missing' in found) return found.missing;
  const [first = {}, second] = found.results;
  if (
    second !== undefined &&
    /気温差|温度差|差|difference|how many degrees|how much (?:warmer|colder|hotter|cooler)|何度(?:違|高|低|暖|寒)/.test(
      text,
    )
  )
    return differ(first, second, request);
  if (second !== undefined && /どちら|どっち|一番|which|warmer|colder|cooler|hotter/.test(text))
    return compared(found.results, request);
  return { kind: 'answer', text: found.results.map((one) => sentence(one, request)).join('\n') };
}

function sentence(report: JsonObject, { text, language }: Request): string {
  const city = name(report, language);
  const celsius = Number(report.temperature_c);
  const condition = String(language === 'ja' ? report.condition_ja : report.condition);
  const note = source(report, language);
  if (/湿度|humid/.test(text))
    return pick(
      language,
      `${city}の湿度は ${String(report.humidity)}% です${note}。`,
      `The humidity in ${city} is ${String(report.humidity)}%${note}.`,
    );
  if (/風|wind/.test(text))
    return pick(
      language,
      `${city}の風速は ${String(report.wind_kmh)} km/h です${note}。`,
      `The wind in ${city} blows at ${String(report.wind_kmh)} km/h${note}.`,
    );
  const degrees = /華氏|fahrenheit|°f/.test(text)
    ? `${Math.round((celsius * 1.8 + 32) * 100) / 100} °F`
    : pick(language, `${celsius}℃`, `${celsius} °C`);
  const asked = ASKED.find(([form]) => form.test(text));
  const isSo = asked?.[1].test(String(report.condition)) ?? false;
  const reply =
    asked === undefined ? '' : isSo ? pick(language, 'はい。', 'Yes. ') : pick(language, 'いいえ。', 'No. ');
  return pick(
    language,
    `${reply}${city}は${condition}、${degrees} です${note}。`,
    `${reply}${city}: ${condition}, ${degrees}${note}.`,
  );
}

/** Yes-or-no questions, and the weather conditions that mean yes. */
const ASKED: readonly (readonly [RegExp, RegExp])[] = [
  [/雨(?:です|が降|は降|降|ふ|？|\?|か)|is it rain|raining|does it rain/, /rain|shower|storm|drizzle/],
  [/晴れて|晴れです|is it (?:sunny|clear)/, /sunny|clear/],
  [/雪(?:です|が|は)|is it snow|snowing/, /snow/],
  [/曇って|曇りです|is it cloudy/, /cloud|overcast/],
];

function compared(reports: readonly JsonObject[], { text, language }: Request): SkillMove {
  const isCold = /寒|涼|低|cold|cool/.test(text);
  const sorted = reports.toSorted(
    (one, other) => (Number(other.temperature_c) - Number(one.temperature_c)) * (isCold ? -1 : 1),
  );
  const list = sorted.map(
    (one) => `${name(one, language)} ${String(one.temperature_c)}${pick(language, '℃', ' °C')}`,
  );
  const best = name(sorted[0] ?? {}, language);
  const note = source(sorted[0] ?? {}, language);
  return {
    kind: 'answer',
    text: pick(
      language,
      `${best}のほうが${isCold ? '涼しい' : '暖かい'}です：${list.join('、')}${note}。`,
      `${best} is ${isCold ? 'colder' : 'warmer'}: ${list.join(', ')}${note}.`,
    ),
  };
}

function differ(one: JsonObject, other: JsonObject, { language }: Request): SkillMove {
  const difference = Math.round(Math.abs(Number(one.temperature_c) - Number(other.temperature_c)) * 10) / 10;
  const [first, second] = [one, other].map(
    (report) => `${name(report, language)} ${String(report.temperature_c)}${pick(language, '℃', ' °C')}`,
  );
  const note = source(one, language);
  return {
    kind: 'answer',
    text: pick(
      language,
      `気温差は ${difference}℃ です：${first}、${second}${note}。`,
      `The difference is ${difference} °C: ${first}, ${second}${note}.`,
    ),
  };
}

function name(report: JsonObject, language: Request['language']): string {
  const city = String(report.city);
  return language === 'ja' ? (citiesIn(city.toLowerCase())[0]?.japanese ?? city) : city;
}

/** Sample data must not look like today's weather. */
function source(report: JsonObject, language: Request['language']): string {
  const day = String(report.observed_at).slice(0, 10);
  if (String(asObject(report).source) === 'offline data file')
    return pick(language, `（${day} の同梱オフラインデータ）`, ` (offline sample data of ${day})`);
  return '';
}

function asWritten(city: string, raw: string): string {
  const start = raw.toLowerCase().indexOf(city);
  return start < 0 ? city : raw.slice(start, start + city.length);
}
