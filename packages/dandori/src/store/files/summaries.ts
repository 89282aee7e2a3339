import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Entry, Form } from '../journal.ts';
import { unreadable } from './disk.ts';
import { goesOn, hasLostNewline, parseLine } from './line.ts';

const CHUNK = 4096;
const NEWLINE = 0x0a;

/**
 * The state of each file when it was summarised, by run. A journal only grows, so a file with the same size
 * and time is unchanged.
 */
export type KnownSummaries<Summary> = Map<
  string,
  { readonly state: string; readonly summary: Summary | undefined }
>;

/** The number of summaries to remember. */
const REMEMBERED = 20_000;

/**
 * Summarises a run from both ends of its file: listing 10,000 runs must not read 10,000 whole files.
 * Undefined if the run has been deleted in the meantime.
 */
export async function summariseFile<E extends Entry, Summary>(
  path: string,
  run: string,
  { form, known }: { readonly form: Form<E, Summary>; readonly known: KnownSummaries<Summary> },
): Promise<Summary | undefined> {
  const { summarise } = form;
  const parse = (bytes: Buffer | undefined) =>
    bytes === undefined
      ? []
      : parseLine<E>(bytes, { file: path, run, line: 0, offset: 0, seq: undefined }, form);
  const before = known.get(run);
  let state: string;
  let file: FileHandle;
  try {
    // The file's state is taken before it is read, so that a write in between is seen the next time.
    const { ino, size, mtimeMs } = await stat(path);
    state = `${ino} ${size} ${mtimeMs}`;
    if (before?.state === state) return before.summary;
    file = await open(path, 'r');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? undefined
      : summarise(run, undefined, undefined);
  }
  try {
    const { size } = await file.stat();
    const first = await firstLine(file, size);
    const last = await lastLine(file, { size, run });
    const summary = summarise(run, parse(first)[0], parse(last).at(-1));
    known.delete(run);
    known.set(run, { state, summary });
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return summary;
  } catch {
    return summarise(run, undefined, undefined);
  } finally {
    await file.close();
  }
}

/** The first event of a file. Undefined if there is no file. */
export async function firstOfFile<E extends Entry>(
  path: string,
  run: string,
  form: Form<E, unknown>,
): Promise<E | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : unreadable(path, error),
  );
  if (file === undefined) return undefined;
  try {
    const line = await firstLine(file, (await file.stat()).size);
    const place = { file: path, run, line: 1, offset: 0, seq: 1 };
    return parseLine<E>(line ?? Buffer.alloc(0), place, form)[0];
  } finally {
    await file.close();
  }
}

async function firstLine(file: FileHandle, size: number): Promise<Buffer | undefined> {
  for (let length = CHUNK; ; length *= 4) {
    const text = await slice(file, 0, Math.min(length, size));
    const end = text.indexOf(NEWLINE);
    if (end !== -1) return text.subarray(0, end);
    if (length >= size) return undefined;
  }
}

/**
 * The last line of the last whole append, without a torn tail after it. Undefined if the newline of a later
 * append is damaged.
 */
async function lastLine(
  file: FileHandle,
  { size, run }: { size: number; run: string },
): Promise<Buffer | undefined> {
  for (let length = CHUNK; ; length *= 4) {
    const from = Math.max(0, size - length);
    const text = await slice(file, from, size - from);
    let end = text.lastIndexOf(NEWLINE);
    if (hasLostNewline(text.subarray(end + 1, -1), run)) return undefined;
    while (end !== -1) {
      const start = end === 0 ? -1 : text.lastIndexOf(NEWLINE, end - 1);
      const isWhole = start !== -1 || from === 0;
      const line = text.subarray(start + 1, end);
      if (isWhole && !goesOn(line)) return line;
      end = start;
    }
    if (from === 0) return undefined;
  }
}

async function slice(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, from);
  return buffer.subarray(0, bytesRead);
}
