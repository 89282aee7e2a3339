import { expressionsIn } from './expression.ts';

export type ValueKind =
  | 'quoted'
  | 'url'
  | 'email'
  | 'ip'
  | 'timezone'
  | 'moment'
  | 'date'
  | 'time'
  | 'path'
  | 'expression'
  | 'number';

/** Something in the goal whose form alone says what it is. */
export interface Value {
  readonly kind: ValueKind;
  readonly value: string | number;
  readonly start: number;
  readonly end: number;
  /** A number inside an expression: `100 + 200` may go to a calculator, or 100 and 200 to `add(a, b)`. */
  readonly isOperand: boolean;
}

const QUOTED =
  /"([^"]*)"|“([^”]*)”|「([^」]*)」|『([^』]*)』|`([^`]*)`|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu;
const URL_FORM = /\bhttps?:\/\/[^\s"'<>「」、。]+[^\s"'<>「」、。.,;:!?)]/gi;
const EMAIL = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g;
const IPV4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]*\d)/g;
const IPV6 = /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi;
const ZONE = /(?<![\w/])(?:[A-Za-z]{2,20}(?:\/[A-Za-z_+\-0-9]{2,30}){1,2}|UTC|GMT)(?![\w/])/g;
const MOMENT = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g;
const DATE = /(?<!\d)(\d{4})(?:-|\/|年)(\d{1,2})(?:-|\/|月)(\d{1,2})(?:日|(?!\d))/g;
const NAMED_DATE =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/gi;
const TIME = /(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\d:])/g;
const PATH =
  /(?<![\w/.])(?:(?:~|\.{1,2})?\/[\w.\-/]*[\w/]|[A-Za-z]:\\[^\s"<>|]+)|(?<![\w/.])[\w-]+\.(?:txt|md|json|ya?ml|csv|tsv|xml|html?|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|zip|ts|js|py|log|db|sqlite)\b/gi;
const PLAIN_NUMBER = /(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*[A-Za-z])/g;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

type Reader = (match: RegExpExecArray) => string | number | undefined;

/**
 * The most telling forms first; what one has taken is hidden from the next, so that a date is no subtraction.
 * `raw` has the same length as `text` and still has the user's own characters, which quoted text must keep.
 */
export function valuesIn(text: string, raw: string): Value[] {
  const values: Value[] = [];
  let open = text;
  const take = (kind: ValueKind, pattern: RegExp, read: Reader): void => {
    for (const match of open.matchAll(pattern)) {
      const value = read(match);
      if (value === undefined) continue;
      values.push({ kind, value, start: match.index, end: match.index + match[0].length, isOperand: false });
      open = hidden(open, match.index, match.index + match[0].length);
    }
  };
  take(
    'quoted',
    QUOTED,
    (match) => raw.slice(match.index + 1, match.index + match[0].length - 1) || undefined,
  );
  take('url', URL_FORM, ([whole]) => whole);
  take('email', EMAIL, ([whole]) => whole);
  take('ip', IPV4, ([whole]) => whole);
  take('ip', IPV6, ([whole]) => (isIpv6(whole) ? whole : undefined));
  take('timezone', ZONE, ([whole]) => zoneNamed(whole));
  take('moment', MOMENT, ([whole]) => whole);
  take('date', DATE, ([, year, month, day]) => isoDate(year, Number(month), day));
  take('date', NAMED_DATE, ([, month = '', day, year]) =>
    isoDate(year, MONTHS.indexOf(month.toLowerCase()) + 1, day),
  );
  take('time', TIME, ([whole]) => whole);
  take('path', PATH, ([whole]) => whole);
  for (const { expression, start, end } of expressionsIn(open)) {
    if (values.some((value) => value.start < end && start < value.end)) continue;
    values.push({ kind: 'expression', value: expression, start, end, isOperand: false });
  }
  take('number', PLAIN_NUMBER, ([whole]) => Number(whole.replaceAll(',', '')));
  return values
    .map((value) => ({ ...value, isOperand: isInExpression(value, values) }))
    .sort((a, b) => a.start - b.start);
}

/** A zone as IANA writes it, whatever its case in the text. */
export function zoneNamed(name: string): string | undefined {
  return zones().get(name.toLowerCase());
}

/** The zone whose last part is this city. */
export function zoneOfCity(city: string): string | undefined {
  const ending = `/${city.trim().toLowerCase().replaceAll(' ', '_')}`;
  for (const [key, zone] of zones()) if (key.endsWith(ending)) return zone;
  return undefined;
}

export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

let known: Map<string, string> | undefined;
function zones(): Map<string, string> {
  known ??= new Map(
    ['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone.toLowerCase(), zone]),
  );
  return known;
}

function isoDate(year = '', month = 0, day = ''): string | undefined {
  const isDate = month >= 1 && month <= 12 && Number(day) >= 1 && Number(day) <= 31;
  return isDate ? `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}` : undefined;
}

/** Times of day have colons too. */
function isIpv6(text: string): boolean {
  return text.split(':').length === 8 || (text.includes('::') && text.length > 3);
}

function isInExpression(value: Value, all: readonly Value[]): boolean {
  if (value.kind !== 'number') return false;
  return all.some(
    ({ kind, start, end }) => kind === 'expression' && start <= value.start && value.end <= end,
  );
}

function hidden(text: string, start: number, end: number): string {
  return text.slice(0, start) + '\u0001'.repeat(end - start) + text.slice(end);
}
