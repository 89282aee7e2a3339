import { canonicalJson, type Json, type JsonObject } from './json.ts';

/**
 * Secrets in texts.
 *
 * State and journal never contain a secret. They contain a mark instead: `[secret:` with a keyed hash and
 * `]`. The mark is replaced by the secret only when a call is sent.
 *
 * X1  Only `seal` and `conceal` make marks. Text from outside that looks like a mark is escaped
 *     (`[secret::`). So no model, tool or person can write a mark, even if they know the hash.
 * X2  `open` returns exactly what was sealed.
 * X3  In an expression (JMESPath) a secret is one opaque text (`secrets/opaque`): it can be moved but not split.
 * X4  People and models see `[secret]`.
 */
export const REDACTED = '[secret]';

const BEGINNING = '[secret:';
const ESCAPED = '[secret::';
const HASH = '[0-9a-f]{32}';
const MARK = new RegExp(`\\[secret:(${HASH})\\]`, 'g');
const COPIED = new RegExp(`\\[secret::+${HASH}\\]`);
const PIECE_OF_MARK = new RegExp(`\\[secret:(?!:|${HASH}\\])[0-9a-f]*`, 'g');
/** Also matches the rest of a mark that was cut. */
const SHOWN_AS_SECRET = /\[secret:[0-9a-f]{1,32}\]?/g;

/** Removes secrets from a value that is only displayed. Returns the same object if there are none. */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0) return value;
  const pattern = alternatives([REDACTED, ...known]);
  return mapTexts(value, (text) =>
    known.some((secret) => text.includes(secret)) ? text.replace(pattern, REDACTED) : text,
  );
}

/** A sealed value as people and models see it. */
export function shown<T>(value: T): T {
  return mapTexts(value, shownText, BEGINNING.length);
}

function shownText(text: string): string {
  if (!text.includes(BEGINNING)) return text;
  return text.replace(SHOWN_AS_SECRET, REDACTED).replaceAll(ESCAPED, BEGINNING);
}

/** Replaces each mark in a sealed text. */
export function replaceMarks(text: string, by: (mark: string) => string): string {
  return text.includes(BEGINNING) ? text.replace(MARK, (mark) => by(mark)) : text;
}

/** Escapes the marks in a text that is not sealed (X1). */
export function escapeMarks(text: string): string {
  return replaceMarks(text, (mark) => `${ESCAPED}${mark.slice(BEGINNING.length)}`);
}

/** Whether a sealed value holds a secret. */
export function holdsMark(value: unknown): boolean {
  return someText(value, (text) => text.includes(BEGINNING) && text.search(MARK) !== -1, BEGINNING.length);
}

/** Whether a text of a plan contains the placeholder of a secret, or a mark that its author copied. */
export function looksRedacted(text: string): boolean {
  return text.includes(REDACTED) || (text.includes(ESCAPED) && COPIED.test(text));
}

/** Whether a value contains the placeholder of a secret, which is all that journals of version 0.1 have. */
export function holdsRedacted(value: unknown): boolean {
  return someText(value, (text) => text.includes(REDACTED), REDACTED.length);
}

/** Whether two texts are equal apart from the places where the first one has lost a secret. */
function isSameButSecrets(text: string, other: string): boolean {
  if (text === other) return true;
  const pieces = text.split(/\[secret\]|\[secret:[0-9a-f]{32}\]/);
  if (pieces.length === 1) return false;
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  let from = other.startsWith(first) ? first.length : -1;
  for (const piece of rest) {
    if (from === -1) return false;
    const at = other.indexOf(piece, from);
    from = at === -1 ? -1 : at + piece.length;
  }
  return from !== -1 && other.length - last.length >= from && other.endsWith(last);
}

/** For a recorded case: gives each secret a name that means nothing in another run. */
export function named<T>(value: T): T {
  return mapTexts(value, (text) =>
    text.includes(BEGINNING)
      ? text.replace(MARK, (_, hash: string) => `[secret ${hash.slice(0, 8)}]`).replaceAll(ESCAPED, BEGINNING)
      : text,
  );
}

/** Removes partial marks from a sealed text that was cut, because they cannot be restored. */
export function withoutPieces<T>(value: T): T {
  return mapTexts(value, (text) => (text.includes(BEGINNING) ? text.replace(PIECE_OF_MARK, REDACTED) : text));
}

/** For a program that reads words: turns each secret into one word, the same everywhere, and back. */
export interface SecretWords {
  hide<T>(value: T): T;
  back<T>(value: T): T;
}

export function createSecretWords(): SecretWords {
  const marks: string[] = [];
  const wordOf = (mark: string) => {
    const index = marks.indexOf(mark);
    return `Xqsecret${index === -1 ? marks.push(mark) : index + 1}qx`;
  };
  return {
    hide: (value) => mapTexts(value, (text) => replaceMarks(text, wordOf)),
    back: (value) =>
      marks.length === 0
        ? value
        : mapTexts(value, (text) =>
            text.replace(/Xqsecret(\d+)qx/g, (word, index) => marks[Number(index) - 1] ?? word),
          ),
  };
}

/** If a person left `[secret]` as they saw it, the original value is put back there. */
export function withHidden<T>(given: T, original: unknown): T {
  if (typeof given === 'string') {
    const isAsShown = typeof original === 'string' && given !== original && shown(given) === shown(original);
    return (isAsShown ? original : given) as T;
  }
  if (typeof given !== 'object' || given === null || typeof original !== 'object' || original === null)
    return given;
  const theirs = new Map(Object.entries(original).map(([key, item]) => [shown(key), { key, item }]));
  const entries = Object.entries(given).map(([key, item]) => {
    const known = theirs.get(key);
    return [known?.key ?? key, known === undefined ? item : withHidden(item, known.item)] as const;
  });
  return (Array.isArray(given) ? entries.map(([, item]) => item) : Object.fromEntries(entries)) as T;
}

