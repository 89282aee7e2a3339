const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** As `1 min 5 sec`: the largest unit and the next, and milliseconds below a second. */
export function duration(ms: number, language: string): string {
  const as = (value: number, unit: string, digits = 0) =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: digits,
    }).format(value);
  if (ms < 1_000) return as(Math.round(ms), 'millisecond');
  if (ms < 60_000) return as(ms / 1_000, 'second', 1);
  const index = UNITS.findIndex(([, length]) => ms >= length);
  const [unit, length] = UNITS[index] ?? UNITS[3];
  const [next, smaller] = UNITS[index + 1] ?? UNITS[3];
  const rest = Math.floor((ms % length) / smaller);
  return [as(Math.floor(ms / length), unit), ...(rest > 0 ? [as(rest, next)] : [])].join(' ');
}
