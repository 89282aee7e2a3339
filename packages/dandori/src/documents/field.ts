import * as z from 'zod';
import { oneOf } from '../model/text.ts';

/**
 * The leaf types of a configuration file. Each message says what is expected, with an example, so that the
 * reader need not look it up. The sentence continues after the key: `execution.max_steps must be …`.
 */
export function wholeNumber({ least = 1, example }: { least?: number; example: number }) {
  const error = `must be a whole number of ${least} or more, such as ${example}`;
  return z.number({ error }).int({ error }).min(least, { error });
}

export function numberBetween(least: number, most: number, example: number) {
  const error = `must be a number from ${least} to ${most}, such as ${example}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

export function price(example: number) {
  const error = `must be US$ per million tokens, such as ${example}`;
  return z.number({ error }).nonnegative({ error });
}

/** An amount of money. */
export function dollars({ example, zero = false }: { example: number; zero?: boolean }) {
  const error = `must be US dollars${zero ? '' : ', more than 0'}, such as ${example}`;
  return zero ? z.number({ error }).nonnegative({ error }) : z.number({ error }).positive({ error });
}

export function text(example: string) {
  const error = `must be text, such as ${example}`;
  return z.string({ error }).min(1, { error });
}

/** Text that may be empty. */
export function anyText(example: string) {
  return z.string({ error: `must be text, such as ${example}` });
}

export function toggle() {
  return z.boolean({ error: 'must be true or false' });
}

export function choice<const T extends string>(values: readonly T[]) {
  return z.enum(values, { error: `must be ${oneOf(values)}` });
}

export function httpUrl(example: string) {
  const error = `must be an http or https address, such as ${example}`;
  return z.string({ error }).refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), { error });
}

/**
 * Whether an address contains no user and password. They would be shown with the address, and fetch refuses
 * them.
 */
export function hasNoUser(url: string): boolean {
  return !URL.canParse(url) || new URL(url).username + new URL(url).password === '';
}

export function texts(example: string) {
  return z.record(z.string(), anyText(example), { error: `must be a group of keys, such as { ${example} }` });
}

export function list<T extends z.ZodType>(element: T, example: string) {
  return z.array(element, { error: `must be a list, such as ${example}` });
}

export function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'invalid_type'
        ? `must be a group of keys (${Object.keys(shape).join(', ')})`
        : undefined,
  });
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest delay of a JavaScript timer. A longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** A number is seconds. Text has units: `500ms`, `1h30m`. Undefined if it is neither. */
export function milliseconds(value: number | string): number | undefined {
  if (typeof value === 'number') return value * 1000;
  if (!DURATION.test(value)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of value.matchAll(/([\d.]+)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return sum;
}

/** A duration in the user's notation, parsed to milliseconds. */
export function duration({ example, zero = false }: { example: string; zero?: boolean }) {
  const error = `must be a number of seconds or a duration of at most 24 days, such as ${example}`;
  return z
    .union([z.number(), z.string().regex(DURATION, { error })], { error })
    .transform((value, context) => {
      const parsed = milliseconds(value);
      if (parsed !== undefined && (zero ? parsed >= 0 : parsed > 0) && parsed <= LONGEST) return parsed;
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    })
    .describe('A number of seconds, or a duration such as 500ms, 30s, 10m, 2h or 1d');
}
