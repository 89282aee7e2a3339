import { SaidError } from '../said.ts';
export interface Moment {
  time_zone: string;
  iso: string;
  date: string;
  time: string;
  weekday: string;
  weekday_ja: string;
  utc_offset: string;
  unix_ms: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const WEEKDAYS_JA = '日月火水木金土';

export function momentAt(unixMs: number, timeZone: string): Moment {
  const offset = offsetMinutes(unixMs, timeZone);
  const local = new Date(unixMs + offset * MINUTE_MS);
  const [date = '', time = ''] = local.toISOString().slice(0, 19).split('T');
  const utcOffset = formatOffset(offset);
  return {
    time_zone: timeZone,
    iso: `${date}T${time}${utcOffset}`,
    date,
    time,
    weekday: WEEKDAYS[local.getUTCDay()] ?? '',
    weekday_ja: `${WEEKDAYS_JA[local.getUTCDay()]}曜日`,
    utc_offset: utcOffset,
    unix_ms: unixMs,
  };
}

/** The moment at which a clock in the zone shows the given time. */
export function parseInstant(
  text: string,
  timeZone: string,
  nowMs: number,
): { unixMs: number; note?: string } {
  const match =
    /^(?:(\d{4})[-/](\d{1,2})[-/](\d{1,2})[T ]\s*)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i.exec(
      text.normalize('NFKC').trim(),
    );
  if (!match) {
    throw new SaidError({
      en: `"${text}" is not a time. Send "HH:MM" or "YYYY-MM-DDTHH:MM", e.g. "2026-05-01T09:30".`,
      ja: `「${text}」は時刻ではありません。「HH:MM」か「YYYY-MM-DDTHH:MM」で指定してください（例：2026-05-01T09:30）。`,
    });
  }
  const [, year, month, day, hour = '', minute = '', second = '0', offset] = match;
  const date = year
    ? [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
    : momentAt(nowMs, timeZone).date;
  const time = [hour, minute, second].map((part) => part.padStart(2, '0')).join(':');
  const wallMs = Date.parse(`${date}T${time}Z`);
  // Date.parse lets 30 February roll over into March.
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString().slice(0, 19) !== `${date}T${time}`) {
    throw new SaidError({
      en: `"${text}" does not exist in the calendar or on the clock. Check the date and time.`,
      ja: `「${text}」は存在しない日時です。日付と時刻を確認してください。`,
    });
  }
  if (offset) return { unixMs: wallMs - parseOffset(offset) * MINUTE_MS };
  const candidates = [
    ...new Set([wallMs - DAY_MS, wallMs + DAY_MS].map((near) => offsetMinutes(near, timeZone))),
  ]
    .map((minutes) => wallMs - minutes * MINUTE_MS)
    .filter((unixMs) => unixMs + offsetMinutes(unixMs, timeZone) * MINUTE_MS === wallMs)
    .sort((a, b) => a - b);
  const [first] = candidates;
  if (first === undefined) {
    throw new SaidError({
      en: `${date} ${time} does not exist in ${timeZone}: clocks are put forward then. Send another time.`,
      ja: `${date} ${time} は、夏時間への切り替えのため ${timeZone} には存在しません。別の時刻を指定してください。`,
    });
  }
  return candidates.length === 1
    ? { unixMs: first }
    : { unixMs: first, note: `${date} ${time} happens twice in ${timeZone}; the first one is meant` };
}

function offsetMinutes(unixMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
    unixMs,
  );
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  return parseOffset(name.replace('GMT', ''));
}

function parseOffset(offset: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})/.exec(offset);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

function formatOffset(minutes: number): string {
  const absolute = Math.abs(minutes);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(absolute / 60))}:${pad(absolute % 60)}`;
}
