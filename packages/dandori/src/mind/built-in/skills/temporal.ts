/** A day, a time of day or a length of time in a text, with its position. */
interface Found<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
}

/** A day as the number of days since 1970-01-01. */
export type Day = number;

export interface Duration {
  readonly months: number;
  readonly days: number;
  readonly minutes: number;
  /** As the user wrote it. */
  readonly text: string;
}

export interface Temporal {
  readonly days: readonly Found<Day>[];
  /** Minutes since midnight. */
  readonly clocks: readonly Found<number>[];
  readonly durations: readonly Found<Duration>[];
  /** Months without a day: February 2028. */
  readonly months: readonly Found<{ readonly year: number; readonly month: number }>[];
  /** The text without all of these. */
  readonly rest: string;
}

const DAY_MS = 86_400_000;

export function dayOf(year: number, month: number, day: number): Day | undefined {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? time / DAY_MS : undefined;
}

export function partsOf(day: Day): { year: number; month: number; day: number; weekday: number } {
  const date = new Date(day * DAY_MS);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

export function isoOf(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** A month after 31 January is the last day of February. */
export function shiftedDay(day: Day, { months, days }: Pick<Duration, 'months' | 'days'>, sign: 1 | -1): Day {
  const { year, month, day: date } = partsOf(day);
  const index = year * 12 + month - 1 + sign * months;
  const [toYear, toMonth] = [Math.floor(index / 12), (index % 12) + 1];
  const moved =
    months === 0 ? day : (dayOf(toYear, toMonth, Math.min(date, daysInMonth(toYear, toMonth))) ?? day);
  return moved + sign * days;
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const MONTH = `(${MONTHS.map((name) => (name === 'may' ? 'may' : `${name}|${name.slice(0, 3)}\\.?`)).join('|')}|sept\\.?)`;
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const WEEKDAY = `(${WEEKDAYS.join('|')})`;

/** Days of the year with a name: month, day. */
const NAMED: readonly (readonly [RegExp, number, number])[] = [
  [/christmas eve|クリスマスイブ/g, 12, 24],
  [/christmas(?: day)?|xmas|クリスマス/g, 12, 25],
  [/new year'?s? eve|the end of (?:the|this) year|year'?s end|大晦日|大みそか|年末|年の終わり/g, 12, 31],
  [/new year(?:'?s)?(?: day)?|お?正月|元日|元旦|新年|年明け/g, 1, 1],
  [/halloween|ハロウィン/g, 10, 31],
  [/valentine'?s?(?: day)?|バレンタイン(?:デー)?/g, 2, 14],
  [/ホワイトデー/g, 3, 14],
  [/こどもの日|子供の日/g, 5, 5],
];

/** A part of the text that a reader understands. It leaves a gap, so that no later reader sees it. */
type Take = <Value>(
  form: RegExp | string,
  into: Found<Value>[],
  read: (groups: string[]) => Value | undefined,
) => void;

/** Reads days, times of day and durations. A day without a year is the next one, or the last one if `isPast`. */
export function readTemporal(goal: string, today: Day, isPast: boolean): Temporal {
  let text = goal;
  const take: Take = (form, into, read) => {
    text = text.replaceAll(new RegExp(form, 'g'), (found: string, ...rest: unknown[]) => {
      const at = rest.findIndex((part) => typeof part === 'number');
      const value = read(rest.slice(0, at).map((part) => (part === undefined ? '' : String(part))));
      if (value === undefined) return found;
      const start = Number(rest[at]);
      into.push({ value, start, end: start + found.length });
      return '\ue000'.repeat(found.length);
    });
  };
  const calendar = calendarFor(goal, today, isPast);
  // The order matters: "May 5" is a day before it is a month, and "5 May" no duration.
  const days = takeDays(take, calendar);
  const months = takeMonths(take, calendar);
  const clocks = takeClocks(take);
  const durations = takeDurations(take);
  return { days, months, clocks, durations, rest: text.replaceAll(/\ue000+/g, ' ') };
}

function inOrder<Value>(found: readonly Found<Value>[]): Found<Value>[] {
  return found.toSorted((one, other) => one.start - other.start);
}

type Calendar = ReturnType<typeof calendarFor>;

/** What a date without a year, and a year in words, mean today. */
function calendarFor(goal: string, today: Day, isPast: boolean) {
  const now = partsOf(today);
  const near = (month: number, day: number, year: number | undefined): Day | undefined => {
    if (year !== undefined) return dayOf(year, month, day);
    const own = dayOf(now.year, month, day);
    if (own === undefined) return undefined;
    if (isPast) return own > today ? dayOf(now.year - 1, month, day) : own;
    return own < today ? dayOf(now.year + 1, month, day) : own;
  };
  // 2026年4月10日から6月30日: the second day is in the same year.
  const years = new Set(goal.match(/(?<!\d)(?:19|20)\d{2}(?=年|[-/]|\b)/g));
  const [given] = years.size === 1 && !isPast ? years : [];
  const yearFrom = (word: string): number | undefined =>
    ({ 来年: now.year + 1, 今年: now.year, 去年: now.year - 1, 昨年: now.year - 1, 再来年: now.year + 2 })[
      word
    ] ??
    (/^next/.test(word)
      ? now.year + 1
      : /^this/.test(word)
        ? now.year
        : /^last/.test(word)
          ? now.year - 1
          : word === ''
            ? given === undefined
              ? undefined
              : Number(given)
            : Number(word));
  return { today, now, near, yearFrom, isJapanese: /[ぁ-ん]/.test(goal) };
}

const monthOf = (name: string) => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;

function takeDays(take: Take, { today, now, near, yearFrom, isJapanese }: Calendar): Found<Day>[] {
  const days: Found<Day>[] = [];
  take(/(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})(?:日(?!間))?/, days, ([y, m, d]) =>
    dayOf(Number(y), Number(m), Number(d)),
  );
  take(/(?:(来年|今年|去年|昨年|再来年)の?)?(\d{1,2})月(\d{1,2})日(?!間)/, days, ([year = '', m, d]) =>
    near(Number(m), Number(d), yearFrom(year)),
  );
  take(
    new RegExp(
      `(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}(?![a-z])(?:,? (\\d{4})| (?:of )?(next|this|last) year)?`,
    ),
    days,
    ([d, m = '', y = '', word = '']) => near(monthOf(m), Number(d), yearFrom(y || word)),
  );
  take(
    new RegExp(
      `\\b${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])(?:,? (\\d{4})| (?:of )?(next|this|last) year)?`,
    ),
    days,
    ([m = '', d, y = '', word = '']) => near(monthOf(m), Number(d), yearFrom(y || word)),
  );
  if (isJapanese)
    take(/(?<![\d/])(\d{1,2})\/(\d{1,2})(?![\d/])/, days, ([m, d]) => near(Number(m), Number(d), undefined));
  for (const [form, month, day] of NAMED)
    take(
      new RegExp(
        `(?:(来年|今年|去年|昨年)の?)?(?:${form.source})(?: (?:of )?(\\d{4})| (next|this|last) year)?`,
      ),
      days,
      ([word = '', y = '', other = '']) => near(month, day, yearFrom(word || y || other)),
    );
  take(/day after tomorrow|明後日|あさって/, days, () => today + 2);
  take(/day before yesterday|一昨日|おととい/, days, () => today - 2);
  take(/\btomorrow\b|明日|あした|翌日/, days, () => today + 1);
  take(/\byesterday\b|昨日|きのう/, days, () => today - 1);
  take(/\btoday\b|今日|本日/, days, () => today);
  take(/the end of (?:the|this) month|今月末|月末|今月の終わり/, days, () =>
    dayOf(now.year, now.month, daysInMonth(now.year, now.month)),
  );
  take(
    `(?:(next|this|last|coming|the next|this coming) )?${WEEKDAY}(?! ?(?:is|was) (?:it|today))`,
    days,
    ([word = '', name = '']) => {
      const ahead = (WEEKDAYS.indexOf(name) - now.weekday + 7) % 7;
      return word === 'last' ? today - ((7 - ahead) % 7 || 7) : today + (ahead || (word === 'this' ? 0 : 7));
    },
  );
  take(/(今週|来週|再来週|先週|次|今度)?の?([日月火水木金土])曜日?/, days, ([word = '', name = '']) => {
    const index = '日月火水木金土'.indexOf(name);
    if (word === '' || word === '次' || word === '今度') return today + ((index - now.weekday + 7) % 7 || 7);
    const monday = today - ((now.weekday + 6) % 7);
    const weeks = { 今週: 0, 来週: 1, 再来週: 2, 先週: -1 }[word] ?? 0;
    return monday + weeks * 7 + ((index + 6) % 7);
  });
  return inOrder(days);
}

/** Months without a day. */
function takeMonths(take: Take, { now, yearFrom }: Calendar): Temporal['months'] {
  const months: Found<{ year: number; month: number }>[] = [];
  take(new RegExp(`\\b${MONTH} (\\d{4})\\b`), months, ([m = '', y]) => ({
    year: Number(y),
    month: monthOf(m),
  }));
  take(/(\d{4})年(?:の)?(\d{1,2})月(?!\d)/, months, ([y, m]) => ({ year: Number(y), month: Number(m) }));
  take(/(?:(今年|来年|去年)の)?(?<!\d)(\d{1,2})月(?![\d])/, months, ([word = '', m]) => ({
    year: yearFrom(word) ?? now.year,
    month: Number(m),
  }));
  take(
    new RegExp(
      `\\b(?:in |does |this |of |from |for |during )${MONTH}(?![a-z])(?: (?:of )?(next|this) year)?`,
    ),
    months,
    ([m = '', word = '']) =>
      m.length < 3 ? undefined : { year: yearFrom(word) ?? now.year, month: monthOf(m) },
  );
  return inOrder(months);
}

function takeClocks(take: Take): Found<number>[] {
  const clocks: Found<number>[] = [];
  take(
    /(午前|午後|朝の?|夜の?|夕方の?|晩の?|昼の?|深夜の?|am|pm)?\s*(?<![\d:])(\d{1,2}):(\d{2})(?::\d{2})?\s*(am|pm|a\.m\.?|p\.m\.?)?(?!\d)/,
    clocks,
    ([half = '', h, m, after = '']) => minutesOf(half || after, Number(h), Number(m)),
  );
  take(
    /(午前|午後|朝の?|夜の?|夕方の?|晩の?|昼の?|深夜の?)?\s*(?<![\d:])(\d{1,2})時(?!間|差|刻|速|給)(半|(\d{1,2})分)?/,
    clocks,
    ([half = '', h, part = '', m]) => minutesOf(half, Number(h), part === '半' ? 30 : Number(m || 0)),
  );
  take(
    /(?<![\d:.])(\d{1,2})\s*(am|pm|a\.m\.?|p\.m\.?|o'clock)(?![a-z])(?: (?:in the (morning|afternoon|evening))| at (night))?/,
    clocks,
    ([h, after = '', part = '', night = '']) =>
      minutesOf(
        after === "o'clock" ? (/afternoon|evening/.test(part) || night !== '' ? 'pm' : '') : after,
        Number(h),
        0,
      ),
  );
  take(
    /\b(half past|quarter past|quarter to) (\d{1,2})(?: ?(am|pm))?/,
    clocks,
    ([word = '', h, after = '']) => {
      const hour = minutesOf(after, Number(h), 0);
      return hour === undefined
        ? undefined
        : hour + (word === 'half past' ? 30 : word === 'quarter past' ? 15 : -15);
    },
  );
  take(/\bnoon\b|\bmidday\b|正午/, clocks, () => 720);
  take(/\bmidnight\b/, clocks, () => 0);
  return inOrder(clocks);
}

function takeDurations(take: Take): Found<Duration>[] {
  const durations: Found<Duration>[] = [];
  const one = String.raw`(\d+(?:\.\d+)?|an?(?= (?:day|week|month|year|hour|minute)))`;
  const unit = '(?:years?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|h)\\b';
  take(
    new RegExp(`((?<![\\w.])${one}[ -]?${unit}(?:(?:,| and)? ${one}[ -]?${unit})*)`),
    durations,
    ([all = '']) => spanOf(all.replaceAll('-', ' ')),
  );
  take(/((?:\d+(?:\.\d+)?(?:年間?|[ヶかカヵ]月間?|週間|日間?|時間|分間?)と?)+)/, durations, ([all = '']) =>
    spanOf(all),
  );
  return inOrder(durations);
}

function spanOf(text: string): Duration | undefined {
  let [monthCount, dayCount, minutes] = [0, 0, 0];
  for (const [, count = '', unit = ''] of text.matchAll(
    /(\d+(?:\.\d+)?|\ban?)\s*(years?|months?|weeks?|days?|hours?|hrs?|h|minutes?|mins?|年|[ヶかカヵ]月|週間?|日|時間|分)/g,
  )) {
    const value = /^a/.test(count) ? 1 : Number(count);
    if (/^(?:year|年)/.test(unit)) monthCount += 12 * value;
    else if (/^month|月/.test(unit)) monthCount += value;
    else if (/^(?:week|週)/.test(unit)) dayCount += 7 * value;
    else if (/^(?:day|日)/.test(unit)) dayCount += value;
    else minutes += value * (/^(?:h|時)/.test(unit) ? 60 : 1);
  }
  return Number.isInteger(monthCount) ? { months: monthCount, days: dayCount, minutes, text } : undefined;
}

function minutesOf(half: string, hour: number, minute: number): number | undefined {
  const isLate = /午後|夜|夕|晩|^p/.test(half) || (/昼/.test(half) && hour < 6);
  const isEarly = /午前|朝|深夜|^a/.test(half);
  const hours = isLate && hour < 12 ? hour + 12 : isEarly && hour === 12 ? 0 : hour;
  return hours > 24 || minute > 59 ? undefined : hours * 60 + minute;
}

export function clockText(minutes: number): string {
  const inDay = ((minutes % 1440) + 1440) % 1440;
  const pad = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${pad(inDay / 60)}:${pad(inDay % 60)}`;
}
