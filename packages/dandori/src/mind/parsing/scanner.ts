import { parsedJson } from '../../model/json.ts';
import type { Action } from '../../model/task.ts';
import { ARGUMENT_KEYS, LIST_KEYS, readAction } from './action.ts';
import { parseExactly } from './lenient-json.ts';
import { type Frame, JsonWalker } from './walker.ts';

interface ScannerListener {
  onAction?: ((action: Action) => void) | undefined;
  onText?: ((text: string) => void) | undefined;
}

/** The object being read, which may be an action. */
interface Current {
  readonly frame: Frame;
  readonly index: number;
  operation: string;
}

/**
 * Reads actions from a text while it is written. The whole text may still be refused, so only harmless work
 * may start early.
 *
 * N1  An action is reported once, in order, with the id and arguments that `extractActions` gives it at the
 *     end.
 * N2  After an unreadable action nothing more is reported, because its meaning is unclear before the end.
 * N3  The text of an answer is reported as it grows, if the answer comes first. An answer after tool calls
 *     may not count.
 */
export class ActionScanner {
  readonly #walker: JsonWalker;
  readonly #listener: ScannerListener;
  /** The one list that counts; a second one makes the whole output invalid. */
  #list: Frame | undefined;
  #current: Current | undefined;
  #isSilent = false;
  /** The end of the answer's text that can't be reported yet; undefined if no more is reported. */
  #untold: string | undefined = '';

  constructor(listener: ScannerListener) {
    this.#listener = listener;
    this.#walker = new JsonWalker({
      opened: (frame) => this.#opened(frame),
      closed: (frame, end) => this.#closed(frame, end),
      string: (piece, isLast) => this.#string(piece, isLast),
    });
  }

  push(piece: string): void {
    this.#walker.push(piece);
  }

  #opened(frame: Frame): void {
    const { frames } = this.#walker;
    const parent = frames.at(-2);
    if (parent === undefined) {
      if (frame.kind === '{') this.#current = { frame, index: this.#walker.values.length, operation: '' };
      return;
    }
    if (frame.kind !== '{' || parent.kind !== '[' || !this.#isList(parent)) return;
    this.#list ??= parent;
    this.#current = { frame, index: parent.index, operation: '' };
  }

  #isList(frame: Frame): boolean {
    const { frames } = this.#walker;
    if (this.#list !== undefined) return this.#list === frame;
    if (frames[0] === frame) return true;
    return frames[1] === frame && LIST_KEYS.includes(frames[0]?.key ?? '');
  }

  #closed(frame: Frame, end: number): void {
    const current = this.#current;
    if (current?.frame !== frame || this.#walker.frames.length === 0 || this.#isSilent) return;
    this.#current = undefined;
    const read = this.#read(frame.start, end, current.index);
    if (read === undefined) this.#isSilent = true;
    else this.#listener.onAction?.(read);
  }

  #read(start: number, end: number, index: number): Action | undefined {
    const slice = this.#walker.slice(start, end);
    this.#walker.forget(end);
    try {
      const read = readAction(parseExactly(slice), index);
      return read.ok ? read.action : undefined;
    } catch {
      return undefined;
    }
  }

  #string(piece: string, isLast: boolean): void {
    const current = this.#current;
    const frame = this.#walker.frames.at(-1);
    if (current === undefined || frame === undefined) return;
    if (frame === current.frame) {
      if (frame.key === 'operation') current.operation += piece;
      return;
    }
    const isArguments =
      this.#walker.frames.at(-2) === current.frame && ARGUMENT_KEYS.includes(current.frame.key ?? '');
    const isAnswer = current.operation === 'answer' && current.index === 0;
    if (isAnswer && isArguments && frame.key === 'text') this.#tellText(piece, isLast);
  }

  #tellText(piece: string, isLast: boolean): void {
    if (this.#untold === undefined) return;
    const raw = this.#untold + piece;
    const decoded = decodePart(raw);
    const text = decoded === undefined ? '' : decoded.text;
    // A Ref is filled in later, so it is not shown. A `$` at the end may become one.
    const ref = text.search(isLast ? /\$+\{/ : /\$+(?:\{|$)/);
    const isHeldBack = ref !== -1 && !text.includes('{', ref);
    if (decoded === undefined || (ref !== -1 && !isHeldBack)) this.#untold = undefined;
    else this.#untold = (isHeldBack ? text.slice(ref) : '') + raw.slice(decoded.length);
    const told = ref === -1 ? text : text.slice(0, ref);
    if (told !== '') this.#listener.onText?.(told);
  }
}

/**
 * Decodes as much of a partial JSON string as possible, without half an escape or half a surrogate pair.
 * Undefined if it is invalid.
 */
function decodePart(raw: string): { text: string; length: number } | undefined {
  const length = wholeEscapes(raw);
  const text = parsedJson(`"${raw.slice(0, length)}"`) as string | undefined;
  if (text === undefined || !/[\uD800-\uDBFF]$/.test(text))
    return text === undefined ? undefined : { text, length };
  const half = /[\uD800-\uDBFF]$/.test(raw.slice(0, length)) ? 1 : '\\ud83d'.length;
  return { text: text.slice(0, -1), length: length - half };
}

function wholeEscapes(raw: string): number {
  const last = raw.lastIndexOf('\\');
  if (last === -1) return raw.length;
  let run = 1;
  while (raw[last - run] === '\\') run++;
  // In an even run the backslashes escape each other.
  if (run % 2 === 0) return raw.length;
  const needed = raw[last + 1] === 'u' ? '\\ud83d'.length : '\\n'.length;
  return raw.length - last < needed ? last : raw.length;
}
