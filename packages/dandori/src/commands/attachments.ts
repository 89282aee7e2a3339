import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { DandoriError, messageOf } from '../model/error.ts';
import { jsonParts } from '../model/json/parts.ts';
import type { Attachment } from '../model/task.ts';
import { bytesText } from '../model/text.ts';
import { type Secrets, sealingOf } from '../secrets/index.ts';
import type { Blobs } from '../store/index.ts';
import { isShowable, shownType } from '../views/media.ts';

/** A file that a user gives with a goal. */
export interface GivenAttachment {
  readonly name: string;
  /** A text, or the bytes of any file. */
  readonly data: string | Uint8Array;
  /** The media type. By default it is told from the content and the name. */
  readonly type?: string | undefined;
}

export const MOST_ATTACHMENTS = 20;
/** Bytes of all attachments of a run together. */
export const LARGEST_ATTACHMENTS = 20_000_000;

/** Reads the files that are given by their paths. */
export async function readAttachments(
  given: readonly (string | GivenAttachment)[],
): Promise<GivenAttachment[]> {
  let left = LARGEST_ATTACHMENTS;
  const read: GivenAttachment[] = [];
  for (const file of given) {
    if (typeof file !== 'string') {
      read.push(file);
      continue;
    }
    try {
      left -= (await stat(file)).size;
      if (left >= 0) read.push({ name: basename(file), data: await readFile(file) });
    } catch (error) {
      throw new DandoriError('file-unreadable', `${file}: ${messageOf(error)}`, {
        fix: 'Name a file that can be read.',
        cause: error,
      });
    }
    if (left < 0) throw attachmentsTooLarge(LARGEST_ATTACHMENTS - left);
  }
  return read;
}

/**
 * Stores the files, texts with secrets sealed. The journal keeps only where they are. `taken`: names that other files of
 * the run have.
 */
export async function storeAttachments(
  given: readonly GivenAttachment[],
  { blobs, ...secrets }: Secrets & { readonly blobs: Pick<Blobs, 'put'> },
  taken: Iterable<string> = [],
): Promise<Attachment[]> {
  if (given.length > MOST_ATTACHMENTS)
    throw new DandoriError('request-invalid', `A run can have ${MOST_ATTACHMENTS} attachments.`, {
      fix: 'Attach fewer files, or let a tool read them.',
    });
  const files = given.map(({ data, ...file }) => ({ ...file, data: Buffer.from(data) }));
  const total = files.reduce((sum, { data }) => sum + data.length, 0);
  if (total > LARGEST_ATTACHMENTS) throw attachmentsTooLarge(total);
  const sealing = sealingOf(secrets);
  const names = new Set<string>(taken);
  const stored: Attachment[] = [];
  for (const file of files) {
    const name = uniqueName(plainName(file.name), names);
    names.add(name);
    // A PDF may consist of plain characters.
    const text = shownType(file.data) === undefined ? textIn(file.data) : undefined;
    const type = typeOf(file, text !== undefined);
    const content = text === undefined ? file.data.toString('base64') : sealing.seal(text);
    const blob = await blobs.put(jsonParts(content));
    // The beginning of a file belongs in no journal.
    stored.push({
      name,
      type,
      bytes: file.data.length,
      blob: { ...blob, head: '' },
      isText: text !== undefined,
    });
  }
  return stored;
}

function attachmentsTooLarge(bytes: number): DandoriError {
  const most = bytesText(LARGEST_ATTACHMENTS);
  return new DandoriError(
    'request-too-large',
    `The attachments have ${bytesText(bytes)}; ${most} are the most.`,
    {
      fix: 'Attach less, or let a tool read the files.',
    },
  );
}

const LONGEST_NAME = 100;

/** A name goes into every prompt, and the user may not have chosen it. */
function plainName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._() -]+/gu, '_')
    .trim();
  const clipped = plain.length > LONGEST_NAME ? plain.slice(-LONGEST_NAME).toWellFormed() : plain;
  return clipped === '' ? 'file' : clipped;
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${number}-${name}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function textIn(data: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

function typeOf(
  { name, data, type }: { name: string; data: Buffer; type?: string | undefined },
  isText: boolean,
): string {
  const shown = shownType(data);
  if (shown !== undefined) return shown;
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  const said = type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : TYPES[ending];
  // What only says that it is a picture or a PDF can't be shown.
  const isFalse = said !== undefined && isShowable(said);
  return said !== undefined && !isFalse ? said : isText ? 'text/plain' : 'application/octet-stream';
}
