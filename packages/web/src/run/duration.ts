import type { Language } from '../shell/language.tsx';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Short and rough, as one says it: 340ms, 3.4s, 2m 5s. */
export function durationText(ms: number, language: Language): string {
  const say = (value: number, unit: string, digits = 0) => unitText(language, unit, digits).format(value);
  if (ms < SECOND) return say(Math.round(ms), 'millisecond');
  if (ms < 10 * SECOND) return say(ms / SECOND, 'second', 1);
  const [larger, smaller, size, part] = unitsFor(ms);
  if (smaller === undefined) return say(Math.floor(ms / size), larger);
  const rest = Math.floor((ms % size) / part);
  const whole = say(Math.floor(ms / size), larger);
  return rest === 0 ? whole : `${whole} ${say(rest, smaller)}`;
}

function unitsFor(ms: number): [larger: string, smaller: string | undefined, size: number, part: number] {
  if (ms < MINUTE) return ['second', undefined, SECOND, SECOND];
  if (ms < HOUR) return ['minute', 'second', MINUTE, SECOND];
  if (ms < DAY) return ['hour', 'minute', HOUR, MINUTE];
  return ['day', 'hour', DAY, HOUR];
}

const formats = new Map<string, Intl.NumberFormat>();

/** To make one takes longer than to use it a thousand times. */
function unitText(language: Language, unit: string, digits: number): Intl.NumberFormat {
  const key = `${language} ${unit} ${digits}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    // The narrow form is English in Japanese too.
    unitDisplay: language === 'ja' ? 'short' : 'narrow',
    maximumFractionDigits: digits,
  });
  formats.set(key, made);
  return made;
}
