import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { conflict, type Entry, type Form } from '../journal.ts';
import { orUnreadable, unreadable, unwritable } from './disk.ts';
import { damaged, goesOn, hasLostNewline, isBeginning, type Place, parseLine, toAppendLine } from './line.ts';
import { syncData } from './sync.ts';
import { createWriteLock, type WriteLock } from './write-lock.ts';

const NEWLINE = 0x0a;

/**
 * The open file of one run. It remembers how far it has read, so that the next read costs only what is new.
 *
 * R1  Appends are made under a lock between processes, after checking that the file is still what was read. A driver
 *     keeps the lock for a few milliseconds, because its next append comes soon, and gives it up when asked.
 * R2  Appends that arrive during a sync are written together and share the next sync (group commit).
 * R3  A failed write or sync closes the file for good. What the disk holds is then unknown, and a second sync
 *     might report success for data that the first one lost. The failed append is cut off again, so that no
 *     reader relies on events that are only in memory. No call has been made because of them.
 * R4  A torn tail is cut only here, under the lock, right before the next append. A tail that lacks only its
 *     newline may have been acknowledged: that is damage, and it is not cut. A tail that is not the beginning
 *     of the next line is not cut either, because its origin is unknown.
 * R5  An append is one line, and counts when that line is whole. An older append may have several: it counts when its
 *     last line is there. If a crash cut it short, its whole lines belong to the torn tail.
 */
export interface RunFile<E extends Entry> {
  append(after: number, events: readonly E[]): Promise<void>;
  read(after: number): E[];
  /** Resolves when everything that was read is on the disk, also if its writer died before its own sync. */
  sync(): Promise<void>;
  /** Deletes the file if the last event has seq `after`. */
  remove(after: number): Promise<void>;
  /** The seq of the last event; undefined if another writer has appended since. */
  last(): number | undefined;
  /** How far the file has been read or written. */
  readonly position: Position;
  /** Bytes after the last whole append: a torn tail, or a write in progress. */
  readonly torn: number;
  /** Waits for the write in progress. A closed file descriptor may be reused for another file at once. */
  close(): Promise<void>;
}

/** The end of a line, and the line and seq there. */
export interface Position {
  readonly bytes: number;
  readonly seq: number;
  readonly line: number;
}

const BEGINNING: Position = { bytes: 0, seq: 0, line: 1 };

interface Waiting {
  readonly after: number;
  readonly events: readonly Entry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Opening<E extends Entry> {
  readonly run: string;
  readonly form: Form<E, unknown>;
  readonly isReadOnly?: boolean;
  readonly identityFile?: string;
  /** Everything before this position is known to be intact and is not read. */
  readonly from?: Position;
}

class OpenRunFile<E extends Entry> implements RunFile<E> {
  readonly #path: string;
  readonly #run: string;
  readonly #form: Form<E, unknown>;
  readonly #fd: number;
  readonly #from: Position;
  readonly #lock: WriteLock;
  #position: Position;
  /** Where known appends end, so that a reader that is slightly behind need not read the whole file. */
  readonly #ends: Position[];
  #torn = 0;
  /** Where the write in progress begins. Everything before it is kept. */
  #written: number;
  #broken: unknown;
  #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  /** Whether others have written what was read since the last sync. */
  #isForeign = false;
  #synced: Promise<unknown> = Promise.resolve();

  constructor(path: string, { run, form, isReadOnly = false, identityFile, from = BEGINNING }: Opening<E>) {
    this.#fd = openSync(path, isReadOnly ? constants.O_RDONLY : constants.O_RDWR);
    this.#path = path;
    this.#run = run;
    this.#form = form;
    this.#from = from;
    this.#position = from;
    this.#ends = [from];
    this.#written = from.bytes;
    this.#lock = createWriteLock(`${path}.lock`, identityFile);
  }

  get position(): Position {
    return this.#position;
  }

  get torn(): number {
    return this.#torn;
  }

