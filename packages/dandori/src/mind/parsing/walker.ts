/** A bracket that is open. */
export interface Frame {
  readonly kind: '{' | '[';
  /** Where it opens in the text. */
  readonly start: number;
  /** In an object: the key whose value is being read. */
  key: string | undefined;
  /** In an object: a string here is a key. */
  expectsKey: boolean;
  /** In a list: how many values came before. */
  index: number;
}

/** A part of the text, without the character at `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface WalkerListener {
  /** `walker.frames` ends with this frame. */
  opened?(frame: Frame): void;
  /** `walker.frames` no longer holds this frame. */
  closed?(frame: Frame, end: number): void;
  /** The next piece of a string that is a value, as it is written: without its quotes, escapes not decoded. */
  string?(piece: string, isLast: boolean): void;
}

/** As long as the longest tag that is looked for. */
const TAG_LENGTH = '</reasoning>'.length;

/**
 * Follows the brackets of JSON through a text that arrives in pieces, with anything around it: prose, fences, thoughts
 * in tags. Looks at each character once. It does not check the JSON: it says where JSON would be.
 *
 * W1  Quotes count only inside brackets, so that an apostrophe in prose opens no string.
 * W2  A bracket in prose (`[1]`, `[0, 1)`, `{x | x > 1}`) opens nothing unless what follows could begin JSON of ours.
 * W3  After a closing bracket of the wrong kind it looks no further: what is inside what is anybody's guess.
 */
export class JsonWalker {
  readonly frames: Frame[] = [];
  /** Complete values that are inside no other. */
  readonly values: Span[] = [];
  /** Where the first closing bracket of the wrong kind stands. */
  mismatch: number | undefined;
  /** Closing brackets outside of any value. */
  strays = 0;
  /** How many brackets were open at once at most. */
  deepest = 0;
  readonly #listener: WalkerListener;
  #kept = '';
  #forgotten = 0;
  #position = 0;
  #isString = false;
  /** What is known of the string so far that has not been told. */
  #string = '';
  #isEscaped = false;
  /** A bracket of which it is not known yet whether it opens JSON. */
  #candidate: { readonly kind: Frame['kind']; readonly start: number } | undefined;
  #isThought = false;
  /** The last characters outside of brackets, where a tag may stand. */
  #ending = '';

  constructor(listener: WalkerListener = {}) {
    this.#listener = listener;
  }

  push(piece: string): void {
    this.#kept += piece;
    for (let index = 0; index < piece.length && this.mismatch === undefined; index++) {
      this.#take(piece[index] ?? '');
      if (this.mismatch === undefined) this.#position++;
    }
    if (this.#isString) this.#tellString(false);
  }

  /** A part of the text, in positions from its beginning. */
  slice(start: number, end: number): string {
    return this.#kept.slice(Math.max(0, start - this.#forgotten), Math.max(0, end - this.#forgotten));
  }

  /** What comes before will not be asked for. A text that is kept whole is copied again with each slice of it. */
  forget(before: number): void {
    this.#kept = this.slice(before, Number.POSITIVE_INFINITY);
    this.#forgotten = Math.max(this.#forgotten, before);
  }

  /** The text ends in the middle of something. */
  get isOpen(): boolean {
    return this.frames.length > 0 || this.#candidate !== undefined || this.#isThought;
  }

  #take(character: string): void {
    const frame = this.frames.at(-1);
    if (frame === undefined) this.#takeOutside(character);
    else if (this.#isString) this.#takeString(character, frame);
    else this.#takeInside(character, frame);
  }

  #takeOutside(character: string): void {
    this.#ending = (this.#ending + character).slice(-TAG_LENGTH);
    if (character === '>') this.#takeTag();
    if (this.#isThought) return;
    const candidate = this.#candidate;
    if (candidate !== undefined) {
      if (/\s/.test(character)) return;
      this.#candidate = undefined;
      if (couldBeginJson(candidate.kind, character)) {
        this.#open(candidate.kind, candidate.start);
        this.#take(character);
        return;
      }
    }
    if (character === '{' || character === '[') this.#candidate = { kind: character, start: this.#position };
    else if (character === '}' || character === ']') this.strays++;
  }

  #takeTag(): void {
    const tag = /<(\/?)(?:think|thinking|reasoning)>$/i.exec(this.#ending);
    if (tag === null) return;
    const isOpening = tag[1] === '';
    // Some servers swallow the opening tag; what came before the closing one was thought all the same.
    if (!isOpening && !this.#isThought) this.values.length = 0;
    this.#isThought = isOpening;
  }

  #takeInside(character: string, frame: Frame): void {
    if (character === '"') this.#isString = true;
    else if (character === '{' || character === '[') this.#open(character, this.#position);
    else if (character === '}' || character === ']') this.#close(character, frame);
    else if (character === ':') frame.expectsKey = false;
    else if (character === ',') {
      frame.index++;
      frame.expectsKey = frame.kind === '{';
    }
  }

  #takeString(character: string, frame: Frame): void {
    if (!this.#isEscaped && character === '"') {
      if (frame.expectsKey) frame.key = this.#string;
      else this.#tellString(true);
      this.#string = '';
      this.#isString = false;
      return;
    }
    this.#isEscaped = !this.#isEscaped && character === '\\';
    this.#string += character;
  }

  #tellString(isLast: boolean): void {
    if (this.frames.at(-1)?.expectsKey === true) return;
    this.#listener.string?.(this.#string, isLast);
    this.#string = '';
  }

  #open(kind: Frame['kind'], start: number): void {
    const frame: Frame = { kind, start, key: undefined, expectsKey: kind === '{', index: 0 };
    this.#ending = '';
    this.frames.push(frame);
    this.deepest = Math.max(this.deepest, this.frames.length);
    this.#listener.opened?.(frame);
  }

  #close(character: string, frame: Frame): void {
    if ((character === '}') !== (frame.kind === '{')) {
      this.mismatch = this.#position;
      return;
    }
    this.frames.pop();
    const end = this.#position + 1;
    if (this.frames.length === 0) this.values.push({ start: frame.start, end });
    this.#listener.closed?.(frame, end);
  }
}

/** A list of ours holds objects, an object has a key. `/` may begin a comment, as small models write them. */
function couldBeginJson(bracket: string, next: string): boolean {
  return bracket === '[' ? /[{\]/]/.test(next) : /["'}/\w]/.test(next);
}
