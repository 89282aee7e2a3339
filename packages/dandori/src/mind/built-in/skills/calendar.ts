import { citiesIn } from './cities.ts';
import { pick, type Request, resultsOf, type Skill } from './skill.ts';
import {
  clockText,
  type Day,
  dayOf,
  daysInMonth,
  isoOf,
  partsOf,
  readTemporal,
  shiftedDay,
  type Temporal,
} from './temporal.ts';

const NOW = 'clock.get_current_time';

/** Calculations with dates and times of day: weekdays, days until a date, ages, the end of a meeting. */
export const calendar: Skill = (request) => {
  const { text, language } = request;
  if (!request.has(NOW) || citiesIn(text).length > 0) return undefined;
  const asked = { text, language };
  // Whether there is an answer does not depend on the day.
  if (answered({ ...asked, today: ANY_DAY, minutes: 0 }) === undefined) return undefined;
  const found = resultsOf([{ operation: NOW, args: {} }], request);
  if ('missing' in found) return found.missing;
  const [{ date, time } = {}] = found.results;
  const [year = 0, month = 0, day = 0] = String(date).split('-').map(Number);
  const [hours = 0, minutes = 0] = String(time).split(':').map(Number);
  const today = dayOf(year, month, day);
  if (today === undefined) return undefined;
  const answer = answered({ ...asked, today, minutes: hours * 60 + minutes });
  return answer === undefined ? undefined : { kind: 'answer', text: answer };
};

const ANY_DAY = 20_005;

interface Asked {
  readonly text: string;
  readonly language: Request['language'];
  readonly today: Day;
  readonly minutes: number;
}

interface Read extends Asked, Temporal {}

function answered(asked: Asked): string | undefined {
  const { text, today } = asked;
  const isPast = /\bsince\b|\bago\b|経っ|経過|生まれ|\bborn\b|以来|\bwas\b|でした/.test(text);
  const read: Read = { ...asked, ...readTemporal(text, today, isPast) };
  const answer = leapYear(read) ?? clock(read) ?? age(read) ?? remaining(read);
  if (answer !== undefined) return answer;
  if (/\d/.test(read.rest) || ELSEWHERE.test(text)) return undefined;
  return between(read) ?? moved(read) ?? lengthOfMonth(read) ?? named(read);
}

/** Things that happen at a time that the clock does not know. */
const ELSEWHERE =
  /\bbus\b|\btrain|flight|電車|バス|予定|calendar|appointment|schedule|alarm|アラーム|remind|リマインド|timer|タイマー|営業|\bopens?\b|\bcloses?\b|開店|閉店|sunrise|sunset|日の出|日の入|予約|reserv|天気|weather|\border|注文|期限|expire|kitchen|products?\b|商品|冷蔵庫|気温|temperature|売上|birthday party/;

const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function shown(day: Day, language: Request['language']): string {
  const { weekday } = partsOf(day);
  return pick(
    language,
    `${isoOf(day)}（${'日月火水木金土'[weekday]}曜日）`,
    `${isoOf(day)} (${WEEKDAYS[weekday]})`,
  );
}

function leapYear({ text, language, today }: Read): string | undefined {
  if (!/leap year|閏年|うるう年/.test(text)) return undefined;
  const { year: now } = partsOf(today);
  const word = /(?:next year|来年)/.test(text) ? now + 1 : /(?:this year|今年)/.test(text) ? now : undefined;
  const year = Number(/\b(\d{4})(?!\d)/.exec(text)?.[1] ?? word);
  if (/next leap year|次の(?:閏|うるう)年|last leap/.test(text) || Number.isNaN(year)) {
    let next = now + 1;
    while (daysInMonth(next, 2) === 28) next++;
    return pick(language, `次の閏年は ${next} 年です。`, `The next leap year is ${next}.`);
  }
  const isLeap = daysInMonth(year, 2) === 29;
  return isLeap
    ? pick(language, `はい、${year} 年は閏年です（366 日）。`, `Yes, ${year} is a leap year (366 days).`)
    : pick(
        language,
        `いいえ、${year} 年は閏年ではありません（365 日）。`,
        `No, ${year} is not a leap year (365 days).`,
      );
}

