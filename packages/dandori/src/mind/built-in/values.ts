import { isIP } from 'node:net';
import { numberFrom } from '../../domain/json-text.ts';
import type { Span } from './words.ts';

export type ValueKind = (typeof FORMS)[number][0];

/** Something in the goal whose form alone says what it is. */
export interface Value extends Span {
  readonly kind: ValueKind;
  readonly value: string | number | bigint;
}

const OPERAND = String.raw`(?:(?:sqrt|abs|sin|cos|tan|log|exp|round|floor|ceil)?\(|[-−])*\d+(?:[.,]\d+)*%?\)*`;

/** The most telling forms first: what one has taken is hidden from the next, so that a date is no subtraction. */
const FORMS = [
  ['quoted', /"[^"]+"|“[^”]+”|「[^」]+」|『[^』]+』|`[^`]+`|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])/gu],
  ['url', /\bhttps?:\/\/[^\s"'<>「」、。]+[^\s"'<>「」、。.,;:!?)]/gi],
  ['email', /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g],
  ['ip', /(?<![\w.:])[0-9a-f.:]{2,44}[0-9a-f](?!\w)/gi],
  ['timezone', /(?<![\w/])(?:[A-Za-z]{2,20}(?:\/[A-Za-z_+\-0-9]{2,30}){1,2}|UTC|GMT)(?![\w/])/g],
  ['date', /(?<!\d)\d{4}[-/年]\d{1,2}[-/月]\d{1,2}(?:日|(?!\d))/g],
  ['time', /(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])/g],
  [
    'path',
    /(?<![\w/.])(?:(?:~|\.{1,2})?\/[\w.\-/]*[\w/]|[\w-]+\.(?:txt|md|json|ya?ml|csv|xml|html?|pdf|docx?|xlsx?|png|jpe?g|svg|zip|ts|js|py|log|db)\b)/gi,
  ],
  ['code', /(?<![\w.-])(?:#(?=\w)|(?=[A-Z][\w-]*\d))[\w-]+(?![\w.])/g],
  ['expression', new RegExp(`(?<![\\w.])${OPERAND}(?:\\s?[-+*/^×÷−]\\s?${OPERAND})*(?![\\w.]*[a-z])`, 'gi')],
  ['number', /(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*[A-Za-z])/g],
] as const;

/** `raw` is as long as `goal` and still has the user's own characters, which quoted text must keep. */
export function valuesIn(goal: string, raw: string): Value[] {
  const values: Value[] = [];
  let open = goal;
  for (const [kind, form] of FORMS)
    for (const { 0: found, index: start } of open.matchAll(form)) {
      const end = start + found.length;
      const text = kind === 'quoted' ? raw.slice(start, end) : found;
      const value = READERS[kind] === undefined ? text : READERS[kind](text);
      if (value === undefined) continue;
      values.push({ kind, value, start, end });
      open = open.slice(0, start) + '\u0001'.repeat(end - start) + open.slice(end);
    }
  return values.sort((one, other) => one.start - other.start);
}

/** The zone whose last part is this city. */
export function zoneOfCity(city: string): string | undefined {
  const english = CITIES.includes(city) ? CITIES[CITIES.indexOf(city) + 1] : city;
  const ending = `/${english?.toLowerCase().replaceAll(' ', '_')}`;
  return ZONES.find((zone) => zone.toLowerCase().endsWith(ending));
}

const ZONES = ['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')];
/** The Japanese names of some, which no zone has. */
const CITIES = '東京 tokyo ロンドン london パリ paris ニューヨーク new_york ソウル seoul 北京 shanghai'.split(
  ' ',
);

const READERS: Partial<Record<ValueKind, (found: string) => string | number | bigint | undefined>> = {
  quoted: (found) => found.slice(1, -1),
  ip: (found) => (isIP(found) === 0 ? undefined : found),
  timezone: (found) => ZONES.find((zone) => zone.toLowerCase() === found.toLowerCase()),
  date: (found) =>
    found.replace(/日$/, '').replace(/\D(\d+)/g, (_, digits: string) => `-${digits.padStart(2, '0')}`),
  expression: asExpression,
  number: (found) => numberFrom(found.replaceAll(',', '')),
};

/** With something to calculate and brackets that match. `03-1234-5678` is a telephone number. */
function asExpression(found: string): string | undefined {
  const hasWork = /[\d)%]\s?[-+*/^×÷−]|[a-z]\(/i.test(found) && !/(?<![\d.,])0\d/.test(found);
  if (!hasWork || found.split('(').length !== found.split(')').length) return undefined;
  return found.replace(/,(?=\d{3})/g, '').replace(/[×÷−]/g, (sign) => ({ '×': '*', '÷': '/' })[sign] ?? '-');
}
