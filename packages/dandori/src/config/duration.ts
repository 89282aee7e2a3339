import * as z from 'zod';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest that a timer of JavaScript can wait; anything above would fire at once. */
const LONGEST = 2 ** 31 - 1;

const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** A number is seconds; text has units: `500ms`, `1h30m`. Undefined where it is neither. */
export function milliseconds(value: number | string): number | undefined {
  if (typeof value === 'number') return value * 1000;
  if (!DURATION.test(value)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of value.matchAll(/([\d.]+)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return sum;
}

/** A duration as a person writes it, parsed to milliseconds. */
export function duration({ example, zero = false }: { example: string; zero?: boolean }) {
  const error = `must be a number of seconds or a duration of at most 24 days, such as ${example}`;
  return z
    .union([z.number(), z.string().regex(DURATION, { error })], { error })
    .transform((value, context) => {
      const parsed = milliseconds(value);
      if (parsed !== undefined && (zero ? parsed >= 0 : parsed > 0) && parsed <= LONGEST) return parsed;
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    });
}