/** The end of something that takes a while, or the time between two times of day. */
function clock({
  text,
  language,
  clocks,
  durations,
  days,
  months,
  rest,
  minutes: now,
}: Read): string | undefined {
  if (/\d/.test(rest) || days.length > 0 || months.length > 0) return undefined;
  const [first, second, ...others] = clocks;
  const [length, ...more] = durations;
  const isPart =
    more.length === 0 &&
    length !== undefined &&
    length.value.minutes > 0 &&
    length.value.days + length.value.months === 0;
  if (first !== undefined && second !== undefined && others.length === 0) {
    if (
      !/how long|how many|how much time|何時間|何分|ど(?:の|れ)(?:くらい|ぐらい|だけ)|時間(?:は|を|$)|duration|sleep|hours|between/.test(
        text,
      )
    )
      return undefined;
    const pause =
      length === undefined
        ? 0
        : isPart && /break|lunch|pause|休憩|昼/.test(text)
          ? length.value.minutes
          : undefined;
    if (pause === undefined) return undefined;
    const span = ((((second.value - first.value) % 1440) + 1440) % 1440) - pause;
    return pick(
      language,
      `${hoursText(span, 'ja')}です（${clockText(first.value)}〜${clockText(second.value)}）。`,
      `${hoursText(span, 'en')} (${clockText(first.value)} to ${clockText(second.value)}).`,
    );
  }
  if (second !== undefined || length === undefined || !isPart) return undefined;
  if (!/when|what time|\bwhat\b|何時|いつ|終わ|着|finish|\bend\b|is$/.test(text)) return undefined;
  const isFromNow = first === undefined && /from now|\bin (?:an?|\d)|\bago\b|今から|後|前/.test(text);
  if (first === undefined && !isFromNow) return undefined;
  const isBack =
    /(?:when|what time)[^.?]*\b(?:leave|start|set off|depart|get up|wake|begin|put)|(?:出れば|出たら|出発すれば|起きれば|始めれば|何時に(?:出|出発|起き|始め|家を))/.test(
      text,
    ) ||
    new RegExp(
      `${length.value.text.replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\$&')}\\s*(?:の?前|before|earlier|ago|prior)`,
    ).test(text);
  const end = (first?.value ?? now) + (isBack ? -1 : 1) * length.value.minutes;
  const day =
    end >= 1440
      ? pick(language, '（翌日）', ' (the next day)')
      : end < 0
        ? pick(language, '（前日）', ' (the day before)')
        : '';
  return pick(language, `${clockText(end)}${day} です。`, `At ${clockText(end)}${day}.`);
}

function hoursText(minutes: number, language: Request['language']): string {
  const [hours, rest] = [Math.floor(minutes / 60), Math.round(minutes % 60)];
  const parts = pick(
    language,
    [hours > 0 ? `${hours}時間` : '', rest > 0 ? `${rest}分` : ''],
    [hours > 0 ? `${hours} hour${hours === 1 ? '' : 's'}` : '', rest > 0 ? `${rest} minutes` : ''],
  );
  return parts.filter(Boolean).join(pick(language, '', ' ')) || pick(language, '0分', '0 minutes');
}

function age({ text, language, today, days }: Read): string | undefined {
  if (!/how old|何歳|年齢|いくつ|\bage\b|歳\?/.test(text) || !/born|生まれ|birthday|誕生日|birth/.test(text))
    return undefined;
  const [birth, ...others] = days.filter(({ value }) => value !== today);
  if (birth !== undefined && others.length === 0 && /\d{4}/.test(text.slice(birth.start, birth.end))) {
    const [from, to] = [partsOf(birth.value), partsOf(today)];
    const hadBirthday = to.month > from.month || (to.month === from.month && to.day >= from.day);
    const years = to.year - from.year - (hadBirthday ? 0 : 1);
    return years < 0
      ? undefined
      : pick(
          language,
          `${years} 歳です（${isoOf(birth.value)} 生まれ）。`,
          `${years} years old (born on ${isoOf(birth.value)}).`,
        );
  }
  const year = Number(/born in (\d{4})|(\d{4})年生まれ/.exec(text)?.slice(1).find(Boolean));
  if (Number.isNaN(year) || days.length > 0) return undefined;
  const years = partsOf(today).year - year;
  return pick(
    language,
    `今年の誕生日で ${years} 歳です。`,
    `${years} this year (${years - 1} before the birthday).`,
  );
}

/** The rest of the year or month. */
function remaining({ text, language, today, days, rest }: Read): string | undefined {
  const isAsked =
    /(?:days|weeks) (?:are |do we have )?(?:left|remain|to go)|(?:left|remaining) (?:in|of)|残り(?:は)?(?:何日|日数|あと|$)|残り\D{0,3}日|あと何日|何日残/.test(
      text,
    );
  if (!isAsked || /\d/.test(rest) || days.length > 0) return undefined;
  const { year, month } = partsOf(today);
  const isYear = /\byear\b|今年|年内|1年/.test(text);
  const end = isYear
    ? dayOf(year, 12, 31)
    : /\bmonth\b|今月|月内/.test(text)
      ? dayOf(year, month, daysInMonth(year, month))
      : undefined;
  if (end === undefined || !/\b(?:this|the|year|month)\b|今年|今月|年内|月内/.test(text)) return undefined;
  return pick(
    language,
    `あと ${end - today} 日です（${isoOf(end)} まで）。`,
    `${end - today} days are left until ${isoOf(end)}.`,
  );
}

const COUNTED =
  /how many|how long|number of|何日|何週|何[かヶカ]月|何年|日数|期間|ど(?:の|れ)(?:くらい|ぐらい)|あと|days|weeks/;

