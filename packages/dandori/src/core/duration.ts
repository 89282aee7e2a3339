const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The two largest units. The whole is rounded to the smaller one first, or there would be minutes of 60 s. */
export function duration(ms: number): string {
  if (Math.round(ms) < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE - 50) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = rounded(ms, SECOND);
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${(seconds % MINUTE) / SECOND} s`;
  const minutes = rounded(ms, MINUTE);
  if (minutes < DAY) return `${Math.floor(minutes / HOUR)} h ${(minutes % HOUR) / MINUTE} min`;
  const hours = rounded(ms, HOUR);
  return `${Math.floor(hours / DAY)} d ${(hours % DAY) / HOUR} h`;
}

function rounded(ms: number, unit: number): number {
  return Math.round(ms / unit) * unit;
}
