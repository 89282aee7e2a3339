/** An open bracket. */
export interface Frame {
  readonly kind: '{' | '[';
  /** Its position in the text. */
  readonly start: number;
  /** In an object: the key whose value is being read. */
  key: string | undefined;
  /** In an object: the next string is a key. */
  expectsKey: boolean;
  /** In a list: how many values have been read. */
  index: number;
}

/** A part of the text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface WalkerListener {
  /** `walker.frames` ends with this frame. */
  opened?(frame: Frame): void;
  /** `walker.frames` no longer contains this frame. */
  closed?(frame: Frame, end: number): void;
  /** The next piece of a string value, without quotes, escapes not decoded. */
  string?(piece: string, isLast: boolean): void;
}

const TAG_LENGTH = '<|channel|>analysis<|message|>'.length;

/** Tags around thoughts. gpt-oss writes them in a channel of its Harmony format. */
const OPENS_THOUGHT = /<(?:think|thinking|reasoning)>$|<\|channel\|>\s?analysis\s?<\|message\|>$/i;

/**
 * Finds JSON in a text that arrives in pieces and may contain prose, code fences and thoughts in tags. Reads
 * each character once. It follows brackets and does not check the JSON.
 *
 * W1  Quotes count only inside brackets, so an apostrophe in prose opens no string.
 * W2  A bracket in prose (`[1]`, `[0, 1)`, `{x | x > 1}`) opens nothing, because the character after it cannot
 *     begin a list or an object that we look for.
 * W3  It stops at a mismatched closing bracket, because the nesting is unclear after it.
 */
export class JsonWalker {
  readonly frames: Frame[] = [];
  /** Complete outermost values. */
  readonly values: Span[] = [];
  /** The position of the first mismatched closing bracket. */
  mismatch: number | undefined;
  /** Closing brackets outside of any value. */
  strays = 0;
  /** The deepest nesting so far. */
  deepest = 0;
  readonly #listener: WalkerListener;
  #kept = '';
  #forgotten = 0;
  #position = 0;
  #isString = false;
  /** The part of the current string that has not been reported. */
  #string = '';
  #isEscaped = false;
  /** A bracket that may open JSON. */
  #candidate: { readonly kind: Frame['kind']; readonly start: number } | undefined;
  #isThought = false;
  /** The last characters outside of brackets, which may be a tag. */
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

  /** A part of the text, by positions from its start. */
  slice(start: number, end: number): string {
    return this.#kept.slice(Math.max(0, start - this.#forgotten), Math.max(0, end - this.#forgotten));
  }

  /** Drops the text before this position. Otherwise each slice would copy the whole text. */
  forget(before: number): void {
    this.#kept = this.slice(before, Number.POSITIVE_INFINITY);
    this.#forgotten = Math.max(this.#forgotten, before);
  }

  /** Whether the text ends inside brackets or thoughts. */
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
    if (OPENS_THOUGHT.test(this.#ending)) this.#isThought = true;
    else if (/<\/(?:think|thinking|reasoning)>$/i.test(this.#ending)) {
      // Some servers drop the opening tag. What precedes the closing tag was still a thought.
      if (!this.#isThought) this.values.length = 0;
      this.#isThought = false;
    } else if (/<\|(?:end|start)\|>$/.test(this.#ending)) this.#isThought = false;
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

/**
 * Our lists contain objects, and our objects have keys. `/` may start a comment, which small models write.
 */
function couldBeginJson(bracket: string, next: string): boolean {
  return bracket === '[' ? /[{\]/]/.test(next) : /["'}/\w]/.test(next);
}
