import { DandoriError } from '../model/error.ts';
import { jsonParts } from '../model/json.ts';
import type { Attachment } from '../model/task.ts';
import { bytesText } from '../model/text.ts';
import type { Blobs } from '../store/index.ts';

/** A file that a user gives with a goal. */
export interface GivenAttachment {
  readonly name: string;
  /** A text, or the bytes of any file. */
  readonly data: string | Uint8Array;
  /** The media type. By default it is told from the content and the name. */
  readonly type?: string | undefined;
}

const MOST_ATTACHMENTS = 20;
/** Bytes of all attachments of a run together. */
export const LARGEST_ATTACHMENTS = 20_000_000;

/** Stores the files. The journal keeps only where they are. */
export async function storeAttachments(
  given: readonly GivenAttachment[],
  blobs: Pick<Blobs, 'put'>,
): Promise<Attachment[]> {
  if (given.length > MOST_ATTACHMENTS)
    throw new DandoriError('request-invalid', `A run can have ${MOST_ATTACHMENTS} attachments.`, {
      fix: 'Attach fewer files, or let a tool read them.',
    });
  const files = given.map(({ data, ...file }) => ({ ...file, data: Buffer.from(data) }));
  const total = files.reduce((sum, { data }) => sum + data.length, 0);
  if (total > LARGEST_ATTACHMENTS) throw attachmentsTooLarge(total);
  const names = new Set<string>();
  const stored: Attachment[] = [];
  for (const file of files) {
    const name = uniqueName(plainName(file.name), names);
    names.add(name);
    const text = textIn(file.data);
    const type = typeOf(file, text !== undefined);
    const blob = await blobs.put(jsonParts(text ?? file.data.toString('base64')));
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

export function attachmentsTooLarge(bytes: number): DandoriError {
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

/** The first bytes of the pictures that models can see. A wrong type would make a provider refuse the call. */
const PICTURES: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638/],
  ['image/webp', /^52494646.{8}57454250/],
];

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

function typeOf(
  { name, data, type }: { name: string; data: Buffer; type?: string | undefined },
  isText: boolean,
): string {
  const start = data.subarray(0, 12).toString('hex');
  const picture = PICTURES.find(([, pattern]) => pattern.test(start))?.[0];
  if (picture !== undefined) return picture;
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  const said = type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : TYPES[ending];
  // What only says that it is a picture is none that can be shown.
  const isFalse = said !== undefined && /^image\/(?:png|jpeg|gif|webp)$/.test(said);
  return said !== undefined && !isFalse ? said : isText ? 'text/plain' : 'application/octet-stream';
}
