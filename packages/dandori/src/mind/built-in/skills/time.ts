import type { JsonObject } from '../../../model/json.ts';
import { type City, citiesIn, titled } from './cities.ts';
import { type Call, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';

const NOW = 'clock.get_current_time';
const CONVERT = 'clock.convert_time';

const HERE: City = { english: 'here', japanese: 'ここ', zone: '', start: -1, end: -1 };

/**
 * The current time, date or weekday, here or in a city; the difference between two cities; a time of one city
 * in another.
 */
export const time: Skill = (request) => {
  if (!request.has(NOW)) return undefined;
  const { text, language } = request;
  if (DATES.test(text)) {
    const why = pick(
      language,
      '日付の計算には言語モデルが必要です。',
      'Calculations with dates need a language model.',
    );
    return { kind: 'cannot', why };
  }
  const cities = citiesIn(text);
  const given = givenTime(text);
  if (given !== undefined && request.has(CONVERT) && isConversion(cities, text))
    return converted(given, cities, request);
  if (
    /時差|time difference|how many hours (?:is|are|ahead|behind)|hours? (?:ahead|behind)|何時間(?:進|遅|違)/.test(
      text,
    )
  )
    return difference(cities, request);
  if (given !== undefined && cities.length > 0 && /convert|変換|\btime\b/.test(text)) {
    const why = pick(language, '変換先の都市が分かりません。', 'One of the two places is not known.');
    return { kind: 'cannot', why };
  }
  if (given !== undefined || cities.length > 3) return undefined;
  const kind = KINDS.find(([form]) => form.test(text))?.[1];
  if (kind === undefined || !isOnlyAboutNow(text, cities)) return undefined;
  return now(kind, cities.length === 0 ? [HERE] : cities, request);
};

/** Two places, or one place and this machine. */
function isConversion(cities: readonly City[], text: string): boolean {
  return cities.length === 2 || (cities.length === 1 && /here|local|my time|ここ|こちら|何時/.test(text));
}

const DATES =
  /あと何日|まで何日|から何日|\d日(?:後|前)|days? (?:until|till|after|before)|how many days|weekday is \d|\d+(?:st|nd|rd|th)? (?:january|february|march|april|may|june|july|august|september|october|november|december)/;

/** Words that only ask for the time. */
const ASKING =
  /timestamp|what(?:'s)?|which|time|date|day|week(?:day)?|year|month|unix|epoch|timestamp|today|current(?:ly)?|local|right|now|please|tell|me|can|you|could|give|show|get|check|look up|there|it|is|in|at|of|the|this|'s|今日|今年|今月|今|いま|現在|現地|時刻|時間|日付|西暦|何時|何分|何曜日|曜日|何月|何日|何年|タイムスタンプ|エポック|調べ|教え|知り|表示|見せ|取得|ください|下さい|お願い|です|でしょう|ます|たい|して|くれ|の|は|を|て|か|に|で|と|し|ね|な|、|,|\?|\s/g;

/** Another day, a date or a train needs more than the current time. */
function isOnlyAboutNow(text: string, cities: readonly City[]): boolean {
  const rest = cities.reduceRight((now, { start, end }) => now.slice(0, start) + now.slice(end), text);
  return rest.replaceAll(ASKING, '') === '';
}

type Kind = 'time' | 'date' | 'weekday' | 'year' | 'unix';
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/unix|epoch|timestamp|タイムスタンプ|エポック/, 'unix'],
  [/何曜日|曜日|day of the week|what day|which day|weekday/, 'weekday'],
  [/何年|西暦|what year|which year|current year/, 'year'],
  [
    /何日|何月|日付|今日は何の日|what(?:'s| is)? (?:the |today'?s )?date|today'?s date|current date|the date/,
    'date',
  ],
  [
    /何時|時刻|時間を|現在の時間|今の時間|いま何時|what time|current time|the time|time (?:in|is it|now|at|please)|^time$|現地時間/,
    'time',
  ],
];

function now(kind: Kind, cities: readonly City[], request: Request): SkillMove | undefined {
  const { language } = request;
  const calls = cities.map(({ zone }) => nowIn(zone));
  const found = resultsOf(calls, request);
  if ('missing' in found) return found.missing;
  const lines = found.results.map((moment, index) =>
    momentText(kind, moment, cities[index] ?? HERE, language),
  );
  return { kind: 'answer', text: lines.join('\n') };
}

function momentText(kind: Kind, moment: JsonObject, city: City, language: Request['language']): string {
  const [date, clock] = [String(moment.date), String(moment.time).slice(0, 5)];
  const weekday = String(language === 'ja' ? moment.weekday_ja : moment.weekday);
  const where = city === HERE ? '' : pick(language, `${titled(city, 'ja')}は`, `${titled(city, 'en')}: `);
  switch (kind) {
    case 'unix':
      return pick(
        language,
        `${Math.floor(Number(moment.unix_ms) / 1000)} です。`,
        `${Math.floor(Number(moment.unix_ms) / 1000)}`,
      );
    case 'weekday':
      return pick(language, `${where}${date}（${weekday}）です。`, `${where}${weekday}, ${date}`);
    case 'year':
      return pick(language, `${date.slice(0, 4)} 年です。`, date.slice(0, 4));
    case 'date':
      return pick(language, `${where}${date}（${weekday}）です。`, `${where}${date} (${weekday})`);
    case 'time':
      return pick(
        language,
        `${where}${clock} です（${date}、${weekday}）。`,
        `${where}${clock} (${date}, ${weekday}${city === HERE ? `, ${String(moment.time_zone)}` : ''})`,
      );
  }
}

