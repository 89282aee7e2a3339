import type { Client } from 'dandori/client';
import { DandoriError } from '#dandori/model/error.ts';

/**
 * Bidirectional controls turn the direction of all text that follows, and an address with a zero-width character looks
 * like another one, so a call could read as another call. Goals, models and tools may write them. The page replaces them in every answer of the server and in the address, and puts
 * them back into whatever leaves the page: requests, copies and files.
 *
 * B1  No shown text has such a control.
 * B2  `toRaw(toShown(value))` equals `value`.
 */
const CONTROLS = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff';
/** What the reader sees. An invisible variation selector behind it says which control it stands for. */
const SIGN = '\ufffd';
const FIRST_SELECTOR = 0xfe00;
/** A sign that was there already and is followed by a selector gets this selector in between. */
const KEPT = String.fromCharCode(FIRST_SELECTOR + CONTROLS.length);

const TO_HIDE = /[\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]|\ufffd(?=[\ufe00-\ufe0c])/g;
const TO_RESTORE = /\ufffd([\ufe00-\ufe0c])/g;

/** The same value with every control replaced, in keys too. A value without any is returned as it is. */
export function toShown<T>(value: T): T {
  return mapTexts(value, (text) =>
    text.replaceAll(TO_HIDE, (found) => {
      const control = CONTROLS.indexOf(found);
      return SIGN + (control < 0 ? KEPT : String.fromCharCode(FIRST_SELECTOR + control));
    }),
  );
}

/** The value as it was written, for what leaves the page. */
export function toRaw<T>(value: T): T {
  return mapTexts(value, (text) =>
    text.replaceAll(TO_RESTORE, (_, selector: string) =>
      selector === KEPT ? SIGN : (CONTROLS[selector.charCodeAt(0) - FIRST_SELECTOR] ?? SIGN),
    ),
  );
}

/** Only JSON is walked through: a function or a signal stays as it is. */
function mapTexts<T>(value: T, map: (text: string) => string): T {
  return mapped(value, map) as T;
}

function mapped(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapped(item, map));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [map(key), mapped(item, map)] as const);
  const isSame = after.every(
    ([key, item], index) => key === before[index]?.[0] && item === before[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(after);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The one door between the page and the server. */
export function createShownClient(client: Client): Client {
  return wrapped(client);
}

function wrapped<T extends object>(api: T): T {
  const members = Object.entries(api).map(([name, member]) => [
    name,
    typeof member === 'function'
      ? (...given: unknown[]) => arriving(member(...toRaw(given)))
      : isPlainObject(member)
        ? wrapped(member)
        : member,
  ]);
  return Object.fromEntries(members);
}

function arriving(result: unknown): unknown {
  if (result instanceof Promise) return result.then(toShown, refuse);
  return isStream(result) ? arrivals(result) : toShown(result);
}

function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

async function* arrivals(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    for await (const news of stream) yield toShown(news);
  } catch (error) {
    refuse(error);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof DandoriError)) throw error;
  const { code, message, fix, diagnostics } = error;
  throw new DandoriError(code, toShown(message), {
    ...(fix !== undefined && { fix: toShown(fix) }),
    ...(diagnostics !== undefined && { diagnostics: toShown(diagnostics) }),
  });
}
