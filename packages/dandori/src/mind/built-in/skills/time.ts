import { asObject, type JsonObject } from '../../../model/json.ts';
import { type City, citiesIn, titled } from './cities.ts';
import { type Call, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';
import { clockText, readTemporal } from './temporal.ts';

const NOW = 'clock.get_current_time';
const CONVERT = 'clock.convert_time';

const HERE: City = { english: 'here', japanese: 'ここ', zone: '', start: -1, end: -1 };

/** The current time, date or weekday, here or in cities; the difference between two; a time of one in another. */
export const time: Skill = (request) => {
  if (!request.has(NOW)) return undefined;
  const text = aboutTime(request.text);
  const cities = citiesIn(text);
  const { clocks, durations, rest } = readTemporal(text, 0, false);
  if (DIFFERENCE.test(text) && cities.length > 0 && !/\d/.test(rest) && clocks.length === 0)
    return difference(cities, request);
  const [given, ...others] = clocks;
  if (given !== undefined) {
    const isClear =
      others.length + durations.length === 0 &&
      !/\d/.test(rest) &&
      /time|when|何時|時間|変換|直し|convert|\bin\b|is that/.test(text);
    return isClear && request.has(CONVERT) ? converted(given, cities, { ...request, text }) : undefined;
  }
  const kind = KINDS.find(([form]) => form.test(text))?.[1];
  if (kind === undefined || cities.length > 3 || !isOnlyAboutNow(text, cities)) return undefined;
  return now(kind, cities.length === 0 ? [HERE] : cities, request);
};

const DIFFERENCE =
  /時差|time difference|(?:how many|how far|how much|hours?)[^.?]*\b(?:ahead|behind)|\b(?:ahead|behind) (?:of|or)|何時間(?:進|遅|違|早)|(?:進んで|遅れて)い/;

/** Without sentences that say why the user asks. */
function aboutTime(text: string): string {
  const sentences = text.split(/(?<=[.?!。])\s*/).filter(Boolean);
  const telling = sentences.filter(
    (one) => KINDS.some(([form]) => form.test(one)) || /\d/.test(one) || citiesIn(one).length > 0,
  );
  return (telling.length > 0 ? telling : sentences).join(' ').replace(/[\s.?!。]+$/, '');
}

/** Words that only ask for the time. */
const ASKING =
  /timestamp|what(?:'s)?|which|how late|time|clocks?|date|day|week(?:day)?|year|month|unix|epoch|today|current(?:ly)?|local|right|now|please|pls|plz|exact(?:ly)?|tell|me|can|you|could|give|show|get|check|look up|know|i'd|like|want|need|to|and|hey|hi|do|does|we|are|got|have|say|there|it|is|in|at|of|the|this|for|over|i|'s|今日|今年|今月|今|いま|現在|現地|時刻|時間|日付|西暦|令和|何時|なんじ|何分|何曜日?|曜日|何月|何日|何年|タイムスタンプ|エポック|調べ|教え|知り|表示|見せ|取得|ください|下さい|お願い|でしょう|です|ます|だっけ|たい|して|くれ|くらい|ぐらい|頃|ごろ|ちょうど|それぞれ|って|だと|かな|の|は|を|て|か|に|で|と|し|ね|な|、|・|,|\?|\s/g;

/** Another day, a date or a train needs more than the current time. */
function isOnlyAboutNow(text: string, cities: readonly City[]): boolean {
  const rest = cities.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
  return rest.replaceAll(ASKING, '') === '';
}

type Kind = 'time' | 'date' | 'weekday' | 'year' | 'month' | 'unix';
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/unix|epoch|timestamp|タイムスタンプ|エポック/, 'unix'],
  [/何曜|曜日|day of the week|what day|which day|week ?day/, 'weekday'],
  [/何年|西暦|what year|which year|current year/, 'year'],
  [/何日|日付|今日は何の日|\bdate\b/, 'date'],
  [/何月|what month|which month|current month/, 'month'],
  [/何時|なんじ|時刻|時間|how late|what time|\btime\b/, 'time'],
];

function now(kind: Kind, cities: readonly City[], request: Request): SkillMove | undefined {
  const found = resultsOf(
    cities.map(({ zone }) => nowIn(zone)),
    request,
  );
  if ('missing' in found) return found.missing;
  const lines = found.results.map((moment, index) =>
    momentText(kind, moment, cities[index] ?? HERE, request.language),
  );
  return { kind: 'answer', text: lines.join('\n') };
}