function between({ text, language, today, days, durations, clocks }: Read): string | undefined {
  if (!COUNTED.test(text) || durations.length > 0 || clocks.length > 0) return undefined;
  const [first, second, ...others] = days;
  if (first === undefined || others.length > 0) return undefined;
  const isOpen = /until|till|\bto\b|before|まで|あと|since|\bago\b|から|経|前|will it be|away/.test(text);
  if (second === undefined && (!isOpen || first.value === today)) return undefined;
  const [from, to] =
    second === undefined ? [today, first.value].toSorted((a, b) => a - b) : [first.value, second.value];
  if (from === undefined || to === undefined) return undefined;
  const count = Math.abs(to - from);
  const weeks = /week|何週/.test(text);
  const amount = weeks
    ? pick(
        language,
        `${count / 7 === Math.floor(count / 7) ? '' : '約'}${Math.round((count / 7) * 10) / 10} 週間`,
        `${Math.round((count / 7) * 10) / 10} weeks`,
      )
    : pick(language, `${count} 日`, `${count} day${count === 1 ? '' : 's'}`);
  if (/何[かヶカ]月|何年|months|years/.test(text)) return undefined;
  return second === undefined && first.value >= today
    ? pick(
        language,
        `${shown(first.value, 'ja')}まであと ${amount}です。`,
        `${amount} until ${shown(first.value, 'en')}.`,
      )
    : pick(
        language,
        `${amount}です（${isoOf(from)} から ${isoOf(to)} まで）。`,
        `${amount} from ${isoOf(from)} to ${isoOf(to)}.`,
      );
}

const DATE_ASKED =
  /what(?:'s| is| will be| was)? (?:the )?(?:exact )?(?:date|day)|which (?:date|day)|\bdate\b|\bwhen\b|week ?day|what day|何日|何月|日付|いつ|何曜|曜日/;

/** A date some days, weeks or months before or after another. */
function moved({ text, language, today, days, durations, clocks, months }: Read): string | undefined {
  const [length, ...others] = durations;
  if (length === undefined || others.length + clocks.length + months.length > 0 || days.length > 1)
    return undefined;
  if (length.value.minutes > 0 || !Number.isInteger(length.value.days) || !DATE_ASKED.test(text))
    return undefined;
  const after = text.slice(length.end, length.end + 14);
  const before = text.slice(Math.max(0, length.start - 12), length.start);
  const isBack = /^\s*(?:の?前|before|ago|earlier|prior)/.test(after);
  const isAhead =
    /^\s*(?:の?後|経|たっ|たつ|先|after|from|later|past|hence|以降)/.test(after) ||
    /\bin (?:about )?$|plus $|add $|\+ $/.test(before);
  if (!isBack && !isAhead) return undefined;
  const from = days[0]?.value ?? today;
  const to = shiftedDay(from, length.value, isBack ? -1 : 1);
  return pick(
    language,
    `${isoOf(from)} の ${length.value.text}${isBack ? '前' : '後'}は ${shown(to, 'ja')}です。`,
    `${length.value.text} ${isBack ? 'before' : 'after'} ${isoOf(from)} is ${shown(to, 'en')}.`,
  );
}

/** Words that ask and say nothing else. */
const ASKING =
  /\b(?:what|which|how|many|day|days|date|week ?day|week|the|of|is|it|are|there|in|does|do|did|have|has|will|be|was|on|month|please|tell|me|can|you|could|fall|falls|a|exact|calendar|year|this|next|s|i|need|to|know|want|would)\b|'s|何曜日?|何月何日|何日間?|日付|曜日|月|ありますか|あります|ある|ですか|です|でしたか|でした|だった|でしょうか|なりますか|なる|になる|教えてください|教えて|知りたい|だっけ|かな|まで|ください|って|には|は|の|を|に|か|が|で|と|、|,|\?|\.|\s/g;

function isOnlyAsking(rest: string): boolean {
  return rest.replaceAll(ASKING, '') === '';
}

function lengthOfMonth({ text, language, months, days, rest }: Read): string | undefined {
  const [month, ...others] = months;
  if (
    month === undefined ||
    others.length + days.length > 0 ||
    !/how many days|何日|日数/.test(text) ||
    !isOnlyAsking(rest)
  )
    return undefined;
  const count = daysInMonth(month.value.year, month.value.month);
  return pick(
    language,
    `${month.value.year} 年 ${month.value.month} 月は ${count} 日あります。`,
    `${count} days.`,
  );
}

/** The date or the weekday of named days: tomorrow, next Friday, 4 July 2026. */
function named({ language, text, days, durations, clocks, rest, today }: Read): string | undefined {
  if (days.length === 0 || days.length > 3 || durations.length + clocks.length > 0) return undefined;
  if (!DATE_ASKED.test(text) || !isOnlyAsking(rest)) return undefined;
  // "What day is it today?" is about now.
  if (
    days.every(({ value, start, end }) => value === today && /today|今日|本日/.test(text.slice(start, end)))
  )
    return undefined;
  return days
    .map(({ value }) => pick(language, `${shown(value, 'ja')}です。`, `${shown(value, 'en')}.`))
    .join('\n');
}
