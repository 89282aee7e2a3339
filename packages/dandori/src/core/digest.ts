import type { Json } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { shapeOf } from './shape.ts';
import type { Stored } from './state.ts';

/** The least that a digest needs to be of use. */
const SMALLEST = 160;

export interface DigestOptions {
  /** Characters of the whole text. */
  readonly limit: number;
  /** How the rest is to be had, in a few words. */
  readonly more: string;
}

/** A result as a prompt shows it: whole where it is small, else its size, its shape and its beginning. */
export function digestOf(stored: Stored, { limit, more }: DigestOptions): string {
  const most = Math.max(SMALLEST, limit);
  if ('blob' in stored) {
    const { bytes, head, shape } = stored.blob;
    return digest({ size: `${bytes} bytes`, shape: shape ?? 'not known', head: `${head}…`, most, more });
  }
  const text = stringifyJson(stored.value);
  if (text.length <= most) return text;
  return digest({
    size: `${text.length} characters`,
    shape: shapeOf(stored.value, Math.floor(most / 2)),
    head: text,
    most,
    more,
  });
}

interface Parts {
  readonly size: string;
  readonly shape: string;
  readonly head: string;
  readonly most: number;
  readonly more: string;
}

/** The beginning first: where it is cut once more, as for a person, what is left makes sense. */
function digest({ size, shape, head, most, more }: Parts): string {
  const about = `(${size} in all)\nshape: ${cut(shape, Math.floor(most / 2))}\n${more}`;
  return `${cut(head, Math.max(40, most - about.length))} ${about}`;
}

/** Half of a pair of code units would be no character, and some providers refuse it. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** How a value begins as JSON. A large one is not written out only to be cut. */
export function headOf(value: Json, length: number): string {
  let text = '';
  const write = (one: Json): void => {
    if (text.length > length) return;
    if (typeof one === 'string') text += stringifyJson(one.slice(0, length + 1));
    else if (typeof one !== 'object' || one === null) text += stringifyJson(one);
    else if (Array.isArray(one)) {
      text += '[';
      for (const [index, item] of one.entries()) {
        if (text.length > length) break;
        if (index > 0) text += ',';
        write(item);
      }
      text += ']';
    } else {
      text += '{';
      let isFirst = true;
      for (const key in one) {
        if (text.length > length) break;
        if (!isFirst) text += ',';
        isFirst = false;
        text += `${stringifyJson(key)}:`;
        write(one[key] as Json);
      }
      text += '}';
    }
  };
  write(value);
  return cut(text, length);
}

export function sizeOf(stored: Stored): string {
  return 'blob' in stored ? `${stored.blob.bytes} bytes` : `${stringifyJson(stored.value).length} characters`;
}

export function shapeIn(stored: Stored, longest: number): string {
  if ('blob' in stored) return cut(stored.blob.shape ?? cut(stored.blob.head, longest), longest);
  return shapeOf(stored.value as Json, longest);
}
