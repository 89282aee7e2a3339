import { useNow } from '../live/now.tsx';
import { useLanguage } from '../shell/language.tsx';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** "3 minutes ago" needs no more precision. */
const EXACT_TO_MS = 10_000;
/** Older times are shown as a date. */
const LONG_AGO = 7 * 86_400_000;

/** A relative time, with the exact time as its title. */
export function Time({ at, className }: { readonly at: number; readonly className?: string }) {
  const { language } = useLanguage();
  const now = useNow({ every: EXACT_TO_MS });
  const date = new Date(at);
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(language)}
      className={`whitespace-nowrap ${className ?? ''}`}
    >
      {ago(at, now, language)}
    </time>
  );
}

export function ago(at: number, now: number, language: string): string {
  const past = now - at;
  if (past > LONG_AGO) return new Date(at).toLocaleDateString(language, { dateStyle: 'medium' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  // Less than a minute is "now".
  const [unit, ms] =
    UNITS.find(([, length]) => past >= length) ?? (['second', Number.POSITIVE_INFINITY] as const);
  return relative.format(-Math.trunc(past / ms), unit);
}

/** A time to the second, with the date unless it is today. */
export function ClockTime({ at }: { readonly at: number }) {
  const { language } = useLanguage();
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const style = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false } as const;
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(language)}
      className="whitespace-nowrap tabular-nums"
    >
      {isToday
        ? date.toLocaleTimeString(language, style)
        : date.toLocaleString(language, { month: 'short', day: 'numeric', ...style })}
    </time>
  );
}
