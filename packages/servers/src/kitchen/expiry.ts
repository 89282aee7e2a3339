const DAY_MS = 86_400_000;

/** The local date this many days from today. Food expires by the local calendar, not by UTC. */
export function dateAfter(days: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + days))
    .toISOString()
    .slice(0, 10);
}

/** Days until the date; 0 on the day itself, negative once it has passed. */
export function daysUntil(date: string): number {
  return Math.round((Date.parse(date) - Date.parse(dateAfter(0))) / DAY_MS);
}

export function isCalendarDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
