import { crc32 } from 'node:zlib';
import type * as z from 'zod';
import { DandoriError, messageOf } from '../../model/error.ts';
import { EVENT_VERSION, type Event } from '../../model/event.ts';
import { isObject, parseJson, stringifyJson } from '../../model/json.ts';
import type { Entry, Form } from '../journal.ts';
import { restore, shorten } from './short-events.ts';

const BEFORE_CHECKSUM = ',"crc":"';
/** The last member before the checksum, on every line of an append except its last. */
const GOES_ON = ',"more":true';
/**
 * The same in a database, for an append that is one line in a file. The mark says whether that line has its events in
 * full or short, so that a copy to a file has the same bytes again.
 */
const WAS_FULL = ',"more":1';
const WAS_SHORT = ',"more":2';
const MARKS = [GOES_ON, WAS_FULL, WAS_SHORT];
const BEHIND_CHECKSUM = '"}';
const CLOSING = 0x7d;
const DIGITS = 8;
const ENDING = BEFORE_CHECKSUM.length + DIGITS + BEHIND_CHECKSUM.length;
/** The hex digits of each byte. `toString(16)` takes longer than computing the checksum. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The version of the events of a run whose lines do not name one. It stays the same for ever. */
const UNNAMED_VERSION = 2;
const SHORT = '{"seq":';
const SEVERAL = /^\{"seq":\d+,"at":[^,"]+,"events":/;

/**
 * The event as JSON, with the checksum (CRC-32) of the text before it as an extra last member. So a flipped
 * bit is noticed wherever it is.
 *
 * The first line of a run names version and run. The other lines leave both out. Their checksum starts from that of
 * the run's name, so a line of another run is noticed.
 */
export function toLine(event: Entry): string {
  return close(event, '');
}

/**
 * One append as one line: `{"seq", "at", "events": [{TYPE: data}, …], "crc"}`. A line is whole or torn, so an
 * incomplete append does not count. `seq` and `at` are those of the first event. `short-events.ts` says what
 * an event leaves out. An append of a single event is a line of that event.
 */
export function toAppendLine(events: readonly Entry[]): string {
  return joined(
    events,
    (event, before) => shorten(event as Event, before as Event | undefined) ?? inFull(event, events),
  );
}

/** The same with events in full, as lines had them at first: `{"type", "data"}`. */
export function toFullAppendLine(events: readonly Entry[]): string {
  return joined(events, (event) => inFull(event, events));
}

function inFull(event: Entry, [first]: readonly Entry[]): object {
  const { at, type, data } = event as Unnamed;
  return at === first?.at ? { type, data } : { at, type, data };
}

function joined(
  events: readonly Entry[],
  memberOf: (event: Entry, before: Entry | undefined) => object,
): string {
  const [first] = events;
  if (first === undefined || events.length === 1 || !events.every(isUnnamed)) return toLines(events);
  const { seq, at, run } = first as Unnamed;
  const members = events.map((event, index) => memberOf(event, events[index - 1]));
  const body = stringifyJson({ seq, at, events: members }).slice(0, -1);
  return `${body}${ending(crc32(body, crc32(run)))}`;
}

/** An event whose line leaves out version and run. */
interface Unnamed extends Entry {
  readonly v: number;
  readonly run: string;
  readonly data: unknown;
}

function isUnnamed(event: Entry): boolean {
  const { v, run, seq } = event as Unnamed;
  return v === UNNAMED_VERSION && run !== undefined && seq > 1;
}

/**
 * One append as a line per event. Each line except the last is marked, so that an incomplete append does not count. A
 * database has a row per event. Older files have such lines, and conversations still do.
 */
export function toLines(events: readonly Entry[], mark = GOES_ON): string {
  let text = '';
  // Concatenated one by one: joining a list would double the time.
  for (const event of events) {
    text += close(event, event === events.at(-1) ? '' : mark);
  }
  return text;
}

function close(event: Entry, mark: string): string {
  const text = stringifyJson(event);
  const { run } = event as { readonly run?: string };
  const named = `{"v":${UNNAMED_VERSION},"run":"${run}",`;
  const isShort = event.seq > 1 && text.startsWith(named);
  const body = `${isShort ? `{${text.slice(named.length, -1)}` : text.slice(0, -1)}${mark}`;
  const checksum = isShort && run !== undefined ? crc32(body, crc32(run)) : crc32(body);
  return `${body}${ending(checksum)}`;
}

function ending(checksum: number): string {
  return `${BEFORE_CHECKSUM}${toHex(checksum)}${BEHIND_CHECKSUM}\n`;
}

function toHex(checksum: number): string {
  const high = `${HEX[checksum >>> 24]}${HEX[(checksum >>> 16) & 0xff]}`;
  return `${high}${HEX[(checksum >>> 8) & 0xff]}${HEX[checksum & 0xff]}`;
}

/** Whether these bytes, without a newline, are a line of this run as it was written. */
function isIntact(bytes: Buffer, run: string): boolean {
  const end = bytes.length - ENDING;
  const digits = end + BEFORE_CHECKSUM.length;
  return (
    end > 0 &&
    isAt(bytes, end, BEFORE_CHECKSUM) &&
    isAt(bytes, digits + DIGITS, BEHIND_CHECKSUM) &&
    isChecksumAt(bytes, digits, crc32(bytes.subarray(0, end), isAt(bytes, 0, SHORT) ? crc32(run) : 0))
  );
}

/** Whether this line may be the end of an acknowledged append whose newline got lost. */
export function hasLostNewline(bytes: Buffer, run: string): boolean {
  return isIntact(bytes, run) && !goesOn(bytes);
}

/** Whether these bytes without a newline can be the part of the next line that a crash left. */
export function isBeginning(
  bytes: Buffer,
  next: { readonly [owner: string]: string | number; readonly seq: number },
): boolean {
  // After a crash a file may already have its new length but not yet its new content: the rest is zeros.
  const written = bytes.toString('latin1').replace(/\0+$/, '');
  const named = [1, EVENT_VERSION].map((v) => ({ v, ...next }));
  return [...named, { seq: next.seq }].some((members) => {
    const beginning = stringifyJson(members).replace(/\}$/, ',');
    const length = Math.min(written.length, beginning.length);
    return written.slice(0, length) === beginning.slice(0, length);
  });
}

/** Whether another line of the same append follows. Data ends with a bracket, so it cannot fake the mark. */
export function goesOn(bytes: Buffer): boolean {
  const end = bytes.length - ENDING;
  return MARKS.some((mark) => isAt(bytes, end - mark.length, mark));
}

function isAt(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Compares digit by digit, to avoid creating a string for each line. */
function isChecksumAt(bytes: Buffer, start: number, checksum: number): boolean {
  for (let index = 0; index < DIGITS; index++) {
    const digit = (checksum >>> (4 * (DIGITS - 1 - index))) & 0xf;
    if (bytes[start + index] !== '0123456789abcdef'.charCodeAt(digit)) return false;
  }
  return true;
}

/** What is wrong with a line, without its position. */
export class DamagedLine extends DandoriError {
  readonly reason: string;

  constructor(message: string, reason: string, details: { fix: string }) {
    super('journal-damaged', message, details);
    this.reason = reason;
  }
}

/** The position of a line, so that an error can name it. */
export interface Place {
  readonly file: string;
  readonly run: string;
  readonly line: number;
  readonly offset: number;
  /** The expected seq; undefined if the reader began in the middle. */
  readonly seq: number | undefined;
}

/**
 * Parses the events of a line. It writes the closing bracket into the given bytes, over the start of the
 * checksum. Appending the bracket to a string per line would make reading a tenth slower.
 */
export function parseLine<E extends Entry>(bytes: Buffer, place: Place, form: LineForm<E>): E[] {
  if (!isIntact(bytes, place.run)) damaged(place, 'its checksum does not match');
  const end = bytes.length - ENDING;
  bytes[end] = CLOSING;
  const read = readJson(bytes.toString('utf8', 0, end + 1), place);
  const isShort = form.owner === 'run' && isAt(bytes, 0, SHORT);
  const values = isShort ? membersOf(read as object, place) : [read];
  const events = values.map((value) => readEvent<E>(value, place, form));
  if (place.seq === undefined) return events;
  for (const [index, { seq }] of events.entries())
    if (seq !== place.seq + index) damaged(place, `it has seq ${seq} where ${place.seq + index} must come`);
  // Readers fold a journal from its beginning, so the first event must be the right one.
  const type = events[0]?.type;
  if (place.seq === 1 && type !== form.beginning)
    damaged(place, `it must be ${form.beginning}, and is ${type}`);
  return events;
}

/** Parses a line of which it is known that it has one event. */
export function parseEvent<E extends Entry>(bytes: Buffer, place: Place, form: LineForm<E>): E {
  const [event, ...more] = parseLine(bytes, place, form);
  return event !== undefined && more.length === 0 ? event : notKnown(place, 'events: several');
}

/** The events of a line that leaves out version and run. In a line of several, `seq` counts on from the first. */
function membersOf(
  read: object,
  { run, ...place }: Pick<Place, 'file' | 'line' | 'offset' | 'run'>,
): Entry[] {
  const { events = [read], seq, at } = read as Entry & { readonly events?: readonly object[] };
  if (!Array.isArray(events) || events.length === 0) notKnown(place, 'events: none');
  const members: Entry[] = [];
  for (const [index, event] of events.entries()) {
    const envelope = { v: UNNAMED_VERSION, run, seq: seq + index, at } as const;
    const before = members[index - 1] as Event | undefined;
    const member = isInFull(event) ? { ...envelope, ...event } : restore(event, { ...envelope, before });
    members.push(member ?? notKnown(place, `events: ${index}`));
  }
  return members;
}

function isInFull(event: unknown): event is Entry {
  return isObject(event) && 'type' in event && isObject(event.data);
}

/** A line of several events as a line per event, for a database. Lines have no newline here, and must be intact. */
export function splitLine(line: string, run: string): string[] {
  if (!SEVERAL.test(line)) return [line];
  const place = noPlace(run);
  const read = readJson(line, place) as { readonly events: readonly unknown[] };
  const mark = read.events.every(isInFull) ? WAS_FULL : WAS_SHORT;
  return toLines(membersOf(read, place), mark).trimEnd().split('\n');
}

/** The text of a file with these lines: those of `splitLine` are one line again. */
export function joinLines(lines: readonly string[], run: string): string {
  let text = '';
  let parts: string[] = [];
  let write = toFullAppendLine;
  for (const line of lines) {
    parts.push(line);
    const body = line.slice(0, -ENDING);
    if (body.endsWith(WAS_FULL) || body.endsWith(WAS_SHORT)) {
      write = body.endsWith(WAS_FULL) ? toFullAppendLine : toAppendLine;
      continue;
    }
    text += parts.length === 1 ? `${line}\n` : write(parts.flatMap((part) => entriesOf(part, run)));
    parts = [];
  }
  return text;
}

function entriesOf(line: string, run: string): Entry[] {
  const place = noPlace(run);
  return membersOf(readJson(line, place) as object, place);
}

function noPlace(run: string): Place {
  return { file: run, run, line: 0, offset: 0, seq: undefined };
}

function readEvent<E extends Entry>(value: unknown, place: Place, form: LineForm<E>): E {
  const envelope = readWith(form.envelope, value);
  if (!envelope.success)
    damaged(place, `it is not an event of a known version (${firstIssue(envelope.error)})`);
  const fact = readWith(form.fact, value);
  if (!fact.success) notKnown(place, firstIssue(fact.error));
  const owner = envelope.data[form.owner];
  if (owner !== place.run) damaged(place, `it belongs to the ${form.owner} ${String(owner)}`);
  return { ...envelope.data, ...fact.data } as Entry as E;
}

function notKnown(place: Pick<Place, 'file' | 'line' | 'offset'>, issue: string): never {
  return damaged(place, `it is not a known event (${issue})`);
}

export type LineForm<E extends Entry> = Pick<Form<E, unknown>, 'envelope' | 'fact' | 'owner' | 'beginning'>;

/**
 * A numeric field of ours may hold an integer beyond 2^53: an endless time limit, or a value that a server reports.
 * Such a field is read as a number, unlike an integer in the user's data.
 */
function readWith<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const read = schema.safeParse(value);
  if (read.success || !read.error.issues.every((issue) => becomesNumber(issue, value))) return read;
  return schema.safeParse(value);
}

function becomesNumber({ code, path }: z.core.$ZodIssue, value: unknown): boolean {
  const holder = path.slice(0, -1).reduce((here, key) => (here as never)?.[key], value);
  const key = path.at(-1);
  if (code !== 'invalid_type' || key === undefined || typeof (holder as never)?.[key] !== 'bigint')
    return false;
  (holder as Record<PropertyKey, unknown>)[key] = Number((holder as never)[key]);
  return true;
}

function readJson(text: string, place: Place): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return damaged(place, `it is not JSON (${messageOf(error)})`);
  }
}

function firstIssue(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  return issue === undefined ? 'unknown form' : `${issue.path.join('.')}: ${issue.message}`;
}

export function damaged(
  { file, line, offset }: Pick<Place, 'file' | 'line' | 'offset'>,
  reason: string,
  fix = 'Restore the file from a backup; `dandori doctor` checks all files.',
): never {
  throw new DamagedLine(`${file}: line ${line} (byte ${offset}) is damaged: ${reason}.`, reason, {
    fix: `${fix} Nothing was changed, and other runs are not affected.`,
  });
}