  append(after: number, events: readonly E[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ after, events, resolve, reject: (error) => reject(asRefusal(this.#path, error)) });
      this.#flushing ??= this.#flush();
    });
  }

  read(after: number): E[] {
    const from = this.#from;
    const events: E[] = [];
    const collect = (event: E) => {
      if (event.seq > after) events.push(event);
    };
    if (after < from.seq) this.#eachLine(BEGINNING, from.bytes, (line) => line.forEach(collect));
    if (after < this.#position.seq) {
      const start = this.#ends.findLast(({ seq }) => seq <= after) ?? from;
      this.#eachLine(start, this.#position.bytes, (line) => line.forEach(collect));
    }
    this.#catchUp(collect);
    return events;
  }

  sync(): Promise<void> {
    if (this.#isForeign) {
      this.#isForeign = false;
      const synced = syncData(this.#fd).catch((error) => unwritable(this.#path, error));
      this.#synced = Promise.all([this.#synced, synced]);
    }
    return this.#synced.then(() => {});
  }

  async remove(after: number): Promise<void> {
    await this.#lock.take();
    try {
      this.#catchUp(() => {}, { isLocked: true });
      if (this.#position.seq !== after) conflict(this.#name, after, this.#position.seq);
      unlinkSync(this.#path);
    } finally {
      this.#lock.giveUp();
    }
  }

  last(): number | undefined {
    // Most calls come because of an append of our own. No other process can append while we hold the lock.
    if (this.#lock.isHeld()) return this.#position.seq;
    try {
      return fstatSync(this.#fd).size === this.#position.bytes ? this.#position.seq : undefined;
    } catch {
      // The next read reports the reason.
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#synced.catch(() => {});
    this.#lock.giveUp();
    closeSync(this.#fd);
  }

  get #name(): string {
    return `${this.#form.owner} ${this.#run}`;
  }

  /** Reads what is new. Only whole appends count; the rest is a torn tail or a write in progress. */
  #catchUp(
    collect: (event: E) => void,
    { isLocked = false, size = fstatSync(this.#fd).size }: { isLocked?: boolean; size?: number } = {},
  ): void {
    const known = this.#position;
    if (size < known.bytes) {
      const place = { file: this.#path, line: known.line, offset: size };
      damaged(place, `the file ends there, and ${known.bytes} bytes of it were read before`);
    }
    this.#torn = 0;
    if (size === known.bytes) return;
    this.#isForeign = true;
    let begun: E[] = [];
    let reached = known;
    const tail = this.#eachLine(known, size, (events, end, isLast) => {
      for (const event of events) begun.push(event);
      reached = end;
      if (!isLast) return;
      begun.forEach(collect);
      begun = [];
      this.#reach(end);
    });
    this.#torn = reached.bytes - this.#position.bytes + tail.length;
    const place = { file: this.#path, line: reached.line, offset: reached.bytes };
    // Without the lock, a missing newline may still be written by another process. A changed newline is
    // always damage.
    if (hasLostNewline(tail.subarray(0, -1), this.#run) || (isLocked && hasLostNewline(tail, this.#run)))
      lostNewline(place);
    const next = reached.seq + 1;
    if (isLocked && !isBeginning(tail, { [this.#form.owner]: this.#run, seq: next })) garbage(place, next);
  }

  #reach(end: Position): void {
    this.#position = end;
    this.#ends.push(end);
  }

  /** Calls back for each whole line: where it ends, and whether its append ends there. Returns the bytes behind. */
  #eachLine(
    from: Position,
    until: number,
    visit: (events: readonly E[], end: Position, isLast: boolean) => void,
  ): Buffer {
    const buffer = Buffer.allocUnsafe(until - from.bytes);
    const length = orUnreadable(this.#path, () => readFully(this.#fd, buffer, from.bytes));
    let start = 0;
    for (let at = from; ; ) {
      const newline = buffer.indexOf(NEWLINE, start);
      if (newline === -1 || newline >= length) return buffer.subarray(start, length);
      const place: Place = {
        file: this.#path,
        run: this.#run,
        line: at.line,
        offset: at.bytes,
        seq: at.seq + 1,
      };
      const line = buffer.subarray(start, newline);
      const events = parseLine<E>(line, place, this.#form);
      start = newline + 1;
      at = { bytes: from.bytes + start, seq: at.seq + events.length, line: at.line + 1 };
      visit(events, at, !goesOn(line));
    }
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const waiting = this.#queue;
      this.#queue = [];
      await this.#commit(waiting);
    }
    this.#flushing = undefined;
  }

  async #commit(waiting: readonly Waiting[]): Promise<void> {
    const accepted: Waiting[] = [];
    try {
      if (this.#broken !== undefined) throw this.#broken;
      await this.#lock.take();
      try {
        this.#write(waiting, accepted);
        if (accepted.length > 0) await syncData(this.#fd);
        this.#lock.giveUpSoon();
      } catch (error) {
        if (accepted.length > 0) this.#cutOff(this.#written);
        throw error;
      }
    } catch (error) {
      this.#lock.giveUp();
      this.#broken = error;
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { resolve } of accepted) resolve();
  }

  /** Works only if the disk accepts changes. Otherwise a torn tail or a call in doubt remains. */
  #cutOff(from: number): void {
    try {
      ftruncateSync(this.#fd, from);
      fsyncSync(this.#fd);
    } catch {
      // The caller is told of the first failure, not of this one.
    }
  }

  #write(waiting: readonly Waiting[], accepted: Waiting[]): void {
    const { nlink, size } = fstatSync(this.#fd);
    // The file may have been deleted while this waited for the lock. A write to it would be lost.
    if (nlink === 0) this.#form.notFound(this.#run);
    this.#catchUp(() => {}, { isLocked: true, size });
    const { bytes, line, seq: last } = this.#position;
    if (this.#torn > 0) ftruncateSync(this.#fd, bytes);
    // Set before anything else can fail: an append that cannot be serialised must not remove others.
    this.#written = bytes;
    let seq = last;
    for (const one of waiting) {
      if (one.after !== seq) {
        one.reject(conflictError(this.#name, one.after, seq));
        continue;
      }
      accepted.push(one);
      seq += one.events.length;
    }
    if (accepted.length === 0) return;
    let text = '';
    for (const { events } of accepted) text += toAppendLine(events);
    const data = Buffer.from(text);
    writeFully(this.#fd, data, bytes);
    this.#reach({ bytes: bytes + data.length, seq, line: line + linesIn(data) });
  }
}

function lostNewline(place: Pick<Place, 'file' | 'line' | 'offset'>): never {
  const fix = 'The event itself is complete: add a newline right after its last }.';
  return damaged(place, 'its newline at the end is missing', fix);
}

function garbage(place: Pick<Place, 'file' | 'line' | 'offset'>, seq: number): never {
  const fix = 'Look at it; `dandori doctor --repair` asks, then removes it.';
  return damaged(place, `data follows the last event, and it is not the beginning of event ${seq}`, fix);
}

function readFully(fd: number, buffer: Buffer, from: number): number {
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(fd, buffer, length, buffer.length - length, from + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

/** A full disk may write only a part, and report that only by the count. */
function writeFully(fd: number, data: Buffer, at: number): void {
  let written = 0;
  while (written < data.length) written += writeSync(fd, data, written, data.length - written, at + written);
}

function linesIn(data: Buffer): number {
  let count = 0;
  for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, end + 1)) count++;
  return count;
}

function conflictError(name: string, after: number, seq: number): unknown {
  try {
    return conflict(name, after, seq);
  } catch (error) {
    return error;
  }
}

function asRefusal(path: string, error: unknown): unknown {
  try {
    return unwritable(path, error);
  } catch (refusal) {
    return refusal;
  }
}

export function openOrNotFound<E extends Entry>(path: string, opening: Opening<E>): RunFile<E> {
  try {
    return new OpenRunFile(path, opening);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return opening.form.notFound(opening.run);
    return opening.isReadOnly ? unreadable(path, error) : unwritable(path, error);
  }
}
