const FENCE = '"""';

/** Puts lines together to messages: a backslash at the end of a line goes on, and so does everything between """ and """. */
export interface Paragraph {
  /** The message that ends with this line; undefined where it goes on. */
  take(line: string): string | undefined;
  /** What has come of a message that is not whole; empty where there is none. */
  rest(): string;
  readonly isOpen: boolean;
}

export function createParagraph(): Paragraph {
  let lines: string[] = [];
  let isFenced = false;

  function end(): string {
    const text = lines.join('\n');
    lines = [];
    isFenced = false;
    return text;
  }

  function inFence(line: string): string | undefined {
    const at = line.indexOf(FENCE);
    lines.push(at < 0 ? line : line.slice(0, at));
    if (at < 0) return undefined;
    if (lines.at(-1)?.trim() === '') lines.pop();
    return end();
  }

  return {
    take(line) {
      if (isFenced) return inFence(line);
      if (lines.length === 0 && line.trimStart().startsWith(FENCE)) {
        isFenced = true;
        const first = line.trimStart().slice(FENCE.length);
        return first === '' ? undefined : inFence(first);
      }
      if (line.endsWith('\\')) {
        lines.push(line.slice(0, -1));
        return undefined;
      }
      lines.push(line);
      return end();
    },
    rest: end,
    get isOpen() {
      return isFenced || lines.length > 0;
    },
  };
}