function momentText(kind: Kind, moment: JsonObject, city: City, language: Request['language']): string {
  const [date, clock] = [String(moment.date), String(moment.time).slice(0, 5)];
  const weekday = String(language === 'ja' ? moment.weekday_ja : moment.weekday);
  const where = city === HERE ? '' : pick(language, `${titled(city, 'ja')}は `, `${titled(city, 'en')}: `);
  switch (kind) {
    case 'unix': {
      const seconds = Math.floor(Number(moment.unix_ms) / 1000);
      return pick(language, `${seconds} です。`, `${seconds}`);
    }
    case 'weekday':
      return pick(language, `${where}${weekday}です（${date}）。`, `${where}${weekday}, ${date}`);
    case 'year':
      return pick(language, `${date.slice(0, 4)} 年です。`, date.slice(0, 4));
    case 'month':
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

/** The time in each of these cities. */
export function timesIn(cities: readonly City[], request: Request): SkillMove | undefined {
  return request.has(NOW) ? now('time', cities, request) : undefined;
}

/** The time in the zone of a place that another tool found. */
export function timeAt(place: string, zone: string, request: Request): SkillMove | undefined {
  return now(
    'time',
    [
      {
        english: place.toLowerCase(),
        japanese: citiesIn(place.toLowerCase())[0]?.japanese ?? place,
        zone,
        start: 0,
        end: 0,
      },
    ],
    request,
  );
}

function nowIn(zone: string): Call {
  return { operation: NOW, args: zone === '' ? {} : { time_zone: zone } };
}

function difference(cities: readonly City[], request: Request): SkillMove | undefined {
  const { language } = request;
  const [one, other = HERE] = cities;
  if (one === undefined || cities.length > 2) return undefined;
  const found = resultsOf(
    [one, other].map(({ zone }) => nowIn(zone)),
    request,
  );
  if ('missing' in found) return found.missing;
  const [first = 0, second = 0] = found.results.map(({ utc_offset: offset }) => minutes(String(offset)));
  const names = [one, other].map((city) => nameOf(city, language));
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

function nameOf(city: City, language: Request['language']): string {
  return city === HERE ? pick(language, 'ここ', 'here') : titled(city, language);
}

function minutes(offset: string): number {
  const [, sign, hours, rest] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(rest));
}

/** The city beside the time is where the time applies. The other city is where it is wanted. */
function converted(
  given: { readonly value: number; readonly start: number; readonly end: number },
  cities: readonly City[],
  request: Request,
): SkillMove | undefined {
  const { language, text } = request;
  const isHere = cities.length === 1 && /\bhere\b|local|my time|our time|ここ|こちら|何時/.test(text);
  if (cities.length !== 2 && !isHere) {
    const why = pick(
      language,
      '変換元と変換先の都市が両方必要です。',
      'Both places are needed: where the time applies, and where it is wanted.',
    );
    return cities.length === 1 && /convert|変換|\btime\b/.test(text) ? { kind: 'cannot', why } : undefined;
  }
  const clock = clockText(given.value);
  const isWanted = (city: City) =>
    /^(?:の|では|で|は|だと)?(?:現地時間)?(?:で|は|の)?何時/.test(text.slice(city.end)) ||
    /(?:what time (?:is it|is that|will it be)|what's that|convert(?:ed)? to|into|to) (?:in )?$/.test(
      text.slice(0, city.start),
    );
  const near = cities.toSorted(
    (one, other) =>
      Number(isWanted(one)) - Number(isWanted(other)) || distance(one, given) - distance(other, given),
  );
  const isOpen = cities.length === 1 && near[0] !== undefined && isWanted(near[0]);
  const [from = HERE, to = HERE] = isOpen ? [HERE, near[0]] : near;
  const zoneHere = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const args = { time: clock, from_time_zone: from.zone || zoneHere, to_time_zone: to.zone || zoneHere };
  const found = resultsOf([{ operation: CONVERT, args }], request);
  if ('missing' in found) return found.missing;
  const [result = {}] = found.results;
  const day =
    result.date === asObject(result.from).date
      ? ''
      : pick(language, `（${String(result.date)}）`, ` (${String(result.date)})`);
  const then = String(result.time).slice(0, 5);
  return {
    kind: 'answer',
    text: pick(
      language,
      `${nameOf(from, 'ja')}の ${clock} は、${nameOf(to, 'ja')}の ${then}${day} です。`,
      `${clock} in ${nameOf(from, 'en')} is ${then}${day} in ${nameOf(to, 'en')}.`,
    ),
  };
}

function distance(city: City, given: { readonly start: number; readonly end: number }): number {
  return city.start >= given.end ? city.start - given.end : given.start - city.end;
}