export interface Sealing {
  /** For text from outside: escapes what looks like a mark, and replaces secrets by marks. */
  seal<T>(value: T): T;
  /** For text that the engine has joined from sealed texts. Joining may form a new secret. */
  conceal<T>(value: T): T;
  /** Restores a sealed value. Undefined if a secret in it is not known here. */
  open<T>(value: T): T | undefined;
}

/** `hashOf` is called only when a secret or a mark is found. */
export function createSealing(secrets: readonly string[], hashOf: (secret: string) => string): Sealing {
  const known = [...new Set(secrets)].filter((secret) => secret !== '');
  // Not `some`: a function for each text of a large result is more garbage than the result itself.
  const holdsSecret = (text: string) => {
    for (const secret of known) if (text.includes(secret)) return true;
    return false;
  };
  const sealed = alternatives([BEGINNING, ...known]);
  const concealed = new RegExp(`${MARK.source}|\\[secret::+|${alternatives(known).source}`, 'g');
  const marks = new Map<string, string>();
  const markOf = (secret: string) => {
    const mark = marks.get(secret) ?? `${BEGINNING}${hashOf(secret)}]`;
    marks.set(secret, mark);
    return mark;
  };
  let secretsByMark: Map<string, string> | undefined;
  const secretOf = (mark: string) => {
    secretsByMark ??= new Map(known.map((secret) => [markOf(secret), secret]));
    return secretsByMark.get(mark);
  };
  const shortest = Math.min(BEGINNING.length, ...known.map(({ length }) => length));
  return {
    seal: (value) =>
      mapTexts(
        value,
        (text) =>
          text.includes(BEGINNING) || holdsSecret(text)
            ? text.replace(sealed, (found) => (found === BEGINNING ? ESCAPED : markOf(found)))
            : text,
        shortest,
      ),
    conceal: (value) =>
      known.length === 0
        ? value
        : mapTexts(value, (text) =>
            holdsSecret(text)
              ? text.replace(concealed, (found) => (found.startsWith(BEGINNING) ? found : markOf(found)))
              : text,
          ),
    open(value) {
      let isKnown = true;
      const openedText = (text: string) => {
        if (!text.includes(BEGINNING)) return text;
        return text.replace(OPENED, (found) => {
          if (found === ESCAPED) return BEGINNING;
          const secret = secretOf(found);
          if (secret === undefined) isKnown = false;
          return secret ?? found;
        });
      };
      const opened = mapTexts(value, openedText, BEGINNING.length);
      return isKnown ? opened : undefined;
    },
  };
}

const OPENED = new RegExp(`\\[secret:${HASH}\\]|\\[secret::`, 'g');

/** Longest first: otherwise a secret that begins with another one would be removed only in part. */
function alternatives(texts: readonly string[]): RegExp {
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(literally).join('|'), 'g');
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Changes each text of a value, including field names. Returns the same object if no text changes. Texts shorter than
 * `shortest` never change, which saves looking at most field names.
 */
export function mapTexts<T>(value: T, change: (text: string) => string, shortest = 0): T {
  return mapped(value, change, shortest) as T;
}

/**
 * Copies nothing before the first change: most results contain no secret, and some are large. Not called for a number,
 * which is most of what some results have.
 */
function mapped(value: unknown, change: (text: string) => string, shortest: number): unknown {
  if (typeof value === 'string') return value.length < shortest ? value : change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let items: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      const other = typeof item === 'number' ? item : mapped(item, change, shortest);
      if (items === undefined && !Object.is(other, item)) items = value.slice(0, index);
      items?.push(other);
    }
    return items ?? value;
  }
  const fields = value as Record<string, unknown>;
  let entries: [string, unknown][] | undefined;
  let count = 0;
  for (const key in fields) {
    const name = key.length < shortest ? key : change(key);
    const field = fields[key];
    const item = typeof field === 'number' ? field : mapped(field, change, shortest);
    const isChanged = name !== key || !Object.is(item, field);
    if (entries === undefined && isChanged) entries = Object.entries(fields).slice(0, count);
    entries?.push([name, item]);
    count += 1;
  }
  return entries === undefined ? value : Object.fromEntries(entries);
}

function someText(value: unknown, test: (text: string) => boolean, shortest: number): boolean {
  if (typeof value === 'string') return value.length >= shortest && test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => someText(item, test, shortest));
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    const field = fields[key];
    if (key.length >= shortest && test(key)) return true;
    if (typeof field !== 'number' && someText(field, test, shortest)) return true;
  }
  return false;
}

/**
 * Whether a journaled value matches the derived one. `[secret]` in the journal matches any text: a secret
 * that was formed by joining texts was removed when the value was written.
 */
export function isSameButRedacted(written: unknown, derived: unknown): boolean {
  if (written === undefined || derived === undefined) return written === derived;
  const one = canonicalJson(written as Json);
  if (one === canonicalJson(derived as Json)) return true;
  return one.includes('[secret') && matches(written as Json, derived as Json);
}

function matches(written: Json, derived: Json): boolean {
  if (typeof written === 'string') return typeof derived === 'string' && isSameButSecrets(written, derived);
  if (typeof written !== 'object' || written === null) return written === derived;
  if (typeof derived !== 'object' || derived === null) return false;
  const [mine, theirs] = [Object.entries(written), Object.entries(derived)];
  return (
    Array.isArray(written) === Array.isArray(derived) &&
    mine.length === theirs.length &&
    mine.every(([key, value]) => matches(value, (derived as JsonObject)[key] ?? null))
  );
}
