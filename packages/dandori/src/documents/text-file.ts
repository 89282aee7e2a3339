import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { DandoriError, type ErrorCode } from '../model/error.ts';

interface TextFileRules {
  /** The name of the file in messages. */
  readonly name: string;
  /** Thrown if the file exists but can't be used. */
  readonly code: ErrorCode;
  /** Thrown if the file is missing. */
  readonly missing: ErrorCode;
  readonly maxBytes: number;
}

/** Reads a file as text. It is read as a stream, so that pipes work and `/dev/zero` ends at the limit. */
export async function readTextFile(path: string, rules: TextFileRules): Promise<string> {
  const bytes = await readBytes(path, rules);
  if (bytes.length > rules.maxBytes) {
    throw new DandoriError(
      rules.code,
      `${rules.name} is larger than ${sizeText(rules.maxBytes)}, which is the limit`,
      {
        fix: 'check that this is the right file',
      },
    );
  }
  if (!isUtf8(bytes)) throw notUtf8(bytes, rules);
  return new TextDecoder('utf-8').decode(bytes);
}

async function readBytes(path: string, { name, missing, maxBytes }: TextFileRules): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    // `end` is inclusive: one byte above the limit is enough to detect it.
    for await (const chunk of createReadStream(path, { end: maxBytes })) chunks.push(chunk);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const fix = 'check the path: it is relative to the current folder';
      throw new DandoriError(missing, `there is no file ${name}`, { cause: error, fix });
    }
    const reason = code === 'EISDIR' ? 'it is a folder' : code === 'EACCES' ? 'permission denied' : message;
    throw new DandoriError('file-unreadable', `${name} cannot be read: ${reason}`, {
      cause: error,
      fix: code === 'EISDIR' ? 'give the path of a file' : 'check the permissions of the file',
    });
  }
  return Buffer.concat(chunks);
}

function notUtf8(bytes: Buffer, { name, code }: TextFileRules): DandoriError {
  const fix = 'save the file as UTF-8';
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new DandoriError(code, `${name} is UTF-16, and must be UTF-8`, { fix });
  return new DandoriError(code, `${name}:${firstBadLine(bytes)} is not UTF-8`, { fix });
}

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const newline = bytes.indexOf(0x0a, start);
    if (newline === -1 || !isUtf8(bytes.subarray(start, newline))) return line;
    start = newline + 1;
  }
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}
