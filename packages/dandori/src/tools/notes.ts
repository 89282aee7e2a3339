import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A note of the memory: a Markdown file that people can read, edit and put under version control. */
export interface Note {
  readonly name: string;
  readonly text: string;
  /** It may contain external content: a run wrote it after reading some, and the user has not confirmed it. */
  readonly isExternal: boolean;
  readonly changedAt: number;
}

/** The bytes of one note. A larger file is read up to here. */
export const LONGEST_NOTE = 32 * 1024;
export const MOST_NOTES = 500;

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u;
export const NAME_RULE = 'a name has letters, digits, - and _, and at most 64 of them';

export function isNoteName(name: string): boolean {
  return NAME.test(name) && name === name.normalize('NFC');
}

/** The folder of a user. The user of the configuration has the folder itself. */
export function notesFolder(base: string, userId: string | undefined): string {
  if (userId === undefined) return base;
  const readable = userId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  const digest = createHash('sha256').update(userId).digest('hex').slice(0, 16);
  return join(base, 'users', `${readable}-${digest}`);
}

/** All notes, sorted by name. Other files, folders and links are ignored. */
export async function readNotes(folder: string): Promise<Note[]> {
  let files: string[];
  try {
    files = await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
  const names = files.flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));
  const valid = names.filter(isNoteName).sort().slice(0, MOST_NOTES);
  const notes = await Promise.all(valid.map((name) => readNote(folder, name)));
  return notes.filter((note) => note !== undefined);
}

/** Undefined if there is no such note. */
export async function readNote(folder: string, name: string): Promise<Note | undefined> {
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    // A link could lead to any file of this machine.
    file = await open(fileOf(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const about = await file.stat();
    if (!about.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(about.size, LONGEST_NOTE));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { name, ...parsed(buffer.toString('utf8', 0, bytesRead)), changedAt: about.mtimeMs };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP')) return undefined;
    throw error;
  } finally {
    await file?.close();
  }
}

/** Replaces the note. What was there stays beside it, in `NAME.md~`. The same text again changes nothing. */
export async function writeNote(
  folder: string,
  { name, text, isExternal }: Pick<Note, 'name' | 'text' | 'isExternal'>,
): Promise<void> {
  const before = await readNote(folder, name);
  if (before?.text === text.trim() && before.isExternal === isExternal) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = fileOf(folder, name);
  const unfinished = join(folder, `.${randomUUID()}.tmp`);
  await writeFile(unfinished, `${isExternal ? EXTERNAL : ''}${text.trim()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    if (before !== undefined) await rename(file, `${file}~`);
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** False if there is no such note. What was there stays in `NAME.md~`. */
export async function removeNote(folder: string, name: string): Promise<boolean> {
  if ((await readNote(folder, name)) === undefined) return false;
  const file = fileOf(folder, name);
  await rename(file, `${file}~`);
  return true;
}

/** A person who has read the note may delete this line. From then on the note is read at the start of runs. */
const LABEL =
  'external: true # Written after external content was read. Delete this line to vouch for the note.';
const EXTERNAL = `---\n${LABEL}\n---\n`;

/** A note without front matter was written by a person, or by a run that had read nothing of strangers. */
function parsed(content: string): Pick<Note, 'text' | 'isExternal'> {
  const [whole, front = ''] = /^\uFEFF?---\r?\n([\s\S]*?)^---[^\S\n]*(?:\n|$)/m.exec(content) ?? [];
  const text = whole === undefined ? content : content.slice(whole.length);
  return { text: text.trim(), isExternal: /^external:\s*(?!false\b)\S/im.test(front) };
}

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.md`);
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
