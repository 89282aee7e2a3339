import type { Json } from '../model/json.ts';
import type { BlobHandle } from '../model/task.ts';
import { bytesText } from '../model/text.ts';
import type { TaskState } from '../run/state/state.ts';

/** Binary content of a result, such as a picture. */
export type Media = NonNullable<BlobHandle['media']>[number];

/** The parts of a value that are looked at. Servers return pictures in a list of a few blocks. */
const MOST_PARTS = 2_000;
const DEEPEST = 6;

/** The binary content in a value, as MCP writes it: base64 in `data` or `blob`, beside its `mimeType`. */
export function mediaIn(value: Json): Media[] {
  const found: Media[] = [];
  walk(value, (one, path) => found.push({ path: [...path], type: one.type, bytes: one.bytes }));
  return found;
}

/** The value with a short text instead of each binary content. Prompts, logs and reports never show base64. */
export function withoutMedia(value: Json): Json {
  const found = mediaIn(value);
  return found.length === 0 ? value : replaced(value, found, []);
}

function replaced(value: Json, found: readonly Media[], at: readonly (string | number)[]): Json {
  const here = found.find(
    ({ path }) => path.length === at.length && path.every((part, index) => part === at[index]),
  );
  if (here !== undefined) return `[${here.type}, ${bytesText(here.bytes)}]`;
  if (at.length > DEEPEST || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, found, [...at, index]));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaced(item, found, [...at, key])]),
  );
}

interface Found {
  readonly type: string;
  readonly bytes: number;
}

type Path = (string | number)[];

function walk(
  value: Json,
  onFound: (found: Found, path: Path) => void,
  path: Path = [],
  room = { left: MOST_PARTS },
): void {
  if (typeof value !== 'object' || value === null || path.length > DEEPEST || room.left-- <= 0) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (room.left <= 0) return;
      walk(item, onFound, [...path, index], room);
    }
    return;
  }
  const { mimeType } = value;
  for (const key in value) {
    const item = value[key];
    if (isBinary(key, item, mimeType))
      onFound({ type: String(mimeType), bytes: sizeOf(item) }, [...path, key]);
    else if (item !== undefined) walk(item, onFound, [...path, key], room);
  }
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** As many characters are checked. */
const SAMPLE = 400;

function isBinary(key: string, value: Json | undefined, type: Json | undefined): value is string {
  if ((key !== 'data' && key !== 'blob') || typeof type !== 'string' || !/^[\w.+-]+\/[\w.+-]+$/.test(type))
    return false;
  return (
    typeof value === 'string' && value !== '' && BASE64.test(value.slice(0, SAMPLE).replaceAll(/\s/g, ''))
  );
}

function sizeOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

/** Pictures that models and browsers can show. */
export function isPicture(type: string): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(type);
}

/** Whether a model that takes files can be given it. */
export function isShowable(type: string): boolean {
  return isPicture(type) || type === 'application/pdf';
}

/** The first bytes of what can be shown. A wrong type would make a provider refuse the call. */
const SIGNATURES: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638/],
  ['image/webp', /^52494646.{8}57454250/],
  ['application/pdf', /^255044462d/],
];

/** The type that the first bytes tell. Undefined if it is nothing that can be shown. */
export function shownType(start: Uint8Array): string | undefined {
  const hex = Array.from(start.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return SIGNATURES.find(([, pattern]) => pattern.test(hex))?.[0];
}

/** Bytes. Providers refuse larger pictures. */
const LARGEST_SHOWN = 5_000_000;

const NONE: readonly Media[] = [];

/** What a mind is shown of a result: its pictures, and an attached PDF that it has read. */
export function shownIn({
  status,
  result,
  task,
}: Pick<TaskState, 'status' | 'result' | 'task'>): readonly Media[] {
  // Most results have none.
  if (status !== 'succeeded' || result === undefined || !('blob' in result)) return NONE;
  const isShown = task.operation === 'attachment.read' ? isShowable : isPicture;
  return (result.blob.media ?? []).filter(({ type, bytes }) => isShown(type) && bytes <= LARGEST_SHOWN);
}
