import { closeSync, constants, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Event } from '../../domain/event.ts';
import { tryLock } from './file-lock.ts';
import { type Place, parseLine, toLine } from './line.ts';
import { conflict, runNotFound } from './refusal.ts';
import { unwritable } from './unwritable.ts';

const dataSync = promisify(fdatasync);
const NEWLINE = 0x0a;

/**
 * One run's file, open. It remembers how far it has read, so that reading on costs only what is new.
 *
 * R1  Appends are made under a lock among processes, after a look at whether the file is still what was read.
 * R2  What waits while a sync is under way is written together and shares the next sync (group commit).
 * R3  A failed write or sync closes the file for good: what the disk then holds is unknown, and a second sync might
 *     say yes to data that the first one lost. The caller reads the run again.
 * R4  A torn tail is cut only here, under the lock, right before the next append.
 */
export interface RunFile {
  append(after: number, events: readonly Event[]): Promise<void>;
  read(after: number): Event[];
  /** Whether anybody else has written since this file was last read or written here. */
  hasGrown(): boolean;
  close(): void;
}

interface Waiting {
  readonly after: number;
  readonly events: readonly Event[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function openRunFile(path: string, run: string, identityFile?: string): RunFile {
  const fd = openSync(path, constants.O_RDWR, 0o600);
  const position = { bytes: 0, seq: 0, line: 1 };
  let torn = false;
  let broken: unknown;
  let queue: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  /** Reads what is new. Only whole lines count; the rest is a torn tail or a write that is still under way. */
  function catchUp(collect: (event: Event) => void): void {
    const size = fstatSync(fd).size;
    torn = false;
    if (size <= position.bytes) return;
    const buffer = Buffer.allocUnsafe(size - position.bytes);
    const length = readFully(fd, buffer, position.bytes);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE, start); end !== -1 && end < length; end = buffer.indexOf(NEWLINE, start)) {
      const place: Place = { file: path, run, line: position.line, offset: position.bytes, seq: position.seq + 1 };
      collect(parseLine(buffer.toString('utf8', start, end), place));
      position.bytes += end + 1 - start;
      position.line++;
      position.seq++;
      start = end + 1;
    }
    torn = start < length;
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      const waiting = queue;
      queue = [];
      await commit(waiting);
    }
    flushing = undefined;
  }

  async function commit(waiting: readonly Waiting[]): Promise<void> {
    const accepted: Waiting[] = [];
    try {
      if (broken !== undefined) throw broken;
      const { unlock } = await lock(`${path}.lock`, identityFile);
      try {
        write(waiting, accepted);
        if (accepted.length > 0) await dataSync(fd);
      } finally {
        unlock();
      }
    } catch (error) {
      broken = error;
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { resolve } of accepted) resolve();
  }

  function write(waiting: readonly Waiting[], accepted: Waiting[]): void {
    catchUp(() => {});
    if (torn) ftruncateSync(fd, position.bytes);
    let { seq } = position;
    for (const one of waiting) {
      if (one.after !== seq) {
        one.reject(conflictError(run, one.after, seq));
        continue;
      }
      accepted.push(one);
      seq += one.events.length;
    }
    if (accepted.length === 0) return;
    const data = Buffer.from(accepted.flatMap(({ events }) => events.map(toLine)).join(''));
    writeFully(fd, data, position.bytes);
    position.bytes += data.length;
    position.line += seq - position.seq;
    position.seq = seq;
  }

  return {
    append(after, events) {
      return new Promise((resolve, reject) => {
        queue.push({ after, events, resolve, reject: (error) => reject(asRefusal(path, error)) });
        flushing ??= flush();
      });
    },
    read(after) {
      const events: Event[] = [];
      if (after < position.seq) Object.assign(position, { bytes: 0, seq: 0, line: 1 });
      catchUp((event) => {
        if (event.seq > after) events.push(event);
      });
      return events;
    },
    hasGrown: () => fstatSync(fd).size !== position.bytes,
    close: () => closeSync(fd),
  };
}

/** Held for the time of one write, so a short pause is enough for the other to be done. */
async function lock(path: string, identityFile: string | undefined): Promise<{ unlock: () => void }> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    const attempt = tryLock(path, identityFile);
    if ('unlock' in attempt) return attempt;
    await sleep(pause);
  }
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

/** A full disk may take a part and say so only by the count. */
function writeFully(fd: number, data: Buffer, at: number): void {
  let written = 0;
  while (written < data.length) written += writeSync(fd, data, written, data.length - written, at + written);
}

function conflictError(run: string, after: number, seq: number): unknown {
  try {
    return conflict(run, after, seq);
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

export function openOrNotFound(path: string, run: string, identityFile?: string): RunFile {
  try {
    return openRunFile(path, run, identityFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') runNotFound(run);
    throw error;
  }
}