function nowIn(zone: string): Call {
  return { operation: NOW, args: zone === '' ? {} : { time_zone: zone } };
}

function difference(cities: readonly City[], request: Request): SkillMove | undefined {
  const { language } = request;
  const [one, other = HERE] = cities;
  if (one === undefined || cities.length > 2) return undefined;
  const calls = [one, other].map(({ zone }) => nowIn(zone));
  const found = resultsOf(calls, request);
  if ('missing' in found) return found.missing;
  const [first = 0, second = 0] = found.results.map(({ utc_offset: offset }) => minutes(String(offset)));
  const names = [one, other].map((city) =>
    city === HERE ? pick(language, 'ここ', 'here') : titled(city, language),
  );
  const hours = Math.abs(first - second) / 60;
  const amount = pick(language, `${hours} 時間`, hours === 1 ? '1 hour' : `${hours} hours`);
  if (first === second)
    return {
      kind: 'answer',
      text: pick(
        language,
        `${names[0]}と${names[1]}に時差はありません。`,
        `${names[0]} and ${names[1]} have the same time.`,
      ),
    };
  const text = pick(
    language,
    `${amount}です。${names[0]}は${names[1]}より${first > second ? '進んで' : '遅れて'}います。`,
    `${amount}: ${names[0]} is ${first > second ? 'ahead of' : 'behind'} ${names[1]}.`,
  );
  return { kind: 'answer', text };
}

function minutes(offset: string): number {
  const [, sign, hours, rest] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(rest));
}

interface Given {
  readonly clock: string;
  readonly start: number;
}

/** A time of day: 15:00, 9 am, 午後3時半, noon. */
function givenTime(text: string): Given | undefined {
  const match =
    /(午前|午後|am|pm)?\s*(?<![\d:])(\d{1,2})(?::(\d{2})|時(半|\d{1,2}分)?(?!間|差|刻))\s*(am|pm|a\.m\.|p\.m\.)?/.exec(
      text,
    ) ?? /()(?<![\d:])(\d{1,2})()()\s*(am|pm|a\.m\.|p\.m\.|o'clock)/.exec(text);
  if (match === null) {
    const word = /\b(?:noon|midnight)\b|正午/.exec(text);
    return word === null
      ? undefined
      : { clock: word[0] === 'midnight' ? '00:00' : '12:00', start: word.index };
  }
  const [, before, hour, minute, part, after] = match;
  const half = before || after || '';
  const isAfternoon = /午後|p/.test(half);
  const isMorning = /午前|a/.test(half);
  const given = Number(hour);
  const hours = isAfternoon && given < 12 ? given + 12 : isMorning && given === 12 ? 0 : given;
  const rest = part === '半' ? '30' : (minute || part?.replace('分', '') || '00').padStart(2, '0');
  if (hours > 23 || Number(rest) > 59) return undefined;
  return { clock: `${String(hours).padStart(2, '0')}:${rest}`, start: match.index };
}

/** The city beside the time is where the time applies. The other city is where it is wanted. */
function converted(
  { clock, start }: Given,
  cities: readonly City[],
  request: Request,
): SkillMove | undefined {
  const { language, text } = request;
  const near = cities.toSorted((one, other) => distance(one, start) - distance(other, start));
  const isWanted = (city: City) =>
    /^(?:の|では|で|は)?(?:現地時間)?(?:で|は|の)?何時/.test(text.slice(city.end));
  const isOpen = cities.length === 1 && near[0] !== undefined && isWanted(near[0]);
  const [from = HERE, to = HERE] = isOpen ? [HERE, near[0]] : near;
  const zoneHere = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const args = { time: clock, from_time_zone: from.zone || zoneHere, to_time_zone: to.zone || zoneHere };
  const found = resultsOf([{ operation: CONVERT, args }], request);
  if ('missing' in found) return found.missing;
  const [result = {}] = found.results;
  const source =
    typeof result.from === 'object' && result.from !== null && 'date' in result.from ? result.from.date : '';
  const day =
    String(result.date) === source
      ? ''
      : pick(language, `（${String(result.date)}）`, ` (${String(result.date)})`);
  const name = (city: City) => (city === HERE ? pick(language, 'ここ', 'here') : titled(city, language));
  const then = String(result.time).slice(0, 5);
  return {
    kind: 'answer',
    text: pick(
      language,
      `${name(from)}の ${clock} は、${name(to)}の ${then}${day} です。`,
      `${clock} in ${name(from)} is ${then}${day} in ${name(to)}.`,
    ),
  };
}

function distance({ start, end }: City, at: number): number {
  return start > at ? start - at : at - end;
}
