import type { Every, Period } from '#dandori/history/statistics.ts';

export interface Label {
  /** Below the picture. */
  readonly short: string;
  /** Where there is room. */
  readonly long: string;
}

export function labelsOf(columns: readonly Period[], every: Every, language: string): Label[] {
  const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
  const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
  const both = new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  const whole = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  return columns.map(({ at }) =>
    every === 'hour'
      ? { short: clock.format(at), long: both.format(at) }
      : { short: day.format(at), long: whole.format(at) },
  );
}
